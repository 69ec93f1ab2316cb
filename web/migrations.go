package web

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"slices"
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

// sheetFile answers with a file about a run.
func (s *server) sheetFile(sheet func(ctx context.Context, run id.Run) (*migrations.Sheet, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		run, err := pathRun(c)
		if err != nil {
			return err
		}
		file, err := sheet(c.Request().Context(), run)
		if err != nil {
			return err
		}
		return s.sendSheet(c, file)
	}
}

// sendSheet sends the rows while they are read. Each piece has the time of a request, and so has who takes it;
// the file may take as long as it is. An error in the middle breaks the answer off, so that half a file does not
// pass for the whole.
func (s *server) sendSheet(c echo.Context, file *migrations.Sheet) error {
	header := c.Response().Header()
	header.Set("Content-Type", "text/csv; charset=utf-8")
	header.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", file.Name))
	header.Set("Cache-Control", "private, no-store")
	c.Response().WriteHeader(http.StatusOK)
	out, connection := csv.NewWriter(c.Response()), http.NewResponseController(c.Response())
	for more := true; more; {
		_ = connection.SetWriteDeadline(time.Now().Add(s.patience + time.Minute)) // a recorder in a test has none
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), s.patience)
		var err error
		more, err = file.WriteSome(ctx, out)
		cancel()
		if err != nil { // or whoever asked has left
			panic(http.ErrAbortHandler)
		}
		c.Response().Flush()
	}
	return nil
}
