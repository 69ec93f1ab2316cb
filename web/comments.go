package web

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// commentsShown returns the comments that a ticket's page shows: the newest, or with ?comment= those
// from that one on where it is older.
func (s *server) commentsShown(c echo.Context, ticket tickets.Ticket) (tickets.Comments, error) {
	ctx := c.Request().Context()
	page, err := s.workflows.Comments(ctx, ticket, 0)
	wanted, bad := strconv.ParseUint(c.QueryParam("comment"), 10, 63)
	if err != nil || bad != nil || wanted == 0 || !page.Older || id.Comment(wanted) >= page.List[0].ID {
		return page, err
	}
	return s.workflows.CommentsFrom(ctx, ticket, id.Comment(wanted))
}

// comments are older comments: those before one.
func (s *server) comments(c echo.Context) error {
	before, err := goesOn[id.Comment](c, "before")
	if err != nil {
		return err
	}
	ticket, board, err := s.ticketOfPath(c)
	if err != nil {
		return err
	}
	page, err := s.workflows.Comments(c.Request().Context(), ticket, before)
	if err != nil {
		return err
	}
	if !isFragment(c) {
		return s.showTicketWith(c, http.StatusOK, ticket, board, page, views.CommentForm{})
	}
	props, err := s.commentProps(c, ticket, board, page)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.CommentRows(props))
}

// showTicketWith shows a ticket's page with these comments and what was typed into the form for one more.
func (s *server) showTicketWith(c echo.Context, code int, ticket tickets.Ticket, board boards.Board, page tickets.Comments, form views.CommentForm) error {
	props, err := s.ticketPropsWith(c, ticket, board, 0, page)
	if err != nil {
		return err
	}
	props.Comments.Form = form
	return render(c, code, views.TicketPage(props))
}

func (s *server) commentProps(c echo.Context, ticket tickets.Ticket, board boards.Board, page tickets.Comments) (views.CommentsProps, error) {
	props := views.CommentsProps{Page: s.page(c, ""), Board: board, Ticket: ticket, Older: page.Older, Newer: page.Newer}
	texts, err := s.texts(c, bodies(page.List)...)
	if err != nil {
		return props, err
	}
	props.List, err = texts.drawn(page.List)
	return props, err
}

// comment adds a comment. To htmx it answers with the form for the next one and all comments behind
// the last that the page showed.
func (s *server) comment(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	form := views.CommentForm{Body: c.FormValue("body"), Public: c.FormValue("public") != ""}
	say := s.workflows.Comment
	if form.Public {
		say = s.workflows.Reply
	}
	said, err := say(c.Request().Context(), k, form.Body, nil)
	if err != nil {
		return s.rejectComment(c, form, err)
	}
	if target(c) != views.CommentFormID {
		return s.see(c, views.CommentPath(company(c).Slug, said.Key, said.Comment.ID), "")
	}
	return s.showAdded(c, said)
}

// lastShown is the newest comment that the page showed.
func lastShown(c echo.Context) id.Comment {
	n, _ := strconv.ParseUint(c.FormValue("last"), 10, 63)
	return id.Comment(n)
}

// mostAdded is how many comments an answer has behind the last that the page showed.
const mostAdded = 200

func (s *server) showAdded(c echo.Context, said tickets.Said) error {
	ticket, page, err := s.workflows.CommentsAfter(c.Request().Context(), said.Key, lastShown(c), mostAdded)
	if err != nil {
		return err
	}
	board, err := s.workflows.Board(c.Request().Context(), ticket.Key.Board)
	if err != nil {
		return err
	}
	page.Older = false
	props, err := s.commentProps(c, ticket, board, page)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.NewComment(props), views.Added(props))
}

