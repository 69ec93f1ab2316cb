package worker

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// longestBackoff is how long a task waits for its next attempt at most.
	longestBackoff = time.Hour
	// shortestLater and longestLater bound for how long a task is put off.
	shortestLater, longestLater = 100 * time.Millisecond, 24 * time.Hour
	// maxLogged is how many characters of an error a line of the log has.
	maxLogged = 500
)

// finisher writes outcomes of claimed tasks within one transaction.
type finisher struct {
	run    *migrations.Run
	worker *worker
	counts db.AddToCounterParams
	undone int    // tasks that were not done after all: returned, or put off
	groups prints // that the run has, once anything failed
	failed []db.NewAttempt
	hosts  map[string]migrations.Later
}

// finish writes the outcomes. That of a task that another claim has by now is not written, and counted as refused.
func (f *finisher) finish(ctx context.Context, tx *db.Tx, batch []*attempt) error {
	if len(batch) == 0 {
		return nil
	}
	slices.SortFunc(batch, func(a, b *attempt) int { return cmp.Compare(a.work.Task.ID, b.work.Task.ID) })
	if !slices.ContainsFunc(batch, func(h *attempt) bool { return h.outcome != complete }) {
		return f.completeAll(ctx, tx, batch)
	}
	present, err := f.present(ctx, tx, batch)
	if err != nil {
		return err
	}
	by := map[outcome][]*attempt{}
	for _, h := range present {
		by[h.outcome] = append(by[h.outcome], h)
	}
	if err := f.must(tx.CompleteTasks(ctx, f.ends(by[complete])))(len(by[complete])); err != nil {
		return err
	}
	if err := f.must(tx.ReturnTasks(ctx, f.ends(by[returned])))(len(by[returned])); err != nil {
		return err
	}
	f.counts.Complete += int64(len(by[complete]))
	f.counts.Processing -= int64(len(by[complete]) + len(by[returned]))
	f.undone += len(by[returned])
	if err := f.fail(ctx, tx, by[failed]); err != nil {
		return err
	}
	return f.postpone(ctx, tx, by[postponed])
}

// completeAll is finish for tasks that are all complete: the update's row count says whether all fences were right.
func (f *finisher) completeAll(ctx context.Context, tx *db.Tx, batch []*attempt) error {
	done, err := tx.CompleteTasks(ctx, f.ends(batch))
	if err != nil {
		return err
	}
	f.counts.Complete += done
	f.counts.Processing -= done
	if done == int64(len(batch)) {
		return nil
	}
	stored, err := tx.LockTasks(ctx, f.ends(batch))
	if err != nil {
		return err
	}
	f.refuse(batch, stored)
	return nil
}

// present locks the tasks, by ascending id, and returns those that still have the fence of their claim.
func (f *finisher) present(ctx context.Context, tx *db.Tx, batch []*attempt) ([]*attempt, error) {
	stored, err := tx.LockTasks(ctx, f.ends(batch))
	if err != nil {
		return nil, err
	}
	return f.refuse(batch, stored), nil
}

// refuse returns the tasks that still have the fence of their claim, and counts those with another. A task that was
// finished under its own fence is neither: the answer of that transaction was lost.
func (f *finisher) refuse(batch []*attempt, stored []db.StoredTask) (present []*attempt) {
	at := make(map[id.Task]db.StoredTask, len(stored))
	for _, s := range stored {
		at[s.Task] = s
	}
	for _, h := range batch {
		switch s := at[h.work.Task.ID]; {
		case s.Fence == h.fence && s.State == migrations.TaskProcessing:
			present = append(present, h)
		case s.Fence == h.fence || h.outcome == returned:
		default:
			f.counts.Refused++
			f.worker.p.log.Info("what came of a task was refused, for it was taken from this worker",
				"run", f.run.ID, "task", h.work.Task.ID, "worker", f.worker.id)
		}
	}
	return present
}

// must checks that a statement changed all of the locked tasks.
func (f *finisher) must(changed int64, err error) func(want int) error {
	return func(want int) error {
		if err == nil && changed != int64(want) {
			return fmt.Errorf("of %d tasks that were locked, %d could be written", want, changed)
		}
		return err
	}
}

// ends are the tasks as arguments of statements.
func (f *finisher) ends(list []*attempt) []db.FinishedTask {
	tasks := make([]db.FinishedTask, len(list))
	for i, h := range list {
		tasks[i] = db.FinishedTask{Task: h.work.Task.ID, Fence: h.fence,
			Note: migrations.Cut(f.run.Mask(h.work.Outcome().Note), maxNote)}
	}
	return tasks
}

