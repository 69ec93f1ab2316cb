package migrations

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Selection says which tasks are retried or skipped: exactly one of its fields is set.
type Selection struct {
	Task        id.Task   // whose state must allow it
	Tasks       []id.Task // of these, those whose state allows it
	Fingerprint string    // those failed so
	All         bool      // all that are failed
	Waiting     bool      // all that wait for their next attempt
}

// CodeBadSelection: the request does not say which tasks, or says it twice. Send tasks, a fingerprint, all or
// waiting.
const CodeBadSelection fault.Code = "Task.BadSelection"

func BadSelection() error {
	return fault.Invalid.New(CodeBadSelection, "",
		"Name either tasks, the fingerprint of a failure, all failed tasks, or all that wait.")
}

// CodeTooManyTasks: more tasks are named than are retried or skipped at once. Name fewer, a fingerprint, or
// all.
const CodeTooManyTasks fault.Code = "Task.TooMany"

func TooManyTasks() error {
	return fault.Invalid.New(CodeTooManyTasks, "tasks",
		fmt.Sprintf("Name at most %d tasks at once, or the fingerprint of a failure, or all failed tasks.", settleChunk))
}

// CodeWrongTaskState: the state of the task does not allow this. Read the task again to see what can be done.
const CodeWrongTaskState fault.Code = "Task.WrongState"

func WrongTaskState(task id.Task, state, action string) error {
	return fault.Conflict.New(CodeWrongTaskState, "",
		fmt.Sprintf("Task %d is %s, so it cannot be %s. Reload the page to see its state.", task, state, action))
}

const (
	// settleChunk is how many tasks one transaction retries or skips.
	settleChunk = 1000
	// settleTime is how long a request does that before it leaves the rest to the keeper.
	settleTime = time.Second
)

// taskAction is what is done with tasks: a retry or a skip.
type taskAction struct {
	kind, done string   // "retry", "retried"
	from       []string // the states of a task that is named that allow it
	runs       []State  // the states of a run that allow it
	write      func(ctx context.Context, tx *db.Tx, tasks []id.Task) (int64, error)
}

var taskActions = map[string]taskAction{
	"retry": {
		kind: "retry", done: "retried", from: []string{TaskFailed, TaskSkipped, TaskWaiting},
		runs:  []State{Running, Pausing, Paused, Throttled, Complete},
		write: func(ctx context.Context, tx *db.Tx, tasks []id.Task) (int64, error) { return tx.RetryTasks(ctx, tasks) },
	},
	"skip": {
		kind: "skip", done: "skipped", from: []string{TaskOpen, TaskWaiting, TaskFailed},
		runs:  []State{Ready, Running, Pausing, Paused, Throttled, Complete},
		write: func(ctx context.Context, tx *db.Tx, tasks []id.Task) (int64, error) { return tx.SkipTasks(ctx, tasks) },
	},
}

// RetryTasks opens tasks again, in their next iteration and with all their attempts: those named that are
// failed, skipped or waiting, or all that are failed, alike or not, or all that wait. A run that was complete runs again. It
// returns how many tasks that are; of very many some are opened within the next seconds. It returns
// RunNotFound, BadWhich, TooManyTasks, BadFingerprint, Removed, WrongState, Purged, ActiveRun or, for a single
// task, TaskNotFound or WrongTaskState.
func (e *Engine) RetryTasks(ctx context.Context, actor Actor, run id.Run, which Selection) (int64, error) {
	return e.settle(ctx, actor, run, which, taskActions["retry"])
}

// SkipTasks gives tasks up: those named that are open, waiting or failed, or all that are failed, alike or not,
// or all that wait.
// It returns what RetryTasks does.
func (e *Engine) SkipTasks(ctx context.Context, actor Actor, run id.Run, which Selection) (int64, error) {
	return e.settle(ctx, actor, run, which, taskActions["skip"])
}

func (e *Engine) settle(
	ctx context.Context, actor Actor, run id.Run, which Selection, s taskAction,
) (n int64, err error) {
	many, err := which.parse()
	if err != nil {
		return 0, err
	}
	switch {
	case which.Task != 0:
		n, err = e.settleByID(ctx, actor, run, []id.Task{which.Task}, s, true)
	case len(which.Tasks) > 0:
		n, err = e.settleByID(ctx, actor, run, which.Tasks, s, false)
	default:
		n, err = e.settleMany(ctx, actor, run, many, s)
	}
	if err != nil {
		return 0, fmt.Errorf("%s tasks: %w", s.kind, err)
	}
	e.Changes.Wake()
	return n, nil
}

