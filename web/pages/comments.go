package pages

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// commentsShown returns the comments on a ticket's page: the newest, or with ?comment= an older one and those after it.
func (h *Handlers) commentsShown(c echo.Context, ticket tickets.Ticket) (tickets.Comments, error) {
	ctx := c.Request().Context()
	page, err := h.workflows.Comments(ctx, ticket, 0)
	wanted, bad := strconv.ParseUint(c.QueryParam("comment"), 10, 63)
	if err != nil || bad != nil || wanted == 0 || !page.Older || id.Comment(wanted) >= page.List[0].ID {
		return page, err
	}
	return h.workflows.CommentsFrom(ctx, ticket, id.Comment(wanted))
}

// Comments are the comments before one.
func (h *Handlers) Comments(c echo.Context) error {
	before, err := respond.Cursor[id.Comment](c, "before")
	if err != nil {
		return err
	}
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	page, err := h.workflows.Comments(c.Request().Context(), ticket, before)
	if err != nil {
		return err
	}
	if !respond.IsFragment(c) {
		return h.showTicketAndComments(c, http.StatusOK, ticket, board, page, views.CommentForm{})
	}
	props, err := h.commentProps(c, ticket, board, page)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.CommentRows(props))
}

// showTicketAndComments shows a ticket's page with these comments and the input of the form for one more.
func (h *Handlers) showTicketAndComments(c echo.Context, code int, ticket tickets.Ticket, board boards.Board,
	page tickets.Comments, form views.CommentForm) error {
	props, err := h.ticketAndComments(c, ticket, board, 0, page)
	if err != nil {
		return err
	}
	props.Comments.Form = form
	return respond.Render(c, code, pages.TicketPage(props))
}

// React adds the user's reaction to a comment, or takes it back: "heart on", "heart off".
func (h *Handlers) React(c echo.Context) error {
	k, comment, err := respond.PathKeyAndComment(c)
	if err != nil {
		return err
	}
	name, state, _ := strings.Cut(c.FormValue("reaction"), " ")
	reaction, err := tickets.ParseReaction(name)
	if err != nil {
		return err
	}
	said, err := h.workflows.React(c.Request().Context(), k, comment, reaction, state == "on")
	if err != nil {
		return err
	}
	if !respond.IsFragment(c) {
		return h.respond.SeeOther(c, views.CommentPath(respond.Company(c).Slug, said.Key, comment), "")
	}
	props, err := h.commentOfPath(c)
	if err != nil {
		return err
	}
	props.Chosen = reaction
	return respond.Render(c, http.StatusOK, pages.Reactions(props))
}

// QuoteComment shows the ticket with a quotation of a comment in the form for one more. A script gets the quotation.
func (h *Handlers) QuoteComment(c echo.Context) error {
	comment, err := respond.PathComment(c)
	if err != nil {
		return err
	}
	ticket, board, err := h.ticketToChange(c)
	if err != nil {
		return err
	}
	said, err := h.workflows.CommentOf(c.Request().Context(), ticket, comment)
	if err != nil {
		return err
	}
	if said.Deleted() {
		return tickets.CommentNotFound()
	}
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, pages.Quotation(said))
	}
	page, err := h.commentsShown(c, ticket)
	if err != nil {
		return err
	}
	return h.showTicketAndComments(c, http.StatusOK, ticket, board, page, views.CommentForm{Body: said.Quote()})
}

func (h *Handlers) commentProps(c echo.Context, ticket tickets.Ticket, board boards.Board,
	page tickets.Comments) (pages.CommentsProps, error) {
	props := pages.CommentsProps{Page: h.respond.Page(c, ""), Board: board, Ticket: ticket, Older: page.Older,
		Newer: page.Newer, Before: page.Before}
	texts, err := h.texts(c, ticket, bodies(page.List)...)
	if err != nil {
		return props, err
	}
	props.List, err = texts.drawn(props.Page, board, ticket.Key, page.List)
	return props, err
}