func (s *server) rejectComment(c echo.Context, form views.CommentForm, err error) error {
	messages, code, ok := rejected(err)
	if !ok || messages["body"] == "" {
		return err
	}
	form.Errors = messages
	ticket, board, err := s.ticketOfPath(c)
	if err != nil {
		return err
	}
	if target(c) == views.CommentFormID {
		shown := views.Comment{Comment: tickets.Comment{ID: lastShown(c)}}
		return render(c, code, views.NewComment(views.CommentsProps{Page: s.page(c, ""), Board: board, Ticket: ticket, Form: form, List: []views.Comment{shown}}))
	}
	page, err := s.workflows.Comments(c.Request().Context(), ticket, 0)
	if err != nil {
		return err
	}
	return s.showTicketWith(c, code, ticket, board, page, form)
}

// commentOfPath returns the comment that the path names, with its ticket and board.
func (s *server) commentOfPath(c echo.Context) (views.CommentProps, error) {
	wanted, err := pathComment(c)
	if err != nil {
		return views.CommentProps{}, err
	}
	ticket, board, err := s.ticketOfPath(c)
	if err != nil {
		return views.CommentProps{}, err
	}
	found, err := s.workflows.CommentOf(c.Request().Context(), ticket, wanted)
	if err != nil {
		return views.CommentProps{}, err
	}
	one := []tickets.Comment{found}
	texts, err := s.texts(c, bodies(one)...)
	if err != nil {
		return views.CommentProps{}, err
	}
	drawn, err := texts.drawn(one)
	if err != nil {
		return views.CommentProps{}, err
	}
	return views.CommentProps{Page: s.page(c, "Comment on "+ticket.Key.String()), Board: board, Ticket: ticket, Comment: drawn[0]}, nil
}

// oneComment shows a comment: alone to htmx, else on its ticket's page.
func (s *server) oneComment(c echo.Context) error {
	props, err := s.commentOfPath(c)
	if err != nil {
		return err
	}
	if !isFragment(c) {
		return c.Redirect(http.StatusSeeOther, views.CommentPath(company(c).Slug, props.Ticket.Key, props.Comment.ID))
	}
	return render(c, http.StatusOK, views.CommentItem(props))
}

func (s *server) editComment(c echo.Context) error {
	props, err := s.commentOfPath(c)
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
	return s.showEditComment(c, http.StatusOK, props)
}

func (s *server) showEditComment(c echo.Context, code int, props views.CommentProps) error {
	if isFragment(c) {
		return render(c, code, views.EditComment(props))
	}
	return render(c, code, views.EditCommentPage(props))
}

func (s *server) saveComment(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	wanted, err := pathComment(c)
	if err != nil {
		return err
	}
	form := views.CommentForm{Body: c.FormValue("body")}
	var said tickets.Said
	if form.Version, err = version(c); err == nil {
		seen := form.Version
		if over, bad := strconv.ParseUint(c.FormValue("overwrite"), 10, 63); bad == nil {
			seen = over
		}
		said, err = s.workflows.EditComment(c.Request().Context(), k, wanted, form.Body, seen)
	}
	if err != nil {
		return s.rejectEditComment(c, form, err)
	}
	return s.showSaved(c, said.Key, wanted)
}

// showSaved answers what changed a comment: with the comment, or by the way to it.
func (s *server) showSaved(c echo.Context, k tickets.Key, comment id.Comment) error {
	if !isFragment(c) {
		return s.see(c, views.CommentPath(company(c).Slug, k, comment), "")
	}
	props, err := s.commentOfPath(c)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.CommentItem(props))
}

func (s *server) rejectEditComment(c echo.Context, form views.CommentForm, err error) error {
	messages, code, ok := rejected(err)
	if !ok {
		return err
	}
	props, readErr := s.commentOfPath(c)
	if readErr != nil {
		return readErr
	}
	form.Errors = messages
	var stale tickets.StaleComment
	if errors.As(err, &stale) {
		form.Current = &stale.Current
	}
	props.Form = form
	return s.showEditComment(c, code, props)
}

func (s *server) removeComment(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	wanted, err := pathComment(c)
	if err != nil {
		return err
	}
	current, err := s.workflows.DeleteComment(c.Request().Context(), k, wanted)
	if err != nil {
		return err
	}
	return s.showSaved(c, current, wanted)
}
