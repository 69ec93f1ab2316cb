package pages

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) RelationForm(c echo.Context) error {
	return h.showRelationForm(c, http.StatusOK, nil)
}

// showRelationForm shows the form with its input, and the tickets that its text finds.
func (h *Handlers) showRelationForm(c echo.Context, code int, messages views.Errors) error {
	ticket, board, err := h.ticketToChange(c)
	if err != nil {
		return err
	}
	props := pages.RelationProps{Page: h.respond.Page(c, "Relations of "+ticket.Key.String()), Board: board, Ticket: ticket,
		Kind: tickets.BlockedBy, Find: c.FormValue("q"), Other: c.FormValue("other"), Close: c.FormValue("close") != "", Errors: messages}
	if kind, err := tickets.ParseRelationKind(c.FormValue("kind")); err == nil {
		props.Kind = kind
	}
	if strings.TrimSpace(props.Find) != "" {
		found, err := h.workflows.JumpTo(c.Request().Context(), board.Slug, props.Find)
		if err != nil {
			return err
		}
		props.Found = slices.DeleteFunc(jumpTickets(found, nil, props.Find), func(t tickets.SearchResult) bool { return t.Key == ticket.Key })
	}
	switch {
	case respond.Target(c) == views.RelatedFoundID:
		return respond.Render(c, code, pages.RelatedFound(props))
	case respond.IsFragment(c):
		respond.Retarget(c, "#"+views.RelateID)
		return respond.Render(c, code, pages.RelationForm(props))
	}
	return respond.Render(c, code, pages.RelationPage(props))
}

// AddRelation adds a relation to a ticket that is chosen from the list, or whose key is typed.
func (h *Handlers) AddRelation(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	kind, other, err := readRelation(c, c.FormValue("q"))
	var ticket tickets.Ticket
	var entry tickets.Activity
	switch {
	case err != nil:
	case kind == tickets.Duplicates && c.FormValue("close") != "":
		var moved tickets.MoveResult
		moved, _, err = h.workflows.CloseAsDuplicate(c.Request().Context(), k, other)
		ticket, entry.ID = moved.Ticket, moved.Activity
	default:
		ticket, entry, err = h.workflows.Relate(c.Request().Context(), k, kind, other)
	}
	if err == nil {
		return h.ticketSaved(c, ticket, entry)
	}
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	if message, at := messages["other"]; at { // the field in which it is typed
		messages["q"] = message
		delete(messages, "other")
	}
	return h.showRelationForm(c, code, messages)
}

// readRelation reads the kind and the key of the other ticket of a form; typed is the key if none was chosen.
func readRelation(c echo.Context, typed string) (kind tickets.RelationKind, other tickets.Key, err error) {
	text := c.FormValue("other")
	if text == "" {
		text = strings.TrimSpace(typed)
	}
	kind, badKind := tickets.ParseRelationKind(c.FormValue("kind"))
	var badKey error
	if other, err = tickets.ParseKey(strings.ToUpper(text)); err != nil {
		badKey = tickets.RelatedNotFound(text)
	}
	return kind, other, fault.Join(badKind, badKey)
}

// DropRelation removes a relation. One that is gone is removed already.
func (h *Handlers) DropRelation(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	kind, other, err := readRelation(c, "")
	if err != nil {
		return err
	}
	ticket, entry, err := h.workflows.Unrelate(c.Request().Context(), k, kind, other)
	if errors.Is(err, tickets.CodeRelatedNotFound) { // deleted, or out of sight by now
		ticket, _, err = h.ticketOfPath(c)
	}
	if err != nil {
		return err
	}
	return h.ticketSaved(c, ticket, entry)
}
