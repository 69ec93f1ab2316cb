package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// lostMessage is what is kept of an attempt whose worker was gone before it ended.
const lostMessage = "The worker was lost before the task was done: it was killed, froze, or lost the database. If workers keep dying, this task may be why."

// renewal is one of a worker's lease, and when the keeper first saw it, by its own clock.
type renewal struct {
	at    time.Time // by the database's clock
	epoch uint64
	seen  time.Time
}

// declareDead ends workers whose lease is over: from then on they cannot renew it. It reports whether there were any.
func (k *keeper) declareDead(ctx context.Context) (bool, error) {
	before := time.Now()
	rows, err := db.Read(k.w.p.db.WorkerLeases(ctx, 1000))
	if err != nil {
		return false, err
	}
	after := time.Now()
	died, last := false, k.renewals
	k.renewals = make(map[id.Worker]renewal, len(rows))
	for _, row := range rows {
		k.w.noteTime(before, after, row.Now)
		seen, lease := last[row.ID], time.Duration(row.LeaseUs)*time.Microsecond
		if !seen.at.Equal(row.BeatAt) || seen.epoch != row.Epoch {
			seen = renewal{row.BeatAt, row.Epoch, after}
		}
		k.renewals[row.ID] = seen
		// By the database's clock, unless that was just set: then by the time for which no renewal was seen.
		if over := row.Expired && !k.w.clock.wasSet(lease); !over && before.Sub(seen.seen) <= lease {
			continue
		}
		n, err := db.Read(k.w.p.db.DeclareDead(ctx, db.DeclareDeadParams{ID: row.ID, Epoch: row.Epoch, BeatAt: row.BeatAt}))
		if err != nil {
			return died, err
		}
		if n > 0 {
			died = true
			k.w.p.log.Warn("a worker is gone: its lease ended", "gone", row.ID, "keeper", k.w.id)
		}
	}
	return died, nil
}

// reap takes tasks of a run back from stopped workers. It continues behind locked tasks.
func (k *keeper) reap(ctx context.Context, run migrations.Run) error {
	for after := id.Task(0); ; {
		lost, err := db.Read(k.w.p.db.LostTasks(ctx,
			db.LostTasksParams{RunID: run.ID, After: after, Limit: migrations.MaxPerStatement}))
		if err != nil || len(lost) == 0 {
			return err
		}
		after = lost[len(lost)-1].ID
		if err := k.reapPage(ctx, run, lost); err != nil {
			return err
		}
		if len(lost) < migrations.MaxPerStatement {
			return nil
		}
	}
}

// reapPage takes back those of the tasks that still have the fence of the lost claim.
func (k *keeper) reapPage(ctx context.Context, run migrations.Run, lost []db.LostTasksRow) error {
	ids, fences := make([]id.Task, len(lost)), make(map[id.Task]uint64, len(lost))
	for i, row := range lost {
		ids[i], fences[row.ID] = row.ID, row.Fence
	}
	var counts db.AddToCounterParams
	var attempts []db.NewAttempt
	err := k.w.p.db.InTx(ctx, func(tx *db.Tx) error {
		counts = db.AddToCounterParams{RunID: run.ID}
		canary, err := lockForReaping(ctx, tx, run)
		if err != nil {
			return err
		}
		rows, err := tx.LockLostTasks(ctx, ids)
		if err != nil {
			return err
		}
		names, err := workerNames(ctx, tx, rows)
		if err != nil {
			return err
		}
		var again, over []db.FinishedTask
		attempts = nil
		groups, p := failureGroups{}, problem{message: lostMessage, fingerprint: lostPrint}
		for _, row := range rows {
			if fences[row.ID] != row.Fence {
				continue // claimed anew since
			}
			last := int(row.Attempt) >= run.Knobs.Attempts
			end := db.FinishedTask{Task: row.ID, Fence: row.Fence, Fingerprint: p.fingerprint}
			if last {
				over = append(over, end)
			} else {
				again = append(again, end)
			}
			groups.add(run.ID, row.ID, p, last)
			attempts = append(attempts, db.NewAttempt{Ago: time.Duration(row.HeldUs) * time.Microsecond,
				MigrationAttempt: db.MigrationAttempt{
					RunID: run.ID, TaskID: row.ID, Iteration: row.Iteration, Attempt: row.Attempt, Outcome: "lost",
					WorkerID: row.WorkerID,
					Worker:   names[row.WorkerID], TookUs: uint64(row.HeldUs), Fingerprint: p.fingerprint[:], Message: p.message,
				}})
		}
		if len(attempts) == 0 {
			return nil
		}
		if err := tx.AddAttempts(ctx, attempts); err != nil {
			return err
		}
		if err := tx.AddFailures(ctx, groups.sorted()); err != nil {
			return err
		}
		if _, err := tx.ReopenTasks(ctx, again); err != nil {
			return err
		}
		if _, err := tx.FailTasks(ctx, over); err != nil {
			return err
		}
		if canary && len(again) > 0 {
			if err := tx.ReturnCanary(ctx, to(uint32(len(again))), run.ID); err != nil {
				return err
			}
		}
		counts.Processing, counts.Failed = -int64(len(attempts)), int64(len(over))
		counts.Errors, counts.Reclaimed = int64(len(attempts)), int64(len(attempts))
		return tx.AddToCounter(ctx, counts)
	})
	if err == nil && counts.Reclaimed > 0 {
		meter(counts)
		logAttempts(k.w.p.log, attempts)
		k.w.p.engine.Changes.Wake()
	}
	return err
}

