package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// keepsFor is how long the keeper's lease lasts; a round ends before.
	keepsFor   = 10 * time.Second
	roundTime  = 8 * time.Second
	roundEvery = time.Second
	// sweepEvery is how often all claimed tasks are looked at, beside when a worker is found dead.
	sweepEvery = 10 * time.Second
	// tidyEvery is how often rows of workers that are gone are taken in.
	tidyEvery = 30 * time.Second
)

// keeper does what one worker does for all: takes tasks back from workers that are gone, wakes those
// that waited, settles states, and has runs watched. Were there two for a moment, each step would still
// be done once: it locks what it changes, and looks again.
type keeper struct {
	w        *worker
	swept    time.Time
	tidy     time.Time
	renewals map[id.Worker]renewal // of the workers, as last seen
	rival    renewal               // of the keeper's lease by another worker
	last     id.Run                // that was checked: the next round begins behind it
}

// keep competes for the keeper's lease, and keeps while it has it, until ctx ends.
func (w *worker) keep(ctx context.Context) {
	k := &keeper{w: w}
	log := w.p.log
	for added := false; wait.Sleep(ctx, roundEvery) == nil; {
		if !added {
			if err := w.p.db.AddLease(ctx, monitor.KeeperLease); err != nil {
				continue // the database is away; others say so
			}
			added = true
		}
		if err := k.round(ctx); err != nil && ctx.Err() == nil {
			log.Warn("keep runs", "worker", w.id, "error", err)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := w.p.db.EndLease(ctx, monitor.KeeperLease, w.id); err != nil {
		log.Warn("give up the keeper's lease", "worker", w.id, "error", err)
	}
}

// never is a time at which no lease was renewed.
var never = time.Unix(0, 0).UTC()

// take takes or renews the lease, and reports whether this worker is the keeper.
func (k *keeper) take(ctx context.Context) (bool, error) {
	lease := db.AcquireLeaseParams{WorkerID: k.w.id, LeaseUs: keepsFor.Microseconds(), Name: monitor.KeeperLease,
		Unrenewed: never}
	if !k.rival.seen.IsZero() && time.Since(k.rival.seen) > keepsFor {
		lease.Unrenewed = k.rival.at // it is over, whatever the database's clock was set to
	}
	if n, err := db.Read(k.w.p.db.AcquireLease(ctx, lease)); err != nil || n > 0 {
		k.rival = renewal{}
		return n > 0, err
	}
	at, err := db.Read(k.w.p.db.LeaseRenewed(ctx, monitor.KeeperLease))
	if err == nil && !at.Equal(k.rival.at) {
		k.rival = renewal{at: at, seen: time.Now()}
	}
	return false, err
}

// round is what the keeper does each second. It does nothing on another worker.
func (k *keeper) round(ctx context.Context) error {
	if !k.w.lease.Valid() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, roundTime)
	defer cancel()
	mine, err := k.take(ctx)
	if err != nil {
		return err
	}
	if !mine {
		k.w.clock.announced() // by the keeper
		k.swept, k.tidy = time.Time{}, time.Time{}
		return nil
	}
	died, err := k.declareDead(ctx)
	if err != nil {
		return err
	}
	runs, err := k.runs(ctx)
	if err != nil {
		return err
	}
	if step := k.w.clock.announced(); step != 0 {
		if err := errors.Join(k.shiftDue(ctx, runs, step), k.logClock(ctx, runs, step)); err != nil {
			return err
		}
	}
	now := time.Now()
	stopped := k.w.stopped.Load()
	sweep, tidy := died || stopped || now.Sub(k.swept) >= sweepEvery, now.Sub(k.tidy) >= tidyEvery
	var failed []error
	for _, run := range behind(runs, k.last) {
		if ctx.Err() != nil {
			failed = append(failed, ctx.Err())
			break
		}
		failed = append(failed, k.check(ctx, run, sweep, tidy))
		k.last = run.ID
	}
	if tidy {
		_, err := db.Read(k.w.p.db.ForgetWorkers(ctx, 1000))
		failed = append(failed, err)
	}
	err = errors.Join(failed...)
	if err == nil && sweep {
		k.swept = now
	}
	if err == nil && tidy {
		k.tidy = now
	}
	if stopped {
		return err
	}
	return errors.Join(err, k.w.p.engine.FinishRequests(ctx), k.w.p.monitor.Watch(ctx, runs))
}

// shiftDue has the waiting tasks of runs wait no longer because the database's clock was set back.
func (k *keeper) shiftDue(ctx context.Context, runs []migrations.Run, step time.Duration) error {
	if step > 0 {
		return nil
	}
	for _, run := range runs {
		for after := id.Task(0); ; {
			last, err := k.shiftPage(ctx, run, after, step)
			if err != nil {
				return fmt.Errorf("run %d: %w", run.ID, err)
			}
			if last == 0 {
				break
			}
			after = last
		}
	}
	return nil
}

// shiftPage moves the due times of some waiting tasks of a run, beyond one. It returns the last of them, 0 for none.
func (k *keeper) shiftPage(
	ctx context.Context, run migrations.Run, after id.Task, step time.Duration,
) (last id.Task, err error) {
	err = k.w.p.db.InTx(ctx, func(tx *db.Tx) error {
		last = 0
		if _, err := tx.LockRunShared(ctx, run.ID); err != nil { // before its tasks, as everyone does
			return err
		}
		ids, err := tx.LockWaitingTasks(ctx,
			db.LockWaitingTasksParams{RunID: run.ID, After: after, Limit: migrations.MaxPerStatement})
		if err != nil || len(ids) == 0 {
			return err
		}
		last = ids[len(ids)-1]
		return tx.ShiftDueTasks(ctx, step.Microseconds(), ids)
	})
	return last, err
}

// behind are the runs in the order of their ids, beginning behind one: where a round ends early, the next one checks the
// others.
func behind(runs []migrations.Run, last id.Run) []migrations.Run {
	first := slices.IndexFunc(runs, func(run migrations.Run) bool { return run.ID > last })
	if first < 0 {
		return runs
	}
	return slices.Concat(runs[first:], runs[:first])
}

// logClock notes in the log of each run that the database's clock was set.
func (k *keeper) logClock(ctx context.Context, runs []migrations.Run, step time.Duration) error {
	way := "ahead"
	if step < 0 {
		way = "back"
	}
	detail := fmt.Sprintf("The clock of the database was set %s by %s. Tasks of a lost worker are still "+
		"reclaimed when its lease ends, whatever the clock says.", way, step.Abs().Round(time.Second))
	return k.w.p.db.InTx(ctx, func(tx *db.Tx) error {
		for _, run := range runs {
			if err := migrations.LogEvent(ctx, tx, run.ID, migrations.Keeper, migrations.EventClock, detail); err != nil {
				return err
			}
		}
		return nil
	})
}

// runs are the active runs with their progress.
func (k *keeper) runs(ctx context.Context) ([]migrations.Run, error) {
	rows, err := db.Read(k.w.p.db.RunsForWorkers(ctx))
	if err != nil {
		return nil, err
	}
	progress, err := k.w.p.engine.ProgressOfAll(ctx, rows)
	if err != nil {
		return nil, err
	}
	list := make([]migrations.Run, 0, len(rows))
	for _, row := range rows {
		run, err := k.w.p.engine.RunFrom(row, progress[row.ID])
		if err != nil {
			k.w.p.log.Warn("read a run", "run", row.ID, "error", err)
			continue
		}
		list = append(list, run)
	}
	return list, nil
}

// check does for a run what is due.
func (k *keeper) check(ctx context.Context, run migrations.Run, sweep, tidy bool) error {
	var failed []error
	switch run.State {
	case migrations.Running, migrations.Pausing, migrations.Throttled, migrations.Cancelling:
		if sweep {
			failed = append(failed, k.w.p.engine.ReturnHalted(ctx, run.ID), k.reap(ctx, run))
		}
		if sweep || tidy {
			failed = append(failed, k.takeIn(ctx, run))
		}
	}
	if k.w.stopped.Load() && run.State != migrations.Pausing && run.State != migrations.Cancelling {
		return errors.Join(failed...)
	}
	if run.State == migrations.Running && run.Progress.Waiting > 0 {
		failed = append(failed, k.promote(ctx, run))
	}
	failed = append(failed, k.settle(ctx, run))
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("run %d: %w", run.ID, err)
	}
	return nil
}

