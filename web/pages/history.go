package pages

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Activity is older history.
func (h *Handlers) Activity(c echo.Context) error {
	before, err := respond.Cursor[id.Activity](c, "before")
	if err != nil {
		return err
	}
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	props, err := h.ticketProps(c, ticket, board, before)
	if err != nil {
		return err
	}
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, pages.HistoryRows(props))
	}
	return respond.Render(c, http.StatusOK, pages.TicketPage(props))
}

// ActivityEntry is an entry of the history with the lines that it changed.
func (h *Handlers) ActivityEntry(c echo.Context) error {
	wanted, err := respond.RowID[id.Activity](c.Param("entry"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	entry, err := h.workflows.EntryOf(c.Request().Context(), ticket, wanted)
	if err != nil {
		return err
	}
	props := pages.EntryProps{Page: h.respond.Page(c, "History of "+ticket.Key.String()), Board: board, Ticket: ticket,
		Entry: entry}
	if change := entry.Detail.Description; change != nil {
		props.Lines = tickets.Diff(change.Old, change.New)
	}
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, pages.Lines("Changed lines", props.Lines))
	}
	return respond.Render(c, http.StatusOK, pages.EntryPage(props))
}
