package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/respond"
)

type workerResource struct {
	ID         id.Worker `json:"id"`
	Host       string    `json:"host"`
	PID        int       `json:"pid"`
	Version    string    `json:"version"`
	Migrations []string  `json:"migrations"` // that it can work on
	State      string    `json:"state"`
	Living     bool      `json:"living"` // its lease has not ended
	InFlight   int       `json:"in_flight"`
	Finished   uint64    `json:"finished"`
	PerSecond  float64   `json:"per_second"`
	ClaimP99   *span     `json:"claim_p99"` // null before its first claim
	StartedAt  time.Time `json:"started_at"`
	BeatAt     time.Time `json:"beat_at"`
}

func workerOf(w migrations.Worker) workerResource {
	r := workerResource{
		ID: w.ID, Host: w.Host, PID: w.PID, Version: w.Version, Migrations: w.Knows, State: w.State, Living: views.Lives(w),
		InFlight: w.InFlight, Finished: w.Finished, PerSecond: w.PerSecond, StartedAt: w.StartedAt, BeatAt: w.BeatAt,
	}
	if r.Migrations == nil {
		r.Migrations = []string{}
	}
	if w.ClaimP99 > 0 {
		r.ClaimP99 = (*span)(&w.ClaimP99)
	}
	return r
}

func workerList(list []migrations.Worker) listResource[workerResource] {
	items := make([]workerResource, len(list))
	for i, w := range list {
		items[i] = workerOf(w)
	}
	return listResource[workerResource]{Items: items}
}

// WorkersJSON are workers as the API shows them.
func WorkersJSON(list []migrations.Worker) any { return workerList(list) }

func (h *Handlers) Workers(c echo.Context) error {
	list, err := h.console.Workers(c.Request().Context())
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, workerList(list))
}

func (h *Handlers) DrainWorker(c echo.Context) error   { return h.drains(c, true) }
func (h *Handlers) UndrainWorker(c echo.Context) error { return h.drains(c, false) }

// drains drains or undrains a worker.
func (h *Handlers) drains(c echo.Context, drain bool) error {
	worker, err := respond.RowID[id.Worker](c.Param("worker"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	if err := bindOptionalJSON(c, &struct{}{}); err != nil {
		return err
	}
	if err := h.console.DrainWorker(c.Request().Context(), worker, drain); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