// settle moves a run whose transition is due.
func (k *keeper) settle(ctx context.Context, run migrations.Run) error {
	p := run.Progress
	left := p.Open + p.Waiting + p.Processing
	switch {
	case run.State == migrations.Pausing:
		return k.move(ctx, run, migrations.Move{Action: "pause", From: []migrations.State{migrations.Pausing},
			To: migrations.Paused, Reason: run.Reason}, k.idle(run))
	case run.State == migrations.Cancelling:
		return k.move(ctx, run, migrations.Move{Action: "cancel", From: []migrations.State{migrations.Cancelling},
			To: migrations.Cancelled, Reason: run.Reason}, k.idle(run))
	case (run.State == migrations.Running || run.State == migrations.Throttled) && left == 0:
		return k.move(ctx, run,
			migrations.Move{Action: "complete", From: []migrations.State{migrations.Running, migrations.Throttled},
				To: migrations.Complete, Reason: summary(p)}, nothingLeft(run))
	case run.State == migrations.Running && run.CanaryLeft != nil && *run.CanaryLeft == 0 && p.Processing == 0:
		reason := "The canary is done: " + summary(p) +
			" Check the results: Resume continues with all others, Stop ends the run."
		return k.move(ctx, run, migrations.Move{Action: "pause", From: []migrations.State{migrations.Running},
			To: migrations.Paused, Reason: reason}, canaryDone(run))
	}
	return nil
}

