package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// activity is older history.
func (s *server) activity(c echo.Context) error {
	before, err := strconv.ParseUint(c.QueryParam("before"), 10, 63)
	if err != nil {
		return echo.ErrBadRequest
	}
	ticket, board, err := s.ticketOfPath(c)
	if err != nil {
		return err
	}
	props, err := s.ticketProps(c, ticket, board, id.Activity(before))
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
	n, err := strconv.ParseUint(c.Param("entry"), 10, 63)
	if err != nil {
		return echo.ErrNotFound
	}
	ticket, board, err := s.ticketOfPath(c)
	if err != nil {
		return err
	}
	entry, err := s.EntryOf(c.Request().Context(), ticket, id.Activity(n))
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
