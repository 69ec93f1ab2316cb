package admin

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Overview is the state of the server at a glance.
func (h *Handlers) Overview(c echo.Context) error {
	state, err := h.console.Overview(c.Request().Context())
	if err != nil {
		return err
	}
	findings, _ := h.examine(c.Request().Context())
	props := admin.OverviewProps{
		Findings: findings,
		Active:   state.Active, Attention: state.Attention, ActiveMore: state.ActiveMore, AttentionMore: state.AttentionMore,
		Alone:   runsWithoutWorker(slices.Concat(state.Active, state.Attention), state.Workers),
		Workers: state.Workers, Feeds: state.Feeds, Consumers: state.Consumers, Codes: state.Codes, Refill: state.Refill,
		Stopped: state.Stopped, StoppedShown: console.StoppedShown,
		Companies: state.Companies, CompaniesCounted: console.CompaniesCounted,
		Forwarded: state.Forwarded, Engine: state.Engine, Schema: state.Schema, Latest: state.Latest, Where: h.where(), Version: h.about.Version,
	}
	props.Page = h.controlRoom(c, "Server overview")
	if respond.Target(c) == views.OverviewID {
		return respond.Render(c, http.StatusOK, admin.OverviewState(props))
	}
	return respond.Render(c, http.StatusOK, admin.OverviewPage(props))
}
