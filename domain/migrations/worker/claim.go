package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
)

// flushAndClaim writes outcomes of tasks and claims new ones, each if it is time to: both in one transaction, for a
// commit is what costs.
func (d *dispatcher) flushAndClaim(now time.Time) {
	if d.retryAt.After(now) {
		return
	}
	want := d.claimSize(now)
	if want > 0 && !d.checkPlan() {
		want = 0
	}
	if want == 0 && !d.due(now) {
		return
	}
	n := min(len(d.results), migrations.MaxPerStatement)
	if d.single {
		n, want = min(n, 1), 0
	}
	batch := d.results[:n]
	if d.w.halted.Load() {
		returnAll(batch)
	}
	begun, started := d.begun.Load(), time.Now()
	claimed, err := d.exchange(batch, want)
	if err != nil {
		d.postponeFlush(now, batch, claimed, err)
		return
	}
	meanwhile := int(d.begun.Load() - begun) // before the slots see the new ones
	d.failures, d.single = 0, false
	d.results = append([]*attempt(nil), d.results[n:]...)
	d.since = now
	d.settle(n)
	d.take(claimed)
	if want > 0 && len(claimed) == 0 {
		d.idleAfter(time.Now())
	}
	if want > 0 {
		// As many as were begun meanwhile will be needed before the next claim is there.
		run := d.run.Load()
		d.ahead = min(max(2*meanwhile, d.ahead*3/4), max(run.Knobs.Block, run.Knobs.Concurrency))
	}
	if slow := time.Since(started); slow > 2*time.Second {
		d.log("claiming and completing is slow", "took", slow, "completed", n, "claimed", len(claimed))
	}
}

// due reports whether outcomes are to be written now, also without a claim.
func (d *dispatcher) due(now time.Time) bool {
	return len(d.results) > 0 &&
		(now.Sub(d.since) >= flushAfter || len(d.results) >= migrations.MaxPerStatement || d.stops() ||
			len(d.queue) == 0 && d.busy.Load() == 0)
}

// take queues claimed tasks.
func (d *dispatcher) take(claimed []*attempt) {
	d.claimed += len(claimed)
	d.w.inFlight.Add(int64(len(claimed)))
	d.bucket.spend(len(claimed))
	for _, h := range claimed {
		d.queue <- h // there is room: holding is bounded
	}
}

// postponeFlush postpones a flush and claim that failed. It may have been committed all the same: its claims are given
// back, which does nothing to tasks that it did not claim; and its completions are tried again, which does nothing to
// complete tasks.
func (d *dispatcher) postponeFlush(now time.Time, batch, claimed []*attempt, err error) {
	d.claimed += len(claimed)
	d.w.inFlight.Add(int64(len(claimed)))
	for _, h := range claimed {
		h.outcome = returned
		d.collect(h)
	}
	d.failures++
	d.retryAt = now.Add(min(50*time.Millisecond<<min(d.failures, 7), 5*time.Second))
	d.log("claim and complete tasks", "error", err, "completed", len(batch), "claimed", len(claimed))
	if transient(err) || len(batch) == 0 {
		return
	}
	d.single = true // one of them may be to blame
	if len(batch) == 1 && d.failures > 2 {
		d.results = d.results[1:]
		d.unwritable(batch[0], now, err)
	}
}

// unwritable writes an outcome in another way: as a failure with the reason; then as one without the error's message;
// and if the database refuses that, too, again after a while, for no other worker may write it while this one lives.
func (d *dispatcher) unwritable(h *attempt, now time.Time, why error) {
	switch {
	case h.outcome != failed:
		h.outcome, h.err = failed, migrations.Permanent{Err: fmt.Errorf("write what came of it: %w", why)}
	case !errors.Is(h.err, errWordless):
		h.err = migrations.Permanent{Err: errWordless}
	default:
		d.parked, d.parkedUntil = append(d.parked, h), now.Add(parkedFor)
		return
	}
	h.problem = nil
	d.results = append(d.results, h)
}

// errWordless is what is kept of a failure whose own words the database did not take.
var errWordless = errors.New(
	"It failed, and what it failed with could not be written down. The log of its worker says why.")

