package admin

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
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Migrations(c echo.Context) error {
	ctx := c.Request().Context()
	before, err := respond.Cursor[id.Run](c, "before")
	if err != nil {
		return err
	}
	props := admin.MigrationsProps{Older: before != 0}
	if props.Kinds, err = h.console.Migrations(ctx); err != nil {
		return err
	}
	if props.Workers, err = h.console.Workers(ctx); err != nil {
		return err
	}
	if before == 0 {
		if props.Active, props.ActiveMore, err = h.console.Runs(ctx, migrations.ListActive, 0); err != nil {
			return err
		}
		if props.Attention, props.AttentionMore, err = h.console.Runs(ctx, migrations.ListAttention, 0); err != nil {
			return err
		}
		props.Alone = runsWithoutWorker(slices.Concat(props.Active, props.Attention), props.Workers)
	}
	if props.Finished, props.FinishedMore, err = h.console.Runs(ctx, migrations.ListFinished, before); err != nil {
		return err
	}
	props.Page = h.controlRoom(c, "Migrations")
	if respond.Target(c) == views.RunListID {
		return respond.Render(c, http.StatusOK, admin.RunList(props))
	}
	return respond.Render(c, http.StatusOK, admin.MigrationsPage(props))
}

// runsWithoutWorker returns the active runs whose migration no living worker has.
func runsWithoutWorker(runs []migrations.Run, workers []migrations.Worker) (list []migrations.Run) {
	for _, r := range runs {
		knows := func(w migrations.Worker) bool { return views.Lives(w) && slices.Contains(w.Knows, r.Name) }
		if r.State.IsActive() && !slices.ContainsFunc(workers, knows) {
			list = append(list, r)
		}
	}
	return list
}

func (h *Handlers) Workers(c echo.Context) error {
	workers, err := h.console.Workers(c.Request().Context())
	if err != nil {
		return err
	}
	props := admin.WorkersProps{Page: h.controlRoom(c, "Workers"), Workers: workers}
	if respond.Target(c) == views.WorkersID {
		return respond.Render(c, http.StatusOK, admin.WorkerList(props))
	}
	return respond.Render(c, http.StatusOK, admin.WorkersPage(props))
}

// codeBadDrain: the field drain says neither yes nor no. Use the page's buttons.
const codeBadDrain fault.Code = "Worker.BadDrain"

func badDrain() error {
	return fault.Invalid.New(codeBadDrain, "drain", "Use one of the buttons of the page.")
}

func (h *Handlers) DrainWorker(c echo.Context) error {
	worker, err := respond.RowID[id.Worker](c.Param("worker"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	drain := c.FormValue("drain")
	if drain != "yes" && drain != "no" {
		return badDrain()
	}
	if err := h.console.DrainWorker(c.Request().Context(), worker, drain == "yes"); err != nil {
		return err
	}
	if respond.IsFragment(c) { // a run's page, which refreshes itself
		return c.NoContent(http.StatusNoContent)
	}
	next := cmp.Or(respond.OwnPath(c.FormValue("next")), views.WorkersPath)
	if drain == "yes" {
		return h.respond.SeeOther(c, next, fmt.Sprintf("Worker %d is drained: it claims no more tasks.", worker))
	}
	return h.respond.SeeOther(c, next, fmt.Sprintf("Worker %d claims tasks again.", worker))
}

// runOfPath returns the run that the path names.
func (h *Handlers) runOfPath(c echo.Context) (migrations.Run, error) {
	run, err := respond.PathRun(c)
	if err != nil {
		return migrations.Run{}, err
	}
	return h.console.Run(c.Request().Context(), run)
}

func (h *Handlers) Rejections(c echo.Context) error {
	after, err := respond.Cursor[uint64](c, "after")
	if err != nil {
		return err
	}
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	props := admin.RejectionsProps{Run: run}
	if props.List, props.More, err = h.console.RunRejections(c.Request().Context(), run.ID, after); err != nil {
		return err
	}
	props.Page = h.controlRoom(c, fmt.Sprintf("Rejected lines of run %d", run.ID))
	return respond.Render(c, http.StatusOK, admin.RejectionsPage(props))
}

// RejectionsFile are the rejected lines of a run.
func (h *Handlers) RejectionsFile(c echo.Context) error {
	return h.respond.SheetFile(c, h.console.RejectionSheet)
}

// ReportFile is the result of a run, task by task.
func (h *Handlers) ReportFile(c echo.Context) error {
	return h.respond.SheetFile(c, h.console.ReportSheet)
}
