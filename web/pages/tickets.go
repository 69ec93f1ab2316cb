package pages

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) NewTicket(c echo.Context) error {
	board, err := h.boardToChange(c)
	if err != nil {
		return err
	}
	chosen, err := respond.ParseColumn(c.QueryParam("column"))
	if err != nil {
		return echo.ErrBadRequest
	}
	form := pages.TicketForm{Column: chosen}
	if template := c.QueryParam("template"); template != "" {
		if form, err = h.beginWith(c, board, template, form); err != nil {
			return err
		}
	}
	if of := c.QueryParam("copy"); of != "" {
		if form, err = h.beginAsCopy(c, board, of); err != nil {
			return err
		}
	}
	return h.showNewTicket(c, http.StatusOK, board, form)
}

// beginAsCopy returns the form of a new ticket as a copy of another begins it.
func (h *Handlers) beginAsCopy(c echo.Context, board boards.Board, of string) (form pages.TicketForm, err error) {
	key, err := tickets.ParseKey(of)
	if err != nil {
		return form, tickets.NotFound()
	}
	ticket, err := h.workflows.Ticket(c.Request().Context(), key)
	if err != nil {
		return form, err
	}
	draft := tickets.Draft{Title: ticket.Title, Description: ticket.Description,
		Properties: tickets.Properties{Priority: ticket.Priority}}
	if column, ok := board.Column(ticket.Column); ok && !column.Done && !column.Leaving() {
		draft.Column = ticket.Column
	}
	for _, label := range ticket.Labels {
		draft.Labels = append(draft.Labels, label.Name)
	}
	for _, one := range ticket.Assignees {
		if one.Handle != "" {
			draft.Assignees = append(draft.Assignees, one.Handle)
		}
	}
	form = draftForm(draft)
	now := respond.LocalNow(c)
	form.Start, form.Due, form.CopyOf = views.DateInput(ticket.Start, now), views.DateInput(ticket.Due, now), &ticket.Key
	return form, nil
}

func (h *Handlers) showNewTicket(c echo.Context, code int, board boards.Board, form pages.TicketForm) (err error) {
	props := pages.NewTicketProps{Page: h.respond.Page(c, "New ticket"), Board: board, Form: form}
	if props.Templates, err = h.workflows.Templates(c.Request().Context(), board); err != nil {
		return err
	}
	if respond.IsFragment(c) {
		return respond.Render(c, code, pages.NewTicketForm(props))
	}
	return respond.Render(c, code, pages.NewTicketPage(props))
}

// OpenTicket serves three forms: the page, the dialog (again), and the line at a column's foot (inline).
func (h *Handlers) OpenTicket(c echo.Context) error {
	ctx, slug := c.Request().Context(), c.Param("board")
	form, draft := readDraft(c)
	var err error
	if key, err := tickets.ParseKey(c.FormValue("copy")); err == nil {
		form.CopyOf = &key
	}
	form.Template, _ = respond.RowID[id.Template](c.FormValue("template"), echo.ErrBadRequest) // what it began with, no more
	draft.FilesOf = form.CopyOf
	var ticket tickets.Ticket
	if draft.Column, err = respond.ParseColumn(c.FormValue("column")); err == nil {
		form.Column = draft.Column
		draft.Properties, err = formProperties(c, form)
	}
	if err == nil {
		ticket, err = respond.Once(c, func(once *workflows.Once[tickets.Ticket]) (tickets.Ticket, error) {
			return h.workflows.OpenTicket(ctx, slug, draft, once)
		})
	}
	if err != nil {
		return h.rejectTicket(c, form, err)
	}
	if !respond.IsFragment(c) {
		return h.respond.SeeOther(c, views.FilteredPath(respond.Company(c).Slug, ticket.Key.Board, filterOf(c)),
			ticket.Key.String()+" was created.")
	}
	next := pages.TicketForm{Column: ticket.Column, Created: &ticket.Key, Template: form.Template}
	shown, err := h.workflows.Shows(ctx, filterParams(c), ticket)
	if err != nil {
		return err
	}
	next.Hidden = !shown
	if c.FormValue("inline") != "" {
		return h.showColumn(c, http.StatusOK, slug, next)
	}
	return h.showAgain(c, slug, next)
}