// fail writes attempts that failed: their tasks wait for the next one, or failed for good.
func (f *finisher) fail(ctx context.Context, tx *db.Tx, list []*attempt) error {
	if len(list) == 0 {
		return nil
	}
	var waiting, over []db.FinishedTask
	attempts, groups := make([]db.NewAttempt, len(list)), failureGroups{}
	for i, h := range list {
		p, task := h.problemOf(f.run), h.work.Task
		group := f.groups.group(p)
		last := task.Attempt >= f.run.Knobs.Attempts || errors.As(h.err, new(migrations.Permanent))
		end := db.FinishedTask{Task: task.ID, Fence: h.fence, Fingerprint: group.fingerprint,
			Due: backoff(f.run.Knobs.Backoff, task.Attempt)}
		var later migrations.Later
		if errors.As(h.err, &later) {
			end.Due = max(end.Due, min(later.After, longestBackoff))
			f.leaveAlone(later)
		}
		if last {
			over = append(over, end)
		} else {
			waiting = append(waiting, end)
		}
		groups.add(f.run.ID, task.ID, group, last)
		attempts[i] = db.NewAttempt{Ago: time.Since(h.began), MigrationAttempt: db.MigrationAttempt{
			RunID: f.run.ID, TaskID: task.ID, Iteration: uint32(task.Iteration), Attempt: uint32(task.Attempt),
			Outcome:  "failed",
			WorkerID: f.worker.id, Worker: migrations.Cut(f.worker.name(), 300), TookUs: uint64(h.took.Microseconds()),
			Fingerprint: p.fingerprint[:], Message: p.message, Detail: p.detail,
		}}
	}
	if err := tx.AddAttempts(ctx, attempts); err != nil {
		return err
	}
	f.failed = attempts
	if err := tx.AddFailures(ctx, groups.sorted()); err != nil {
		return err
	}
	if err := f.must(tx.PutOffTasks(ctx, waiting))(len(waiting)); err != nil {
		return err
	}
	if err := f.must(tx.FailTasks(ctx, over))(len(over)); err != nil {
		return err
	}
	f.counts.Processing -= int64(len(list))
	f.counts.Errors += int64(len(list))
	f.counts.Waiting += int64(len(waiting))
	f.counts.Failed += int64(len(over))
	return nil
}

// postpone has tasks wait, without an attempt lost.
func (f *finisher) postpone(ctx context.Context, tx *db.Tx, list []*attempt) error {
	tasks := make([]db.FinishedTask, len(list))
	for i, h := range list {
		var later migrations.Later
		errors.As(h.err, &later)
		after := min(max(later.After, shortestLater), longestLater)
		tasks[i] = db.FinishedTask{Task: h.work.Task.ID, Fence: h.fence, Free: true, Due: after + rand.N(after/10),
			Note: migrations.Cut(f.run.Mask(later.Error()), maxNote)}
		later.Reason = f.run.Mask(later.Reason)
		f.leaveAlone(later)
	}
	f.counts.Processing -= int64(len(list))
	f.counts.Waiting += int64(len(list))
	f.undone += len(list)
	return f.must(tx.PutOffTasks(ctx, tasks))(len(tasks))
}

// problemOf is what the task failed with.
func (h *attempt) problemOf(run *migrations.Run) problem {
	if h.problem == nil {
		p := problemOf(h.err, run.Mask)
		h.problem = &p
	}
	return *h.problem
}

// leaveAlone notes the longest time that each host asked for.
func (f *finisher) leaveAlone(later migrations.Later) {
	if later.Host == "" || later.After <= f.hosts[later.Host].After {
		return
	}
	if f.hosts == nil {
		f.hosts = map[string]migrations.Later{}
	}
	f.hosts[later.Host] = later
}

// blockHosts blocks those hosts for all workers.
func (f *finisher) blockHosts(ctx context.Context) {
	for host, later := range f.hosts {
		if err := f.worker.p.blockHost(ctx, host, later.After, later.Reason); err != nil {
			f.worker.p.log.Warn("note that a host wants to be left alone", "host", host, "error", err)
		}
	}
}

// logAttempts logs attempts that failed, or were lost with their worker, once they are committed: a line for each. Their
// messages are without the secrets of the run.
func logAttempts(log *slog.Logger, list []db.NewAttempt) {
	for _, a := range list {
		log.Warn("an attempt of a task failed", "run", a.RunID, "task", a.TaskID, "attempt", a.Attempt, "outcome", a.Outcome,
			"worker", a.WorkerID, "reason", migrations.Cut(markup.Flat(a.Message), maxLogged))
	}
}

