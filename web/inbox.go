package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

func (s *server) inbox(c echo.Context) error {
	before, err := goesOn[id.Notification](c, "before")
	if err != nil {
		return err
	}
	props := views.InboxProps{Page: s.page(c, "Inbox")}
	if props.Entries, props.More, err = s.workflows.Inbox(c.Request().Context(), before); err != nil {
		return err
	}
	if isFragment(c) {
		return render(c, http.StatusOK, views.EntryRows(props))
	}
	return render(c, http.StatusOK, views.InboxPage(props))
}

// unread is the link to the inbox, which asks for itself again and again.
func (s *server) unread(c echo.Context) error {
	page, err := s.pageWithUnread(c)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.InboxLink(page, false))
}

func (s *server) pageWithUnread(c echo.Context) (views.Page, error) {
	page := s.page(c, "Inbox")
	var err error
	page.Unread, err = s.workflows.Unread(c.Request().Context())
	return page, err
}

// readInbox marks as read what the page showed and all before it.
func (s *server) readInbox(c echo.Context) error {
	upto, err := rowID[id.Notification](c.FormValue("upto"), tickets.EntryNotFound())
	if err != nil {
		return err
	}
	if err := s.workflows.ReadInbox(c.Request().Context(), upto); err != nil {
		return err
	}
	return s.see(c, views.InboxPath(company(c).Slug), "")
}

func (s *server) readEntry(c echo.Context) error {
	entry, err := rowID[id.Notification](c.Param("entry"), tickets.EntryNotFound())
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := s.workflows.ReadEntry(ctx, entry); err != nil {
		return err
	}
	if !isFragment(c) {
		return s.see(c, views.InboxPath(company(c).Slug), "")
	}
	list, _, err := s.workflows.Inbox(ctx, entry+1)
	if err != nil {
		return err
	}
	page, err := s.pageWithUnread(c)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.EntryItem(page, list[0]), views.InboxLink(page, true))
}

func (s *server) mute(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	muted := c.FormValue("muted") == "1"
	ticket, err := s.workflows.MuteTicket(c.Request().Context(), k, muted)
	if err != nil {
		return err
	}
	if target(c) == views.MuteID {
		return render(c, http.StatusOK, views.Mute(s.page(c, ""), ticket, muted))
	}
	message := "Replies to " + ticket.Key.String() + " come to your inbox again."
	if muted {
		message = "No more replies to " + ticket.Key.String() + " in your inbox."
	}
	return s.see(c, views.TicketPath(company(c).Slug, ticket.Key), message)
}
