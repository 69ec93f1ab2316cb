package feeds

import (
	"context"
	"sync"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// signal knows how far each feed has come, and tells any number of those who wait.
type signal struct {
	mu    sync.Mutex
	heads map[string]Cursor
	moved wait.Broadcast // one of them moved
}

func newSignal() *signal {
	return &signal{heads: map[string]Cursor{}}
}

// listen asks the database how far the feeds have come.
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

// Head returns the end of a feed that this process knows of (at most about 200 ms old while Work runs; the zero
// Cursor as long as it knows of none), and a channel that is closed when any feed has moved on from now.
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
