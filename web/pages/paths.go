package pages

import (
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/respond"
)

// scopeOfPath is the slug of the board that the path names, or workflows.AllBoards on a route of all boards.
func scopeOfPath(c echo.Context) (string, error) {
	slug := c.Param("board")
	if slug == workflows.AllBoards && strings.Contains(c.Path(), ":board") {
		return "", boards.NotFound()
	}
	return slug, nil
}

// boardOrAll returns the board of the path, zero if that is of all boards.
func (h *Handlers) boardOrAll(c echo.Context) (boards.Board, error) {
	slug, err := scopeOfPath(c)
	if err != nil || slug == workflows.AllBoards {
		return boards.Board{}, err
	}
	return h.boardOfPath(c)
}

// boardOfPath returns the board that the path names.
func (h *Handlers) boardOfPath(c echo.Context) (boards.Board, error) {
	board, err := h.workflows.Board(c.Request().Context(), c.Param("board"))
	if err != nil {
		return boards.Board{}, err
	}
	return board, respond.CheckName(c, "board", board.Slug)
}

// ticketOfPath returns the ticket that the path names, with its board.
func (h *Handlers) ticketOfPath(c echo.Context) (tickets.Ticket, boards.Board, error) {
	k, err := respond.PathKey(c)
	if err != nil {
		return tickets.Ticket{}, boards.Board{}, err
	}
	ticket, board, err := h.workflows.TicketOnBoard(c.Request().Context(), k)
	if err != nil {
		return tickets.Ticket{}, boards.Board{}, err
	}
	return ticket, board, respond.CheckName(c, "key", ticket.Key.String())
}

// boardToChange is boardOfPath for a form about the board. It returns accounts.ReadOnly to a viewer, and
// boards.Archived, before the user types anything.
func (h *Handlers) boardToChange(c echo.Context) (boards.Board, error) {
	board, err := h.boardOfPath(c)
	if err != nil {
		return board, err
	}
	return board, changeable(c, board)
}

// boardOrAllToChange is boardToChange, zero for a form about tickets of all boards, each of which is asked later.
func (h *Handlers) boardOrAllToChange(c echo.Context) (boards.Board, error) {
	board, err := h.boardOrAll(c)
	switch {
	case err != nil:
		return board, err
	case board.ID != 0:
		return board, changeable(c, board)
	case !accounts.ActorFrom(c.Request().Context()).Edits():
		return board, accounts.ReadOnly()
	}
	return board, nil
}

// ticketToChange is boardToChange for a form about a ticket.
func (h *Handlers) ticketToChange(c echo.Context) (tickets.Ticket, boards.Board, error) {
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return ticket, board, err
	}
	return ticket, board, changeable(c, board)
}

func changeable(c echo.Context, board boards.Board) error {
	switch {
	case access.On(accounts.ActorFrom(c.Request().Context()), board.Grant) < access.Write:
		return accounts.ReadOnly()
	case board.Archived():
		return boards.Archived()
	}
	return nil
}
