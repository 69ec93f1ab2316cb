package pages

import (
	"time"

	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) OpenBoard(c echo.Context) error {
	form := pages.BoardForm{Slug: c.FormValue("slug"), Title: c.FormValue("title")}
	board, err := respond.Once(c, func(once *workflows.Once[boards.Board]) (boards.Board, error) {
		return h.workflows.OpenBoard(c.Request().Context(), boards.Draft{Slug: form.Slug, Title: form.Title}, once)
	})
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return h.showHome(c, code, "", form)
	}
	return h.respond.SeeOther(c, views.BoardPath(respond.Company(c).Slug, board.Slug),
		"The board "+board.Slug+" was created.")
}

func (h *Handlers) Board(c echo.Context) error {
	if c.QueryParam("columns") != "" && respond.Target(c) == views.BoardID {
		return h.boardNow(c)
	}
	view, err := h.workflows.ViewBoard(c.Request().Context(), c.Param("board"), filterParams(c))
	if err != nil {
		return err
	}
	board := view.Board
	if err := respond.CheckName(c, "board", board.Slug); err != nil {
		return err
	}
	props := pages.BoardProps{Page: h.respond.Page(c, board.Title), Board: board, Filter: filterOf(c),
		Choices: pages.Choices{Members: view.Members, Labels: view.Labels, Problem: view.BadQuery}}
	var shown []tickets.Card
	for _, column := range board.Columns {
		shown = append(shown, view.Cards[column.ID].List...)
	}
	lanes := pages.LanesOf(props.Filter.Lanes, shown)
	for _, column := range board.Columns {
		one := columnProps(c, board, column, view.Cards[column.ID])
		one.Lanes = lanes
		props.Columns = append(props.Columns, one)
	}
	if respond.Target(c) == views.BoardID {
		return respond.Render(c, http.StatusOK, pages.BoardColumns(props), pages.BoardFilter(props))
	}
	h.rememberBoard(c, board)
	if respond.Target(c) == views.MainID {
		return respond.Render(c, http.StatusOK, pages.BoardMain(props))
	}
	return respond.Render(c, filterStatus(view.BadQuery), pages.BoardPage(props))
}

// rememberBoard notes that the browser shows a board, if it is one and not all.
func (h *Handlers) rememberBoard(c echo.Context, board boards.Board) {
	if board.Slug != "" {
		h.respond.RememberPlace(c, views.BoardPath(respond.Company(c).Slug, board.Slug))
	}
}

// filterStatus is the status of a page whose query has a problem, nil for none.
func filterStatus(problem error) int {
	if problem == nil {
		return http.StatusOK
	}
	code, _ := respond.Status(problem)
	return code
}

// boardNow responds to a live board with the named columns that differ from those on the page.
func (h *Handlers) boardNow(c echo.Context) error {
	shown, seen, err := readColumns(c.QueryParam("columns"))
	if err != nil {
		return err
	}
	view, err := h.workflows.ViewColumns(c.Request().Context(), c.Param("board"), filterParams(c), shown)
	if err != nil {
		return err
	}
	if err := respond.CheckName(c, "board", view.Board.Slug); err != nil {
		return err
	}
	var columns []templ.Component
	for _, column := range view.Board.Columns {
		cards, ok := view.Cards[column.ID]
		if !ok {
			continue
		}
		if props := columnProps(c, view.Board, column, cards); props.Seen() != seen[column.ID] {
			columns = append(columns, pages.Column(props))
		}
	}
	return respond.Render(c, http.StatusOK, columns...)
}

// readColumns parses the columns of a page, each with its number of cards and its hash: 12.50.5f2c,13.100.
func readColumns(text string) (shown map[id.Column]int, seen map[id.Column]string, err error) {
	shown, seen = map[id.Column]int{}, map[id.Column]string{}
	for _, one := range strings.Split(text, ",") {
		parts := strings.SplitN(one, ".", 3)
		column, err := respond.RowID[id.Column](parts[0], echo.ErrBadRequest)
		if err != nil {
			return nil, nil, err
		}
		shown[column] = 0
		if len(parts) > 1 {
			if shown[column], err = strconv.Atoi(parts[1]); err != nil {
				return nil, nil, echo.ErrBadRequest
			}
		}
		if len(parts) > 2 {
			seen[column] = parts[2]
		}
	}
	if len(shown) > boards.MaxColumns {
		return nil, nil, echo.ErrBadRequest
	}
	return shown, seen, nil
}

func columnProps(c echo.Context, board boards.Board, column boards.Column, cards workflows.Cards) pages.ColumnProps {
	actor := accounts.ActorFrom(c.Request().Context())
	return pages.ColumnProps{
		Nonce:   respond.Nonce(c),
		Company: actor.Company.Slug, Write: access.On(actor, board.Grant) >= access.Write && !board.Archived(), Board: board, Column: column,
		Cards: cards.List, Above: cards.Above, Next: cards.Next, Filter: filterOf(c),
		Add: pages.TicketForm{Column: column.ID}, Waits: column.ID == board.Entry().ID, Now: time.Now(),
	}
}

// Column is the cards below the first ones of a board.
func (h *Handlers) Column(c echo.Context) error {
	columnID, err := respond.PathColumn(c)
	if err != nil {
		return err
	}
	below, err := tickets.ParseCursor(c.QueryParam("below"))
	if err != nil {
		return echo.ErrBadRequest
	}
	board, cards, err := h.workflows.Column(c.Request().Context(), c.Param("board"), columnID, below, filterParams(c))
	if errors.Is(err, boards.CodeColumnNotFound) {
		return echo.ErrNotFound
	}
	choices := pages.Choices{Problem: query.Problem(err)}
	if err != nil && choices.Problem == nil {
		return err
	}
	if err := respond.CheckName(c, "board", board.Slug); err != nil {
		return err
	}
	found, _ := board.Column(columnID)
	props := columnProps(c, board, found, cards)
	props.SoFar, _ = strconv.Atoi(c.QueryParam("sofar")) // it is only shown
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, pages.CardRows(props))
	}
	if choices.Members, err = h.workflows.Colleagues(c.Request().Context()); err != nil {
		return err
	}
	if choices.Labels, err = h.workflows.LabelsOn(c.Request().Context(), board); err != nil {
		return err
	}
	return respond.Render(c, filterStatus(choices.Problem), pages.ColumnPage(h.respond.Page(c, found.Name+" · "+board.Title),
		props, choices))
}

// columnNow renders the present column; ok is false if the board has no such column.
func (h *Handlers) columnNow(
	c echo.Context, slug string, column id.Column,
) (props pages.ColumnProps, ok bool, err error) {
	board, cards, err := h.workflows.Column(c.Request().Context(), slug, column, nil, filterParams(c))
	if errors.Is(err, boards.CodeColumnNotFound) {
		return pages.ColumnProps{}, false, nil
	}
	if err != nil && query.Problem(err) == nil {
		return pages.ColumnProps{}, false, err
	}
	found, _ := board.Column(column)
	return columnProps(c, board, found, cards), true, nil
}
