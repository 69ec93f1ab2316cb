package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/respond"
)

// columnBody is the body of a request about a column. The version of the board is checked if given.
type columnBody struct {
	Name      *string  `json:"name"`
	Done      *bool    `json:"done"`
	WIP       *string  `json:"wip"`
	WIPLimit  *int     `json:"wip_limit"`
	StaleDays *int     `json:"stale_days"`
	Color     nullable `json:"color"`
	Position  *int     `json:"position"`
	Version   *uint64  `json:"version"`
}

func (b columnBody) edit() boards.ColumnEdit {
	edit := boards.ColumnEdit{Name: b.Name, Done: b.Done, WIP: b.WIP, Limit: b.WIPLimit, StaleDays: b.StaleDays,
		Position: b.Position}
	if b.Color.Sent {
		edit.Color = &b.Color.Text
	}
	return edit
}

func (h *Handlers) OpenColumn(c echo.Context) error {
	var in columnBody
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	key, err := once(c, body, func(opened boards.Column) any { return workflows.ColumnOf(opened) })
	if err != nil {
		return err
	}
	_, opened, err := h.workflows.OpenColumn(c.Request().Context(), c.Param("board"), in.edit(), in.Version, key)
	return created(c, workflows.ColumnOf(opened), err)
}

func (h *Handlers) EditColumn(c echo.Context) error {
	columnID, err := respond.PathColumn(c)
	if err != nil {
		return err
	}
	var in columnBody
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	board, err := h.workflows.EditColumn(c.Request().Context(), c.Param("board"), columnID, in.edit(), in.Version)
	if err != nil {
		return notColumn(err, columnID)
	}
	column, _ := board.Column(columnID)
	return answer(c, http.StatusOK, workflows.ColumnOf(column))
}

func (h *Handlers) RemoveColumn(c echo.Context) error {
	columnID, err := respond.PathColumn(c)
	if err != nil {
		return err
	}
	to, err := respond.ParseColumn(c.QueryParam("to"))
	if err != nil {
		return badQuery("to", "the id of a column")
	}
	board, err := h.workflows.RemoveColumn(c.Request().Context(), c.Param("board"), columnID, to, nil)
	if err != nil {
		return notColumn(err, columnID)
	}
	if column, there := board.Column(columnID); there { // until a run has moved its tickets
		return answer(c, http.StatusAccepted, workflows.ColumnOf(column))
	}
	return c.NoContent(http.StatusNoContent)
}

// notColumn makes an error about the column that the path names a 404.
func notColumn(err error, column id.Column) error {
	var unknown boards.ColumnNotFound
	if errors.As(err, &unknown) && unknown.Column == uint64(column) {
		return echo.ErrNotFound
	}
	return err
}

func (h *Handlers) ArchiveBoard(c echo.Context) error { return h.setArchived(c, true) }
func (h *Handlers) RestoreBoard(c echo.Context) error { return h.setArchived(c, false) }

func (h *Handlers) setArchived(c echo.Context, archived bool) error {
	board, err := h.workflows.ArchiveBoard(c.Request().Context(), c.Param("board"), archived, nil)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Board(board))
}

// MoveColumnTickets moves all tickets of a column to the end of another: by a run, if they are many.
func (h *Handlers) MoveColumnTickets(c echo.Context) error {
	var in struct {
		To id.Column `json:"to"`
	}
	return h.changeTickets(c, &in, func(ctx context.Context, slug string, column id.Column) (boards.Board, error) {
		return h.workflows.MoveColumnTickets(ctx, slug, column, in.To)
	})
}

// SortColumn puts the tickets of a column in an order.
func (h *Handlers) SortColumn(c echo.Context) error {
	var in struct {
		By string `json:"by"`
	}
	return h.changeTickets(c, &in, func(ctx context.Context, slug string, column id.Column) (boards.Board, error) {
		order, err := tickets.ParseOrder(in.By)
		if err != nil {
			return boards.Board{}, err
		}
		board, _, err := h.workflows.SortColumn(ctx, slug, column, order)
		return board, err
	})
}

// changeTickets does something with all tickets of the column of the path, and responds with the column.
func (h *Handlers) changeTickets(
	c echo.Context, in any, do func(ctx context.Context, slug string, column id.Column) (boards.Board, error),
) error {
	columnID, err := respond.PathColumn(c)
	if err != nil {
		return err
	}
	if _, err := bindJSON(c, in); err != nil {
		return err
	}
	board, err := do(c.Request().Context(), c.Param("board"), columnID)
	if err != nil {
		return notColumn(err, columnID)
	}
	column, _ := board.Column(columnID)
	code := http.StatusOK
	if column.Carries() {
		code = http.StatusAccepted
	}
	return answer(c, code, workflows.ColumnOf(column))
}
