package public

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views/public"
	"github.com/counterfoil/counterfoil/web/respond"
)

// briefly is how long a browser may show a page of a public board again without asking. Nothing between keeps it.
const briefly = "private, max-age=30"

// Board shows a board by its public link.
func (h *Handlers) Board(c echo.Context) error {
	view, err := h.workflows.ViewPublicBoard(c.Request().Context(), c.Param("secret"))
	if err != nil {
		return err
	}
	return h.showBoard(c, view, view.Board.Columns)
}

func (h *Handlers) showBoard(c echo.Context, view workflows.PublicView, columns []boards.PublicColumn) error {
	props := boardProps(c, view)
	props.Page, props.Columns = h.publicPage(c, view.Board.Title), columns
	return respond.RenderKept(c, http.StatusOK, briefly, public.BoardPage(props))
}

func boardProps(c echo.Context, view workflows.PublicView) public.BoardProps {
	return public.BoardProps{Secret: c.Param("secret"), Board: view.Board, Cards: view.Cards}
}

// BoardColumn shows the cards of a column below the first ones.
func (h *Handlers) BoardColumn(c echo.Context) error {
	columnID, err := respond.RowID[id.Column](c.Param("column"), echo.ErrNotFound)
	if err != nil {
		columnID = 0 // no column's, whatever the link is
	}
	below, err := tickets.ParseCursor(c.QueryParam("below"))
	if err != nil {
		below = nil
	}
	view, err := h.workflows.ViewPublicColumn(c.Request().Context(), c.Param("secret"), columnID, below)
	if errors.Is(err, boards.CodeColumnNotFound) {
		return echo.ErrNotFound
	}
	if err != nil {
		return err
	}
	column, _ := view.Board.Column(columnID)
	if respond.IsFragment(c) {
		return respond.RenderKept(c, http.StatusOK, briefly, public.CardRows(boardProps(c, view), column))
	}
	return h.showBoard(c, view, []boards.PublicColumn{column})
}

// BoardTicket shows a ticket of a board by the public link of that.
func (h *Handlers) BoardTicket(c echo.Context) error {
	number, err := strconv.ParseUint(c.Param("number"), 10, 63)
	if err != nil || strconv.FormatUint(number, 10) != c.Param("number") {
		number = 0 // no ticket's, whatever the link is
	}
	board, ticket, err := h.workflows.ViewPublicTicket(c.Request().Context(), c.Param("secret"), number)
	if err != nil {
		return err
	}
	html, err := markup.RenderPublic(ticket.Description)
	if err != nil {
		return err
	}
	title := ticket.Key.String() + " " + ticket.Title
	return respond.RenderKept(c, http.StatusOK, briefly, public.TicketPage(public.TicketProps{
		Page: h.publicPage(c, title), Secret: c.Param("secret"), Board: board, Ticket: ticket, HTML: html,
	}))
}
