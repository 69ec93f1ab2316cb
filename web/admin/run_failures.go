package admin

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Failures are all groups of a run's errors.
func (h *Handlers) Failures(c echo.Context) error {
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	list, err := h.console.RunFailures(c.Request().Context(), run.ID)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, admin.RunFailuresPage(h.controlRoom(c, "Failures"), run, list))
}

// FailuresFile are the failed tasks, of the group that is named, or all.
func (h *Handlers) FailuresFile(c echo.Context) error {
	fingerprint := cmp.Or(c.Param("fingerprint"), c.QueryParam("fingerprint"))
	return h.respond.SheetFile(c, func(ctx context.Context, run id.Run) (*migrations.Sheet, error) {
		return h.console.FailureSheet(ctx, run, fingerprint)
	})
}

// RetriesForm asks before failed or waiting tasks are retried, SkipsForm before they are skipped.
func (h *Handlers) RetriesForm(c echo.Context) error {
	return h.bulkForm(c, views.RunRetriesPath, "Retry", "They start again, with all their attempts.", "primary")
}

func (h *Handlers) SkipsForm(c echo.Context) error {
	return h.bulkForm(c, views.RunSkipsPath, "Skip",
		"They count as done and are not tried again, unless someone retries them one by one.", "danger")
}

func (h *Handlers) bulkForm(c echo.Context, path func(id.Run) string, verb, what, class string) error {
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	q := admin.RunQuestion{Run: run, Path: path(run.ID), Fields: map[string]string{"all": "1"}, Class: class}
	tasks, one, many, none := run.Progress.Failed, "failed task", "failed tasks", "None of these tasks is failed any more."
	if c.QueryParam("waiting") == "1" {
		tasks, one, many, none = run.Progress.Waiting, "waiting task", "waiting tasks", "No task is waiting any more."
		q.Fields = map[string]string{"waiting": "1"}
	} else if fingerprint := c.QueryParam("fingerprint"); fingerprint != "" {
		group, err := h.failureOf(c, run.ID, fingerprint)
		if err != nil {
			return err
		}
		tasks, q.Fields, q.Lines = int64(group.Failed), map[string]string{"fingerprint": fingerprint}, []string{group.Message}
	}
	q.Button = verb + " " + views.Counted(tasks, one, many)
	q.Heading, q.Lines = q.Button+"?", append(q.Lines, what)
	if tasks == 0 {
		q.Heading, q.Button, q.Lines = "Nothing to "+strings.ToLower(verb), "", []string{none}
	}
	return h.askAbout(c, http.StatusOK, q)
}

// codeNoFailure: the run has no such failure. Reload its page.
const codeNoFailure fault.Code = "Task.FailureNotFound"

func noFailure() error {
	return fault.NotFound.New(codeNoFailure, "", "This run has no such failure. Reload its page.")
}

func (h *Handlers) failureOf(c echo.Context, run id.Run, fingerprint string) (migrations.Failure, error) {
	list, err := h.console.RunFailures(c.Request().Context(), run)
	if err != nil {
		return migrations.Failure{}, err
	}
	for _, f := range list {
		if f.Fingerprint == fingerprint {
			return f, nil
		}
	}
	return migrations.Failure{}, noFailure()
}

// codeNothingChosen: no task is chosen. Tick some first.
const codeNothingChosen fault.Code = "Task.NoneChosen"

func nothingChosen() error {
	return fault.Conflict.New(codeNothingChosen, "", "No task is selected. Select some first.")
}

// chosen reads the tasks of a form.
func selectedTasks(c echo.Context) (which migrations.Selection, err error) {
	if c.FormValue("all") == "1" {
		return migrations.Selection{All: true}, nil
	}
	if c.FormValue("waiting") == "1" {
		return migrations.Selection{Waiting: true}, nil
	}
	if fingerprint := c.FormValue("fingerprint"); fingerprint != "" {
		return migrations.Selection{Fingerprint: fingerprint}, nil
	}
	values, err := c.FormParams()
	if err != nil {
		return which, echo.ErrBadRequest
	}
	var tasks []id.Task
	for _, text := range values["task"] {
		task, err := respond.RowID[id.Task](text, echo.ErrBadRequest)
		if err != nil {
			return which, err
		}
		tasks = append(tasks, task)
	}
	slices.Sort(tasks)
	switch tasks = slices.Compact(tasks); len(tasks) {
	case 0:
		return which, nothingChosen()
	case 1:
		return migrations.Selection{Task: tasks[0]}, nil
	}
	return migrations.Selection{Tasks: tasks}, nil
}

func (h *Handlers) RetryTasks(c echo.Context) error {
	return h.bulk(c, h.console.RetryTasks, [...]string{"task is retried.", "tasks are retried.",
		"other was not failed any more.", "others were not failed any more."})
}

func (h *Handlers) SkipTasks(c echo.Context) error {
	return h.bulk(c, h.console.SkipTasks, [...]string{"task is skipped.", "tasks are skipped.",
		"other is processing or done by now.", "others are processing or done by now."})
}

// bulk retries or skips tasks. words describe one or several done, and one or several that could not be.
func (h *Handlers) bulk(c echo.Context, do func(context.Context, id.Run, migrations.Selection) (int64, error),
	words [4]string) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	which, err := selectedTasks(c)
	var n int64
	if err == nil {
		n, err = do(c.Request().Context(), run, which)
	}
	said := views.Counted(n, words[0], words[1])
	switch left := int64(len(which.Tasks)) - n; {
	case n == 0:
		said = "None of these tasks is failed or waiting any more: nothing was done."
	case left > 0:
		said += " " + views.Counted(left, words[2], words[3])
	}
	return h.answerRun(c, run, said, err)
}
