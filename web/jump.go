package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// jump leads to a ticket: with a key at once, else by a list. The dialog asks for the list as it is typed.
func (s *server) jump(c echo.Context) error {
	props := views.JumpProps{Page: s.page(c, "Jump to a ticket"), Query: strings.ToValidUTF8(c.QueryParam("q"), "")}
	if board, err := boards.ParseSlug(c.QueryParam("board")); err == nil {
		props.Page.Board = board
	}
	if strings.TrimSpace(props.Query) != "" {
		found, err := s.workflows.JumpTo(c.Request().Context(), props.Page.Board, props.Query)
		if err != nil {
			return err
		}
		if found.Key != nil && !isFragment(c) {
			return c.Redirect(http.StatusSeeOther, views.TicketPath(company(c).Slug, found.Key.Key))
		}
		props.Titles, props.Newest = found.Titles, found.Newest
		if t := found.Key; t != nil {
			props.Key = &tickets.Found{Key: t.Key, Title: t.Title, Closed: t.Closed()}
		}
	}
	switch {
	case target(c) == views.JumpID:
		return render(c, http.StatusOK, views.JumpFound(props, true))
	case isFragment(c):
		return render(c, http.StatusOK, views.JumpDialog(props))
	}
	return render(c, http.StatusOK, views.JumpPage(props))
}

// keys lists what keys do.
func (s *server) keys(c echo.Context) error {
	if isFragment(c) {
		return render(c, http.StatusOK, views.KeysDialog())
	}
	return render(c, http.StatusOK, views.KeysPage(s.page(c, "Keys")))
}
