package worker

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// flushAfter is how long an outcome may wait to be written with others.
	flushAfter = 100 * time.Millisecond
	// idlePoll is how often a worker looks for new tasks of a run without any.
	idlePoll = 500 * time.Millisecond
	// fromStart is how often a claim begins at the run's first task.
	fromStart = 2 * time.Second
	// parkedFor is how long an outcome that cannot be written waits for the next try.
	parkedFor = 5 * time.Second
	// maxClaimed bounds how many tasks of a run a process holds.
	maxClaimed = 8192
)

// dispatcher claims tasks of a run for one process, has them processed, and writes their outcomes. One goroutine, loop,
// does all but the processing.
type dispatcher struct {
	w   *worker
	m   *migrations.Migration
	log func(msg string, args ...any)

	run      atomic.Pointer[migrations.Run] // as last read
	changed  wait.Wakeup                    // it, or an order to end
	queue    chan *attempt                  // claimed and not begun
	outcomes chan *attempt                  // with their outcomes
	commits  chan *attempt                  // those with more to write than that they are complete
	slots    []chan struct{}                // closed to have a slot end
	begun    atomic.Int64                   // tasks, ever
	busy     atomic.Int64                   // slots that process
	stuck    atomic.Int64                   // abandoned processors
	mu       sync.Mutex
	underWay map[*attempt]time.Time // until when each must have ended

	// work ends when what is under way must stop, writing when nothing more can be written.
	work     context.Context
	cancel   context.CancelCauseFunc
	writeCtx context.Context
	endWrite context.CancelFunc
	patience atomic.Int64 // set by end: how long work in flight may take; -1 before
	done     chan struct{}

	// Of loop alone.
	results     []*attempt // to be written
	since       time.Time
	claimed     int
	ahead       int // how many tasks to have claimed before they are needed
	idle        time.Time
	bucket      bucket
	failures    int
	retryAt     time.Time
	single      bool       // write outcomes one by one: one of them cannot be written
	planned     bool       // the server's plan of the claim was found good
	from        id.Task    // behind which the next claim looks
	began       time.Time  // when a claim last began at the run's first task
	counted     bool       // this worker has its row of counters
	groups      prints     // of errors that the run has
	parked      []*attempt // nothing could be written of them; that is tried again at parkedUntil
	parkedUntil time.Time
}

// attempt is a claimed task.
type attempt struct {
	work    *migrations.Work
	fence   uint64
	began   time.Time
	took    time.Duration
	taken   atomic.Bool // its outcome is decided
	outcome outcome
	err     error
	hosts   []string      // the hosts that let it ask
	tries   int           // to write it
	problem *problem      // of a failed one, once it was asked for
	slot    chan struct{} // that processes it
}

// outcome is how an attempt ended.
type outcome int

const (
	returned outcome = iota // never begun, or stopped with its worker
	complete
	failed
	postponed // Later
	written   // its transaction was committed already
)

// dispatch starts work on a run.
func (w *worker) dispatch(run migrations.Run, m *migrations.Migration) *dispatcher {
	d := w.dispatcher(run, m)
	go d.committer()
	go d.loop()
	return d
}

func (w *worker) dispatcher(run migrations.Run, m *migrations.Migration) *dispatcher {
	d := &dispatcher{
		w: w, m: m, changed: wait.NewWakeup(), underWay: map[*attempt]time.Time{}, done: make(chan struct{}),
		queue: make(chan *attempt, maxClaimed), outcomes: make(chan *attempt, maxClaimed),
		commits: make(chan *attempt, maxClaimed),
	}
	d.log = w.p.log.With("worker", w.id, "run", run.ID).Warn
	d.patience.Store(-1)
	d.work, d.cancel = context.WithCancelCause(context.Background())
	d.writeCtx, d.endWrite = context.WithCancel(context.Background())
	d.run.Store(&run)
	return d
}

