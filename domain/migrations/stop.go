package migrations

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// Stop is the switch that stops all runs on all servers, while it is on.
type Stop struct {
	Actor  string
	Reason string
	At     time.Time
}

// CodeAllStopped: all runs are stopped. Release them at /admin/stop, or with “counterfoil migrations release”, and try
// again.
const CodeAllStopped fault.Code = "Run.AllStopped"

func AllStopped(s Stop) error {
	return fault.Conflict.New(CodeAllStopped, "",
		fmt.Sprintf("All runs are stopped, by %s: “%s” Release them first, then try again.", s.Actor, s.Reason))
}

// CodeBadStopReason: the reason of a stop is missing, or has more than 1,000 characters. Say why, for all operators.
const CodeBadStopReason fault.Code = "Run.BadStopReason"

func BadStopReason(why string) error { return fault.Invalid.New(CodeBadStopReason, "reason", why) }

// parseReason returns what an operator gives as the reason of a stop, or BadStopReason.
func parseReason(text string) (string, error) {
	text, length, ok := markup.Line(text)
	switch {
	case !ok:
		return "", BadStopReason("The reason has characters that cannot be shown. Type it again.")
	case length == 0:
		return "", BadStopReason("Say why all runs are stopped: each operator sees it.")
	case length > MaxReason:
		return "", BadStopReason(fmt.Sprintf("The reason can have %d characters.", MaxReason))
	}
	return text, nil
}

// The kinds of the entries in the logs of runs.
const eventStopAll, eventRelease = "stop-all", "release"

const (
	// haltTime is how long a stop goes on after it is in force, to say so to each run. The keeper does the rest.
	haltTime = 5 * time.Second
	// tellRounds and tellPause are how often, and after what pause, locked runs are tried again.
	tellRounds, tellPause = 10, 100 * time.Millisecond
	// haltedAtOnce is more workers than there are.
	haltedAtOnce = 10_000
)

// StopAll stops all runs on all servers until Release: from its commit on no worker of before renews its lease, and what
// it claimed goes back without the loss of an attempt. The states of runs stay. To stop again changes nothing. It returns
// BadStopReason.
func (e *Engine) StopAll(ctx context.Context, actor Actor, reason string) (Stop, error) {
	reason, err := parseReason(reason)
	if err != nil {
		return Stop{}, err
	}
	var stop Stop
	is := false // already
	err = e.db.InTx(ctx, func(tx *db.Tx) (err error) {
		if stop, is, err = presentStop(ctx, tx.Queries); err != nil || is {
			return err
		}
		row := db.AddStopParams{Reason: reason, AccountID: actor.Account, Actor: Cut(actor.Name, 255)}
		if err := tx.AddStop(ctx, row); err != nil {
			return err
		}
		if _, err := tx.HaltWorkers(ctx, haltedAtOnce); err != nil {
			return err
		}
		if e.record != nil {
			done := Control{Actor: actor, Action: "stop", Note: reason, ForAllRuns: true}
			if err := e.record(ctx, tx, done); err != nil {
				return err
			}
		}
		stop, _, err = presentStop(ctx, tx.Queries)
		return err
	})
	if db.IsDuplicate(err, "PRIMARY") { // another operator was faster
		stop, is, err = presentStop(ctx, e.db.Queries)
	}
	if err != nil {
		return Stop{}, fmt.Errorf("stop all runs: %w", err)
	}
	if !is {
		e.Changes.Wake()
		e.tellRuns(ctx, actor, eventStopAll, reason)
	}
	return stop, nil
}

// Release ends a stop: runs go on as they were. Without a stop it does nothing.
func (e *Engine) Release(ctx context.Context, actor Actor) error {
	released := false
	err := e.db.InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.RemoveStop(ctx)
		if released = n > 0; err != nil || !released || e.record == nil {
			return err
		}
		return e.record(ctx, tx, Control{Actor: actor, Action: "release", ForAllRuns: true})
	})
	if err != nil {
		return fmt.Errorf("release all runs: %w", err)
	}
	if released {
		e.Changes.Wake()
		e.tellRuns(ctx, actor, eventRelease, "")
	}
	return nil
}

// Stopped returns the present stop; is reports whether there is one.
func (e *Engine) Stopped(ctx context.Context) (stop Stop, is bool, err error) {
	if stop, is, err = presentStop(ctx, e.db.Queries); err != nil {
		err = fmt.Errorf("read the stop: %w", err)
	}
	return stop, is, err
}