// readDraft reads what the forms of a new ticket and of a template share, without what may be no value: column, priority
// and dates.
func readDraft(c echo.Context) (pages.TicketForm, tickets.Draft) {
	form := pages.TicketForm{Title: c.FormValue("title"), Description: c.FormValue("description"),
		Priority: c.FormValue("priority"), Start: c.FormValue("start"), Due: c.FormValue("due"),
		Labels: c.FormValue("labels"), Assignees: c.FormValue("assignees")}
	return form, tickets.Draft{Title: form.Title, Description: form.Description, Labels: splitLabels(form.Labels),
		Assignees: splitHandles(form.Assignees)}
}

// showAgain responds to the dialog: with the form for the next ticket, and the column of the last one.
func (h *Handlers) showAgain(c echo.Context, slug string, next pages.TicketForm) error {
	props, ok, err := h.columnNow(c, slug, next.Column)
	if err != nil {
		return err
	}
	again := pages.NewTicketProps{Page: h.respond.Page(c, "New ticket"), Board: props.Board, Form: next}
	if again.Templates, err = h.workflows.Templates(c.Request().Context(), props.Board); err != nil {
		return err
	}
	if template := next.Template; template != 0 {
		if again.Form, err = h.beginWith(c, props.Board, fmt.Sprint(template), next); errors.Is(err, tickets.CodeTemplateNotFound) {
			again.Form = next // it was deleted meanwhile
			again.Form.Template = 0
		} else if err != nil {
			return err
		}
	}
	form := pages.NewTicketForm(again)
	if !ok {
		return respond.Render(c, http.StatusOK, form)
	}
	return respond.Render(c, http.StatusOK, form, pages.ColumnOOB(props))
}

// showColumn responds to the line at a column's foot: with the present column, its form open.
func (h *Handlers) showColumn(c echo.Context, code int, slug string, form pages.TicketForm) error {
	props, ok, err := h.columnNow(c, slug, form.Column)
	if err != nil {
		return err
	}
	if !ok {
		return echo.ErrNotFound
	}
	props.Add, props.AddOpen = form, true
	if !props.Write {
		props.Alert = form.Errors[""] // there is no form for the message
	}
	return respond.Render(c, code, pages.Column(props))
}

func (h *Handlers) rejectTicket(c echo.Context, form pages.TicketForm, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	form.Errors = formErrors(messages, "title", "description", "column", "priority", "start", "due", "labels",
		"assignees")
	checkTexts(form)
	_, badProperties := formProperties(c, form)
	_, badLabels := labels.ParseNames(splitLabels(form.Labels))
	_, badAssignees := tickets.ParseAssignees(splitHandles(form.Assignees))
	respond.AddErrors(form.Errors, fault.Join(badProperties, badLabels, badAssignees))
	if respond.IsFragment(c) && c.FormValue("inline") != "" && form.Errors["column"] == "" {
		return h.showColumn(c, code, c.Param("board"), form)
	}
	board, err := h.workflows.Board(c.Request().Context(), c.Param("board"))
	if err != nil {
		return err
	}
	return h.showNewTicket(c, code, board, form)
}

// checkTexts adds the other errors of the texts of a rejected form.
func checkTexts(form pages.TicketForm) {
	_, badTitle := tickets.ParseTitle(form.Title)
	_, badDescription := tickets.ParseDescription(form.Description)
	respond.AddErrors(form.Errors, fault.Join(badTitle, badDescription))
}

// splitLabels returns the names of labels that were typed with commas between them.
func splitLabels(text string) (names []string) {
	for name := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(name) != "" {
			names = append(names, name)
		}
	}
	return names
}

// splitWords returns the words that were typed with spaces or commas between them.
func splitWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// splitHandles returns the handles that were typed with spaces or commas between them, in lower case and without the @.
func splitHandles(text string) (handles []string) {
	for _, word := range splitWords(text) {
		handles = append(handles, strings.ToLower(strings.TrimPrefix(word, "@")))
	}
	return handles
}

