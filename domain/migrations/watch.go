package migrations

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
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
	hosts  hosts
	loads  loads
	gauges gauges

	runs    map[id.Run]*watched // the keeper's alone
	tidied  time.Time
	request atomic.Uint64 // of operators, that the keeper went on with last; 0 to begin with the first
}

// watched is what the keeper remembers of a run between two looks.
type watched struct {
	throttle throttling
	trip     tripping
	sample   sampling
}

// watch throttles, trips and samples the active runs, whose progress is given with them. The keeper
// calls it once a second, from one goroutine.
func (e *Engine) watch(ctx context.Context, active []Run) error {
	return e.watchAt(ctx, active, time.Now())
}

func (e *Engine) watchAt(ctx context.Context, active []Run, at time.Time) error {
	w := &e.watcher
	kept := make(map[id.Run]*watched, len(active))
	var failed []error
	for _, run := range active {
		m := w.runs[run.ID]
		if m == nil {
			m = &watched{}
		}
		kept[run.ID] = m
		failed = append(failed, e.throttle(ctx, run, &m.throttle, at), e.trip(ctx, run, &m.trip), e.sample(ctx, run, &m.sample, at))
	}
	w.runs = kept
	if at.Sub(w.tidied) >= time.Minute {
		w.tidied = at
		failed = append(failed, e.forgetHosts(ctx))
	}
	return errors.Join(failed...)
}

// claimTimes are how long the last claims of this process took that found tasks, each with its commit.
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
	claimSeconds.Observe(took.Seconds())
}

// p99 is what 99 of 100 of the last claims took at most; 0 before the first.
func (c *claimTimes) p99() time.Duration {
	c.mu.Lock()
	took := slices.Clone(c.last[:min(c.n, len(c.last))])
	c.mu.Unlock()
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[(len(took)*99+99)/100-1]
}

// ClaimTimes are how long the last claims of this process took that found tasks, each from its first
// statement to the end of its commit; a few hundred at most.
func (e *Engine) ClaimTimes() []time.Duration {
	c := &e.watcher.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.last[:min(c.n, len(c.last))])
}
