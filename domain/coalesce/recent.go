package coalesce

import (
	"sync"
	"time"
)

const (
	recentFor = time.Second // the most age of a value
	recentMax = 1000        // values kept
)

// Recent keeps values for a second, for reads that thousands of requests share. Values that must be current are
// checked under a lock when they are changed.
type Recent[K comparable, V any] struct {
	mu      sync.Mutex
	values  map[K]timedValue[V]
	forgets uint64 // calls of Forget and ForgetAll
}

type timedValue[V any] struct {
	value V
	at    time.Time
}

// Get returns the value of a key, read at most a second ago. An error is not kept.
func (r *Recent[K, V]) Get(key K, read func() (V, error)) (V, error) {
	r.mu.Lock()
	known, ok := r.values[key]
	forgets := r.forgets
	r.mu.Unlock()
	if ok && time.Since(known.at) < recentFor {
		return known.value, nil
	}
	at := time.Now() // of the question, not of the answer
	value, err := read()
	if err != nil {
		return value, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if forgets != r.forgets {
		return value, nil // it may be as it was before it was changed
	}
	if r.values == nil || len(r.values) >= recentMax {
		r.values = make(map[K]timedValue[V])
	}
	r.values[key] = timedValue[V]{value, at}
	return value, nil
}

// ForgetAll makes the next Get of every key read.
func (r *Recent[K, V]) ForgetAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgets++
	r.values = nil
}

// Forget makes the next Get read.
func (r *Recent[K, V]) Forget(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgets++
	delete(r.values, key)
}