// formProperties reads the priority and the dates of the form of a new ticket.
func formProperties(c echo.Context, form pages.TicketForm) (p tickets.Properties, err error) {
	now := respond.LocalNow(c)
	var badPriority, badStart, badDue error
	p.Priority, badPriority = tickets.ParsePriority(form.Priority)
	p.Start, badStart = tickets.ParseTypedDate("start", form.Start, now)
	p.Due, badDue = tickets.ParseTypedDate("due", form.Due, now)
	if err := fault.Join(badPriority, badStart, badDue); err != nil {
		return p, err
	}
	return p, p.Check()
}

func (h *Handlers) Ticket(c echo.Context) error {
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	return h.showTicket(c, ticket, board, 0)
}

func (h *Handlers) showTicket(c echo.Context, ticket tickets.Ticket, board boards.Board, before id.Activity) error {
	props, err := h.ticketProps(c, ticket, board, before)
	if err != nil {
		return err
	}
	h.respond.RememberTicket(c, ticket.Key)
	if respond.Target(c) == views.TicketID {
		respond.ReplaceURL(c, views.TicketPath(respond.Company(c).Slug, ticket.Key))
		return respond.Render(c, http.StatusOK, pages.TicketBody(props))
	}
	if respond.Target(c) == views.MainID {
		return respond.Render(c, http.StatusOK, pages.TicketMain(props))
	}
	return respond.Render(c, http.StatusOK, pages.TicketPage(props))
}

func (h *Handlers) ticketProps(c echo.Context, ticket tickets.Ticket, board boards.Board,
	before id.Activity) (pages.TicketProps, error) {
	page, err := h.commentsShown(c, ticket)
	if err != nil {
		return pages.TicketProps{}, err
	}
	return h.ticketAndComments(c, ticket, board, before, page)
}

// ticketAndComments returns a ticket's page with these comments, and marks its notifications as read.
func (h *Handlers) ticketAndComments(c echo.Context, ticket tickets.Ticket, board boards.Board, before id.Activity,
	page tickets.Comments) (props pages.TicketProps, err error) {
	ctx := c.Request().Context()
	props = pages.TicketProps{Page: h.respond.Page(c, ticket.Key.String()+" "+ticket.Title), Board: board, Ticket: ticket,
		MaxFile: h.respond.MaxAttachment}
	if err := h.readTicket(c, ticket, &props.Page); err != nil {
		return props, err
	}
	if ticket.FromRequester {
		request, err := h.workflows.RequestOf(ctx, ticket)
		if err != nil {
			return props, err
		}
		props.Request = &request
	}
	if props.Activity, props.More, err = h.workflows.History(ctx, ticket.ID, before); err != nil {
		return props, err
	}
	if props.Seen, err = h.workflows.RelationsSeen(ctx, props.Activity); err != nil {
		return props, err
	}
	if props.Backlinks, err = h.workflows.Backlinks(ctx, ticket.ID, tickets.MaxBacklinks); err != nil {
		return props, err
	}
	sources := append(bodies(page.List), ticket.Title)
	if !ticket.FromRequester { // a requester's description is plain text
		sources = append(sources, ticket.Description)
	}
	texts, err := h.texts(c, ticket, sources...)
	if err != nil {
		return props, err
	}
	for _, span := range markup.Spans(ticket.Title, texts.link) {
		props.Heading = append(props.Heading, pages.Span(span))
	}
	if err := texts.describe(&props); err != nil {
		return props, err
	}
	props.Comments = pages.CommentsProps{Page: props.Page, Board: board, Ticket: ticket, Older: page.Older,
		Newer: page.Newer, Before: page.Before}
	props.Comments.Linked = props.Request != nil && props.Request.Linked
	props.Comments.List, err = texts.drawn(props.Page, board, ticket.Key, page.List)
	return props, err
}

// readTicket marks the user's notifications of a ticket as read, if any is unread.
func (h *Handlers) readTicket(c echo.Context, ticket tickets.Ticket, page *views.Page) error {
	if page.Unread == 0 {
		return nil
	}
	n, err := h.workflows.ReadTicket(c.Request().Context(), ticket)
	switch {
	case n == 0 || err != nil:
	case page.Unread > tickets.MaxUnread: // there are more than were counted
		page.Unread, err = h.workflows.Unread(c.Request().Context())
	default:
		page.Unread = max(0, page.Unread-n)
	}
	return err
}
