package pages

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// CheckItem checks or unchecks an item of a description. After a conflict it shows the text as it is now.
func (h *Handlers) CheckItem(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	check, err := readCheck(c)
	var ticket tickets.Ticket
	if err == nil {
		ticket, _, err = h.workflows.CheckItem(c.Request().Context(), k, 0, check)
	}
	alert, code, err := rejectedCheck(err)
	if err != nil {
		return err
	}
	if alert == "" && !respond.IsFragment(c) {
		return h.respond.SeeOther(c, views.TicketPath(respond.Company(c).Slug, ticket.Key)+boxOf(ticket, check), "")
	}
	return h.showFace(c, code, alert)
}

// CheckItemInComment is CheckItem for a comment.
func (h *Handlers) CheckItemInComment(c echo.Context) error {
	k, wanted, err := respond.PathKeyAndComment(c)
	if err != nil {
		return err
	}
	check, err := readCheck(c)
	var ticket tickets.Ticket
	if err == nil {
		ticket, _, err = h.workflows.CheckItem(c.Request().Context(), k, wanted, check)
	}
	alert, code, err := rejectedCheck(err)
	if err != nil {
		return err
	}
	if alert == "" && !respond.IsFragment(c) {
		return h.respond.SeeOther(c, views.CommentPath(respond.Company(c).Slug, ticket.Key, wanted), "")
	}
	props, err := h.commentOfPath(c)
	if err != nil {
		return err
	}
	props.Alert = alert
	if respond.IsFragment(c) {
		return respond.Render(c, code, pages.CommentFace(props))
	}
	return respond.Render(c, code, pages.CommentPage(props))
}

func readCheck(c echo.Context) (markup.Check, error) {
	check, ok := markup.ParseCheck(c.FormValue("check"))
	if !ok {
		return check, tickets.BadItem()
	}
	return check, nil
}

// rejectedCheck returns why an item was not checked, with the status. The error is one that is not about the item.
func rejectedCheck(err error) (alert string, code int, _ error) {
	if err == nil {
		return "", http.StatusOK, nil
	}
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return "", 0, err
	}
	return strings.Join(slices.Sorted(maps.Values(messages)), " "), code, nil
}

// boxOf returns the fragment of the page's address with the box of an item.
func boxOf(ticket tickets.Ticket, check markup.Check) string {
	for i, item := range markup.Items(ticket.Description) {
		if item.Hash == check.Hash && item.Nth == check.Nth {
			return fmt.Sprintf("#%s-%d", views.ChecklistID, i)
		}
	}
	return ""
}

// MakeChild makes a ticket of an item of a description.
func (h *Handlers) MakeChild(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	check, err := readCheck(c)
	var ticket, child tickets.Ticket
	if err == nil {
		ticket, child, err = h.workflows.MakeChild(c.Request().Context(), k, check)
	}
	alert, code, err := rejectedCheck(err)
	if err != nil {
		return err
	}
	if alert != "" {
		return h.showFace(c, code, alert)
	}
	message := views.Flash{Text: child.Key.String() + " was created."}
	if respond.Target(c) == views.TicketID {
		return h.showWithProperties(c, message)
	}
	return h.respond.SeeOther(c, views.TicketPath(respond.Company(c).Slug, ticket.Key), message.Text)
}

// showFace responds with the ticket's page, or the part of it that is asked for: its description alone, or all but the
// comments.
func (h *Handlers) showFace(c echo.Context, code int, alert string) error {
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	if respond.IsFragment(c) && respond.Target(c) != views.TicketID {
		props := pages.TicketProps{Page: h.respond.Page(c, ""), Board: board, Ticket: ticket, Alert: alert}
		texts, err := h.texts(c, ticket, ticket.Description)
		if err != nil {
			return err
		}
		if err := texts.describe(&props); err != nil {
			return err
		}
		return respond.Render(c, code, pages.Face(props))
	}
	props, err := h.ticketProps(c, ticket, board, 0)
	if err != nil {
		return err
	}
	props.Alert = alert
	if respond.IsFragment(c) {
		return respond.Render(c, code, pages.TicketBody(props))
	}
	return respond.Render(c, code, pages.TicketPage(props))
}
