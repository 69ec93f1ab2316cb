package pages

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Groups(c echo.Context) error { return h.showGroups(c, http.StatusOK, "", nil) }

func (h *Handlers) showGroups(c echo.Context, code int, name string, errs views.Errors) error {
	list, err := h.workflows.Groups(c.Request().Context())
	if err != nil {
		return err
	}
	return respond.Render(c, code, pages.GroupsPage(pages.GroupsProps{Page: h.respond.Page(c, "Groups"), Groups: list,
		Name: name, Errors: errs}))
}

func (h *Handlers) OpenGroup(c echo.Context) error {
	name := c.FormValue("name")
	group, err := respond.Once(c, func(once *workflows.Once[accounts.Group]) (accounts.Group, error) {
		return h.workflows.OpenGroup(c.Request().Context(), name, once)
	})
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showGroups(c, code, name, messages)
	}
	return h.respond.SeeOther(c, views.GroupPath(respond.Company(c).Slug, group.ID), "The group is created.")
}

func pathGroup(c echo.Context) (id.Group, error) {
	return respond.RowID[id.Group](c.Param("group"), accounts.GroupNotFound())
}

func (h *Handlers) Group(c echo.Context) error {
	return h.showGroup(c, http.StatusOK, func(*pages.GroupForms) {})
}

// showGroup shows a group; input sets what was typed into its forms.
func (h *Handlers) showGroup(c echo.Context, code int, input func(forms *pages.GroupForms)) error {
	ctx := c.Request().Context()
	id, err := pathGroup(c)
	if err != nil {
		return err
	}
	group, members, err := h.workflows.Group(ctx, id)
	if err != nil {
		return err
	}
	props := pages.GroupProps{Page: h.respond.Page(c, group.Name), Group: group, Members: members,
		Forms: pages.GroupForms{Name: group.Name}}
	if accounts.ActorFrom(ctx).Manages() {
		all, _, err := h.workflows.Members(ctx, 0)
		if err != nil {
			return err
		}
		props.Others = slices.DeleteFunc(all, func(m accounts.CompanyMember) bool {
			return slices.ContainsFunc(members, func(in accounts.CompanyMember) bool { return in.Account.ID == m.Account.ID })
		})
	}
	input(&props.Forms)
	return respond.Render(c, code, pages.GroupPage(props))
}

func (h *Handlers) RenameGroup(c echo.Context) error {
	group, err := pathGroup(c)
	if err != nil {
		return err
	}
	name := c.FormValue("name")
	if _, err := h.workflows.RenameGroup(c.Request().Context(), group, name); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showGroup(c, code, func(f *pages.GroupForms) { f.Name, f.NameErrors = name, messages })
	}
	return h.respond.SeeOther(c, views.GroupPath(respond.Company(c).Slug, group), "The group is renamed.")
}

func (h *Handlers) AddToGroup(c echo.Context) error {
	group, err := pathGroup(c)
	if err != nil {
		return err
	}
	handle := c.FormValue("handle")
	if err := h.workflows.AddToGroup(c.Request().Context(), group, handle); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showGroup(c, code, func(f *pages.GroupForms) { f.Handle, f.HandleErrors = handle, messages })
	}
	return h.respond.SeeOther(c, views.GroupPath(respond.Company(c).Slug, group), "The member is added.")
}

func (h *Handlers) DropFromGroup(c echo.Context) error {
	group, err := pathGroup(c)
	if err != nil {
		return err
	}
	account, err := respond.PathAccount(c)
	if err != nil {
		return err
	}
	if err := h.workflows.DropFromGroup(c.Request().Context(), group, account); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.GroupPath(respond.Company(c).Slug, group), "The member is removed from the group.")
}

func (h *Handlers) GroupRemoval(c echo.Context) error {
	id, err := pathGroup(c)
	if err != nil {
		return err
	}
	if !accounts.ActorFrom(c.Request().Context()).Manages() {
		return accounts.NotManager()
	}
	group, _, err := h.workflows.Group(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK,
		pages.GroupRemovalPage(pages.GroupRemovalProps{Page: h.respond.Page(c, "Delete a group"), Group: group}))
}

func (h *Handlers) DeleteGroup(c echo.Context) error {
	id, err := pathGroup(c)
	if err != nil {
		return err
	}
	group, err := h.workflows.DeleteGroup(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.GroupsPath(respond.Company(c).Slug), "The group "+group.Name+" is deleted.")
}

func (h *Handlers) PrivateBoards(c echo.Context) error {
	list, err := h.workflows.PrivateBoards(c.Request().Context())
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.PrivateBoardsPage(pages.PrivateBoardsProps{
		Page: h.respond.Page(c, "Private boards"), Boards: list}))
}

func (h *Handlers) PrivateBoard(c echo.Context) error {
	return h.showPrivateBoard(c, http.StatusOK, nil)
}

// pathPrivateBoard is the id of a board: those who manage the company do not need to see it by its slug.
func pathPrivateBoard(c echo.Context) (id.Board, error) {
	return respond.RowID[id.Board](c.Param("board"), boards.NotFound())
}

func (h *Handlers) showPrivateBoard(c echo.Context, code int, errs views.Errors) error {
	id, err := pathPrivateBoard(c)
	if err != nil {
		return err
	}
	board, err := h.workflows.PrivateBoard(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return respond.Render(c, code, pages.PrivateBoardPage(pages.PrivateBoardProps{
		Page: h.respond.Page(c, board.Title), Board: board.PrivateBoard, Members: board.Members, Errors: errs}))
}

func (h *Handlers) TakeOverBoard(c echo.Context) error {
	id, err := pathPrivateBoard(c)
	if err != nil {
		return err
	}
	board, err := h.workflows.TakeOverBoard(c.Request().Context(), id)
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showPrivateBoard(c, code, messages)
	}
	path := views.BoardPath(respond.Company(c).Slug, board.Slug)
	return h.respond.SeeOther(c, path, "You are an admin of this board now.")
}
