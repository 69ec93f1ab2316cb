package feeds

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// signal has the heads of the feeds, and wakes readers that wait.
type signal struct {
	mu    sync.Mutex
	heads map[string]Cursor
	moved wait.Broadcast // one of them moved
	// values are the last positions that were given out, as listen has seen them.
	values map[string]uint64
	// woken counts the calls of Wake, answered those before the last round of Run that left nothing, which wakes rounds.
	woken, answered atomic.Uint64
	rounds          wait.Broadcast
}

func newSignal() *signal {
	return &signal{heads: map[string]Cursor{}, values: map[string]uint64{}}
}

// listen reads the heads of the feeds from the database. What it has seen twice, and nobody notes, it notes itself: its
// publisher has died, or is of a release that does not.
func (e *Engine) listen(ctx context.Context) error {
	rows, err := db.Read(e.db.Sequences(ctx))
	if err != nil {
		return err
	}
	e.signal.set(rows)
	for _, feed := range e.signal.left(rows) {
		if err := e.settle(ctx, feed); err != nil {
			return err
		}
	}
	return nil
}

// set keeps the heads, and wakes readers if one has moved.
func (s *signal) set(rows []db.SequencesRow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := false
	for _, row := range rows {
		at := Cursor{Epoch: row.Epoch, Feed: row.Name, Position: uint64(row.Head)}
		changed = changed || s.heads[row.Name] != at
		s.heads[row.Name] = at
	}
	if changed {
		s.moved.Wake()
	}
}

// left returns the feeds whose heads are behind what was given out when it was called before, or at its first call.
func (s *signal) left(rows []db.SequencesRow) (feeds []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, row := range rows {
		before, known := s.values[row.Name]
		if head := uint64(row.Head); head < row.Value && (!known || head < before) {
			feeds = append(feeds, row.Name)
		}
		s.values[row.Name] = row.Value
	}
	return feeds
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