func presentStop(ctx context.Context, q *db.Queries) (Stop, bool, error) {
	row, err := db.Read(q.PresentStop(ctx))
	if db.IsNotFound(err) {
		return Stop{}, false, nil
	}
	return Stop{Actor: row.Actor, Reason: row.Reason, At: row.StoppedAt}, err == nil, err
}

// notStopped returns AllStopped while all runs are stopped.
func notStopped(ctx context.Context, tx *db.Tx) error {
	stop, is, err := presentStop(ctx, tx.Queries)
	if is {
		return AllStopped(stop)
	}
	return err
}

// tellRuns logs a stop, or its release, in each run that is not over, of very many in a state in the newest, and takes
// back what halted workers have of it. It waits a second for runs that transactions have locked, and leaves out those
// that are locked still: that may be by a process that stands still.
func (e *Engine) tellRuns(ctx context.Context, actor Actor, kind, detail string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), haltTime)
	defer cancel()
	var busy []id.Run
	for _, state := range Active {
		rows, err := db.Read(e.db.RunsIn(ctx, db.RunsInParams{State: string(state), Before: math.MaxInt64,
			Limit: workersShown}))
		for _, row := range rows {
			err = errors.Join(err, e.ReturnHalted(ctx, row.ID))
			told, failed := e.tellRun(ctx, actor, row.ID, kind, detail)
			if err = errors.Join(err, failed); !told {
				busy = append(busy, row.ID)
			}
		}
		if err != nil {
			e.log.Warn("the keeper goes on with a stop", "error", err)
			return
		}
	}
	for range tellRounds {
		if len(busy) == 0 || wait.Sleep(ctx, tellPause) != nil {
			return
		}
		busy = slices.DeleteFunc(busy, func(run id.Run) bool {
			told, err := e.tellRun(ctx, actor, run, kind, detail)
			return told || err != nil
		})
	}
}

// tellRun logs a stop or its release in a run. told is false if a transaction has locked it.
func (e *Engine) tellRun(
	ctx context.Context, actor Actor, run id.Run, kind, detail string,
) (told bool, err error) {
	err = e.db.InTx(ctx, func(tx *db.Tx) error {
		rows, err := tx.LockFreeRun(ctx, run)
		if told = len(rows) > 0; err != nil || !told {
			return err
		}
		if err := tx.EndFill(ctx, run); err != nil {
			return err
		}
		return LogEvent(ctx, tx, run, actor, kind, detail)
	})
	return told, err
}

// ReturnHalted opens the tasks of a run again that workers had claimed which a stop ended, as if they had not, but for
// those that another transaction has locked.
func (e *Engine) ReturnHalted(ctx context.Context, run id.Run) error {
	for after := id.Task(0); ; {
		found, err := db.Read(e.db.HaltedTasks(ctx, db.HaltedTasksParams{RunID: run, After: after, Limit: MaxPerStatement}))
		if err != nil || len(found) == 0 {
			return err
		}
		after = found[len(found)-1].ID
		if err := e.returnPage(ctx, run, found); err != nil {
			return fmt.Errorf("return tasks of run %d: %w", run, err)
		}
		if len(found) < MaxPerStatement {
			return nil
		}
	}
}

// returnPage opens those of the tasks that still have the fence of their claim.
func (e *Engine) returnPage(ctx context.Context, run id.Run, found []db.HaltedTasksRow) error {
	ids, fences := make([]id.Task, len(found)), make(map[id.Task]uint64, len(found))
	for i, row := range found {
		ids[i], fences[row.ID] = row.ID, row.Fence
	}
	return e.db.InTx(ctx, func(tx *db.Tx) error {
		rows, err := tx.LockFreeRun(ctx, run)
		if err != nil || len(rows) == 0 {
			return err
		}
		locked, err := tx.LockLostTasks(ctx, ids)
		if err != nil {
			return err
		}
		var back []db.FinishedTask
		for _, task := range locked {
			if fences[task.ID] == task.Fence {
				back = append(back, db.FinishedTask{Task: task.ID, Fence: task.Fence})
			}
		}
		n, err := tx.ReturnTasks(ctx, back)
		if err != nil || n == 0 {
			return err
		}
		if rows[0].CanaryLeft != nil {
			left := uint32(n)
			if err := tx.ReturnCanary(ctx, &left, run); err != nil {
				return err
			}
		}
		return tx.AddToCounter(ctx, db.AddToCounterParams{RunID: run, Processing: -n})
	})
}
