package pages

import (
	"errors"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// propertiesView is a form of properties, alone and as a page.
type propertiesView struct {
	id         string
	form, page func(pages.PropertiesProps) templ.Component
}

var (
	priorityView = propertiesView{views.PriorityID, pages.PriorityForm, pages.PriorityPage}
	datesView    = propertiesView{views.DatesID, pages.DatesForm, pages.DatesPage}
	titleView    = propertiesView{views.TitleID, pages.TitleForm, pages.TitlePage}
)

func (h *Handlers) PriorityForm(c echo.Context) error { return h.propertiesForm(c, priorityView) }
func (h *Handlers) DatesForm(c echo.Context) error    { return h.propertiesForm(c, datesView) }
func (h *Handlers) TitleForm(c echo.Context) error    { return h.propertiesForm(c, titleView) }

func (h *Handlers) propertiesForm(c echo.Context, view propertiesView) error {
	ticket, board, err := h.ticketToChange(c)
	if err != nil {
		return err
	}
	now := respond.LocalNow(c)
	props := pages.PropertiesProps{Page: h.respond.Page(c, ticket.Key.String()), Board: board, Ticket: ticket,
		Title: ticket.Title, Priority: ticket.Priority, Start: views.DateInput(ticket.Start, now),
		Due: views.DateInput(ticket.Due, now), Seen: ticket.Properties, Today: now}
	return view.show(c, http.StatusOK, props)
}

func (v propertiesView) show(c echo.Context, code int, props pages.PropertiesProps) error {
	if respond.IsFragment(c) {
		respond.Retarget(c, "#"+v.id)
		return respond.Render(c, code, v.form(props))
	}
	return respond.Render(c, code, v.page(props))
}

// SetPriority serves the form of the priority.
func (h *Handlers) SetPriority(c echo.Context) error {
	priority, err := tickets.ParsePriority(c.FormValue("priority"))
	seen, bad := tickets.ParsePriority(c.FormValue("seen"))
	if err = fault.Join(err, bad); err != nil {
		return h.rejectProperties(c, priorityView, err)
	}
	edit := tickets.PropertyEdit{Seen: &tickets.Properties{Priority: seen}}
	if priority != seen {
		edit.Priority = &priority
	}
	return h.setProperties(c, priorityView, edit)
}

// SetTitle serves the form of the title.
func (h *Handlers) SetTitle(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	ticket, err := h.workflows.SetTitle(c.Request().Context(), k, c.FormValue("title"), c.FormValue("seen"))
	if err != nil {
		return h.rejectProperties(c, titleView, err)
	}
	return h.ticketSaved(c, ticket, tickets.Activity{})
}

// SetDates serves the form of the dates, and its buttons for a due date.
func (h *Handlers) SetDates(c echo.Context) error {
	edit, err := readDates(c)
	if err != nil {
		return h.rejectProperties(c, datesView, err)
	}
	return h.setProperties(c, datesView, edit)
}

// readDates reads the dates of a form. A field with the text that it had changes nothing.
func readDates(c echo.Context) (edit tickets.PropertyEdit, err error) {
	now := respond.LocalNow(c)
	var due, start tickets.Date
	var badDue, badStart error
	if edit.Seen, err = seenDates(c); err != nil {
		return edit, err
	}
	text := c.FormValue("due")
	if quick := c.FormValue("quick"); quick != "" {
		text = quick
	}
	if text != views.DateInput(edit.Seen.Due, now) {
		due, badDue = tickets.ParseTypedDate("due", text, now)
		edit.Due = &due
	}
	if text := c.FormValue("start"); text != views.DateInput(edit.Seen.Start, now) {
		start, badStart = tickets.ParseTypedDate("start", text, now)
		edit.Start = &start
	}
	return edit, fault.Join(badDue, badStart)
}

func seenDates(c echo.Context) (seen *tickets.Properties, err error) {
	var badDue, badStart error
	seen = &tickets.Properties{}
	seen.Due, badDue = tickets.ParseDate("seen", c.FormValue("seen_due"))
	seen.Start, badStart = tickets.ParseDate("seen", c.FormValue("seen_start"))
	return seen, fault.Join(badDue, badStart)
}

func (h *Handlers) setProperties(c echo.Context, view propertiesView, edit tickets.PropertyEdit) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	ticket, entry, err := h.workflows.SetProperties(c.Request().Context(), k, edit)
	if err != nil {
		return h.rejectProperties(c, view, err)
	}
	return h.ticketSaved(c, ticket, entry)
}

// ticketSaved responds to a form of a ticket's properties or labels: with the ticket, or on a board with a message alone.
func (h *Handlers) ticketSaved(c echo.Context, ticket tickets.Ticket, entry tickets.Activity) error {
	message := views.Flash{Text: ticket.Key.String() + " is saved.", Undo: entry.ID}
	switch respond.Target(c) {
	case views.TicketID:
		return h.showWithProperties(c, message)
	case views.DialogID:
		return h.renderToast(c, nil, message)
	}
	return h.seeUndo(c, views.TicketPath(respond.Company(c).Slug, ticket.Key), message.Text, entry.ID)
}

// showWithProperties responds to a form in the dialog over a ticket's page with the ticket and a message.
func (h *Handlers) showWithProperties(c echo.Context, message views.Flash) error {
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	props, err := h.ticketProps(c, ticket, board, 0)
	if err != nil {
		return err
	}
	return h.renderToast(c, []templ.Component{pages.TicketBody(props)}, message)
}

// rejectProperties shows the form again with its input. After a conflict what is there now counts as seen.
func (h *Handlers) rejectProperties(c echo.Context, view propertiesView, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	if message, seen := messages["seen"]; seen { // no field of the form that a user could go to
		messages[""] = message
		delete(messages, "seen")
	}
	ticket, board, readErr := h.ticketOfPath(c)
	if readErr != nil {
		return readErr
	}
	now := respond.LocalNow(c)
	props := pages.PropertiesProps{Page: h.respond.Page(c, ticket.Key.String()), Board: board, Ticket: ticket,
		Title: c.FormValue("title"), Seen: ticket.Properties, Today: now, Errors: messages,
		Conflict: errors.Is(err, tickets.CodePropertiesChanged)}
	if props.Priority, err = tickets.ParsePriority(c.FormValue("priority")); err != nil {
		props.Priority = ticket.Priority
	}
	seen, err := seenDates(c)
	if err != nil {
		seen = &ticket.Properties
	}
	props.Due = typedOr(c.FormValue("due"), seen.Due, ticket.Due, now)
	props.Start = typedOr(c.FormValue("start"), seen.Start, ticket.Start, now)
	return view.show(c, code, props)
}

// typedOr returns what was typed over a date that was seen, or else the present date.
func typedOr(text string, seen, current tickets.Date, now time.Time) string {
	if text == views.DateInput(seen, now) {
		return views.DateInput(current, now)
	}
	return text
}