// update sets the run's present state and knobs.
func (d *dispatcher) update(run migrations.Run) {
	last := d.run.Load()
	d.run.Store(&run)
	if last.Version != run.Version || last.State != run.State {
		d.changed.Wake()
	}
}

// end claims no more, and stops what is under way after the patience.
func (d *dispatcher) end(patience time.Duration) {
	d.patience.Store(int64(patience))
	d.changed.Wake()
}

func (d *dispatcher) isEnding() bool { return d.patience.Load() >= 0 }

// over reports whether the dispatcher has ended.
func (d *dispatcher) over() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

// stops reports whether nothing is to be claimed or begun.
func (d *dispatcher) stops() bool {
	return d.isEnding() || d.run.Load().State != migrations.Running || !d.w.lease.Valid() || d.w.draining.Load()
}

// loop runs until the run is to stop and no task is claimed.
func (d *dispatcher) loop() {
	defer close(d.done)
	defer d.endWrite()
	timer := time.NewTimer(0)
	defer timer.Stop()
	var ordered, cancelled time.Time // the times of the order to end, and of the cancellation of work in flight
	for {
		rung := d.w.p.engine.Changes.Next()
		select {
		case h := <-d.outcomes:
			d.collect(h)
		case <-d.changed:
			d.idle = time.Time{}
		case <-rung:
			d.idle = time.Time{}
		case <-timer.C:
		}
		d.collectAll()
		now := time.Now()
		if d.isEnding() && ordered.IsZero() {
			ordered = now
		}
		if stop := !ordered.IsZero() && now.Sub(ordered) >= time.Duration(d.patience.Load()); (stop || !d.w.lease.Valid()) &&
			cancelled.IsZero() {
			cancelled = now
			d.cancel(errStopping)
		}
		d.abandon(now, cancelled)
		d.resize()
		if d.stops() {
			d.takeBack()
		}
		d.unpark(now)
		d.flushAndClaim(now)
		if d.stops() && d.claimed == 0 || !cancelled.IsZero() && now.Sub(cancelled) > abandonAfter+shutdownTimeout {
			break
		}
		timer.Reset(d.pause())
	}
	if d.claimed > 0 {
		d.log("left tasks to the keeper", "tasks", d.claimed)
		d.w.inFlight.Add(-int64(d.claimed))
	}
	d.cancel(errStopping)
	d.shrink(0)
}

// pause is how long the loop may wait for something to happen.
func (d *dispatcher) pause() time.Duration {
	now, pause := time.Now(), time.Second
	sooner := func(at time.Time) { pause = min(pause, max(at.Sub(now), 0)) }
	switch {
	case d.stops():
		pause = 50 * time.Millisecond
	case d.retryAt.After(now):
	case d.idle.After(now):
		sooner(d.idle)
	case d.claimSize(now) > 0:
		return 0
	case d.run.Load().Knobs.Rate > 0:
		pause = 20 * time.Millisecond
	}
	if d.retryAt.After(now) {
		sooner(d.retryAt)
	} else if len(d.results) > 0 {
		sooner(d.since.Add(flushAfter))
	}
	return pause
}

// collect takes the outcome of a task.
func (d *dispatcher) collect(h *attempt) {
	d.w.p.hosts.heard(h, time.Now())
	if h.outcome == written {
		d.settle(1)
		return
	}
	if len(d.results) == 0 {
		d.since = time.Now()
	}
	d.results = append(d.results, h)
}

func (d *dispatcher) collectAll() {
	for {
		select {
		case h := <-d.outcomes:
			d.collect(h)
		default:
			return
		}
	}
}

// settle counts down tasks whose outcomes are written.
func (d *dispatcher) settle(tasks int) {
	d.claimed -= tasks
	d.w.inFlight.Add(-int64(tasks))
}

// takeBack returns the tasks in the queue, which were not begun.
func (d *dispatcher) takeBack() {
	for {
		select {
		case h := <-d.queue:
			h.outcome = returned
			d.collect(h)
		default:
			return
		}
	}
}

