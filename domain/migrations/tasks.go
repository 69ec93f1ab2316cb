package migrations

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

const (
	// TasksPerPage is how many tasks a list shows at once.
	TasksPerPage = 50
	// payloadShown is how much of a payload a list shows, in characters: the query reads one more.
	payloadShown = 1000
	// maxScan is how many tasks a list looks at for its page.
	maxScan = 2000
	// failedPerPage is how many failed tasks are read at once for a file of them.
	failedPerPage = 200
	// MaxFailures is how many groups of errors a run keeps: later ones are in one group, the others. So the list is
	// complete and sorted by size without more reads.
	MaxFailures = 500
	// FailuresShown is enough for them all: beside those there are the others, and what was lost.
	FailuresShown = 2 * MaxFailures
	// attemptsShown are the last of a task.
	attemptsShown = 100
	// RejectionsPerPage is how many rejections a list shows at once.
	RejectionsPerPage = 100
	// EventsPerPage is how many entries of a run's log are shown at once.
	EventsPerPage = 50
)

// TaskStates are the states of a task, in the order of a task's life.
var TaskStates = []string{TaskOpen, TaskProcessing, TaskWaiting, TaskComplete, TaskFailed, TaskSkipped}

// TaskFilter says which tasks of a run are listed; zero fields filter nothing. After is the end of the last page.
type TaskFilter struct {
	State     string
	Worker    id.Worker // that claimed it last
	Iteration int
	After     id.Task
}

// TaskPage is a page of tasks by their ids. Next is the start of the next page, 0 at the end. Partial says that the
// page ends at the bound of the scan: there may be more from Next on.
type TaskPage struct {
	Tasks   []Task // of a payload, the beginning
	Next    id.Task
	Partial bool
}

// CodeTaskNotFound: the run has no such task. See the list of its tasks.
const CodeTaskNotFound fault.Code = "Task.NotFound"

func TaskNotFound(run id.Run, task id.Task) error {
	return fault.NotFound.New(CodeTaskNotFound, "", fmt.Sprintf("Run %d has no task %d.", run, task))
}

// CodeBadTaskState: there is no such state of tasks. Choose one from the list.
const CodeBadTaskState fault.Code = "Task.BadState"

func BadTaskState(state string) error {
	return fault.Invalid.New(CodeBadTaskState, "state",
		fmt.Sprintf("No task is “%s”. Choose a state from the list.", state))
}

// CodeBadFingerprint: the fingerprint is malformed. Send the 16 hexadecimal digits that the list of failures
// shows.
const CodeBadFingerprint fault.Code = "Task.BadFingerprint"

func BadFingerprint() error {
	return fault.Invalid.New(CodeBadFingerprint, "fingerprint",
		"A fingerprint has 16 hexadecimal digits, as the list of failures shows it.")
}

// Tasks returns a page of the tasks of a run. It looks at no more than about 2,000 of them. It returns
// RunNotFound or BadTaskState.
func (e *Engine) Tasks(ctx context.Context, by db.Sight, run id.Run, filter TaskFilter) (TaskPage, error) {
	if filter.State != "" && !slices.Contains(TaskStates, filter.State) {
		return TaskPage{}, BadTaskState(filter.State)
	}
	ids, partial, err := e.scanTaskIDs(ctx, run, filter)
	if err == nil && len(ids) == 0 {
		err = e.orNoRun(ctx, run)
	}
	if err != nil || len(ids) == 0 {
		return TaskPage{}, err
	}
	rows, err := db.Read(e.db.TasksAmong(ctx, db.TasksAmongParams{
		Reader: by.Reader, Ids: ids, WorkerID: filter.Worker, Iteration: uint32(filter.Iteration), Limit: TasksPerPage + 1,
	}))
	if err != nil {
		return TaskPage{}, fmt.Errorf("read tasks: %w", err)
	}
	rows, more := page(rows, TasksPerPage)
	out := TaskPage{Tasks: make([]Task, len(rows))}
	for i, row := range rows {
		task := taskFrom(db.MigrationTask{
			ID: row.ID, RunID: row.RunID, State: row.State, Fence: row.Fence, WorkerID: row.WorkerID, Attempt: row.Attempt,
			Iteration: row.Iteration, Line: row.Line, Payload: row.Payload, Note: row.Note, Fingerprint: row.Fingerprint,
			DueAt: row.DueAt, ClaimedAt: row.ClaimedAt, FinishedAt: row.FinishedAt,
		})
		if runes := []rune(row.Payload); len(runes) > payloadShown {
			task.Payload, task.Cut = string(runes[:payloadShown]), true
		}
		if !e.shows(by, row.Name, row.Seen) {
			task = task.hide()
		}
		out.Tasks[i] = task
	}
	switch {
	case more:
		out.Next = out.Tasks[len(out.Tasks)-1].ID
	case partial:
		out.Next, out.Partial = ids[len(ids)-1], len(rows) < TasksPerPage
	}
	return out, nil
}

