package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

func (s *server) newTicket(c echo.Context) error {
	board, err := s.boardToChange(c)
	if err != nil {
		return err
	}
	chosen, err := column(c.QueryParam("column"))
	if err != nil {
		return echo.ErrBadRequest
	}
	return s.showNewTicket(c, http.StatusOK, board, views.TicketForm{Column: chosen})
}

func (s *server) showNewTicket(c echo.Context, code int, board boards.Board, form views.TicketForm) error {
	props := views.NewTicketProps{Page: s.page(c, "New ticket"), Board: board, Form: form}
	if isFragment(c) {
		return render(c, code, views.NewTicketForm(props))
	}
	return render(c, code, views.NewTicketPage(props))
}

// openTicket serves three forms: the page, the dialog (again), and the line at a column's foot (inline).
func (s *server) openTicket(c echo.Context) error {
	ctx, slug := c.Request().Context(), c.Param("board")
	form := views.TicketForm{Title: c.FormValue("title"), Description: c.FormValue("description")}
	var err error
	var ticket tickets.Ticket
	if form.Column, err = column(c.FormValue("column")); err == nil {
		ticket, err = s.workflows.OpenTicket(ctx, slug, tickets.Draft{Title: form.Title, Description: form.Description, Column: form.Column}, nil)
	}
	if err != nil {
		return s.rejectTicket(c, form, err)
	}
	if !isFragment(c) {
		return s.see(c, views.FilteredPath(company(c).Slug, ticket.Key.Board, filterOf(c)), ticket.Key.String()+" is open.")
	}
	next := views.TicketForm{Column: ticket.Column, Created: &ticket.Key}
	shown, err := s.workflows.Shows(ctx, narrowing(c), ticket)
	if err != nil {
		return err
	}
	next.Hidden = !shown
	if c.FormValue("inline") != "" {
		return s.showColumn(c, http.StatusOK, slug, next)
	}
	return s.showAgain(c, slug, next)
}

// showAgain answers the dialog: the form for the next ticket, and the column that the last one came to.
func (s *server) showAgain(c echo.Context, slug string, next views.TicketForm) error {
	props, ok, err := s.columnNow(c, slug, next.Column)
	if err != nil {
		return err
	}
	form := views.NewTicketForm(views.NewTicketProps{Page: s.page(c, "New ticket"), Board: props.Board, Form: next})
	if !ok {
		return render(c, http.StatusOK, form)
	}
	return render(c, http.StatusOK, form, views.ColumnOOB(props))
}

// showColumn answers the line at a column's foot: the column as it is now, its form open.
func (s *server) showColumn(c echo.Context, code int, slug string, form views.TicketForm) error {
	props, ok, err := s.columnNow(c, slug, form.Column)
	if err != nil {
		return err
	}
	if !ok {
		return echo.ErrNotFound
	}
	props.Add, props.AddOpen = form, true
	if !props.Write {
		props.Alert = form.Errors[""] // there is no form to say it in
	}
	return render(c, code, views.Column(props))
}

func (s *server) rejectTicket(c echo.Context, form views.TicketForm, err error) error {
	messages, code, ok := rejected(err)
	if !ok {
		return err
	}
	form.Errors = messages
	checkTexts(form)
	if isFragment(c) && c.FormValue("inline") != "" && form.Errors["column"] == "" {
		return s.showColumn(c, code, c.Param("board"), form)
	}
	board, err := s.workflows.Board(c.Request().Context(), c.Param("board"))
	if err != nil {
		return err
	}
	return s.showNewTicket(c, code, board, form)
}

// checkTexts adds what else is wrong with a rejected form.
func checkTexts(form views.TicketForm) {
	_, badTitle := tickets.ParseTitle(form.Title)
	_, badDescription := tickets.ParseDescription(form.Description)
	addErrors(form.Errors, fault.Join(badTitle, badDescription))
}

func (s *server) ticket(c echo.Context) error {
	ticket, board, err := s.ticketOfPath(c)
	if err != nil {
		return err
	}
	return s.showTicket(c, ticket, board, 0)
}

func (s *server) showTicket(c echo.Context, ticket tickets.Ticket, board boards.Board, before id.Activity) error {
	props, err := s.ticketProps(c, ticket, board, before)
	if err != nil {
		return err
	}
	if target(c) == views.TicketID {
		showPath(c, views.TicketPath(company(c).Slug, ticket.Key))
		return render(c, http.StatusOK, views.TicketBody(props))
	}
	if target(c) == views.MainID {
		return render(c, http.StatusOK, views.TicketMain(props))
	}
	return render(c, http.StatusOK, views.TicketPage(props))
}

func (s *server) ticketProps(c echo.Context, ticket tickets.Ticket, board boards.Board, before id.Activity) (views.TicketProps, error) {
	page, err := s.commentsShown(c, ticket)
	if err != nil {
		return views.TicketProps{}, err
	}
	return s.ticketPropsWith(c, ticket, board, before, page)
}

// ticketPropsWith returns a ticket's page with these comments. Whoever looks at it has read what they
// were told of it.
func (s *server) ticketPropsWith(c echo.Context, ticket tickets.Ticket, board boards.Board, before id.Activity, page tickets.Comments) (props views.TicketProps, err error) {
	ctx := c.Request().Context()
	props = views.TicketProps{Page: s.page(c, ticket.Key.String()+" "+ticket.Title), Board: board, Ticket: ticket}
	if err := s.readTicket(c, ticket, &props.Page); err != nil {
		return props, err
	}
	if ticket.FromRequester {
		request, err := s.workflows.RequestOf(ctx, ticket)
		if err != nil {
			return props, err
		}
		props.Request = &request
	}
	if props.Activity, props.More, err = s.workflows.History(ctx, ticket.ID, before); err != nil {
		return props, err
	}
	sources := append(bodies(page.List), ticket.Title)
	if !ticket.FromRequester { // whose description is shown as it was typed
		sources = append(sources, ticket.Description)
	}
	texts, err := s.texts(c, sources...)
	if err != nil {
		return props, err
	}
	for _, span := range markup.Spans(ticket.Title, texts.link) {
		props.Heading = append(props.Heading, views.Span(span))
	}
	if !ticket.FromRequester {
		if props.HTML, err = texts.html(ticket.Description); err != nil {
			return props, err
		}
	}
	props.Comments = views.CommentsProps{Page: props.Page, Board: board, Ticket: ticket, Older: page.Older, Newer: page.Newer}
	props.Comments.Linked = props.Request != nil && props.Request.Linked
	props.Comments.List, err = texts.drawn(page.List)
	return props, err
}

// readTicket marks what someone was told of a ticket as read, where there is anything unread at all.
func (s *server) readTicket(c echo.Context, ticket tickets.Ticket, page *views.Page) error {
	if page.Unread == 0 {
		return nil
	}
	n, err := s.workflows.ReadTicket(c.Request().Context(), ticket)
	switch {
	case n == 0 || err != nil:
	case page.Unread > tickets.MaxUnread: // there are more than were counted
		page.Unread, err = s.workflows.Unread(c.Request().Context())
	default:
		page.Unread = max(0, page.Unread-n)
	}
	return err
}