// taskSet are the tasks of a run in a state; print narrows failed ones to a group, if there is one.
type taskSet struct {
	state string
	print []byte
}

// waitingKind ends the kind of a request that is about tasks that wait.
const waitingKind = " wait"

// taskSetOf are the tasks that a request is about, and what is done with them.
func taskSetOf(r db.MigrationRequest) (taskSet, taskAction) {
	kind, waiting := strings.CutSuffix(r.Kind, waitingKind)
	if waiting {
		return taskSet{state: TaskWaiting}, taskActions[kind]
	}
	return taskSet{TaskFailed, r.Fingerprint}, taskActions[kind]
}

// kind is that of a request to do it with the tasks.
func (m taskSet) kind(s taskAction) string {
	if m.state == TaskWaiting {
		return s.kind + waitingKind
	}
	return s.kind
}

func (m taskSet) String() string {
	if m.print != nil {
		return "failure " + hex.EncodeToString(m.print)
	}
	return "all " + m.state + " tasks"
}

func (w Selection) parse() (taskSet, error) {
	named := 0
	for _, is := range []bool{w.Task != 0, len(w.Tasks) > 0, w.Fingerprint != "", w.All, w.Waiting} {
		if is {
			named++
		}
	}
	switch {
	case named != 1:
		return taskSet{}, BadSelection()
	case w.Waiting:
		return taskSet{state: TaskWaiting}, nil
	}
	if len(w.Tasks) > settleChunk {
		return taskSet{}, TooManyTasks()
	}
	print, err := parseFingerprint(w.Fingerprint)
	return taskSet{TaskFailed, print}, err
}

// settleByID is for tasks with given ids. One that is processed is its worker's and not touched. If must is set, a
// state that does not allow the action is an error; else the task is left alone.
func (e *Engine) settleByID(
	ctx context.Context, actor Actor, run id.Run, tasks []id.Task, s taskAction, must bool,
) (n int64, err error) {
	err = e.db.InTx(ctx, func(tx *db.Tx) error {
		n = 0
		row, err := e.lockToSettle(ctx, tx, run, s)
		if err != nil {
			return err
		}
		rows, err := tx.LockTasksByID(ctx, tasks, run)
		if err != nil {
			return err
		}
		if must && len(rows) == 0 {
			return TaskNotFound(run, tasks[0])
		}
		var chunk []lockedTask
		var names []string
		for _, t := range rows {
			switch {
			case slices.Contains(s.from, t.State):
				chunk, names = append(chunk, lockedTask{t.ID, t.State, t.Fingerprint}),
					append(names, strconv.FormatUint(uint64(t.ID), 10))
			case must:
				return WrongTaskState(t.ID, t.State, s.done)
			}
		}
		if n = int64(len(chunk)); n == 0 {
			return nil
		}
		if err := e.write(ctx, tx, row, actor, s, chunk); err != nil {
			return err
		}
		what := "task "
		if n > 1 {
			what = fmt.Sprintf("%d tasks: ", n)
		}
		return e.logSettled(ctx, tx, row, actor, s.kind, what+strings.Join(names, ", "))
	})
	return n, err
}

// settleMany goes through the tasks in chunks. The rest is a row, so that the keeper can finish it, also after a
// crash.
func (e *Engine) settleMany(ctx context.Context, actor Actor, run id.Run, tasks taskSet, s taskAction) (int64, error) {
	request, n, err := e.request(ctx, actor, run, tasks, s)
	if err != nil || request == 0 {
		return n, err
	}
	for end := time.Now().Add(settleTime); time.Now().Before(end); {
		more, err := e.goOn(ctx, request)
		if err != nil {
			e.log.Warn("left to the keeper", "action", s.kind, "run", run, "error", err)
			break // the first chunk is done, and the keeper does the rest
		}
		if !more {
			break
		}
	}
	return n, nil
}

// request does the first chunk, and stores what is left. n is how many tasks there are.
func (e *Engine) request(
	ctx context.Context, actor Actor, run id.Run, tasks taskSet, s taskAction,
) (request uint64, n int64, err error) {
	err = e.db.InTx(ctx, func(tx *db.Tx) error {
		request, n = 0, 0
		row, err := e.lockToSettle(ctx, tx, run, s)
		if err != nil {
			return err
		}
		chunk, err := lockChunk(ctx, tx, run, tasks, 0)
		if err != nil || len(chunk) == 0 {
			return err
		}
		n = int64(len(chunk))
		if n == settleChunk {
			if n, err = tasks.count(ctx, tx, run); err != nil {
				return err
			}
			n = max(n, settleChunk)
			id, err := tx.AddRequest(ctx, db.AddRequestParams{
				RunID: run, Kind: tasks.kind(s), Fingerprint: tasks.print, AfterID: chunk[len(chunk)-1].id,
				AccountID: actor.Account, Actor: actor.Name,
			})
			if err != nil {
				return err
			}
			request = uint64(id)
		}
		if err := e.write(ctx, tx, row, actor, s, chunk); err != nil {
			return err
		}
		return e.logSettled(ctx, tx, row, actor, s.kind, fmt.Sprintf("%s: %d", tasks, n))
	})
	return request, n, err
}