// count writes the counters: last, for other transactions of this worker wait for their row.
func (f *finisher) count(ctx context.Context, tx *db.Tx) error {
	if f.counts == (db.AddToCounterParams{RunID: f.counts.RunID, WorkerID: f.counts.WorkerID}) {
		return nil
	}
	return tx.AddToCounter(ctx, f.counts)
}

// backoff is how long a task waits after its nth attempt: it doubles, give or take a quarter.
func backoff(first time.Duration, attempt int) time.Duration {
	return wait.Jitter(wait.Backoff(first, longestBackoff, attempt-1), 0.25)
}

// failureGroups collects errors that are alike.
type failureGroups map[[8]byte]*db.MigrationFailure

func (g failureGroups) add(run id.Run, task id.Task, p problem, last bool) {
	group := g[p.fingerprint]
	if group == nil {
		group = &db.MigrationFailure{RunID: run, Fingerprint: p.fingerprint[:], Message: p.message, TaskID: task}
		g[p.fingerprint] = group
	}
	group.Errors++
	if last {
		group.Failed++
	}
}

// sorted is the order in which all transactions lock them.
func (g failureGroups) sorted() []db.MigrationFailure {
	list := make([]db.MigrationFailure, 0, len(g))
	for _, group := range g {
		list = append(list, *group)
	}
	slices.SortFunc(list, func(a, b db.MigrationFailure) int { return bytes.Compare(a.Fingerprint, b.Fingerprint) })
	return list
}

// complete completes tasks in a transaction in which do writes, after the check of their fences. A task for which it
// calls Work.Fail is left out.
func (d *dispatcher) complete(
	ctx context.Context, list []*attempt, do func(ctx context.Context, tx *db.Tx, present []*attempt) error,
) error {
	slices.SortFunc(list, func(a, b *attempt) int { return cmp.Compare(a.work.Task.ID, b.work.Task.ID) })
	run := d.run.Load()
	var done finisher
	err := d.w.p.db.InTx(ctx, func(tx *db.Tx) error {
		done = finisher{run: run, worker: d.w, counts: db.AddToCounterParams{RunID: run.ID, WorkerID: d.w.id}}
		for _, h := range list {
			h.work.Outcome().Err = nil
			h.outcome = complete
		}
		present, err := done.present(ctx, tx, list)
		if err != nil {
			return err
		}
		if len(present) > 0 {
			if err := do(ctx, tx, present); err != nil {
				return err
			}
		}
		present = slices.DeleteFunc(slices.Clone(present), func(h *attempt) bool { return h.work.Outcome().Err != nil })
		if err := done.must(tx.CompleteTasks(ctx, done.ends(present)))(len(present)); err != nil {
			return err
		}
		done.counts.Complete += int64(len(present))
		done.counts.Processing -= int64(len(present))
		if err := done.count(ctx, tx); err != nil {
			return err
		}
		return d.confirm(ctx, tx)
	})
	if err == nil {
		meter(done.counts)
		d.w.finished.Add(uint64(done.counts.Complete))
	}
	return err
}

// committer completes tasks with something to commit, those that wait together.
func (d *dispatcher) committer() {
	for {
		select {
		case <-d.done:
			return
		case h := <-d.commits:
			list := []*attempt{h}
			for most := min(max(d.run.Load().Knobs.Block, 10), migrations.MaxPerStatement); len(list) < most &&
				len(d.commits) > 0; {
				list = append(list, <-d.commits)
			}
			d.commit(list)
		}
	}
}

// commit completes tasks in the transaction of what they commit.
func (d *dispatcher) commit(list []*attempt) {
	ctx, cancel := context.WithTimeoutCause(d.work, d.timeout(), migrations.Overdue{Timeout: d.timeout()})
	defer cancel()
	err := d.complete(ctx, list, func(ctx context.Context, tx *db.Tx, present []*attempt) error {
		inOrder := slices.SortedStableFunc(slices.Values(present),
			func(a, b *attempt) int { return cmp.Compare(a.work.Outcome().Order, b.work.Outcome().Order) })
		for _, h := range inOrder {
			if err := callCommit(ctx, tx, h.work); err != nil {
				return err
			}
		}
		return nil
	})
	d.judgeAll(ctx, list, err, d.commit)
}

func callCommit(ctx context.Context, tx *db.Tx, work *migrations.Work) (err error) {
	defer recoverPanic(&err)
	return work.Outcome().Commit(ctx, tx)
}
