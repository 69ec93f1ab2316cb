package api

import (
	"cmp"
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Tickets lists those of a board, in its order, or of all boards in sight, the latest updated first.
func (h *Handlers) Tickets(c echo.Context) error {
	return h.listTickets(c, c.Param("board"), c.QueryParam("q"))
}

// listTickets lists the tickets of a board, or of all boards without one, that match a query.
func (h *Handlers) listTickets(c echo.Context, slug, query string) error {
	n, err := limit(c)
	if err != nil {
		return err
	}
	only, err := respond.ParseColumn(c.QueryParam("column"))
	if err != nil {
		return badQuery("column", "the id of a column")
	}
	if only != 0 && slug == "" {
		return badQuery("column", "left out: it is of one board")
	}
	after, err := tickets.ParseCursor(c.QueryParam("after"))
	if err != nil {
		return err
	}
	board, list, next, err := h.workflows.TicketsOf(c.Request().Context(), slug,
		workflows.TicketList{Column: only, Query: query, After: after, Limit: n})
	if err != nil {
		return err
	}
	if c.Param("board") != "" {
		if err := respond.CheckName(c, "board", board.Slug); err != nil {
			return err
		}
	}
	page := listResource[workflows.TicketResource]{Items: make([]workflows.TicketResource, len(list))}
	for i, t := range list {
		page.Items[i] = h.respond.Links(c).Ticket(t)
	}
	if next != nil {
		text := next.String()
		page.Next = &text
	}
	return answer(c, http.StatusOK, page)
}

func (h *Handlers) OpenTicket(c echo.Context) error {
	var in struct {
		Title       string      `json:"title"`
		Description string      `json:"description"`
		Column      id.Column   `json:"column"`
		Priority    nullable    `json:"priority"`
		Start       nullable    `json:"start"`
		Due         nullable    `json:"due"`
		Labels      []string    `json:"labels"`
		Assignees   []string    `json:"assignees"`
		Template    id.Template `json:"template"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	draft := tickets.Draft{Title: in.Title, Description: in.Description, Column: in.Column, Labels: in.Labels,
		Assignees: in.Assignees, Template: in.Template}
	if draft.Properties, err = readProperties(in.Priority, in.Start, in.Due); err != nil {
		_, others := draft.Parse()
		return fault.Join(others, err)
	}
	links := h.respond.Links(c)
	key, err := once(c, body, func(t tickets.Ticket) any { return links.Ticket(t) })
	if err != nil {
		return err
	}
	ticket, err := h.workflows.OpenTicket(c.Request().Context(), c.Param("board"), draft, key)
	return created(c, links.Ticket(ticket), err)
}

func (h *Handlers) Ticket(c echo.Context) error {
	ticket, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Ticket(ticket))
}

// ticketOfPath returns the ticket that the path names. A former key is led to the present one.
func (h *Handlers) ticketOfPath(c echo.Context) (tickets.Ticket, error) {
	k, err := respond.PathKey(c)
	if err != nil {
		return tickets.Ticket{}, err
	}
	ticket, err := h.workflows.Ticket(c.Request().Context(), k)
	if err != nil {
		return ticket, err
	}
	return ticket, respond.CheckName(c, "key", ticket.Key.String())
}

func (h *Handlers) EditTicket(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	var in struct {
		Title       *string  `json:"title"`
		Description *string  `json:"description"`
		Version     *uint64  `json:"version"`
		Priority    nullable `json:"priority"`
		Start       nullable `json:"start"`
		Due         nullable `json:"due"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	edit := tickets.Edit{Title: in.Title, Description: in.Description}
	var bad error
	if edit.Properties, bad = readPropertyEdit(in.Priority, in.Start, in.Due); bad != nil {
		bad = fault.Join(edit.Check(), bad)
	}
	if in.Version == nil && (edit.Texts() || edit.Properties.Empty()) {
		return fault.Join(noVersion, cmp.Or(bad, edit.Check()))
	}
	if bad != nil {
		return bad
	}
	if in.Version != nil {
		edit.Version = *in.Version
	}
	ticket, err := h.workflows.EditTicket(c.Request().Context(), k, edit)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Ticket(ticket))
}

func (h *Handlers) DeleteTicket(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	if err := h.workflows.DeleteTicket(c.Request().Context(), k); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// CloseTicket closes a ticket, as a duplicate of another if the query names one.
func (h *Handlers) CloseTicket(c echo.Context) error {
	text := c.QueryParam("duplicate_of")
	if text == "" {
		return h.put(c, h.workflows.CloseTicket)
	}
	of, err := tickets.ParseKey(text)
	if err != nil {
		return tickets.RelatedNotFound(text)
	}
	return h.put(c, func(ctx context.Context, k tickets.Key) (tickets.MoveResult, boards.Board, error) {
		return h.workflows.CloseAsDuplicate(ctx, k, of)
	})
}

func (h *Handlers) ReopenTicket(c echo.Context) error { return h.put(c, h.workflows.ReopenTicket) }
func (h *Handlers) RestoreTicket(c echo.Context) error {
	return h.put(c, h.workflows.RestoreTicket)
}

// put does the action of the path to a ticket and responds with it.
func (h *Handlers) put(
	c echo.Context, do func(context.Context, tickets.Key) (tickets.MoveResult, boards.Board, error),
) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	moved, _, err := do(c.Request().Context(), k)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Ticket(moved.Ticket))
}

type placeResource struct {
	Column id.Column `json:"column"`
	After  *string   `json:"after"`
}

// positionResource is a ticket with its position. Appended says that the ticket it was to go below was not in the
// column any more, so it went to the end; OverLimit that the column now has more tickets than its limit, which warns.
type positionResource struct {
	workflows.TicketResource
	After     *string `json:"after"`
	Appended  bool    `json:"appended"`
	OverLimit bool    `json:"over_limit"`
}

func (h *Handlers) MoveTicket(c echo.Context) error {
	k, err := respond.PathKey(c)
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
	moved, board, err := h.workflows.MoveTicket(c.Request().Context(), k, intent)
	if err != nil {
		return err
	}
	to, _ := board.Column(moved.Ticket.Column)
	r := positionResource{TicketResource: h.respond.Links(c).Ticket(moved.Ticket), Appended: moved.Appended,
		OverLimit: to.Over()}
	if moved.After != nil {
		text := moved.After.String()
		r.After = &text
	}
	return answer(c, http.StatusOK, r)
}

func (p placeResource) place() (tickets.Placement, error) {
	var noColumn, badAfter error
	if p.Column == 0 {
		noColumn = badJSON("column is missing: send the id of one of the board's columns", "column")
	}
	place := tickets.Placement{Column: p.Column}
	if p.After != nil {
		var err error
		if place.After, err = respond.ParseAfter(*p.After); err != nil || place.After == nil {
			badAfter = respond.BadKey()
		}
	}
	return place, fault.Join(noColumn, badAfter)
}