// unpark tries again to write outcomes that could not be written.
func (d *dispatcher) unpark(now time.Time) {
	if len(d.parked) > 0 && !d.parkedUntil.After(now) {
		d.results, d.parked = append(d.results, d.parked...), nil
	}
}

// transient reports an error of the database that no outcome is to blame for. After one of unknown outcome all is
// written again: the fences refuse what was saved.
func transient(err error) bool {
	return errors.Is(err, db.CodeUnavailable) || errors.Is(err, db.CodeUnknownOutcome) ||
		db.IsMarked(err) || errors.Is(err, errHalted) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded)
}

// exchangeTime is how long exchange may take. What it could not do is done by the next.
const exchangeTime = 10 * time.Second

// exchange finishes tasks and claims up to want new ones, in one transaction. How long the claim took is
// counted from its first statement to the end of the commit, with what had to be tried again.
func (d *dispatcher) exchange(batch []*attempt, want int) (claimed []*attempt, err error) {
	ctx, cancel := context.WithTimeout(d.writeCtx, exchangeTime)
	defer cancel()
	run := d.run.Load()
	var done finisher
	var began time.Time // the claim
	err = d.w.p.db.InTx(ctx, func(tx *db.Tx) error {
		claimed, done = nil, finisher{run: run, worker: d.w, counts: db.AddToCounterParams{RunID: run.ID, WorkerID: d.w.id}}
		left, err := d.lockFor(ctx, tx, run, batch, want > 0, &done)
		if err != nil {
			return err
		}
		if err := done.finish(ctx, tx, batch); err != nil {
			return err
		}
		last := d.w.lastRead.Load() // before it is asked whether the run was stopped: that is not older then
		if want = min(want, left); want > 0 && d.w.mayClaim() && !d.stops() {
			if began.IsZero() {
				began = time.Now()
			}
			if claimed, err = d.claim(ctx, tx, run, want, last.theirs.Add(stale)); err != nil {
				return err
			}
		}
		done.counts.Processing += int64(len(claimed))
		if run.CanaryLeft != nil {
			if err := countCanary(ctx, tx, run.ID, len(claimed)-done.undone); err != nil {
				return err
			}
		}
		if err := done.count(ctx, tx); err != nil {
			return err
		}
		return d.confirm(ctx, tx)
	})
	if err == nil {
		if len(claimed) > 0 {
			d.w.p.claims.add(time.Since(began))
		}
		d.counted = d.counted || done.counts.Processing != 0
		if done.groups != nil {
			d.groups = done.groups
		}
		meter(done.counts)
		d.w.finished.Add(uint64(done.counts.Complete + done.counts.Failed))
		done.blockHosts(ctx)
		logAttempts(d.w.p.log, done.failed)
	}
	return claimed, err
}

// lockFor locks the run's row before any task's if the transaction needs it: exclusively, to count a canary or to add
// a group of errors, or shared, for new rows that belong to the run: attempts, and the worker's first counters. It
// returns how many tasks may be claimed.
func (d *dispatcher) lockFor(
	ctx context.Context, tx *db.Tx, run *migrations.Run, batch []*attempt, claims bool, done *finisher,
) (left int, err error) {
	fails, undoes := false, false
	for _, h := range batch {
		fails = fails || h.outcome == failed
		undoes = undoes || h.outcome == returned || h.outcome == postponed
	}
	canary, rows := run.CanaryLeft != nil && (claims || undoes), fails && !d.groups.know(run, batch)
	left = maxClaimed
	switch {
	case canary || rows:
		row, err := tx.LockCanary(ctx, run.ID)
		if err != nil {
			return 0, err
		}
		if row.CanaryLeft != nil {
			left = int(min(*row.CanaryLeft, maxClaimed))
		}
		if migrations.State(row.State) != migrations.Running {
			left = 0
		}
	case fails, claims && !d.counted:
		if _, err := tx.LockRunShared(ctx, run.ID); err != nil {
			return 0, err
		}
	}
	switch {
	case rows:
		done.groups, err = groupsOf(ctx, tx, run.ID)
	case fails:
		done.groups = maps.Clone(d.groups)
	}
	return left, err
}

