package api

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/web/respond"
)

// boardMember is a member or group that a board names, as JSON.
type boardMember struct {
	Kind   string  `json:"kind"`
	ID     uint64  `json:"id"`
	Handle *string `json:"handle"` // null for a group
	Name   string  `json:"name"`
	Role   string  `json:"role"`
}

func boardMemberOf(m boards.Member) boardMember {
	r := boardMember{Kind: m.Kind, ID: m.ID, Name: m.Name, Role: m.Role}
	if m.Kind == boards.KindAccount {
		r.Handle = &m.Handle
	}
	return r
}

var boardMemberKinds = []string{boards.KindAccount, boards.KindGroup}

// parseAfterMember reads where a page of members begins, as the page before gave it: a kind and an id.
func parseAfterMember(text string) (kind string, member uint64, err error) {
	if text == "" {
		return "", 0, nil
	}
	kind, number, _ := strings.Cut(text, ":")
	member, err = strconv.ParseUint(number, 10, 63)
	if err != nil || !slices.Contains(boardMemberKinds, kind) {
		return "", 0, badQuery("after", "what the page before gave as next")
	}
	return kind, member, nil
}

func (h *Handlers) BoardMembers(c echo.Context) error {
	n, err := limit(c)
	if err != nil {
		return err
	}
	kind, after, err := parseAfterMember(c.QueryParam("after"))
	if err != nil {
		return err
	}
	board, list, more, err := h.workflows.BoardMembersAfter(c.Request().Context(), c.Param("board"), kind, after, n)
	if err != nil {
		return err
	}
	if err := respond.CheckName(c, "board", board.Slug); err != nil {
		return err
	}
	page := listResource[boardMember]{Items: make([]boardMember, len(list))}
	for i, m := range list {
		page.Items[i] = boardMemberOf(m)
	}
	if more {
		last := list[len(list)-1]
		next := fmt.Sprintf("%s:%d", last.Kind, last.ID)
		page.Next = &next
	}
	return answer(c, http.StatusOK, page)
}

// pathBoardMember returns what the path says of a member: a kind, and a handle or the id of a group.
func pathBoardMember(c echo.Context) (kind, of string, err error) {
	kind = c.Param("kind")
	if !slices.Contains(boardMemberKinds, kind) {
		return "", "", echo.ErrNotFound
	}
	return kind, c.Param("member"), nil
}

func (h *Handlers) PutOnBoard(c echo.Context) error {
	kind, of, err := pathBoardMember(c)
	if err != nil {
		return err
	}
	var in struct {
		Role string `json:"role"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	member, err := h.workflows.PutOnBoard(c.Request().Context(), c.Param("board"), kind, of, in.Role)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, boardMemberOf(member))
}

func (h *Handlers) TakeOffBoard(c echo.Context) error {
	kind, of, err := pathBoardMember(c)
	if err != nil {
		return err
	}
	if err := h.workflows.TakeOffBoard(c.Request().Context(), c.Param("board"), kind, of); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
