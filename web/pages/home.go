package pages

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Home is the first page of a company.
func (h *Handlers) Home(c echo.Context) error {
	return h.showHome(c, http.StatusOK, "", pages.BoardForm{})
}

func (h *Handlers) showHome(c echo.Context, code int, alert string, form pages.BoardForm) error {
	found, err := h.workflows.Home(c.Request().Context(), h.respond.RecentTickets(c))
	if err != nil {
		return err
	}
	return respond.Render(c, code, pages.HomePage(pages.HomeProps{Page: h.respond.Page(c, "Home"), Alert: alert, Boards: found.Boards,
		Pinned: found.Pinned, Work: pages.MostUrgent(found.Work, respond.LocalNow(c)), All: len(found.Work), Above: found.Above,
		Recent: found.Recent, Since: found.Since, Changes: found.Changes, More: found.More, New: form}))
}

// EndHomeVisit has nothing be new on the home page.
func (h *Handlers) EndHomeVisit(c echo.Context) error {
	if err := h.workflows.EndHomeVisit(c.Request().Context()); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.HomePath(respond.Company(c).Slug), "All changes are marked as seen.")
}

// PinBoard pins a board, or unpins it.
func (h *Handlers) PinBoard(c echo.Context) error {
	pinned := c.FormValue("pinned") != ""
	board, err := h.workflows.PinBoard(c.Request().Context(), c.Param("board"), pinned)
	if errors.Is(err, boards.CodeTooManyPins) {
		return h.showHome(c, http.StatusConflict, fault.Message(err), pages.BoardForm{})
	}
	if err != nil {
		return err
	}
	message := "The board " + board.Slug + " is pinned."
	if !pinned {
		message = "The board " + board.Slug + " is not pinned any more."
	}
	return h.respond.SeeOther(c, views.HomePath(respond.Company(c).Slug), message)
}
