package web

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

func (s *server) migrations(c echo.Context) error {
	ctx := c.Request().Context()
	before, err := goesOn[id.Run](c, "before")
	if err != nil {
		return err
	}
	props := views.MigrationsProps{Older: before != 0}
	if props.Kinds, err = s.Migrations(ctx); err != nil {
		return err
	}
	if props.Workers, err = s.Workers(ctx); err != nil {
		return err
	}
	if before == 0 {
		if props.Active, props.ActiveMore, err = s.Runs(ctx, migrations.ListActive, 0); err != nil {
			return err
		}
		if props.Attention, props.AttentionMore, err = s.Runs(ctx, migrations.ListAttention, 0); err != nil {
			return err
		}
		props.Alone = alone(slices.Concat(props.Active, props.Attention), props.Workers)
	}
	if props.Finished, props.FinishedMore, err = s.Runs(ctx, migrations.ListFinished, before); err != nil {
		return err
	}
	props.Page = s.controlRoom(c, "Migrations")
	if target(c) == views.RunListID {
		return render(c, http.StatusOK, views.RunList(props))
	}
	return render(c, http.StatusOK, views.MigrationsPage(props))
}

// alone are the runs, of those that are not over, whose migration no living worker knows.
func alone(runs []migrations.Run, workers []migrations.Worker) (list []migrations.Run) {
	for _, r := range runs {
		knows := func(w migrations.Worker) bool { return views.Lives(w) && slices.Contains(w.Knows, r.Name) }
		if r.State.IsActive() && !slices.ContainsFunc(workers, knows) {
			list = append(list, r)
		}
	}
	return list
}

func (s *server) workers(c echo.Context) error {
	workers, err := s.Workers(c.Request().Context())
	if err != nil {
		return err
	}
	props := views.WorkersProps{Page: s.controlRoom(c, "Workers"), Workers: workers}
	if target(c) == views.WorkersID {
		return render(c, http.StatusOK, views.WorkerList(props))
	}
	return render(c, http.StatusOK, views.WorkersPage(props))
}

// badDrain reports a form that says neither yes nor no.
type badDrain struct{}

func (badDrain) Error() string { return "Use one of the buttons to say what you want." }
func (badDrain) Unwrap() error { return fault.Invalid }
func (badDrain) Field() string { return "drain" }

func (s *server) drainWorker(c echo.Context) error {
	worker, err := rowID[id.Worker](c.Param("worker"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	drain := c.FormValue("drain")
	if drain != "yes" && drain != "no" {
		return badDrain{}
	}
	if err := s.DrainWorker(c.Request().Context(), worker, drain == "yes"); err != nil {
		return err
	}
	if isFragment(c) { // a run's page, which looks by itself
		return c.NoContent(http.StatusNoContent)
	}
	next := cmp.Or(ownPath(c.FormValue("next")), views.WorkersPath)
	if drain == "yes" {
		return s.see(c, next, fmt.Sprintf("Worker %d takes nothing new.", worker))
	}
	return s.see(c, next, fmt.Sprintf("Worker %d works again.", worker))
}

// pathRun reads a run's id from the path.
func pathRun(c echo.Context) (id.Run, error) {
	return rowID[id.Run](c.Param("run"), echo.ErrNotFound)
}

// runOfPath returns the run that the path names.
func (s *server) runOfPath(c echo.Context) (migrations.Run, error) {
	run, err := pathRun(c)
	if err != nil {
		return migrations.Run{}, err
	}
	return s.Run(c.Request().Context(), run)
}

func (s *server) rejections(c echo.Context) error {
	after, err := goesOn[uint64](c, "after")
	if err != nil {
		return err
	}
	run, err := s.runOfPath(c)
	if err != nil {
		return err
	}
	props := views.RejectionsProps{Run: run}
	if props.List, props.More, err = s.RunRejections(c.Request().Context(), run.ID, after); err != nil {
		return err
	}
	props.Page = s.controlRoom(c, fmt.Sprintf("Rejected lines of run %d", run.ID))
	return render(c, http.StatusOK, views.RejectionsPage(props))
}

func (s *server) rejectionsFile(c echo.Context) error {
	run, err := s.runOfPath(c)
	if err != nil {
		return err
	}
	list, more, err := s.RunRejections(c.Request().Context(), run.ID, 0)
	if err != nil {
		return err
	}
	return csvFile(c, fmt.Sprintf("run-%d-rejections.csv", run.ID), []string{"line", "reason", "content"}, func(ctx context.Context, write func(...string)) (bool, error) {
		for _, r := range list {
			write(strconv.FormatUint(r.Line, 10), r.Reason, r.Content)
		}
		if !more {
			if unlisted := views.UnlistedRejections(run); unlisted != "" {
				write("", unlisted, "")
			}
			return false, nil
		}
		list, more, err = s.RunRejections(ctx, run.ID, list[len(list)-1].Number)
		return err == nil, err
	})
}

// csvFile answers with a file of rows, which are sent while they are read: piece writes some and reports
// whether there are more. Each piece has the time of a request, and so has who takes it; the file may take
// as long as it is. An error in the middle breaks the answer off, so that half a file does not pass for the
// whole.
func csvFile(c echo.Context, name string, head []string, piece func(ctx context.Context, write func(cells ...string)) (more bool, err error)) error {
	header := c.Response().Header()
	header.Set("Content-Type", "text/csv; charset=utf-8")
	header.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	header.Set("Cache-Control", "private, no-store")
	c.Response().WriteHeader(http.StatusOK)
	w := csv.NewWriter(c.Response())
	_ = w.Write(head)
	write := func(cells ...string) {
		for i, cell := range cells {
			cells[i] = migrations.Inert(cell)
		}
		_ = w.Write(cells) // what went wrong is kept for Error
	}
	connection, more := http.NewResponseController(c.Response()), true
	for more {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), patience)
		var err error
		more, err = piece(ctx, write)
		cancel()
		_ = connection.SetWriteDeadline(time.Now().Add(time.Minute)) // a recorder in a test has none
		if w.Flush(); err == nil {
			err = w.Error() // whoever asked has left
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		c.Response().Flush()
	}
	return nil
}
