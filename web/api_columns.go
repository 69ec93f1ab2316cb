package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// columnBody is what a program sends about a column. Where it names the board's version that it saw,
// that is checked.
type columnBody struct {
	Name     *string `json:"name"`
	Done     *bool   `json:"done"`
	WIP      *string `json:"wip"`
	WIPLimit *int    `json:"wip_limit"`
	Position *int    `json:"position"`
	Version  *uint64 `json:"version"`
}

func (b columnBody) edit() boards.ColumnEdit {
	return boards.ColumnEdit{Name: b.Name, Done: b.Done, WIP: b.WIP, Limit: b.WIPLimit, Position: b.Position}
}

func (s *server) apiOpenColumn(c echo.Context) error {
	var in columnBody
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	key, err := once(c, body, func(opened boards.Column) any { return workflows.ColumnOf(opened) })
	if err != nil {
		return err
	}
	_, opened, err := s.workflows.OpenColumn(c.Request().Context(), c.Param("board"), in.edit(), in.Version, key)
	return created(c, workflows.ColumnOf(opened), err)
}

func (s *server) apiEditColumn(c echo.Context) error {
	columnID, err := pathColumn(c)
	if err != nil {
		return err
	}
	var in columnBody
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	board, err := s.workflows.EditColumn(c.Request().Context(), c.Param("board"), columnID, in.edit(), in.Version)
	if err != nil {
		return notColumn(err, columnID)
	}
	column, _ := board.Column(columnID)
	return answer(c, http.StatusOK, workflows.ColumnOf(column))
}

func (s *server) apiRemoveColumn(c echo.Context) error {
	columnID, err := pathColumn(c)
	if err != nil {
		return err
	}
	to, err := column(c.QueryParam("to"))
	if err != nil {
		return badQuery("to", "the id of a column")
	}
	if _, err := s.workflows.RemoveColumn(c.Request().Context(), c.Param("board"), columnID, to, nil); err != nil {
		return notColumn(err, columnID)
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

func (s *server) apiArchiveBoard(c echo.Context) error { return s.apiSetArchived(c, true) }
func (s *server) apiRestoreBoard(c echo.Context) error { return s.apiSetArchived(c, false) }

func (s *server) apiSetArchived(c echo.Context, archived bool) error {
	board, err := s.workflows.ArchiveBoard(c.Request().Context(), c.Param("board"), archived, nil)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, s.links(c).Board(board))
}
