package requests

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// Lookup is the result of looking up a code.
type Lookup int

// The results.
const (
	Hit     Lookup = iota
	Miss           // there is no such code
	Refused        // too soon after others
	Trapped        // a canary
)

// Lookups are how often codes were looked up. A canary is a miss, too.
type Lookups struct{ Hits, Misses, Refused, Canaries int64 }

func (l *Lookups) add(other Lookups) {
	l.Hits += other.Hits
	l.Misses += other.Misses
	l.Refused += other.Refused
	l.Canaries += other.Canaries
}

// Meter counts a process's lookups since they were stored. The zero Meter is ready.
type Meter struct {
	mu        sync.Mutex
	seen, all Lookups
}

// Add counts a lookup.
func (m *Meter) Add(what Lookup) {
	one := Lookups{}
	switch what {
	case Hit:
		one.Hits = 1
	case Miss:
		one.Misses = 1
	case Refused:
		one.Refused = 1
	case Trapped:
		one.Misses, one.Canaries = 1, 1
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen.add(one)
	m.all.add(one)
}

// Totals are all lookups since the process began.
func (m *Meter) Totals() Lookups {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all
}

func (m *Meter) putBack(seen Lookups) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen.add(seen)
}

func (m *Meter) take() Lookups {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := m.seen
	m.seen = Lookups{}
	return seen
}

// Store adds the counts to those of the hour.
func (m *Meter) Store(ctx context.Context, q *db.Queries, now time.Time) error {
	seen := m.take()
	if seen == (Lookups{}) {
		return nil
	}
	err := q.CountLookups(ctx, db.CountLookupsParams{Hour: now.Truncate(time.Hour), Hits: uint64(seen.Hits),
		Misses: uint64(seen.Misses), Refused: uint64(seen.Refused), Canaries: uint64(seen.Canaries)})
	if err != nil {
		m.putBack(seen)
		return fmt.Errorf("count lookups: %w", err)
	}
	return nil
}

// LookupsSince returns the lookups since the hour of a time, at most 30 days ago.
func LookupsSince(ctx context.Context, q *db.Queries, since time.Time) (Lookups, error) {
	row, err := db.Read(q.LookupsSince(ctx, since.UTC().Truncate(time.Hour)))
	if err != nil {
		return Lookups{}, fmt.Errorf("read lookups: %w", err)
	}
	return Lookups(row), nil
}
