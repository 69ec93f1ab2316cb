package migrations

import (
	"context"
	"time"
)

// Health is how the database bears the work.
type Health struct {
	Threads            Figure // that run now
	HistoryList        Figure // old row versions that purge has yet to remove
	Lag                Figure // seconds, of the replica that is farthest behind; not Known without replicas
	DeadlocksPerMinute Figure
	ClaimP99           Figure // seconds; the slowest worker's
	ClaimPlan          ClaimPlan
	Replicas           []ReplicaLag
	At                 time.Time
}

// Figure is a number, or why there is none.
type Figure struct {
	Value float64
	Known bool
	Why   string // where it is not known: a sentence for people
	Grant string // the statement with which the server's administrator lets it be read, or ""
}

// ReplicaLag is how far a replica is behind, in seconds.
type ReplicaLag struct {
	Name string
	Lag  Figure
}

// ClaimPlan is whether the server claims tasks through their index.
type ClaimPlan struct {
	Known bool
	Good  bool
	Says  string // what the plan is, or why it is not known
}

// Health looks at the database, at most every two seconds however many ask.
func (e *Engine) Health(ctx context.Context) (Health, error) { return Health{}, nil }
