package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

type listResource[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"` // what to send as after for the next page; null on the last
}

// links draws resources. It holds no request: an answer may be drawn after its caller has left.
func (s *server) links(c echo.Context) workflows.Links {
	return workflows.Links{Base: s.base(c), Company: company(c).Slug}
}

func (s *server) apiBoards(c echo.Context) error {
	list, err := s.workflows.Boards(c.Request().Context())
	if err != nil {
		return err
	}
	items := make([]workflows.BoardResource, len(list))
	for i, board := range list {
		items[i] = s.links(c).Board(board)
	}
	return answer(c, http.StatusOK, listResource[workflows.BoardResource]{Items: items})
}

func (s *server) apiBoard(c echo.Context) error {
	board, err := s.workflows.Board(c.Request().Context(), c.Param("board"))
	if err != nil {
		return err
	}
	if err := named(c, "board", board.Slug); err != nil {
		return err
	}
	return answer(c, http.StatusOK, s.links(c).Board(board))
}

func (s *server) apiOpenBoard(c echo.Context) error {
	var in struct {
		Slug  string `json:"slug"`
		Title string `json:"title"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	links := s.links(c)
	key, err := once(c, body, func(board boards.Board) any { return links.Board(board) })
	if err != nil {
		return err
	}
	board, err := s.workflows.OpenBoard(c.Request().Context(), boards.Draft{Slug: in.Slug, Title: in.Title}, key)
	return created(c, links.Board(board), err)
}

func (s *server) apiRenameBoard(c echo.Context) error {
	var in struct {
		Slug    *string `json:"slug"`
		Title   *string `json:"title"`
		Version *uint64 `json:"version"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	names := boards.Names{Slug: in.Slug, Title: in.Title}
	if in.Version == nil {
		return fault.Join(noVersion, names.Check())
	}
	if in.Slug == nil && in.Title == nil {
		return boards.EmptyTitle()
	}
	board, err := s.workflows.RenameBoard(c.Request().Context(), c.Param("board"), names, *in.Version)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, s.links(c).Board(board))
}
