package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// activity is older history.
func (s *server) activity(c echo.Context) error {
	before, err := goesOn[id.Activity](c, "before")
	if err != nil {
		return err
	}
	ticket, board, err := s.ticketOfPath(c)
	if err != nil {
		return err
	}
	props, err := s.ticketProps(c, ticket, board, before)
	if err != nil {
		return err
	}
	if isFragment(c) {
		return render(c, http.StatusOK, views.HistoryRows(props))
	}
	return render(c, http.StatusOK, views.TicketPage(props))
}

// activityEntry is an entry of the history with the lines that it changed.
func (s *server) activityEntry(c echo.Context) error {
	wanted, err := rowID[id.Activity](c.Param("entry"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	ticket, board, err := s.ticketOfPath(c)
	if err != nil {
		return err
	}
	entry, err := s.workflows.EntryOf(c.Request().Context(), ticket, wanted)
	if err != nil {
		return err
	}
	props := views.EntryProps{Page: s.page(c, "History of "+ticket.Key.String()), Board: board, Ticket: ticket, Entry: entry}
	if change := entry.Detail.Description; change != nil {
		props.Lines = tickets.Diff(change.Old, change.New)
	}
	if isFragment(c) {
		return render(c, http.StatusOK, views.Lines(props.Lines))
	}
	return render(c, http.StatusOK, views.EntryPage(props))
}
