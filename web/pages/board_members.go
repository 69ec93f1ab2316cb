package pages

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// BoardMembers says who sees a board.
func (h *Handlers) BoardMembers(c echo.Context) error {
	board, err := h.boardOfPath(c)
	if err != nil {
		return err
	}
	return h.showBoardMembers(c, http.StatusOK, board.Slug, pages.BoardMembersProps{})
}

// showBoardMembers completes props, which have what was typed and what is wrong with it.
func (h *Handlers) showBoardMembers(c echo.Context, code int, slug string, props pages.BoardMembersProps) (err error) {
	ctx := c.Request().Context()
	if props.Form.Role == "" {
		props.Form.Role = "member"
	}
	if props.Board, props.Members, props.Level, err = h.workflows.BoardMembers(ctx, slug); err != nil {
		return err
	}
	if props.Link, err = h.workflows.PublicLink(ctx, props.Board); err != nil {
		return err
	}
	if props.Link.Opens(props.Secret) { // not if the form was sent again after the link was replaced
		props.NewLink = h.respond.Base(c) + views.PublicBoardPath(props.Secret)
	}
	if props.Level >= access.Manage {
		members, groups, err := h.workflows.NameSuggestions(ctx)
		if err != nil {
			return err
		}
		props.Names = pages.NameChoices(members, groups)
		if props.Receivers, err = h.workflows.Receivers(ctx, slug); err != nil {
			return err
		}
	}
	props.Page = h.respond.Page(c, "Who sees "+props.Board.Title)
	return respond.Render(c, code, pages.BoardMembersPage(props))
}

// NameOnBoard names a member or a group on a board.
func (h *Handlers) NameOnBoard(c echo.Context) error {
	form := pages.NameForm{Name: c.FormValue("name"), Role: c.FormValue("role")}
	board, err := h.workflows.NameOnBoard(c.Request().Context(), c.Param("board"), form.Name, form.Role)
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = formErrors(messages, "name", "role")
		return h.showBoardMembers(c, code, c.Param("board"), pages.BoardMembersProps{Form: form})
	}
	return h.boardMembersChanged(c, board, "Added.")
}

// SetBoardRole changes the role of a member or a group on a board.
func (h *Handlers) SetBoardRole(c echo.Context) error {
	return h.onBoardMember(c, "The role is changed.", func(kind string, member uint64) (boards.Board, error) {
		return h.workflows.SetBoardRole(c.Request().Context(), c.Param("board"), kind, member, c.FormValue("role"))
	})
}

// DropFromBoard takes a member or a group off a board.
func (h *Handlers) DropFromBoard(c echo.Context) error {
	return h.onBoardMember(c, "Removed.", func(kind string, member uint64) (boards.Board, error) {
		return h.workflows.DropFromBoard(c.Request().Context(), c.Param("board"), kind, member)
	})
}

// codeBadPrivacy: the form says neither to make the board private nor to open it. Use the page's button.
const codeBadPrivacy fault.Code = "Board.BadPrivacy"

func badPrivacy() error {
	return fault.Invalid.New(codeBadPrivacy, "private", "Use the button of the page.")
}

// SetBoardPrivacy makes a board private or open.
func (h *Handlers) SetBoardPrivacy(c echo.Context) error {
	private := c.FormValue("private")
	message := "The board is open to all members."
	if private == "yes" {
		message = "The board is private."
	}
	return h.changeBoardMembers(c, message, func() (boards.Board, error) {
		if private != "yes" && private != "no" {
			return boards.Board{}, badPrivacy()
		}
		return h.workflows.SetBoardPrivacy(c.Request().Context(), c.Param("board"), private == "yes")
	})
}

// OpenBoardLink makes a public link of a board and shows its address. Not by a redirect: the secret is kept nowhere
// that another page could read it from.
func (h *Handlers) OpenBoardLink(c echo.Context) error {
	secret, err := respond.Once(c, func(once *workflows.Once[string]) (string, error) {
		return h.workflows.OpenPublicLink(c.Request().Context(), c.Param("board"), once)
	})
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showBoardMembers(c, code, c.Param("board"), pages.BoardMembersProps{Errors: formErrors(messages)})
	}
	return h.showBoardMembers(c, http.StatusCreated, c.Param("board"), pages.BoardMembersProps{Secret: secret})
}

// RevokeBoardLink ends the public link of a board.
func (h *Handlers) RevokeBoardLink(c echo.Context) error {
	return h.changeBoardMembers(c, "The public link is off.", func() (boards.Board, error) {
		return h.workflows.RevokePublicLink(c.Request().Context(), c.Param("board"))
	})
}

// AddToWebhook has a webhook of the company sent what changes on a private board.
func (h *Handlers) AddToWebhook(c echo.Context) error {
	const message = "From now on the webhook is sent what changes on this board."
	return h.changeBoardMembers(c, message, func() (boards.Board, error) {
		webhook, err := respond.RowID[id.Webhook](c.FormValue("webhook"), noWebhook())
		if err != nil {
			return boards.Board{}, err
		}
		board, err := h.workflows.AddToWebhook(c.Request().Context(), c.Param("board"), webhook)
		if errors.Is(err, webhooks.CodeNotFound) {
			err = noWebhook()
		}
		return board, err
	})
}

// codeNoWebhook: the form names no webhook of the company. Choose one from the list.
const codeNoWebhook fault.Code = "Board.NoWebhook"

func noWebhook() error {
	return fault.Invalid.New(codeNoWebhook, "webhook", "Choose a webhook from the list.")
}

// DropFromWebhook has a webhook sent nothing more of a private board.
func (h *Handlers) DropFromWebhook(c echo.Context) error {
	webhook, err := respond.PathWebhook(c)
	if err != nil {
		return err
	}
	return h.changeBoardMembers(c, "The webhook is sent nothing more of this board.", func() (boards.Board, error) {
		return h.workflows.DropFromWebhook(c.Request().Context(), c.Param("board"), webhook)
	})
}

func (h *Handlers) onBoardMember(
	c echo.Context, message string, do func(kind string, member uint64) (boards.Board, error),
) error {
	member, err := respond.RowID[uint64](c.Param("member"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	return h.changeBoardMembers(c, message, func() (boards.Board, error) { return do(c.Param("kind"), member) })
}

// changeBoardMembers does the action of a form without fields of its own.
func (h *Handlers) changeBoardMembers(c echo.Context, message string, do func() (boards.Board, error)) error {
	board, err := do()
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showBoardMembers(c, code, c.Param("board"), pages.BoardMembersProps{Errors: formErrors(messages)})
	}
	return h.boardMembersChanged(c, board, message)
}

// boardMembersChanged leads back to the page, or to the boards if the user does not see the board any more.
func (h *Handlers) boardMembersChanged(c echo.Context, board boards.Board, message string) error {
	company := respond.Company(c).Slug
	if board.ID == 0 {
		return h.respond.SeeOther(c, views.HomePath(company), "You do not see this board any more.")
	}
	return h.respond.SeeOther(c, views.BoardMembersPath(company, board.Slug), message)
}
