package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

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
	if props.Kinds, err = s.console.Migrations(ctx); err != nil {
		return err
	}
	if props.Workers, err = s.console.Workers(ctx); err != nil {
		return err
	}
	if before == 0 {
		if props.Active, props.ActiveMore, err = s.console.Runs(ctx, migrations.ListActive, 0); err != nil {
			return err
		}
		if props.Attention, props.AttentionMore, err = s.console.Runs(ctx, migrations.ListAttention, 0); err != nil {
			return err
		}
		props.Alone = alone(slices.Concat(props.Active, props.Attention), props.Workers)
	}
	if props.Finished, props.FinishedMore, err = s.console.Runs(ctx, migrations.ListFinished, before); err != nil {
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
	workers, err := s.console.Workers(c.Request().Context())
	if err != nil {
		return err
	}
	props := views.WorkersProps{Page: s.controlRoom(c, "Workers"), Workers: workers}
	if target(c) == views.WorkersID {
		return render(c, http.StatusOK, views.WorkerList(props))
	}
	return render(c, http.StatusOK, views.WorkersPage(props))
}

// codeBadDrain: the field drain says neither yes nor no. Use the page's buttons.
const codeBadDrain fault.Code = "Worker.BadDrain"

func badDrain() error {
	return fault.Error{
		Kind: fault.Invalid, Code: codeBadDrain, Field: "drain",
		Message: "Use one of the buttons to say what you want.",
	}
}

func (s *server) drainWorker(c echo.Context) error {
	worker, err := rowID[id.Worker](c.Param("worker"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	drain := c.FormValue("drain")
	if drain != "yes" && drain != "no" {
		return badDrain()
	}
	if err := s.console.DrainWorker(c.Request().Context(), worker, drain == "yes"); err != nil {
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
	return s.console.Run(c.Request().Context(), run)
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
	if props.List, props.More, err = s.console.RunRejections(c.Request().Context(), run.ID, after); err != nil {
		return err
	}
	props.Page = s.controlRoom(c, fmt.Sprintf("Rejected lines of run %d", run.ID))
	return render(c, http.StatusOK, views.RejectionsPage(props))
}

// rejectionsFile are the rejected lines of a run.
func (s *server) rejectionsFile(c echo.Context) error {
	return s.sheetFile(c, s.console.RejectionSheet)
}

// reportFile is what a run did, task by task.
func (s *server) reportFile(c echo.Context) error { return s.sheetFile(c, s.console.ReportSheet) }