// lockForReaping locks the run's row before its tasks: shared, for the rows of attempts, or exclusively if there is a
// canary to return to, which it reports.
func lockForReaping(ctx context.Context, tx *db.Tx, run migrations.Run) (canary bool, err error) {
	if run.CanaryLeft == nil {
		_, err = tx.LockRunShared(ctx, run.ID)
		return false, err
	}
	row, err := tx.LockCanary(ctx, run.ID)
	return row.CanaryLeft != nil, err
}

// workerNames are the names of the workers that had the tasks, as far as they are known.
func workerNames(ctx context.Context, tx *db.Tx, rows []db.LockLostTasksRow) (map[id.Worker]string, error) {
	names := map[id.Worker]string{}
	for _, row := range rows {
		names[row.WorkerID] = fmt.Sprintf("worker %d", row.WorkerID)
	}
	if len(names) == 0 {
		return names, nil
	}
	ids := make([]id.Worker, 0, len(names))
	for of := range names {
		ids = append(ids, of)
	}
	workers, err := tx.WorkerNames(ctx, ids)
	for _, w := range workers {
		names[w.ID] = migrations.Cut(fmt.Sprintf("%s:%d", w.Host, w.Pid), 300)
	}
	return names, err
}

// promote opens the tasks of a run that have waited long enough, by the database's time.
func (k *keeper) promote(ctx context.Context, run migrations.Run) error {
	for {
		n := 0
		err := k.w.p.db.InTx(ctx, func(tx *db.Tx) error {
			n = 0
			if _, err := tx.LockRunShared(ctx, run.ID); err != nil { // before its tasks, as everyone does
				return err
			}
			ids, err := tx.LockDueTasks(ctx, run.ID, migrations.MaxPerStatement)
			if err != nil || len(ids) == 0 {
				return err
			}
			opened, err := tx.OpenDueTasks(ctx, ids)
			if err != nil {
				return err
			}
			n = int(opened)
			return tx.AddToCounter(ctx, db.AddToCounterParams{RunID: run.ID, Waiting: -opened})
		})
		if err != nil || n == 0 {
			return err
		}
		k.w.p.engine.Changes.Wake()
		if n < migrations.MaxPerStatement {
			return nil
		}
	}
}

// takeIn adds the counters of workers that are gone to row 0.
func (k *keeper) takeIn(ctx context.Context, run migrations.Run) error {
	return k.w.p.db.InTx(ctx, func(tx *db.Tx) error {
		stopped, err := tx.StaleCounters(ctx, run.ID, migrations.MaxPerStatement)
		if err != nil || len(stopped) == 0 {
			return err
		}
		rows, err := tx.LockCounters(ctx, run.ID, stopped)
		if err != nil || len(rows) == 0 {
			return err
		}
		sum, workers := db.AddToCounterParams{RunID: run.ID}, make([]id.Worker, len(rows))
		for i, row := range rows {
			workers[i] = row.WorkerID
			sum.Processing += row.Processing
			sum.Waiting += row.Waiting
			sum.Complete += row.Complete
			sum.Failed += row.Failed
			sum.Skipped += row.Skipped
			sum.Errors += row.Errors
			sum.Refused += row.Refused
			sum.Reclaimed += row.Reclaimed
		}
		if err := tx.AddToCounter(ctx, sum); err != nil {
			return err
		}
		_, err = tx.DropCounters(ctx, run.ID, workers)
		return err
	})
}
