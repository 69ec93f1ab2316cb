package worker

import (
	"slices"
	"sync"
	"time"
)

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
func (p *Process) ClaimTimes() []time.Duration {
	c := &p.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.last[:min(c.n, len(c.last))])
}