// abandon waits no longer for processors that do not end: a task that took too long fails, and once the process stops
// the others are given back.
func (d *dispatcher) abandon(now, cancelled time.Time) {
	d.mu.Lock()
	var stuck []*attempt
	for h, until := range d.underWay {
		if now.After(until) || !cancelled.IsZero() && now.Sub(cancelled) > abandonAfter {
			stuck = append(stuck, h)
			delete(d.underWay, h)
		}
	}
	d.mu.Unlock()
	for _, h := range stuck {
		if !h.taken.CompareAndSwap(false, true) {
			continue
		}
		// The processor may yet run: its Work is not looked at again.
		left := &attempt{work: &migrations.Work{Task: h.work.Task}, fence: h.fence, began: h.began, took: now.Sub(h.began),
			outcome: returned}
		if cancelled.IsZero() {
			left.outcome, left.err = failed, migrations.Overdue{Timeout: d.timeout(), Stuck: true}
		}
		d.stuck.Add(1)
		d.busy.Add(-1)
		if i := slices.Index(d.slots, h.slot); i >= 0 && cancelled.IsZero() {
			d.slots[i] = d.open() // in the place of the one that is stuck
		}
		d.collect(left)
	}
}

// resize opens and closes slots until there are as many as the run's concurrency.
func (d *dispatcher) resize() {
	want := d.run.Load().Knobs.Concurrency
	if d.m.Write != nil && !d.run.Load().Dry {
		want = min(want, writersAtOnce)
	}
	for len(d.slots) < want && !d.isEnding() {
		d.slots = append(d.slots, d.open())
	}
	d.shrink(want)
}

func (d *dispatcher) open() chan struct{} {
	quit := make(chan struct{})
	go d.slot(quit)
	return quit
}

func (d *dispatcher) shrink(want int) {
	for len(d.slots) > want {
		last := len(d.slots) - 1
		close(d.slots[last])
		d.slots = d.slots[:last]
	}
}

// claimSize is how many tasks to claim now.
func (d *dispatcher) claimSize(now time.Time) int {
	run := d.run.Load()
	queued, free := len(d.queue), len(d.slots)-int(d.busy.Load())
	switch {
	case d.stops() || !d.w.mayClaim(),
		d.retryAt.After(now), d.idle.After(now),
		run.CanaryLeft != nil && *run.CanaryLeft == 0,
		queued >= free+d.ahead,
		int(d.stuck.Load()) >= max(4*run.Knobs.Concurrency, 16): // they are lost to this process; not for ever more
		return 0
	}
	n := min(run.Knobs.Block, 2*migrations.MaxPerStatement-1, maxClaimed-d.claimed-run.Knobs.Concurrency)
	if run.Knobs.Rate > 0 {
		n = min(n, d.bucket.take(now, run.Knobs.Rate/float64(d.w.active.Load()), n))
	}
	return max(n, 0)
}

// idleAfter postpones the next claim for a while.
func (d *dispatcher) idleAfter(now time.Time) { d.idle = now.Add(idlePoll + rand.N(idlePoll/4)) }

// bucket lets so many tasks through per second.
type bucket struct {
	filled time.Time
	tokens float64
}

// take says how many of n are let through now. Spend takes them.
func (b *bucket) take(now time.Time, perSecond float64, n int) int {
	if b.filled.IsZero() {
		b.filled, b.tokens = now, 1
	}
	b.tokens = min(b.tokens+perSecond*now.Sub(b.filled).Seconds(), max(perSecond/2, 1))
	b.filled = now
	if enough := min(float64(n), max(perSecond/20, 1)); b.tokens < enough {
		return 0 // not a transaction for every task
	}
	return min(n, int(b.tokens))
}

func (b *bucket) spend(n int) { b.tokens -= float64(n) }
