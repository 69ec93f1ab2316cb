package pages

import (
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// BoardCalendar is a month or a week of a board, or of all boards, with the tickets that are due then and that the filter lets through.
func (h *Handlers) BoardCalendar(c echo.Context) error {
	f, now := filterOf(c), respond.LocalNow(c)
	span, err := calendarSpan(c, now)
	if err != nil {
		return err
	}
	if params := c.QueryParams(); params.Has(views.ChosenBefore) { // the form: its fields are a query now
		path := c.Request().URL.Path
		if params.Has("week") || params.Has("month") {
			path = span.In(path)
		}
		return c.Redirect(http.StatusSeeOther, f.In(path))
	}
	slug, err := scopeOfPath(c)
	if err != nil {
		return err
	}
	calendar, err := h.workflows.BoardCalendar(c.Request().Context(), slug, f.Query, span.From(), span.To())
	if err != nil {
		return err
	}
	if err := respond.CheckName(c, "board", calendar.Board.Slug); err != nil {
		return err
	}
	props := pages.CalendarProps{Page: h.respond.Page(c, "Calendar of "+pages.BoardTitle(calendar.Board)), Board: calendar.Board,
		Boards: calendar.Boards, Filter: f,
		Choices: pages.Choices{Members: calendar.Members, Labels: calendar.Labels, Problem: calendar.BadQuery, Span: span},
		Today:   now, Tickets: calendar.Tickets, More: calendar.More}
	if respond.Target(c) == views.DueID {
		return respond.Render(c, http.StatusOK, pages.CalendarMain(props))
	}
	h.rememberBoard(c, calendar.Board)
	return respond.Render(c, filterStatus(calendar.BadQuery), pages.CalendarPage(props))
}

// calendarSpan reads which month (2026-12) or week (any of its days) an address asks for; the present month otherwise.
func calendarSpan(c echo.Context, now time.Time) (pages.CalendarSpan, error) {
	if week := c.QueryParam("week"); week != "" {
		day, err := tickets.ParseDate("week", week)
		if day.Timed || errors.Is(err, tickets.CodeBadDate) {
			err = tickets.BadDay("week", week)
		}
		return pages.CalendarSpan{Day: day.At, Week: true}, err
	}
	if month := c.QueryParam("month"); month != "" {
		day, err := tickets.ParseDate("month", month+"-01")
		if day.Timed || errors.Is(err, tickets.CodeBadDate) {
			err = tickets.BadMonth("month", month)
		}
		return pages.CalendarSpan{Day: day.At}, err
	}
	return pages.CalendarSpan{Day: time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)}, nil
}
