package api

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/web/respond"
)

type taskResource struct {
	ID         id.Task    `json:"id"`
	State      string     `json:"state"`
	Iteration  int        `json:"iteration"`
	Attempt    int        `json:"attempt"`
	Worker     *id.Worker `json:"worker"`
	Line       *uint64    `json:"line"`
	Payload    string     `json:"payload"`
	Cut        bool       `json:"cut"` // payload is only its beginning
	Note       string     `json:"note"`
	Hidden     bool       `json:"hidden,omitempty"` // of a board that the caller does not see: payload says so
	DueAt      *time.Time `json:"due_at"`
	ClaimedAt  *time.Time `json:"claimed_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

// taskDetailResource is a task with its failed attempts, the newest first.
type taskDetailResource struct {
	taskResource
	Attempts []attemptResource `json:"attempts"`
}

type attemptResource struct {
	Iteration int       `json:"iteration"`
	Attempt   int       `json:"attempt"`
	Outcome   string    `json:"outcome"`
	Worker    string    `json:"worker"`
	StartedAt time.Time `json:"started_at"`
	Took      span      `json:"took"`
	Message   string    `json:"message"`
	Detail    string    `json:"detail"`
}

type eventResource struct {
	ID     id.Event  `json:"id"`
	Kind   string    `json:"kind"`
	Actor  string    `json:"actor"`
	Detail string    `json:"detail"`
	At     time.Time `json:"at"`
}

func taskOf(t migrations.Task) taskResource {
	r := taskResource{
		ID: t.ID, State: t.State, Iteration: t.Iteration, Attempt: t.Attempt, Payload: t.Payload, Cut: t.Cut, Note: t.Note,
		Hidden: t.Hidden, DueAt: t.DueAt, ClaimedAt: t.ClaimedAt, FinishedAt: t.FinishedAt,
	}
	if t.Worker != 0 {
		r.Worker = &t.Worker
	}
	if t.Line != 0 {
		r.Line = &t.Line
	}
	return r
}

func tasksOf(found migrations.TaskPage) listResource[taskResource] {
	page := listResource[taskResource]{Items: make([]taskResource, len(found.Tasks))}
	for i, t := range found.Tasks {
		page.Items[i] = taskOf(t)
	}
	if found.Next != 0 {
		next := strconv.FormatUint(uint64(found.Next), 10)
		page.Next = &next
	}
	return page
}

func taskDetailOf(t migrations.Task, attempts []migrations.Attempt) taskDetailResource {
	r := taskDetailResource{taskResource: taskOf(t), Attempts: make([]attemptResource, len(attempts))}
	for i, a := range attempts {
		r.Attempts[i] = attemptResource{
			Iteration: a.Iteration, Attempt: a.Attempt, Outcome: a.Outcome, Worker: a.Worker, StartedAt: a.StartedAt,
			Took:    span(a.Took),
			Message: a.Message, Detail: a.Detail,
		}
	}
	return r
}

func logOf(list []migrations.Event, more bool) listResource[eventResource] {
	page := listResource[eventResource]{Items: make([]eventResource, len(list))}
	for i, e := range list {
		page.Items[i] = eventResource(e)
	}
	if more {
		next := strconv.FormatUint(uint64(list[len(list)-1].ID), 10)
		page.Next = &next
	}
	return page
}

// TasksJSON is a page of tasks as the API shows it.
func TasksJSON(found migrations.TaskPage) any { return tasksOf(found) }

// TaskJSON is a task with its attempts as the API shows it.
func TaskJSON(t migrations.Task, attempts []migrations.Attempt) any { return taskDetailOf(t, attempts) }

// EventsJSON is a page of a run's log as the API shows it.
func EventsJSON(list []migrations.Event, more bool) any { return logOf(list, more) }

func (h *Handlers) Tasks(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	filter := migrations.TaskFilter{State: c.QueryParam("state")}
	if filter.After, err = respond.Cursor[id.Task](c, "after"); err != nil {
		return badQuery("after", "what the page before gave as next")
	}
	if filter.Worker, err = respond.Cursor[id.Worker](c, "worker"); err != nil {
		return badQuery("worker", "the id of a worker")
	}
	iteration, err := respond.Cursor[uint64](c, "iteration")
	if err != nil || iteration > math.MaxInt32 {
		return badQuery("iteration", "a number from 1")
	}
	filter.Iteration = int(iteration)
	found, err := h.console.RunTasks(c.Request().Context(), run, filter)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, tasksOf(found))
}

// Task is a task with its whole payload and its attempts.
func (h *Handlers) Task(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	number, err := respond.RowID[id.Task](c.Param("task"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	task, attempts, err := h.console.RunTask(c.Request().Context(), run, number)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, taskDetailOf(task, attempts))
}

// Events is a page of a run's log.
func (h *Handlers) Events(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	before, err := respond.Cursor[id.Event](c, "after")
	if err != nil {
		return badQuery("after", "what the page before gave as next")
	}
	list, more, err := h.console.RunEvents(c.Request().Context(), run, before)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, logOf(list, more))
}
