package api

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/respond"
)

// group is a group of members as JSON.
type group struct {
	ID        id.Group  `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
}

func groupOf(g accounts.Group) group { return group{ID: g.ID, Name: g.Name, CreatedAt: g.CreatedAt} }

// groupMember is a member of a group as JSON, with the role in the company.
type groupMember struct {
	Handle string `json:"handle"`
	Name   string `json:"name"`
	Role   string `json:"role"`
}

func pathGroup(c echo.Context) (id.Group, error) {
	return respond.RowID[id.Group](c.Param("group"), accounts.GroupNotFound())
}

func (h *Handlers) Groups(c echo.Context) error {
	n, err := limit(c)
	if err != nil {
		return err
	}
	after, err := respond.Cursor[id.Group](c, "after")
	if err != nil {
		return badQuery("after", "what the page before gave as next")
	}
	list, more, err := h.workflows.GroupsAfter(c.Request().Context(), after, n)
	if err != nil {
		return err
	}
	page := listResource[group]{Items: make([]group, len(list))}
	for i, g := range list {
		page.Items[i] = groupOf(g)
	}
	if more {
		next := strconv.FormatUint(uint64(list[len(list)-1].ID), 10)
		page.Next = &next
	}
	return answer(c, http.StatusOK, page)
}

func (h *Handlers) Group(c echo.Context) error {
	id, err := pathGroup(c)
	if err != nil {
		return err
	}
	found, err := h.workflows.GroupByID(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, groupOf(found))
}

func (h *Handlers) OpenGroup(c echo.Context) error {
	var in struct {
		Name string `json:"name"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	key, err := once(c, body, func(g accounts.Group) any { return groupOf(g) })
	if err != nil {
		return err
	}
	opened, err := h.workflows.OpenGroup(c.Request().Context(), in.Name, key)
	return created(c, groupOf(opened), err)
}

func (h *Handlers) RenameGroup(c echo.Context) error {
	id, err := pathGroup(c)
	if err != nil {
		return err
	}
	var in struct {
		Name string `json:"name"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	renamed, err := h.workflows.RenameGroup(c.Request().Context(), id, in.Name)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, groupOf(renamed))
}

func (h *Handlers) DeleteGroup(c echo.Context) error {
	id, err := pathGroup(c)
	if err != nil {
		return err
	}
	if _, err := h.workflows.DeleteGroup(c.Request().Context(), id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func (h *Handlers) GroupMembers(c echo.Context) error {
	id, err := pathGroup(c)
	if err != nil {
		return err
	}
	n, err := limit(c)
	if err != nil {
		return err
	}
	after, err := respond.Cursor[accounts.ID](c, "after")
	if err != nil {
		return badQuery("after", "what the page before gave as next")
	}
	list, more, err := h.workflows.GroupMembersAfter(c.Request().Context(), id, after, n)
	if err != nil {
		return err
	}
	page := listResource[groupMember]{Items: make([]groupMember, len(list))}
	for i, m := range list {
		page.Items[i] = groupMember{Handle: m.Handle, Name: m.Name, Role: m.Role}
	}
	if more {
		next := strconv.FormatUint(uint64(list[len(list)-1].ID), 10)
		page.Next = &next
	}
	return answer(c, http.StatusOK, page)
}

func (h *Handlers) AddToGroup(c echo.Context) error {
	return h.changeGroup(c, func(id id.Group, handle string) error {
		err := h.workflows.AddToGroup(c.Request().Context(), id, handle)
		if errors.Is(err, workflows.CodeUnknownHandle) { // the path names it
			return accounts.MemberNotFound()
		}
		return err
	})
}

func (h *Handlers) DropFromGroup(c echo.Context) error {
	return h.changeGroup(c, func(id id.Group, handle string) error {
		return h.workflows.DropHandleFromGroup(c.Request().Context(), id, handle)
	})
}

func (h *Handlers) changeGroup(c echo.Context, change func(id id.Group, handle string) error) error {
	id, err := pathGroup(c)
	if err != nil {
		return err
	}
	if err := change(id, c.Param("member")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
