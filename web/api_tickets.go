package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

func (s *server) apiTickets(c echo.Context) error {
	n, err := limit(c)
	if err != nil {
		return err
	}
	only, err := column(c.QueryParam("column"))
	if err != nil {
		return badQuery("column", "the id of a column")
	}
	after, err := tickets.ParseCursor(c.QueryParam("after"))
	if err != nil {
		return err
	}
	board, list, next, err := s.workflows.TicketsOf(c.Request().Context(), c.Param("board"), only, after, n)
	if err != nil {
		return err
	}
	if err := named(c, "board", board.Slug); err != nil {
		return err
	}
	page := listResource[workflows.TicketResource]{Items: make([]workflows.TicketResource, len(list))}
	for i, t := range list {
		page.Items[i] = s.links(c).Ticket(t)
	}
	if next != nil {
		text := next.String()
		page.Next = &text
	}
	return answer(c, http.StatusOK, page)
}

func (s *server) apiOpenTicket(c echo.Context) error {
	var in struct {
		Title       string    `json:"title"`
		Description string    `json:"description"`
		Column      id.Column `json:"column"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	links := s.links(c)
	key, err := once(c, body, func(t tickets.Ticket) any { return links.Ticket(t) })
	if err != nil {
		return err
	}
	draft := tickets.Draft{Title: in.Title, Description: in.Description, Column: in.Column}
	ticket, err := s.workflows.OpenTicket(c.Request().Context(), c.Param("board"), draft, key)
	return created(c, links.Ticket(ticket), err)
}

func (s *server) apiTicket(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	ticket, err := s.workflows.Ticket(c.Request().Context(), k)
	if err != nil {
		return err
	}
	if err := named(c, "key", ticket.Key.String()); err != nil {
		return err
	}
	return answer(c, http.StatusOK, s.links(c).Ticket(ticket))
}

func (s *server) apiEditTicket(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	var in struct {
		Title       *string `json:"title"`
		Description *string `json:"description"`
		Version     *uint64 `json:"version"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	edit := tickets.Edit{Title: in.Title, Description: in.Description}
	if in.Version == nil {
		return fault.Join(noVersion, edit.Check())
	}
	edit.Version = *in.Version
	ticket, err := s.workflows.EditTicket(c.Request().Context(), k, edit)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, s.links(c).Ticket(ticket))
}

func (s *server) apiDeleteTicket(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	if err := s.workflows.DeleteTicket(c.Request().Context(), k); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func (s *server) apiCloseTicket(c echo.Context) error  { return s.apiPut(c, s.workflows.CloseTicket) }
func (s *server) apiReopenTicket(c echo.Context) error { return s.apiPut(c, s.workflows.ReopenTicket) }
func (s *server) apiRestoreTicket(c echo.Context) error {
	return s.apiPut(c, s.workflows.RestoreTicket)
}

// apiPut does to a ticket what its path says and answers with the ticket.
func (s *server) apiPut(c echo.Context, do func(context.Context, tickets.Key) (tickets.Moved, boards.Board, error)) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	moved, _, err := do(c.Request().Context(), k)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, s.links(c).Ticket(moved.Ticket))
}

type placeResource struct {
	Column id.Column `json:"column"`
	After  *string   `json:"after"`
}

// positionResource is a ticket with its place. Appended says that the ticket it was to go below was
// not in the column any more, so that it went to its end; OverLimit that the column now has more
// tickets than its limit, which warns.
type positionResource struct {
	workflows.TicketResource
	After     *string `json:"after"`
	Appended  bool    `json:"appended"`
	OverLimit bool    `json:"over_limit"`
}

func (s *server) apiMoveTicket(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	var in struct {
		Board  string         `json:"board"`
		Column id.Column      `json:"column"`
		After  *string        `json:"after"`
		Seen   *placeResource `json:"seen"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	place, err := placeResource{in.Column, in.After}.place()
	if err != nil {
		return err
	}
	intent := tickets.Intent{Board: in.Board, Column: place.Column, After: place.After}
	if in.Seen != nil {
		seen, err := in.Seen.place()
		if err != nil {
			return err
		}
		intent.Seen = &seen
	}
	moved, board, err := s.workflows.MoveTicket(c.Request().Context(), k, intent)
	if err != nil {
		return err
	}
	to, _ := board.Column(moved.Ticket.Column)
	r := positionResource{TicketResource: s.links(c).Ticket(moved.Ticket), Appended: moved.Appended, OverLimit: to.Over()}
	if moved.After != nil {
		text := moved.After.String()
		r.After = &text
	}
	return answer(c, http.StatusOK, r)
}

func (p placeResource) place() (tickets.Place, error) {
	var noColumn, badAfter error
	if p.Column == 0 {
		noColumn = badJSON("column is missing: send the id of one of the board's columns", "column")
	}
	place := tickets.Place{Column: p.Column}
	if p.After != nil {
		var err error
		if place.After, err = after(*p.After); err != nil || place.After == nil {
			badAfter = badKey()
		}
	}
	return place, fault.Join(noColumn, badAfter)
}
