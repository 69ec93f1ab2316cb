package feeds

import (
	"context"
	"sync"

	"github.com/counterfoil/counterfoil/db"
)

// bell wakes one who waits; rung before, it wakes at once.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// signal knows how far each feed has come, and tells any number of those who wait.
type signal struct {
	mu     sync.Mutex
	heads  map[string]uint64
	epochs map[string]uint64
	moved  chan struct{} // closed, and made anew, when a head moves
}

func newSignal() *signal {
	return &signal{heads: map[string]uint64{}, epochs: map[string]uint64{}, moved: make(chan struct{})}
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
		changed = changed || s.heads[row.Name] != row.Value || s.epochs[row.Name] != row.Epoch
		s.heads[row.Name], s.epochs[row.Name] = row.Value, row.Epoch
	}
	if changed {
		close(s.moved)
		s.moved = make(chan struct{})
	}
	return nil
}

// Head returns the last position of a feed that this process knows of (at most about 200 ms old while Work
// runs), and a channel that is closed when any feed has moved on from now.
func (e *Engine) Head(feed string) (position uint64, moved <-chan struct{}) {
	s := e.signal
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heads[feed], s.moved
}

// Place is Head as a cursor: it differs from where a reader stands also where the epoch is another.
func (e *Engine) Place(feed string) (at Cursor, moved <-chan struct{}) {
	s := e.signal
	s.mu.Lock()
	defer s.mu.Unlock()
	return Cursor{Epoch: s.epochs[feed], Feed: feed, Position: s.heads[feed]}, s.moved
}