// summary says in a sentence what became of the tasks that need nothing more.
func summary(p migrations.Progress) string {
	text := fmt.Sprintf("%s complete", migrations.Grouped(p.Complete))
	if p.Failed > 0 {
		text += fmt.Sprintf(", %s failed", migrations.Grouped(p.Failed))
	}
	if p.Skipped > 0 {
		text += fmt.Sprintf(", %s skipped", migrations.Grouped(p.Skipped))
	}
	if p.Waiting > 0 {
		text += fmt.Sprintf(", %s wait for their next attempt", migrations.Grouped(p.Waiting))
	}
	return text + "."
}

// Move makes a transition where check, within its transaction and with the run's row locked, allows it.
func (k *keeper) move(
	ctx context.Context, run migrations.Run, m migrations.Move, check func(ctx context.Context, tx *db.Tx) (bool, error),
) error {
	m.Actor = migrations.Keeper
	moved := false
	err := k.w.p.db.InTx(ctx, func(tx *db.Tx) error {
		moved = false
		row, err := tx.LockRun(ctx, run.ID)
		if err != nil {
			return err
		}
		if row.Version != run.Version {
			return nil // another process was faster; the next round checks again
		}
		if check != nil {
			if ok, err := check(ctx, tx); err != nil || !ok {
				return err
			}
		}
		moved = true
		return migrations.Transit(ctx, tx, run.ID, m, nil)
	})
	if err == nil && moved {
		k.w.p.engine.Changes.Wake()
	}
	return err
}

// idle reports whether every living worker has seen that the run is to stop, and nothing is under way.
func (k *keeper) idle(run migrations.Run) func(ctx context.Context, tx *db.Tx) (bool, error) {
	return func(ctx context.Context, tx *db.Tx) (bool, error) {
		unaware, err := tx.CountUnawareWorkers(ctx, run.ID, run.Version)
		if err != nil || unaware > 0 {
			return false, err
		}
		busy, err := tx.AnyTaskIn(ctx, run.ID, migrations.TaskProcessing)
		return !busy, err
	}
}

// nothingLeft looks at the tasks themselves before a run is called complete, and at what operators asked
// for that is not through: it would run again.
func nothingLeft(run migrations.Run) func(ctx context.Context, tx *db.Tx) (bool, error) {
	return func(ctx context.Context, tx *db.Tx) (bool, error) {
		if left, err := tx.AnyTaskLeft(ctx, run.ID); err != nil || left {
			return false, err
		}
		since, err := tx.AnyRequestOf(ctx, run.ID)
		return !since, err
	}
}

func canaryDone(run migrations.Run) func(ctx context.Context, tx *db.Tx) (bool, error) {
	return func(ctx context.Context, tx *db.Tx) (bool, error) {
		row, err := tx.LockCanary(ctx, run.ID)
		if err != nil || row.CanaryLeft == nil || *row.CanaryLeft > 0 {
			return false, err
		}
		busy, err := tx.AnyTaskIn(ctx, run.ID, migrations.TaskProcessing)
		return !busy, err
	}
}
