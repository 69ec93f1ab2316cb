package migrations

import (
	"context"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Replica is a copy of the database that must not fall too far behind.
type Replica struct {
	Name string // for people
	DB   *db.DB
}

// watcher is what an engine remembers of what it watches.
type watcher struct {
	claims claimTimes
}

// watch throttles, trips and samples an active run. The keeper calls it once a second for each.
func (e *Engine) watch(ctx context.Context, run Run) error { return nil }

// upstreamOf is what the works of a run await their upstream hosts with.
func (e *Engine) upstreamOf(run Run) upstream { return nil }

// blockHost has all workers leave the host alone for the time that it asked for.
func (e *Engine) blockHost(ctx context.Context, host string, after time.Duration, reason string) error {
	return nil
}

// claimTimes are how long the last claims of this process took.
type claimTimes struct {
	mu   sync.Mutex
	last [512]time.Duration
	n    int
}

// add notes a claim.
func (c *claimTimes) add(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last[c.n%len(c.last)] = took
	c.n++
}

// p99 is what 99 of 100 of the last claims took at most; 0 before the first.
func (c *claimTimes) p99() time.Duration { return 0 }

var _ = id.Run(0)
