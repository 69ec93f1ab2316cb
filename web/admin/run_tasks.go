package admin

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// taskFilter reads the filter of the task list from the address.
func taskFilter(c echo.Context) views.TaskFilter {
	return views.TaskFilter{
		State: c.QueryParam("state"), Worker: c.QueryParam("worker"), Iteration: c.QueryParam("iteration"),
		Task: c.QueryParam("task"), After: c.QueryParam("after"),
	}
}

// tasksOf is the page of tasks that the address names.
func (h *Handlers) tasksOf(c echo.Context, run migrations.Run) (admin.RunTasks, error) {
	t := admin.RunTasks{Run: run, Filter: taskFilter(c), Labels: map[id.Task]string{}}
	if t.Filter.Task != "" {
		return h.taskByNumber(c, t)
	}
	filter, message := readFilter(t.Filter)
	if message != "" {
		t.Message = message
		return t, nil
	}
	page, err := h.console.RunTasks(c.Request().Context(), run.ID, filter)
	t.Tasks, t.Next, t.Looked = page.Tasks, page.Next, page.Partial
	if err != nil {
		return t, err
	}
	return t, h.label(c, t)
}

// readFilter parses the filter; message names a bad value.
func readFilter(f views.TaskFilter) (filter migrations.TaskFilter, message string) {
	number := func(text string, bits int) uint64 {
		if text == "" {
			return 0
		}
		n, err := strconv.ParseUint(text, 10, bits)
		if err != nil {
			message = fmt.Sprintf("“%.40s” is not a number.", text)
		}
		return n
	}
	filter = migrations.TaskFilter{State: f.State, Worker: id.Worker(number(f.Worker, 63)),
		Iteration: int(number(f.Iteration, 31)), After: id.Task(number(f.After, 63))}
	if f.State != "" && !slices.Contains(migrations.TaskStates, f.State) {
		message = fmt.Sprintf("No task has the state “%.40s”.", f.State)
	}
	return filter, message
}

// taskByNumber is the list with one task.
func (h *Handlers) taskByNumber(c echo.Context, t admin.RunTasks) (admin.RunTasks, error) {
	number, wrong := respond.RowID[id.Task](t.Filter.Task, echo.ErrNotFound)
	if wrong != nil {
		number = 0 // which no task has
	}
	task, _, err := h.console.RunTask(c.Request().Context(), t.Run.ID, number)
	if errors.Is(err, fault.NotFound) {
		t.Message = fmt.Sprintf("This run has no task “%.40s”.", t.Filter.Task)
		return t, nil
	}
	t.Tasks = []migrations.Task{task}
	if err != nil {
		return t, err
	}
	return t, h.label(c, t)
}

// label names the subject of each task in a list.
func (h *Handlers) label(c echo.Context, t admin.RunTasks) (err error) {
	for _, task := range t.Tasks {
		if t.Labels[task.ID], err = h.console.TaskLabel(c.Request().Context(), t.Run, task); err != nil {
			return err
		}
	}
	return nil
}

// Task is a task with its attempts.
func (h *Handlers) Task(c echo.Context) error {
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	number, err := respond.RowID[id.Task](c.Param("task"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	props := admin.RunTaskProps{Run: run, All: c.QueryParam("all") != ""}
	if props.Task, props.Attempts, err = h.console.RunTask(c.Request().Context(), run.ID, number); err != nil {
		return err
	}
	if props.Label, err = h.console.TaskLabel(c.Request().Context(), run, props.Task); err != nil {
		return err
	}
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, admin.RunTaskDrawer(props, false))
	}
	props.Page = h.controlRoom(c, fmt.Sprintf("Task %d", number))
	return respond.Render(c, http.StatusOK, admin.RunTaskPage(props))
}