// orNoRun returns RunNotFound if the run does not exist, for reads that found nothing.
func (e *Engine) orNoRun(ctx context.Context, run id.Run) error {
	_, err := e.Row(ctx, run)
	return err
}

// scanTaskIDs returns the ids of tasks in the filter's state, ascending from the end of the last page, and whether
// there may be more of them. The index has the ids of each state in order; without a state those of all are merged, up
// to the id to which each of them was read.
func (e *Engine) scanTaskIDs(ctx context.Context, run id.Run, filter TaskFilter) (ids []id.Task, more bool, err error) {
	states, most := TaskStates, TasksPerPage+1
	if filter.State != "" {
		states = []string{filter.State}
	}
	if filter.Worker != 0 || filter.Iteration != 0 {
		most = maxScan / len(states)
	}
	horizon := id.Task(math.MaxInt64)
	for _, state := range states {
		found, err := db.Read(e.db.TaskIDsIn(ctx, db.TaskIDsInParams{RunID: run, State: state, After: filter.After,
			Limit: int32(most)}))
		if err != nil {
			return nil, false, fmt.Errorf("look at tasks: %w", err)
		}
		if len(found) == most {
			horizon, more = min(horizon, found[most-1]), true
		}
		ids = append(ids, found...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids) // one that changed its state meanwhile was found twice
	end, found := slices.BinarySearch(ids, horizon)
	if found {
		end++
	}
	return ids[:end], more, nil
}

// Task returns a task with its whole payload, and the last of its attempts that failed, the newest
// first. It returns TaskNotFound.
func (e *Engine) Task(ctx context.Context, by db.Sight, run id.Run, task id.Task) (Task, []Attempt, error) {
	row, err := db.Read(e.db.TaskOf(ctx, db.TaskOfParams{Reader: by.Reader, ID: task, RunID: run}))
	if db.IsNotFound(err) {
		return Task{}, nil, TaskNotFound(run, task)
	}
	if err != nil {
		return Task{}, nil, fmt.Errorf("read task: %w", err)
	}
	rows, err := db.Read(e.db.AttemptsOf(ctx, task, attemptsShown))
	if err != nil {
		return Task{}, nil, fmt.Errorf("read attempts: %w", err)
	}
	attempts := make([]Attempt, len(rows))
	for i, a := range rows {
		attempts[i] = Attempt{
			Iteration: int(a.Iteration), Attempt: int(a.Attempt), Outcome: a.Outcome, Worker: a.Worker, StartedAt: a.StartedAt,
			Took: time.Duration(a.TookUs) * time.Microsecond, Message: a.Message, Detail: a.Detail,
		}
	}
	found := taskFrom(row.MigrationTask)
	if !e.shows(by, row.Name, row.Seen) {
		found = found.hide()
		for i := range attempts {
			attempts[i].Detail = ""
		}
	}
	return found, attempts, nil
}

// Failures returns the groups of errors of a run: those with the most failed tasks first, then those
// with the most errors. A run keeps 500 apart, and all others in one group. It returns RunNotFound.
func (e *Engine) Failures(ctx context.Context, run id.Run) ([]Failure, error) {
	rows, err := db.Read(e.db.FailuresOf(ctx, run, FailuresShown))
	if err == nil && len(rows) == 0 {
		err = e.orNoRun(ctx, run)
	}
	if err != nil {
		return nil, fmt.Errorf("read failures: %w", err)
	}
	list := make([]Failure, len(rows))
	for i, row := range rows {
		list[i] = Failure{
			Fingerprint: hex.EncodeToString(row.Fingerprint), Message: row.Message, Task: row.TaskID,
			Errors: row.Errors, Failed: row.Failed, FirstAt: row.FirstAt, LastAt: row.LastAt,
		}
	}
	slices.SortStableFunc(list, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(b.Failed, a.Failed), cmp.Compare(b.Errors, a.Errors))
	})
	return list, nil
}

