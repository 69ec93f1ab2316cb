package worker

import (
	"sync"
	"time"
)

// clockSlack is how far the database's clock may move against the process's own before that counts as a step.
const clockSlack = 2 * time.Second

// dbClock compares the database's clock with the process's monotonic one, to notice when the former is set: leases are
// stored by it.
type dbClock struct {
	start time.Time

	mu    sync.Mutex
	known bool
	ahead time.Duration // theirs less ours, which counts from start
	step  time.Duration // that was noticed and not announced
	set   time.Time     // when a step was noticed, by our clock; zero for never
}

func newDBClock() *dbClock { return &dbClock{start: time.Now()} }

// observe takes the time that the database's clock showed between two moments of ours. It returns by how much that clock
// was set since the last call, 0 if it was not.
func (c *dbClock) observe(before, after, theirs time.Time) (step time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	shown := time.Duration(theirs.UnixMicro()) * time.Microsecond
	least, most := shown-after.Sub(c.start), shown-before.Sub(c.start)
	switch {
	case !c.known:
		c.known, c.ahead = true, most
	case c.ahead > most+clockSlack:
		step, c.ahead, c.set = most-c.ahead, most, after
	case c.ahead < least-clockSlack:
		step, c.ahead, c.set = least-c.ahead, least, after
	default:
		c.ahead = min(max(c.ahead, least), most) // it drifts
	}
	c.step += step
	return step
}

// announced returns a step that was noticed since it was last called, 0 for none.
func (c *dbClock) announced() (step time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	step, c.step = c.step, 0
	return step
}

// wasSet reports whether a step was noticed so short a time ago.
func (c *dbClock) wasSet(within time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.set.IsZero() && time.Since(c.set) < within
}