// logSettled logs that tasks of a run were retried or skipped, and records it.
func (e *Engine) logSettled(
	ctx context.Context, tx *db.Tx, row db.MigrationRun, actor Actor, kind, what string,
) error {
	if err := LogEvent(ctx, tx, row.ID, actor, kind, what); err != nil {
		return err
	}
	return e.recordControl(ctx, tx, actor, kind, row, Cut(what, MaxReason))
}

// count is how many there are.
func (m taskSet) count(ctx context.Context, tx *db.Tx, run id.Run) (int64, error) {
	if m.print == nil {
		progress, err := tx.ProgressOf(ctx, run)
		if m.state == TaskWaiting {
			return progress.Waiting, err
		}
		return progress.Failed, err
	}
	n, err := tx.FailureCount(ctx, run, m.print)
	if db.IsNotFound(err) {
		return 0, nil
	}
	return int64(n), err
}

// goOn does the next chunk of a request, and removes it after its last. more says that there is another.
func (e *Engine) goOn(ctx context.Context, request uint64) (more bool, err error) {
	err = e.db.InTx(ctx, func(tx *db.Tx) error {
		more = false
		run, err := tx.RunOfRequest(ctx, request)
		if db.IsNotFound(err) {
			return nil // another process finished it
		}
		if err != nil {
			return err
		}
		row, err := LockRun(ctx, tx, run) // before the request, as everyone does
		if err != nil {
			return err
		}
		r, err := tx.LockRequest(ctx, request)
		if db.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		tasks, s := taskSetOf(r)
		if !slices.Contains(s.runs, State(row.State)) { // it was cancelled
			return tx.EndRequest(ctx, request)
		}
		chunk, err := lockChunk(ctx, tx, run, tasks, r.AfterID)
		if err != nil {
			return err
		}
		if err := e.write(ctx, tx, row, Actor{Account: r.AccountID, Name: r.Actor}, s, chunk); err != nil {
			return err
		}
		if len(chunk) < settleChunk {
			return tx.EndRequest(ctx, request)
		}
		more = true
		return tx.AdvanceRequest(ctx, chunk[len(chunk)-1].id, request)
	})
	return more, err
}

// endRequest ends a request that met a conflict, which no further try would end; the run's log says so.
func (e *Engine) endRequest(ctx context.Context, request uint64, conflict error) error {
	return e.db.InTx(ctx, func(tx *db.Tx) error {
		run, err := tx.RunOfRequest(ctx, request)
		if db.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := LockRun(ctx, tx, run); err != nil {
			return err
		}
		r, err := tx.LockRequest(ctx, request)
		if db.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := tx.EndRequest(ctx, request); err != nil {
			return err
		}
		tasks, s := taskSetOf(r)
		return LogEvent(ctx, tx, run, Keeper, s.kind, fmt.Sprintf("%s, for %s: the rest is left as it is. %s", tasks, r.Actor,
			fault.Message(conflict)))
	})
}

// FinishRequests continues the retries and skips that were too much for their requests, for about half a second, in
// turns: one that fails, or is long, does not hold up the others. The keeper calls it.
func (e *Engine) FinishRequests(ctx context.Context) error {
	last := &e.lastRequest
	failed := map[uint64]error{}
	more := last.Load() > 0 // those before it are still to come
	for end := time.Now().Add(settleTime / 2); time.Now().Before(end); {
		request, err := db.Read(e.db.NextRequest(ctx, last.Load()))
		switch {
		case db.IsNotFound(err) && more:
			last.Store(0)
			more = false
			continue
		case db.IsNotFound(err):
			return errors.Join(slices.Collect(maps.Values(failed))...)
		case err != nil:
			return fmt.Errorf("read requests: %w", err)
		}
		last.Store(request)
		if failed[request] != nil {
			continue
		}
		left, err := e.goOn(ctx, request)
		if errors.Is(err, fault.Conflict) {
			e.log.Warn("a request ends before its end", "request", request, "error", err)
			err = e.endRequest(ctx, request, err)
		}
		if err != nil {
			failed[request] = fmt.Errorf("go on with request %d: %w", request, err)
		}
		more = more || left
	}
	return errors.Join(slices.Collect(maps.Values(failed))...)
}

