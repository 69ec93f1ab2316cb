package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/web/respond"
)

// relation is a relation of a ticket as JSON.
type relation struct {
	Kind   string `json:"kind"` // parent, child, blocked-by, blocks, duplicates, duplicated-by or relates-to
	Key    string `json:"key"`
	Title  string `json:"title"`
	Closed bool   `json:"closed"`
}

// Relations are all relations of a ticket to tickets that the caller sees: it has at most tickets.MaxRelations.
func (h *Handlers) Relations(c echo.Context) error {
	ticket, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	page := listResource[relation]{Items: make([]relation, len(ticket.Relations))}
	for i, r := range ticket.Relations {
		page.Items[i] = relation{Kind: r.Kind.String(), Key: r.Key.String(), Title: r.Title, Closed: r.Closed}
	}
	return answer(c, http.StatusOK, page)
}

// backlink is a ticket that mentions another as JSON.
type backlink struct {
	Key     string      `json:"key"`
	Title   string      `json:"title"`
	Closed  bool        `json:"closed"`
	Comment *id.Comment `json:"comment"` // that mentions it; null if the title or description does
}

// maxBacklinks is how many tickets that mention one are listed.
const maxBacklinks = 75

// Backlinks are the newest tickets that mention a ticket, of those that the caller sees.
func (h *Handlers) Backlinks(c echo.Context) error {
	ticket, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	list, err := h.workflows.Backlinks(c.Request().Context(), ticket.ID, maxBacklinks)
	if err != nil {
		return err
	}
	page := listResource[backlink]{Items: make([]backlink, len(list))}
	for i, b := range list {
		page.Items[i] = backlink{Key: b.Key.String(), Title: b.Title, Closed: b.Closed}
		if b.Comment != 0 {
			page.Items[i].Comment = &b.Comment
		}
	}
	return answer(c, http.StatusOK, page)
}

// pathRelation reads the two tickets of a path, and what the second is to the first.
func pathRelation(c echo.Context) (k tickets.Key, kind tickets.RelationKind, other tickets.Key, err error) {
	if k, err = respond.PathKey(c); err != nil {
		return k, kind, other, err
	}
	kind, badKind := tickets.ParseRelationKind(c.Param("kind"))
	other, badKey := tickets.ParseKey(c.Param("other"))
	if badKey != nil {
		badKey = tickets.RelatedNotFound(c.Param("other"))
	}
	return k, kind, other, fault.Join(badKind, badKey)
}

func (h *Handlers) AddRelation(c echo.Context) error {
	k, kind, other, err := pathRelation(c)
	if err != nil {
		return err
	}
	ticket, _, err := h.workflows.Relate(c.Request().Context(), k, kind, other)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Ticket(ticket))
}

func (h *Handlers) DropRelation(c echo.Context) error {
	k, kind, other, err := pathRelation(c)
	if err != nil {
		return err
	}
	if _, _, err := h.workflows.Unrelate(c.Request().Context(), k, kind, other); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
