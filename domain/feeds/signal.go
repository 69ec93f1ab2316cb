package feeds

import (
	"context"
	"sync"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// signal has the heads of the feeds, and wakes readers that wait.
type signal struct {
	mu    sync.Mutex
	heads map[string]Cursor
	moved wait.Broadcast // one of them moved
}

func newSignal() *signal {
	return &signal{heads: map[string]Cursor{}}
}

// listen reads the heads of the feeds from the database.
func (e *Engine) listen(ctx context.Context) error {
	rows, err := db.Read(e.db.Sequences(ctx))
	if err != nil {
		return err
	}
	s := e.signal
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := false
	for _, row := range rows {
		at := Cursor{Epoch: row.Epoch, Feed: row.Name, Position: row.Value}
		changed = changed || s.heads[row.Name] != at
		s.heads[row.Name] = at
	}
	if changed {
		s.moved.Wake()
	}
	return nil
}

// Head returns the head of a feed as this process knows it (at most about 200 ms old while Run runs; the zero Cursor
// before), and a channel that is closed when any feed's head moves.
func (e *Engine) Head(feed string) (at Cursor, moved <-chan struct{}) {
	s := e.signal
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heads[feed], s.moved.Next()
}

// Changes returns the channel alone.
func (e *Engine) Changes() <-chan struct{} {
	_, moved := e.Head("")
	return moved
}
