package pages

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Inbox(c echo.Context) error {
	before, err := respond.Cursor[id.Notification](c, "before")
	if err != nil {
		return err
	}
	props := pages.InboxProps{Page: h.respond.Page(c, "Inbox")}
	if props.Entries, props.Next, err = h.workflows.Inbox(c.Request().Context(), before); err != nil {
		return err
	}
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, pages.EntryRows(props))
	}
	return respond.Render(c, http.StatusOK, pages.InboxPage(props))
}

// Unread is the link to the inbox, which is live.
func (h *Handlers) Unread(c echo.Context) error {
	page, err := h.pageWithUnread(c)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, views.InboxLink(page, false))
}

func (h *Handlers) pageWithUnread(c echo.Context) (views.Page, error) {
	page := h.respond.Page(c, "Inbox")
	page.Path = respond.CurrentPath(c) // the link says if the user is there
	var err error
	page.Unread, err = h.workflows.Unread(c.Request().Context())
	return page, err
}

// ReadInbox marks as read what the page showed and all before it.
func (h *Handlers) ReadInbox(c echo.Context) error {
	upto, err := respond.RowID[id.Notification](c.FormValue("upto"), tickets.EntryNotFound())
	if err != nil {
		return err
	}
	if err := h.workflows.ReadInbox(c.Request().Context(), upto); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.InboxPath(respond.Company(c).Slug), "")
}

func (h *Handlers) ReadEntry(c echo.Context) error {
	entry, err := respond.RowID[id.Notification](c.Param("entry"), tickets.EntryNotFound())
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := h.workflows.ReadEntry(ctx, entry); err != nil {
		return err
	}
	if !respond.IsFragment(c) {
		return h.respond.SeeOther(c, views.InboxPath(respond.Company(c).Slug), "")
	}
	group, err := h.workflows.InboxEntry(ctx, entry)
	if err != nil {
		return err
	}
	page, err := h.pageWithUnread(c)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.EntryItem(page, group), views.InboxLink(page, true))
}

func (h *Handlers) Mute(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	muted := c.FormValue("muted") == "1"
	ticket, err := h.workflows.MuteTicket(c.Request().Context(), k, muted)
	if err != nil {
		return err
	}
	if respond.Target(c) == views.MuteID {
		return respond.Render(c, http.StatusOK, pages.Mute(h.respond.Page(c, ""), ticket, muted))
	}
	message := "You are notified of replies to " + ticket.Key.String() + " again."
	if muted {
		message = "You are no longer notified of replies to " + ticket.Key.String() + "."
	}
	return h.respond.SeeOther(c, views.TicketPath(respond.Company(c).Slug, ticket.Key), message)
}