// lockToSettle locks the run, if its state allows the action.
func (e *Engine) lockToSettle(ctx context.Context, tx *db.Tx, run id.Run, s taskAction) (db.MigrationRun, error) {
	row, err := LockRun(ctx, tx, run)
	if err != nil {
		return row, err
	}
	if !slices.Contains(s.runs, State(row.State)) {
		return row, WrongState(run, State(row.State), s.kind+" tasks")
	}
	if row.PurgedAt != nil {
		return row, Purged(run)
	}
	if err := notStopped(ctx, tx); err != nil {
		return row, err
	}
	if s.kind == "retry" && State(row.State) == Complete && e.registry[row.Name] == nil {
		return row, Removed(run, row.Name)
	}
	return row, nil
}

// lockedTask is a task that is retried or skipped, as it was.
type lockedTask struct {
	id          id.Task
	state       string
	fingerprint []byte
}

// lockChunk locks the next of the tasks.
func lockChunk(ctx context.Context, tx *db.Tx, run id.Run, tasks taskSet, after id.Task) ([]lockedTask, error) {
	var chunk []lockedTask
	if tasks.print == nil {
		rows, err := tx.LockTasksIn(ctx, db.LockTasksInParams{RunID: run, State: tasks.state, After: after,
			Limit: settleChunk})
		for _, row := range rows {
			chunk = append(chunk, lockedTask{row.ID, tasks.state, row.Fingerprint})
		}
		return chunk, err
	}
	rows, err := tx.LockTasksOfFailure(ctx, db.LockTasksOfFailureParams{RunID: run, Fingerprint: tasks.print, After: after,
		Limit: settleChunk})
	for _, row := range rows {
		chunk = append(chunk, lockedTask{row.ID, TaskFailed, row.Fingerprint})
	}
	return chunk, err
}

// write retries or skips locked tasks and updates the counters. A complete run with open tasks runs again.
func (e *Engine) write(
	ctx context.Context, tx *db.Tx, row db.MigrationRun, actor Actor, s taskAction, tasks []lockedTask,
) error {
	if len(tasks) == 0 {
		return nil
	}
	ids := make([]id.Task, len(tasks))
	counts := db.AddToCounterParams{RunID: row.ID}
	for i, t := range tasks {
		ids[i] = t.id
		switch t.state {
		case TaskFailed:
			counts.Failed--
		case TaskWaiting:
			counts.Waiting--
		case TaskSkipped:
			counts.Skipped--
		}
	}
	n, err := s.write(ctx, tx, ids)
	if err != nil {
		return err
	}
	if n != int64(len(tasks)) {
		return fmt.Errorf("%d of %d locked tasks were %s", n, len(tasks), s.done)
	}
	if s.kind == "skip" {
		counts.Skipped += n
	}
	if err := tx.AddToCounter(ctx, counts); err != nil {
		return err
	}
	if err := takeFromGroups(ctx, tx, row.ID, tasks); err != nil {
		return err
	}
	if State(row.State) != Complete {
		return nil
	}
	if s.kind == "retry" {
		return Transit(ctx, tx, row.ID, Move{Action: "retry tasks", From: []State{Complete}, To: Running,
			Reason: "Tasks are tried again.", Actor: actor}, nil)
	}
	listed, err := listedComplete(ctx, tx, row.ID)
	if err != nil {
		return err
	}
	return tx.SetRunListed(ctx, listed, row.ID)
}

// takeFromGroups counts in the groups of failures that the tasks are failed no more. Groups are locked
// in the order of their fingerprints.
func takeFromGroups(ctx context.Context, tx *db.Tx, run id.Run, tasks []lockedTask) error {
	groups := map[string]uint64{}
	for _, t := range tasks {
		if t.state == TaskFailed && t.fingerprint != nil {
			groups[string(t.fingerprint)]++
		}
	}
	prints := make([][]byte, 0, len(groups))
	for print := range groups {
		prints = append(prints, []byte(print))
	}
	slices.SortFunc(prints, bytes.Compare)
	for _, print := range prints {
		if err := tx.SubtractFailures(ctx, db.SubtractFailuresParams{Tasks: groups[string(print)], RunID: run,
			Fingerprint: print}); err != nil {
			return err
		}
	}
	return nil
}
