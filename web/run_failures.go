package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// runFailures are all groups of a run's errors.
func (s *server) runFailures(c echo.Context) error {
	run, err := s.runOfPath(c)
	if err != nil {
		return err
	}
	list, err := s.RunFailures(c.Request().Context(), run.ID)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.RunFailuresPage(s.controlRoom(c, "Failures"), run, list))
}

// failuresFile sends the failed tasks of a group as CSV, page by page, however many they are.
func (s *server) failuresFile(c echo.Context) error {
	run, err := s.runOfPath(c)
	if err != nil {
		return err
	}
	fingerprint := c.Param("fingerprint")
	page, err := s.FailedTasks(c.Request().Context(), run.ID, fingerprint, 0)
	if err != nil {
		return err
	}
	head := c.Response().Header()
	head.Set("Content-Type", "text/csv; charset=utf-8")
	head.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="run-%d-failures.csv"`, run.ID))
	head.Set("Cache-Control", "private, no-store")
	c.Response().WriteHeader(http.StatusOK)
	err = migrations.WriteCSV(c.Response(), []string{"task", "line", "iteration", "attempts", "finished_at", "error", "payload"})
	for err == nil {
		rows := make([][]string, len(page.Tasks))
		for i, t := range page.Tasks {
			rows[i] = failedRow(t)
		}
		if err = migrations.WriteCSV(c.Response(), rows...); err != nil || page.Next == 0 {
			break
		}
		c.Response().Flush()
		page, err = s.nextFailed(c, run.ID, fingerprint, page.Next)
	}
	if err != nil {
		s.log.Debug("send failures", "run", run.ID, "error", err)
		panic(http.ErrAbortHandler) // a file that ends early must not look whole
	}
	return nil
}

// nextFailed reads a page. Each has its own time: the file may take longer than a request does.
func (s *server) nextFailed(c echo.Context, run id.Run, fingerprint string, after id.Task) (migrations.TaskPage, error) {
	_ = http.NewResponseController(c.Response()).SetWriteDeadline(time.Now().Add(time.Minute)) // a recorder in a test has none
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), patience)
	defer cancel()
	return s.FailedTasks(ctx, run, fingerprint, after)
}

func failedRow(t migrations.Task) []string {
	finished := ""
	if t.FinishedAt != nil {
		finished = t.FinishedAt.UTC().Format(time.RFC3339)
	}
	whole := func(n uint64) string { return strconv.FormatUint(n, 10) }
	return []string{whole(uint64(t.ID)), whole(t.Line), strconv.Itoa(t.Iteration), strconv.Itoa(t.Attempt), finished, t.Error, t.Payload}
}

// retriesForm asks before failed tasks, or those that wait, are done again, skipsForm before they are left out.
func (s *server) retriesForm(c echo.Context) error {
	return s.bulkForm(c, views.RunRetriesPath, "Retry", "They begin anew, with all their attempts.", "primary")
}

func (s *server) skipsForm(c echo.Context) error {
	return s.bulkForm(c, views.RunSkipsPath, "Skip", "They count as done and are not tried again, unless someone retries them one by one.", "danger")
}

func (s *server) bulkForm(c echo.Context, path func(id.Run) string, verb, what, class string) error {
	run, err := s.runOfPath(c)
	if err != nil {
		return err
	}
	q := views.RunQuestion{Run: run, Path: path(run.ID), Fields: map[string]string{"all": "1"}, Class: class}
	tasks, one, many, none := run.Progress.Failed, "failed task", "failed tasks", "None of these tasks is failed any more."
	if c.QueryParam("waiting") == "1" {
		tasks, one, many, none = run.Progress.Waiting, "waiting task", "waiting tasks", "No task waits any more."
		q.Fields = map[string]string{"waiting": "1"}
	} else if fingerprint := c.QueryParam("fingerprint"); fingerprint != "" {
		group, err := s.failureOf(c, run.ID, fingerprint)
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
	return s.askAbout(c, http.StatusOK, q)
}

// noFailure reports a group of errors that a run does not have.
type noFailure struct{}

func (noFailure) Error() string { return "This run has no such failure. Reload its page." }
func (noFailure) Unwrap() error { return fault.NotFound }

func (s *server) failureOf(c echo.Context, run id.Run, fingerprint string) (migrations.Failure, error) {
	list, err := s.RunFailures(c.Request().Context(), run)
	if err != nil {
		return migrations.Failure{}, err
	}
	for _, f := range list {
		if f.Fingerprint == fingerprint {
			return f, nil
		}
	}
	return migrations.Failure{}, noFailure{}
}

// nothingChosen reports a form that names no tasks.
type nothingChosen struct{}

func (nothingChosen) Error() string { return "No task is chosen. Tick some of them first." }
func (nothingChosen) Unwrap() error { return fault.Conflict }

// chosen reads from a form which tasks it is about.
func chosen(c echo.Context) (list []migrations.Which, err error) {
	if c.FormValue("all") == "1" {
		return []migrations.Which{{All: true}}, nil
	}
	if c.FormValue("waiting") == "1" {
		return []migrations.Which{{Waiting: true}}, nil
	}
	if fingerprint := c.FormValue("fingerprint"); fingerprint != "" {
		return []migrations.Which{{Fingerprint: fingerprint}}, nil
	}
	values, err := c.FormParams()
	if err != nil {
		return nil, echo.ErrBadRequest
	}
	const most = 100 // on a page
	for _, text := range values["task"][:min(most, len(values["task"]))] {
		task, err := rowID[id.Task](text, echo.ErrBadRequest)
		if err != nil {
			return nil, err
		}
		list = append(list, migrations.Which{Task: task})
	}
	if list == nil {
		return nil, nothingChosen{}
	}
	return list, nil
}

func (s *server) retryTasks(c echo.Context) error {
	return s.bulk(c, s.RetryTasks, "is done again", "are done again")
}

func (s *server) skipTasks(c echo.Context) error {
	return s.bulk(c, s.SkipTasks, "is skipped", "are skipped")
}

func (s *server) bulk(c echo.Context, do func(context.Context, id.Run, migrations.Which) (int64, error), one, many string) error {
	run, err := pathRun(c)
	if err != nil {
		return err
	}
	list, err := chosen(c)
	var n int64
	for _, which := range list {
		var more int64
		if more, err = do(c.Request().Context(), run, which); err != nil {
			break
		}
		n += more
	}
	said := views.Counted(n, "task "+one+".", "tasks "+many+".")
	if n == 0 {
		said = "None of these tasks is failed or waiting any more: nothing was done."
	}
	return s.answerRun(c, run, said, err)
}
