package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

type boardResource struct {
	Slug     string           `json:"slug"`
	Title    string           `json:"title"`
	URL      string           `json:"url"`
	Version  uint64           `json:"version"`
	Archived bool             `json:"archived"`
	Columns  []columnResource `json:"columns"`
}

type columnResource struct {
	ID       id.Column `json:"id"`
	Name     string    `json:"name"`
	Done     bool      `json:"done"`
	WIP      string    `json:"wip"` // none, soft or hard
	WIPLimit *int      `json:"wip_limit"`
}

type listResource[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"` // what to send as after for the next page; null on the last
}

// links draws resources. It holds no request: an answer may be drawn after its caller has left.
type links struct{ base, company string }

func (s *server) links(c echo.Context) links { return links{s.base(c), company(c).Slug} }

func (l links) board(board boards.Board) boardResource {
	r := boardResource{
		Slug: board.Slug, Title: board.Title, URL: l.base + views.BoardPath(l.company, board.Slug), Version: board.Version,
		Archived: board.Archived(), Columns: []columnResource{},
	}
	for _, column := range board.Columns {
		r.Columns = append(r.Columns, columnOf(column))
	}
	return r
}

func columnOf(c boards.Column) columnResource {
	return columnResource{ID: c.ID, Name: c.Name, Done: c.Done, WIP: c.WIP(), WIPLimit: c.Limit}
}

func (s *server) apiBoards(c echo.Context) error {
	list, err := s.Boards(c.Request().Context())
	if err != nil {
		return err
	}
	items := make([]boardResource, len(list))
	for i, board := range list {
		items[i] = s.links(c).board(board)
	}
	return answer(c, http.StatusOK, listResource[boardResource]{Items: items})
}

func (s *server) apiBoard(c echo.Context) error {
	board, err := s.boardOfPath(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, s.links(c).board(board))
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
	key, err := once(c, body, func(board boards.Board) any { return links.board(board) })
	if err != nil {
		return err
	}
	board, err := s.OpenBoard(c.Request().Context(), boards.Draft{Slug: in.Slug, Title: in.Title}, key)
	return created(c, links.board(board), err)
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
	if in.Version == nil {
		return noVersion
	}
	if in.Slug == nil && in.Title == nil {
		return boards.EmptyTitle{}
	}
	board, err := s.RenameBoard(c.Request().Context(), c.Param("board"), boards.Names{Slug: in.Slug, Title: in.Title}, *in.Version)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, s.links(c).board(board))
}
