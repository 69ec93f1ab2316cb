package respond

import (
	"errors"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/views/pages"
)

// deletedPage is the page of a deleted ticket: who deleted it, and how to restore it. ok is false if the path names no
// such ticket.
func (r *Responder) deletedPage(c echo.Context) (page templ.Component, ok bool) {
	k, err := PathKey(c)
	if err != nil {
		return nil, false
	}
	ticket, board, deletion, err := r.workflows.DeletedTicket(c.Request().Context(), k)
	if err != nil {
		if !errors.Is(err, fault.NotFound) {
			r.Log.Warn("read a deleted ticket", "error", err)
		}
		return nil, false
	}
	return pages.DeletedPage(pages.DeletedProps{
		Page: r.Page(c, ticket.Key.String()+" is deleted"), Board: board, Ticket: ticket, Deletion: deletion,
		Typed: typedTexts(c),
	}), true
}