// AddComment adds a comment. To htmx it responds with the form for the next one and all comments after the last one of
// the page.
func (h *Handlers) AddComment(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	form := views.CommentForm{Body: c.FormValue("body"), Public: c.FormValue("public") != ""}
	said, err := respond.Once(c, func(once *workflows.Once[tickets.KeyedComment]) (tickets.KeyedComment, error) {
		return h.commentUseCase(form)(c.Request().Context(), k, form.Body, once)
	})
	if err != nil {
		return h.rejectComment(c, form, err)
	}
	if respond.Target(c) != views.CommentFormID {
		return h.respond.SeeOther(c, views.CommentPath(respond.Company(c).Slug, said.Key, said.Comment.ID), "")
	}
	return h.showAdded(c, said)
}

// commentUseCase is the use case that adds a comment: one for members, or a reply to a requester.
func (h *Handlers) commentUseCase(form views.CommentForm) func(
	context.Context, tickets.Key, string, *workflows.Once[tickets.KeyedComment],
) (tickets.KeyedComment, error) {
	if form.Public {
		return h.workflows.Reply
	}
	return h.workflows.Comment
}

// lastShown is the newest comment of the page.
func lastShown(c echo.Context) id.Comment {
	n, _ := strconv.ParseUint(c.FormValue("last"), 10, 63)
	return id.Comment(n)
}

// mostAdded is the most comments in a response after the last one of the page.
const mostAdded = 200

func (h *Handlers) showAdded(c echo.Context, said tickets.KeyedComment) error {
	ticket, page, err := h.workflows.CommentsAfter(c.Request().Context(), said.Key, lastShown(c), mostAdded)
	if err != nil {
		return err
	}
	board, err := h.workflows.Board(c.Request().Context(), ticket.Key.Board)
	if err != nil {
		return err
	}
	page.Older = false
	props, err := h.commentProps(c, ticket, board, page)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.NewComment(props), pages.Added(props))
}

func (h *Handlers) rejectComment(c echo.Context, form views.CommentForm, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok || messages["body"] == "" {
		return err
	}
	form.Errors = messages
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	if respond.Target(c) == views.CommentFormID {
		shown := views.Comment{Comment: tickets.Comment{ID: lastShown(c)}}
		return respond.Render(c, code, pages.NewComment(pages.CommentsProps{Page: h.respond.Page(c, ""), Board: board,
			Ticket: ticket, Form: form, List: []views.Comment{shown}}))
	}
	page, err := h.workflows.Comments(c.Request().Context(), ticket, 0)
	if err != nil {
		return err
	}
	return h.showTicketAndComments(c, code, ticket, board, page, form)
}

// commentOfPath returns the comment that the path names, with its ticket and board.
func (h *Handlers) commentOfPath(c echo.Context) (pages.CommentProps, error) {
	wanted, err := respond.PathComment(c)
	if err != nil {
		return pages.CommentProps{}, err
	}
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return pages.CommentProps{}, err
	}
	found, err := h.workflows.CommentOf(c.Request().Context(), ticket, wanted)
	if err != nil {
		return pages.CommentProps{}, err
	}
	one := []tickets.Comment{found}
	texts, err := h.texts(c, ticket, bodies(one)...)
	if err != nil {
		return pages.CommentProps{}, err
	}
	props := pages.CommentProps{Page: h.respond.Page(c, "Comment on "+ticket.Key.String()), Board: board, Ticket: ticket}
	drawn, err := texts.drawn(props.Page, board, ticket.Key, one)
	if err != nil {
		return props, err
	}
	props.Comment = drawn[0]
	return props, nil
}

// Comment shows a comment: alone to htmx, else on its ticket's page.
func (h *Handlers) Comment(c echo.Context) error {
	props, err := h.commentOfPath(c)
	if err != nil {
		return err
	}
	if !respond.IsFragment(c) {
		return c.Redirect(http.StatusSeeOther, views.CommentPath(respond.Company(c).Slug, props.Ticket.Key, props.Comment.ID))
	}
	return respond.Render(c, http.StatusOK, pages.CommentItem(props))
}

