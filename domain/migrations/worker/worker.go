package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/lease"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// readEvery is how often a worker reads the runs while one is active, idleLook if none is.
	readEvery     = 500 * time.Millisecond
	idleReadEvery = time.Second
	// readTime is how long such a look may take.
	readTime = 5 * time.Second
	// stale is how old the last look may be for a claim or the begin of a task: so no worker does either two seconds
	// after a run was stopped, though its reads are slow or it is cut off.
	stale = 1500 * time.Millisecond
	// drainTimeout is how long work in flight may take once the process is to stop.
	drainTimeout = 15 * time.Second
	// abandonAfter is how long a worker waits for a processor whose context ended.
	abandonAfter = 3 * time.Second
	// shutdownTimeout is how long a worker that stops may take to write outcomes and sign off.
	shutdownTimeout = 10 * time.Second
)

// worker is a process that works, from a registration until its lease ends. A process whose lease was lost is a new
// worker then: its earlier claims are no longer its own.
type worker struct {
	p     *Process
	id    id.Worker
	epoch uint64
	host  string
	pid   int

	clock           *dbClock
	lease           *lease.Lease
	leaseFor        atomic.Int64 // the shortest of the active runs, the default if there is none
	granted         atomic.Int64 // the length of the lease as it was renewed last
	claims          atomic.Uint32
	draining        atomic.Bool
	stopped         atomic.Bool  // all runs are, as last read
	halted          atomic.Bool  // it has to end because of that
	active          atomic.Int64 // workers who can claim, this one too
	lastRead        atomic.Pointer[readTimes]
	inFlight        atomic.Int64
	inFlightWritten atomic.Int64 // inFlight as last written
	finished        atomic.Uint64
	lastPace        atomic.Pointer[pace]
	fills           sync.Map // id.Run of those that this process fills
	background      sync.WaitGroup

	// Of the goroutine in attend alone.
	dispatchers map[id.Run]*dispatcher
	seen        map[id.Run]uint64 // the version last acknowledged
}

// readTimes is when a worker last read the runs, by its own clock and by the database's. By then all that
// it works on is as that look found it.
type readTimes struct{ mine, theirs time.Time }

func newWorker(p *Process, host string, pid int) *worker {
	w := &worker{
		p: p, host: host, pid: pid, lease: lease.New(), clock: newDBClock(),
		dispatchers: map[id.Run]*dispatcher{}, seen: map[id.Run]uint64{},
	}
	w.leaseFor.Store(int64(migrations.DefaultKnobs.Lease))
	return w
}

func (w *worker) name() string { return fmt.Sprintf("%s:%d", w.host, w.pid) }

func (w *worker) length() time.Duration { return time.Duration(w.leaseFor.Load()) }

// fence is the token of a new claim.
func (w *worker) fence() uint64 { return uint64(w.id)<<32 | uint64(w.claims.Add(1)) }

// work does what a worker does until ctx ends or the lease is lost.
func (w *worker) work(ctx context.Context) {
	log := w.p.log
	log.Info("working on migrations", "worker", w.id)
	alive, die := context.WithCancelCause(ctx)
	defer die(nil)
	holding, letGo := context.WithCancel(context.WithoutCancel(ctx)) // while it stops it still needs its lease
	defer letGo()
	leaseEnded := make(chan struct{})
	go func() {
		defer close(leaseEnded)
		if err := w.keepLease(holding); err != nil {
			log.Warn("the worker begins anew", "worker", w.id, "why", err)
			die(err)
		}
	}()
	w.background.Go(func() { w.keep(alive) })
	if halted := w.attend(alive); halted {
		log.Info("all runs are stopped: the worker begins anew, and works on none", "worker", w.id)
		die(errHalted)
	}
	w.stop(context.Cause(alive))
	w.background.Wait()
	letGo()
	<-leaseEnded
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	w.signOff(last)
	log.Info("stopped working on migrations", "worker", w.id, "finished", w.finished.Load())
}

// attend looks at the runs until ctx ends, or a stop of all runs ends the worker, which it reports.
func (w *worker) attend(ctx context.Context) (halted bool) {
	for {
		rung := w.p.engine.Changes.Next()
		pause, err := w.readRuns(ctx)
		if errors.Is(err, errHalted) {
			return true
		}
		if err != nil && ctx.Err() == nil {
			w.p.log.Warn("read the runs", "worker", w.id, "error", err)
			pause = readEvery
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-rung:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return false
		}
	}
}

