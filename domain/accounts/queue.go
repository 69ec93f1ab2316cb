package accounts

import (
	"context"
	"slices"
	"sync"
)

// queue bounds what runs at once. Those that are known go before all others that wait.
type queue struct {
	mu      sync.Mutex
	free    int
	known   []chan struct{}
	unknown []chan struct{}
}

// enter waits for a turn until ctx ends. After nil, call leave.
func (q *queue) enter(ctx context.Context, known bool) error {
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return nil
	}
	turn := make(chan struct{}, 1)
	line := &q.unknown
	if known {
		line = &q.known
	}
	*line = append(*line, turn)
	q.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(*line, turn); i >= 0 {
		*line = slices.Delete(*line, i, i+1)
	} else {
		q.next() // it was its turn meanwhile
	}
	return ctx.Err()
}

func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next()
}

func (q *queue) next() {
	line := &q.known
	if len(*line) == 0 {
		line = &q.unknown
	}
	if len(*line) == 0 {
		q.free++
		return
	}
	(*line)[0] <- struct{}{}
	*line = (*line)[1:]
}