// FailedTasks returns a page of the tasks that are failed, of a group, or all if the fingerprint is "". Each has the
// message of its last attempt, and of its payload up to 32,000 characters. It returns RunNotFound or BadFingerprint.
func (e *Engine) FailedTasks(
	ctx context.Context, by db.Sight, run id.Run, fingerprint string, after id.Task,
) (TaskPage, error) {
	print, err := parseFingerprint(fingerprint)
	if err != nil {
		return TaskPage{}, err
	}
	if _, err := e.Row(ctx, run); err != nil {
		return TaskPage{}, err
	}
	var ids []id.Task
	if print == nil {
		ids, err = db.Read(e.db.TaskIDsIn(ctx, db.TaskIDsInParams{RunID: run, State: TaskFailed, After: after,
			Limit: failedPerPage + 1}))
	} else {
		ids, err = db.Read(e.db.TaskIDsOfFailure(ctx, db.TaskIDsOfFailureParams{RunID: run, Fingerprint: print, After: after,
			Limit: failedPerPage + 1}))
	}
	if err != nil {
		return TaskPage{}, fmt.Errorf("look at failed tasks: %w", err)
	}
	ids, more := page(ids, failedPerPage)
	if len(ids) == 0 {
		return TaskPage{}, nil
	}
	rows, err := db.Read(e.db.FailedAmong(ctx, db.FailedAmongParams{Reader: by.Reader, Ids: ids}))
	if err != nil {
		return TaskPage{}, fmt.Errorf("read failed tasks: %w", err)
	}
	slices.SortFunc(rows, func(a, b db.FailedAmongRow) int { return cmp.Compare(a.ID, b.ID) })
	out := TaskPage{Tasks: make([]Task, len(rows))}
	for i, row := range rows {
		out.Tasks[i] = Task{
			ID: row.ID, Run: row.RunID, State: row.State, Worker: row.WorkerID, Attempt: int(row.Attempt),
			Iteration: int(row.Iteration), Line: row.Line,
			Payload: row.Payload, Fingerprint: hex.EncodeToString(row.Fingerprint), Error: row.Message, ClaimedAt: row.ClaimedAt,
			FinishedAt: row.FinishedAt,
		}
		if !e.shows(by, row.Name, row.Seen) {
			out.Tasks[i] = out.Tasks[i].hide()
		}
	}
	if more {
		out.Next = ids[len(ids)-1]
	}
	return out, nil
}

func parseFingerprint(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	print, err := hex.DecodeString(text)
	if err != nil || len(print) != 8 {
		return nil, BadFingerprint()
	}
	return print, nil
}

// Rejections returns a page of what filling made no task of, in the order of filling: those numbered
// above after. The first 10,000 of a run are kept. It returns RunNotFound.
func (e *Engine) Rejections(
	ctx context.Context, by db.Sight, run id.Run, after uint64,
) (list []Rejection, more bool, err error) {
	if _, err := e.Row(ctx, run); err != nil {
		return nil, false, err
	}
	rows, err := db.Read(e.db.RejectionsOf(ctx, db.RejectionsOfParams{Reader: by.Reader, RunID: run, After: after,
		Limit: RejectionsPerPage + 1}))
	if err != nil {
		return nil, false, fmt.Errorf("read rejections: %w", err)
	}
	rows, more = page(rows, RejectionsPerPage)
	list = make([]Rejection, len(rows))
	for i, row := range rows {
		list[i] = Rejection{Number: row.Number, Line: row.Line, Reason: row.Reason, Content: row.Content}
		if !e.shows(by, row.Name, row.Seen) {
			list[i].Content = HiddenLine
		}
	}
	return list, more, nil
}

// Events returns a page of a run's log, the newest first: entries before one, or the last if that is 0. It returns
// RunNotFound.
func (e *Engine) Events(ctx context.Context, run id.Run, before id.Event) (list []Event, more bool, err error) {
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := db.Read(e.db.RunEventsOf(ctx, db.RunEventsOfParams{RunID: run, Before: before, Limit: EventsPerPage + 1}))
	if err == nil && len(rows) == 0 {
		err = e.orNoRun(ctx, run)
	}
	if err != nil {
		return nil, false, fmt.Errorf("read events: %w", err)
	}
	rows, more = page(rows, EventsPerPage)
	list = make([]Event, len(rows))
	for i, row := range rows {
		list[i] = EventFrom(row)
	}
	return list, more, nil
}

// EventFrom makes an event of its row.
func EventFrom(row db.MigrationEvent) Event {
	return Event{ID: row.ID, Kind: row.Kind, Actor: row.Actor, Detail: row.Detail, At: row.CreatedAt}
}

func taskFrom(row db.MigrationTask) Task {
	task := Task{
		ID: row.ID, Run: row.RunID, State: row.State, Fence: row.Fence, Worker: row.WorkerID, Attempt: int(row.Attempt),
		Iteration: int(row.Iteration),
		Line:      row.Line, Payload: row.Payload, Note: row.Note, DueAt: row.DueAt, ClaimedAt: row.ClaimedAt,
		FinishedAt: row.FinishedAt,
	}
	if row.Fingerprint != nil {
		task.Fingerprint = hex.EncodeToString(row.Fingerprint)
	}
	return task
}

// WorkerFrom makes a worker of its row and what is left of its lease, in microseconds.
func WorkerFrom(row db.MigrationWorker, leftUs int64) Worker {
	return Worker{
		ID: row.ID, Host: row.Host, PID: int(row.Pid), Version: row.Version, Knows: strings.Fields(row.Knows),
		State: row.State, InFlight: int(row.InFlight), Finished: row.Finished,
		PerSecond: row.PerSecond, ClaimP99: time.Duration(row.ClaimP99Us) * time.Microsecond, StartedAt: row.StartedAt,
		BeatAt: row.BeatAt,
		Left:   time.Duration(leftUs) * time.Microsecond,
	}
}
