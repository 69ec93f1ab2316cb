package api

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/recurrence"
	"github.com/counterfoil/counterfoil/web/respond"
)

// SetRecurrence has a ticket opened again by a rule. Without a time zone it is in that of the token's account, or UTC.
func (h *Handlers) SetRecurrence(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	var in struct {
		Rule     string `json:"rule"`
		Opens    string `json:"opens"`
		TimeZone string `json:"time_zone"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	ctx := c.Request().Context()
	zone := cmp.Or(in.TimeZone, accounts.ActorFrom(ctx).Account.Display.TimeZone, "UTC")
	plan, err := recurrence.ParsePlan(in.Rule, in.Opens, zone)
	if err != nil {
		return err
	}
	ticket, _, err := h.workflows.SetRecurrence(ctx, k, &plan)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Ticket(ticket))
}

// DropRecurrence has a ticket opened no more.
func (h *Handlers) DropRecurrence(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	if _, _, err := h.workflows.SetRecurrence(c.Request().Context(), k, nil); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