// readRuns reads the runs, and has each of them worked on as its state wants it. It returns errHalted if this worker
// works, or may, on runs that are stopped.
func (w *worker) readRuns(ctx context.Context) (pause time.Duration, err error) {
	began := time.Now()
	reading, cancel := context.WithTimeout(ctx, readTime) // not for what is begun below, which goes on
	defer cancel()
	now, err := db.Read(w.p.db.WorkerCounts(reading, w.id, w.id))
	if err != nil {
		return 0, err
	}
	w.noteTime(began, time.Now(), now.Time)
	w.stopped.Store(now.Stopped)
	if now.Halted || now.Stopped && len(w.dispatchers) > 0 {
		w.halted.Store(true)
		return 0, errHalted
	}
	rows, err := db.Read(w.p.db.RunsForWorkers(reading))
	if err != nil {
		return 0, err
	}
	w.active.Store(max(now.Active, 1))
	w.draining.Store(now.Draining > 0)
	pause, shortest := idleReadEvery, time.Duration(0)
	present := make(map[id.Run]bool, len(rows))
	var runs []migrations.Run
	var failed []error
	for _, row := range rows {
		run, err := w.p.engine.WorkingRun(row)
		if err != nil {
			failed = append(failed, err) // no worker can do it; the others go ahead
			continue
		}
		present[run.ID] = true
		runs = append(runs, run)
		if run.State != migrations.Ready {
			pause, shortest = readEvery, min(cmp.Or(shortest, run.Knobs.Lease), run.Knobs.Lease)
		}
		if d := w.dispatchers[run.ID]; d != nil {
			d.update(run)
		}
	}
	w.leaseFor.Store(int64(cmp.Or(shortest, migrations.DefaultKnobs.Lease)))
	for of, d := range w.dispatchers {
		if present[of] {
			continue
		}
		paused := *d.run.Load()
		paused.State = migrations.Paused // or over
		d.update(paused)
		if d.over() {
			delete(w.dispatchers, of)
		}
	}
	for of := range w.seen {
		if !present[of] {
			delete(w.seen, of)
		}
	}
	w.lastRead.Store(&readTimes{began, now.Time})
	for _, run := range runs {
		failed = append(failed, w.see(ctx, run))
	}
	return pause, errors.Join(failed...)
}

// noteTime takes the time that the database's clock showed between two moments, and logs when that clock was set.
func (w *worker) noteTime(before, after, theirs time.Time) {
	if step := w.clock.observe(before, after, theirs); step != 0 {
		w.p.log.Warn("the database's clock was set: leases end by the time for which they are not renewed", "by", step,
			"worker", w.id)
	}
}

// see does what the run's state wants of this worker.
func (w *worker) see(ctx context.Context, run migrations.Run) error {
	m, _ := w.p.engine.Migration(run.Name) // nil if this program does not know it
	d := w.dispatchers[run.ID]
	if d != nil && d.over() {
		delete(w.dispatchers, run.ID)
		d = nil
	}
	switch {
	case d != nil: // it was updated
	case w.stopped.Load() && !isEnding(run.State):
	case run.State == migrations.Running && m != nil && !w.draining.Load():
		w.dispatchers[run.ID] = w.dispatch(run, m)
	case isEnding(run.State):
		return w.acknowledge(ctx, run)
	case (run.State == migrations.Open || run.State == migrations.Filling) && m != nil && !w.draining.Load():
		w.fill(ctx, run)
	}
	return nil
}

// isEnding reports whether a run in the state waits for the workers to stop.
func isEnding(s migrations.State) bool {
	return s == migrations.Pausing || s == migrations.Cancelling || s == migrations.Throttled
}

// acknowledge records that this worker has no task of a run that is to stop.
func (w *worker) acknowledge(ctx context.Context, run migrations.Run) error {
	if w.seen[run.ID] == run.Version {
		return nil
	}
	err := w.p.db.InTx(ctx, func(tx *db.Tx) error {
		return tx.AcknowledgeRun(ctx, db.AcknowledgeRunParams{RunID: run.ID, WorkerID: w.id, Seen: run.Version})
	})
	if err == nil {
		w.seen[run.ID] = run.Version
	}
	return err
}

// fill has this worker fill the run in the background, unless another does.
func (w *worker) fill(ctx context.Context, run migrations.Run) {
	if _, busy := w.fills.LoadOrStore(run.ID, true); busy {
		return
	}
	w.background.Go(func() {
		defer w.fills.Delete(run.ID)
		mine, err := w.p.Fill(ctx, w.id, run)
		if err != nil && ctx.Err() == nil {
			w.p.log.Warn("fill run", "run", run.ID, "error", err)
		}
		if errors.Is(err, migrations.CodeMissingUpload) {
			_ = wait.Sleep(ctx, fillPatience) // others may have it
		}
		if mine {
			w.p.engine.Changes.Wake() // there is work; or not at once, where another one fills it
		}
	})
}

// stop ends all dispatchers and waits for them: long enough for work under way to be finished, unless
// the lease is lost, or all runs are stopped.
func (w *worker) stop(why error) {
	patience := drainTimeout
	if errors.As(why, new(errLeaseLost)) || errors.Is(why, errHalted) {
		patience = 0
	}
	for _, d := range w.dispatchers {
		d.end(patience)
	}
	for _, d := range w.dispatchers {
		<-d.done
	}
}

// mayClaim reports whether the lease holds and the last look is fresh enough for a claim.
func (w *worker) mayClaim() bool { return w.lease.Valid() && !w.draining.Load() && w.isFresh() }

// isFresh reports whether the last look is fresh enough to claim or begin a task by.
func (w *worker) isFresh() bool {
	last := w.lastRead.Load()
	return last != nil && time.Since(last.mine) < stale
}

// pace measures how many tasks a worker finishes per second.
type pace struct {
	at        time.Time
	finished  uint64
	perSecond float64
}

func (w *worker) pace(now time.Time) float64 {
	p := pace{at: now, finished: w.finished.Load()}
	if last := w.lastPace.Load(); last != nil {
		if span := now.Sub(last.at).Seconds(); span > 0 {
			p.perSecond = float64(p.finished-last.finished) / span
		}
	}
	w.lastPace.Store(&p)
	return p.perSecond
}
