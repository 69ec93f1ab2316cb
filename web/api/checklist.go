package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/web/respond"
)

// item is an item of a checklist as JSON.
type item struct {
	ID      string `json:"id"` // of the item in this text: it is another after an edit of the item
	Text    string `json:"text"`
	Checked bool   `json:"checked"`
}

// items lists those of a text; a requester's is plain text.
func items(c echo.Context, text string, plain bool) error {
	page := listResource[item]{Items: []item{}}
	if !plain {
		for _, i := range markup.Items(text) {
			page.Items = append(page.Items, item{ID: i.ID(), Text: i.Text, Checked: i.Checked})
		}
	}
	return answer(c, http.StatusOK, page)
}

// Checklist lists the items of a description.
func (h *Handlers) Checklist(c echo.Context) error {
	ticket, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	return items(c, ticket.Description, ticket.FromRequester)
}

// CommentChecklist lists the items of a comment.
func (h *Handlers) CommentChecklist(c echo.Context) error {
	_, comment, err := respond.PathKeyAndComment(c)
	if err != nil {
		return err
	}
	ticket, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	found, err := h.workflows.CommentOf(c.Request().Context(), ticket, comment)
	if err != nil {
		return err
	}
	return items(c, found.Body, found.FromRequester)
}

// CheckItem checks or unchecks an item of a description.
func (h *Handlers) CheckItem(c echo.Context) error {
	ticket, err := h.checkItem(c, 0)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Ticket(ticket))
}

// CheckItemInComment checks or unchecks an item of a comment.
func (h *Handlers) CheckItemInComment(c echo.Context) error {
	_, comment, err := respond.PathKeyAndComment(c)
	if err != nil {
		return err
	}
	ticket, err := h.checkItem(c, comment)
	if err != nil {
		return err
	}
	found, err := h.workflows.CommentOf(c.Request().Context(), ticket, comment)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Comment(ticket.Key, found))
}

// MakeChild makes a ticket of an item of a description.
func (h *Handlers) MakeChild(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	var in struct {
		Item string `json:"item"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	check, ok := markup.ParseCheck(in.Item + "-1")
	if !ok {
		return noItem
	}
	_, child, err := h.workflows.MakeChild(c.Request().Context(), k, check)
	if err == nil {
		child, err = h.workflows.Ticket(c.Request().Context(), child.Key)
	}
	return created(c, h.respond.Links(c).Ticket(child), err)
}

var noItem = badJSON("item is no id of an item: send one as it is listed", "item")

// checkItem checks an item of a comment, 0 for the description.
func (h *Handlers) checkItem(c echo.Context, comment id.Comment) (ticket tickets.Ticket, err error) {
	k, err := respond.PathKey(c)
	if err != nil {
		return ticket, err
	}
	var in struct {
		Item    string `json:"item"`
		Checked *bool  `json:"checked"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return ticket, err
	}
	check, ok := markup.ParseCheck(in.Item + "-1")
	var wrong []error
	if !ok {
		wrong = append(wrong, noItem)
	}
	if in.Checked == nil {
		wrong = append(wrong, badJSON("checked is missing: send true or false", "checked"))
	}
	if err := fault.Join(wrong...); err != nil {
		return ticket, err
	}
	check.Checked = *in.Checked
	ticket, _, err = h.workflows.CheckItem(c.Request().Context(), k, comment, check)
	return ticket, err
}