func (h *Handlers) EditComment(c echo.Context) error {
	props, err := h.commentOfPath(c)
	if err != nil {
		return err
	}
	if props.Comment.Deleted() {
		return tickets.CommentNotFound()
	}
	if props.Comment.Author.ID != props.Page.Actor.Account.ID {
		return tickets.NotYourComment()
	}
	props.Form = views.CommentForm{Body: props.Comment.Body, Version: props.Comment.Version}
	return h.showEditComment(c, http.StatusOK, props)
}

func (h *Handlers) showEditComment(c echo.Context, code int, props pages.CommentProps) error {
	if respond.IsFragment(c) {
		return respond.Render(c, code, pages.EditComment(props))
	}
	return respond.Render(c, code, pages.EditCommentPage(props))
}

func (h *Handlers) SaveComment(c echo.Context) error {
	k, wanted, err := respond.PathKeyAndComment(c)
	if err != nil {
		return err
	}
	form := views.CommentForm{Body: c.FormValue("body")}
	var said tickets.KeyedComment
	if form.Version, err = respond.Version(c); err == nil {
		seen := form.Version
		if over, bad := strconv.ParseUint(c.FormValue("overwrite"), 10, 63); bad == nil {
			seen = over
		}
		said, err = h.workflows.EditComment(c.Request().Context(), k, wanted, form.Body, seen)
	}
	if err != nil {
		return h.rejectEditComment(c, form, err)
	}
	return h.showSaved(c, said.Key, wanted)
}

// showSaved responds to a change of a comment: with the comment, or by a redirect to it.
func (h *Handlers) showSaved(c echo.Context, k tickets.Key, comment id.Comment) error {
	if !respond.IsFragment(c) {
		return h.respond.SeeOther(c, views.CommentPath(respond.Company(c).Slug, k, comment), "")
	}
	props, err := h.commentOfPath(c)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.CommentItem(props))
}

func (h *Handlers) rejectEditComment(c echo.Context, form views.CommentForm, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	props, readErr := h.commentOfPath(c)
	if readErr != nil {
		return readErr
	}
	form.Errors = messages
	var stale tickets.StaleComment
	if errors.As(err, &stale) {
		form.Current = &stale.Current
	}
	props.Form = form
	return h.showEditComment(c, code, props)
}

func (h *Handlers) RemoveComment(c echo.Context) error {
	k, wanted, err := respond.PathKeyAndComment(c)
	if err != nil {
		return err
	}
	current, err := h.workflows.DeleteComment(c.Request().Context(), k, wanted)
	if err != nil {
		return err
	}
	message := views.Flash{Text: "The comment is deleted.",
		Restore: &views.DeletedComment{Ticket: current, Comment: wanted}}
	return h.showInPlace(c, current, wanted, message)
}

// RestoreComment undoes the deletion of a comment.
func (h *Handlers) RestoreComment(c echo.Context) error {
	k, wanted, err := respond.PathKeyAndComment(c)
	if err != nil {
		return err
	}
	current, err := h.workflows.RestoreComment(c.Request().Context(), k, wanted)
	if err != nil {
		return err
	}
	return h.showInPlace(c, current, wanted, views.Flash{Text: "The comment is restored."})
}

// showInPlace responds with a comment as it is now and a message: in its place, or by a redirect to it.
func (h *Handlers) showInPlace(c echo.Context, k tickets.Key, comment id.Comment, message views.Flash) error {
	if respond.Target(c) != views.CommentID(comment) {
		if err := h.respond.Flash(c, message); err != nil {
			return err
		}
		return respond.Redirect(c, views.CommentPath(respond.Company(c).Slug, k, comment))
	}
	props, err := h.commentOfPath(c)
	if err != nil {
		return err
	}
	props.Focus = true
	page := h.respond.Page(c, "")
	page.Flash = []views.Flash{message}
	return respond.Render(c, http.StatusOK, pages.CommentItem(props), views.FlashesOOB(page))
}
