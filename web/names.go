package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Slugs and keys name their boards and tickets for ever. What is read under an old name is read
// again under the current one; what is sent to an old name is done.

// renamed reports a path with a name that is another by now; path is the one that it has.
type renamed struct{ path string }

func (e renamed) Error() string { return "it is at " + e.path }

// named returns renamed where a GET's path has, for the parameter, another name than the current. A
// page has one address; programs may write names in lower case.
func named(c echo.Context, parameter, current string) error {
	given := c.Param(parameter)
	if c.Request().Method != http.MethodGet || given == current || isCall(c) && strings.EqualFold(given, current) {
		return nil
	}
	at := slices.Index(strings.Split(c.Path(), "/"), ":"+parameter)
	path := strings.Split(c.Request().URL.EscapedPath(), "/")
	path[at] = current
	there := strings.Join(path, "/")
	if query := c.Request().URL.RawQuery; query != "" {
		there += "?" + query
	}
	return renamed{there}
}

// boardOfPath returns the board that the path names.
func (s *server) boardOfPath(c echo.Context) (boards.Board, error) {
	board, err := s.workflows.Board(c.Request().Context(), c.Param("board"))
	if err != nil {
		return boards.Board{}, err
	}
	return board, named(c, "board", board.Slug)
}

// ticketOfPath returns the ticket that the path names, with its board.
func (s *server) ticketOfPath(c echo.Context) (tickets.Ticket, boards.Board, error) {
	k, err := key(c)
	if err != nil {
		return tickets.Ticket{}, boards.Board{}, err
	}
	ticket, board, err := s.workflows.TicketOnBoard(c.Request().Context(), k)
	if err != nil {
		return tickets.Ticket{}, boards.Board{}, err
	}
	return ticket, board, named(c, "key", ticket.Key.String())
}

// boardToChange is boardOfPath for a form about the board. It returns accounts.ReadOnly to a viewer, and
// boards.Archived, before anybody types what is refused in the end.
func (s *server) boardToChange(c echo.Context) (boards.Board, error) {
	board, err := s.boardOfPath(c)
	if err != nil {
		return board, err
	}
	return board, changeable(c, board)
}

// ticketToChange is boardToChange for a form about a ticket.
func (s *server) ticketToChange(c echo.Context) (tickets.Ticket, boards.Board, error) {
	ticket, board, err := s.ticketOfPath(c)
	if err != nil {
		return ticket, board, err
	}
	return ticket, board, changeable(c, board)
}

func changeable(c echo.Context, board boards.Board) error {
	switch {
	case !accounts.ActorFrom(c.Request().Context()).Writes():
		return accounts.ReadOnly()
	case board.Archived():
		return boards.Archived()
	}
	return nil
}
