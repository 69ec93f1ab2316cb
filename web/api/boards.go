package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/respond"
)

type listResource[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"` // the parameter after of the next page; null on the last
}

func (h *Handlers) Boards(c echo.Context) error {
	list, err := h.workflows.Boards(c.Request().Context())
	if err != nil {
		return err
	}
	items := make([]workflows.BoardResource, len(list))
	for i, board := range list {
		items[i] = h.respond.Links(c).Board(board)
	}
	return answer(c, http.StatusOK, listResource[workflows.BoardResource]{Items: items})
}

func (h *Handlers) Board(c echo.Context) error {
	board, err := h.workflows.Board(c.Request().Context(), c.Param("board"))
	if err != nil {
		return err
	}
	if err := respond.CheckName(c, "board", board.Slug); err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Board(board))
}

func (h *Handlers) OpenBoard(c echo.Context) error {
	var in struct {
		Slug  string `json:"slug"`
		Title string `json:"title"`
		Like  string `json:"like"`
		Copy  string `json:"tickets"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	links := h.respond.Links(c)
	key, err := once(c, body, func(board boards.Board) any { return links.Board(board) })
	if err != nil {
		return err
	}
	board, err := h.workflows.OpenBoard(c.Request().Context(), boards.Draft{Slug: in.Slug, Title: in.Title, Like: in.Like, Tickets: in.Copy}, key)
	return created(c, links.Board(board), err)
}

func (h *Handlers) EditBoard(c echo.Context) error {
	var in struct {
		Slug    *string `json:"slug"`
		Title   *string `json:"title"`
		Private *bool   `json:"private"`
		Version *uint64 `json:"version"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	names := boards.Names{Slug: in.Slug, Title: in.Title}
	if in.Version == nil {
		return fault.Join(noVersion, names.Check())
	}
	if in.Slug == nil && in.Title == nil && in.Private == nil {
		return boards.EmptyTitle()
	}
	board, err := h.workflows.EditBoard(c.Request().Context(), c.Param("board"), names, in.Private, *in.Version)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Board(board))
}