func countCanary(ctx context.Context, tx *db.Tx, run id.Run, taken int) error {
	switch {
	case taken > 0:
		return tx.TakeCanary(ctx, to(uint32(taken)), run)
	case taken < 0:
		return tx.ReturnCanary(ctx, to(uint32(-taken)), run)
	}
	return nil
}

// claim takes the next open tasks, in the order of their ids, before a time of the database's clock.
func (d *dispatcher) claim(
	ctx context.Context, tx *db.Tx, run *migrations.Run, want int, before time.Time,
) ([]*attempt, error) {
	rows, err := d.next(ctx, tx, run.ID, want)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	fence := d.w.fence()
	ids, claimed := make([]id.Task, len(rows)), make([]*attempt, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
		h := &attempt{fence: fence, work: &migrations.Work{
			Task: migrations.Task{
				ID: row.ID, Run: run.ID, State: migrations.TaskProcessing, Fence: fence, Worker: d.w.id,
				Attempt: int(row.Attempt) + 1, Iteration: int(row.Iteration), Line: row.Line, Payload: row.Payload,
			},
			Values: run.Values, Worker: d.w.id,
		}}
		h.work.HostLimit = func(ctx context.Context, host string) error {
			err := d.w.p.await(ctx, d.run.Load, host)
			if err == nil {
				h.hosts = append(h.hosts, hostName(host))
			}
			return err
		}
		claimed[i] = h
	}
	taken, err := tx.ClaimTasks(ctx, ids, fence, d.w.id, before)
	if err == nil && taken == 0 {
		return nil, nil // this process was suspended since it read the run, which may be stopped by now
	}
	if err == nil && taken != int64(len(ids)) {
		err = fmt.Errorf("of %d tasks that were locked, %d could be claimed: does this server honour row locks?", len(ids),
			taken)
	}
	return claimed, err
}

// next locks the next open tasks. It begins behind the last one found, because the server purges the entries of
// claimed tasks late; now and then, and if it finds too few, it begins at the run's first task, for tasks that are
// open again.
func (d *dispatcher) next(ctx context.Context, tx *db.Tx, run id.Run, want int) ([]db.LockOpenTasksRow, error) {
	if now := time.Now(); now.Sub(d.began) >= fromStart {
		d.began, d.from = now, 0
	}
	after := d.from
	rows, err := tx.LockOpenTasks(ctx, db.LockOpenTasksParams{RunID: run, After: after, Limit: int32(want)})
	if err == nil && len(rows) == 0 && after > 0 {
		rows, err = tx.LockOpenTasks(ctx, db.LockOpenTasksParams{RunID: run, Limit: int32(want)})
	}
	d.from = 0
	if err == nil && len(rows) == want {
		d.from = rows[want-1].ID
	}
	return rows, err
}

// checkPlan reports whether tasks may be claimed: if the server would read all tasks for each claim, the run is paused
// instead, with the reason.
func (d *dispatcher) checkPlan() bool {
	if d.planned {
		return true
	}
	run := d.run.Load()
	plan, err := monitor.PlanOf(d.writeCtx, d.w.p.db, run.ID)
	switch {
	case plan.Good:
		d.planned = true
		return true
	case transient(err): // that is no answer
		d.log("ask how tasks would be claimed", "error", err)
		d.idleAfter(time.Now())
		return false
	case !plan.Known && d.failures == 0 && !strings.Contains(plan.Text, "ix_claim"):
		d.failures++ // it is asked once more
		d.idleAfter(time.Now())
		return false
	}
	d.log("refuse to claim tasks", "why", plan.Text)
	ctx, cancel := context.WithTimeout(d.writeCtx, monitor.PlanTimeout)
	defer cancel()
	err = d.w.p.engine.Move(ctx, *run, migrations.Move{
		Action: "pause", From: []migrations.State{migrations.Running}, To: migrations.Pausing, Actor: migrations.Keeper,
		Reason: "Tasks cannot be claimed: " + plan.Text + " See `counterfoil doctor`; then resume.",
	})
	if err != nil {
		d.log("pause a run whose tasks cannot be claimed", "error", err)
	}
	d.idleAfter(time.Now())
	return false
}

func to[T any](value T) *T { return &value }
