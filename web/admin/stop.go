package admin

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// StopForm asks whether to stop all runs, or to release them.
func (h *Handlers) StopForm(c echo.Context) error {
	return h.showStop(c, http.StatusOK, admin.StopForm{})
}

func (h *Handlers) showStop(c echo.Context, code int, form admin.StopForm) error {
	active, more, err := h.console.Runs(c.Request().Context(), migrations.ListActive, 0)
	if err != nil {
		return err
	}
	return respond.Render(c, code, admin.StopPage(admin.StopProps{
		Page: h.controlRoom(c, "Stop all runs"), Active: len(active), More: more, Form: form,
	}))
}

// StopAll stops all runs on all servers.
func (h *Handlers) StopAll(c echo.Context) error {
	form := admin.StopForm{Reason: c.FormValue("reason")}
	_, err := h.console.StopAll(c.Request().Context(), form.Reason)
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return h.showStop(c, code, form)
	}
	return h.respond.SeeOther(c, views.StopPath, "All runs are stopped.")
}

// Release has all runs go on.
func (h *Handlers) Release(c echo.Context) error {
	if err := h.console.Release(c.Request().Context()); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.MigrationsPath, "Runs go on as they were.")
}
