package pages

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Jump redirects to a ticket of a key, or lists tickets. The dialog requests the list while the user types.
func (h *Handlers) Jump(c echo.Context) error {
	props := pages.JumpProps{Page: h.respond.Page(c, "Jump to a ticket"),
		Query: strings.ToValidUTF8(c.QueryParam("q"), "")}
	if board, err := boards.ParseSlug(c.QueryParam("board")); err == nil {
		props.Page.Board = board
	}
	if strings.TrimSpace(props.Query) != "" {
		found, err := h.workflows.JumpTo(c.Request().Context(), props.Page.Board, props.Query)
		if err != nil {
			return err
		}
		if found.Key != nil && !respond.IsFragment(c) {
			return c.Redirect(http.StatusSeeOther, views.TicketPath(respond.Company(c).Slug, found.Key.Key))
		}
		props.Titles, props.Newest = found.Titles, found.Newest
		if t := found.Key; t != nil {
			props.Key = &tickets.SearchResult{Key: t.Key, Title: t.Title, Closed: t.Closed()}
		}
	}
	switch {
	case respond.Target(c) == views.JumpID:
		return respond.Render(c, http.StatusOK, pages.JumpFound(props, true))
	case respond.IsFragment(c):
		return respond.Render(c, http.StatusOK, views.JumpDialog(props.Page))
	}
	return respond.Render(c, http.StatusOK, pages.JumpPage(props))
}

// Keys lists the keyboard shortcuts.
func (h *Handlers) Keys(c echo.Context) error {
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, views.KeysDialog())
	}
	return respond.Render(c, http.StatusOK, views.KeysPage(h.respond.Page(c, "Keyboard shortcuts")))
}
