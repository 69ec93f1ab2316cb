package web

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

// closeTicket closes a ticket, or with closed=0 opens it again.
func (s *server) closeTicket(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	do, done := s.workflows.CloseTicket, " is closed."
	switch c.FormValue("closed") {
	case "1":
	case "0":
		do, done = s.workflows.ReopenTicket, " is open again."
	default:
		return badClosed()
	}
	moved, _, err := do(c.Request().Context(), k)
	if err != nil {
		return err
	}
	return s.seeUndo(c, views.TicketPath(company(c).Slug, moved.Ticket.Key), moved.Ticket.Key.String()+done, moved.Activity)
}

// codeBadClosed: the field closed is neither 1 nor 0. Reload the page.
const codeBadClosed fault.Code = "Ticket.BadClosed"

func badClosed() error {
	return fault.Error{
		Kind: fault.Invalid, Code: codeBadClosed, Field: "closed",
		Message: "closed must be 1 or 0. Reload the page and try again.",
	}
}

// seeUndo is see with a way to undo what was done; 0 is nothing.
func (s *server) seeUndo(c echo.Context, path, message string, activity id.Activity) error {
	if err := s.flash(c, views.Flash{Text: message, Undo: activity}); err != nil {
		return err
	}
	return goOn(c, path)
}

// deletionForm asks whether to delete a ticket.
func (s *server) deletionForm(c echo.Context) error {
	ticket, board, err := s.ticketToChange(c)
	if err != nil {
		return err
	}
	props := views.DeletionProps{Page: s.page(c, "Delete "+ticket.Key.String()), Board: board, Ticket: ticket}
	if isFragment(c) {
		return render(c, http.StatusOK, views.DeletionForm(props))
	}
	return render(c, http.StatusOK, views.DeletionPage(props))
}

func (s *server) deleteTicket(c echo.Context) error {
	ctx := c.Request().Context()
	k, err := key(c)
	if err != nil {
		return err
	}
	if err := s.workflows.DeleteTicket(ctx, k); err != nil {
		return err
	}
	ticket, board, deletion, err := s.workflows.DeletedTicket(ctx, k)
	if err != nil {
		return err
	}
	return s.seeUndo(c, views.FilteredPath(company(c).Slug, board.Slug, filterOf(c)), ticket.Key.String()+" is deleted.", deletion.ID)
}

func (s *server) restoreTicket(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	moved, board, err := s.workflows.RestoreTicket(c.Request().Context(), k)
	if err != nil {
		return err
	}
	in, _ := board.Column(moved.Ticket.Column)
	return s.see(c, views.TicketPath(company(c).Slug, moved.Ticket.Key), moved.Ticket.Key.String()+" is back, in "+in.Name+".")
}

// deletedPage is the page of a ticket that is gone: who deleted it and how to have it back. ok is false
// where the path names no such ticket.
func (s *server) deletedPage(c echo.Context) (page templ.Component, ok bool) {
	k, err := key(c)
	if err != nil {
		return nil, false
	}
	ticket, board, deletion, err := s.workflows.DeletedTicket(c.Request().Context(), k)
	if err != nil {
		if !errors.Is(err, fault.NotFound) {
			s.log.Warn("read a deleted ticket", "error", err)
		}
		return nil, false
	}
	return views.DeletedPage(views.DeletedProps{
		Page: s.page(c, ticket.Key.String()+" is deleted"), Board: board, Ticket: ticket, Deletion: deletion, Typed: typed(c),
	}), true
}

// deletedTickets lists what can be restored.
func (s *server) deletedTickets(c echo.Context) error {
	below, ok := tickets.ParseDeletedCursor(c.QueryParam("below"))
	if !ok {
		return echo.ErrBadRequest
	}
	board, list, next, err := s.workflows.DeletedTickets(c.Request().Context(), c.Param("board"), below)
	if err != nil {
		return err
	}
	if err := named(c, "board", board.Slug); err != nil {
		return err
	}
	props := views.DeletedListProps{Page: s.page(c, "Deleted tickets of "+board.Title), Board: board, List: list, Next: next}
	if isFragment(c) {
		return render(c, http.StatusOK, views.DeletedRows(props))
	}
	return render(c, http.StatusOK, views.DeletedListPage(props))
}

// undo turns back an action of who asks, the last where the form names none. A board gets its columns
// as they are then.
func (s *server) undo(c echo.Context) error {
	ctx := c.Request().Context()
	var activity id.Activity
	var passed []id.Activity
	if text := c.FormValue("activity"); text != "" {
		var err error
		if activity, err = rowID[id.Activity](text, tickets.NothingToUndo()); err != nil {
			return err
		}
	} else {
		passed = s.refusedUndos(ctx)
	}
	undone, err := s.workflows.Undo(ctx, activity, passed...)
	var refused workflows.Refused
	if activity == 0 && errors.As(err, &refused) && !errors.Is(err, fault.Unavailable) {
		// It was said why: the next press goes on to what was done before it.
		if err := s.keepRefusedUndo(c, refused.Activity); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	note := undoneNote(undone)
	if target(c) == views.BoardID {
		return s.showUndone(c, undone, views.Flash{Text: note})
	}
	next := ownPath(c.FormValue("next"))
	if next == "" {
		next = views.TicketPath(company(c).Slug, undone.Ticket.Key)
	}
	if err := s.flash(c, views.Flash{Text: note}); err != nil {
		return err
	}
	return goOn(c, next)
}

// showUndone answers a board: the ticket may have come from another one.
func (s *server) showUndone(c echo.Context, undone workflows.Undone, message views.Flash) error {
	columns, err := s.columnsNow(c, undone.Board.Slug, "", undone.Columns...)
	if err != nil {
		return err
	}
	if undone.Left.ID != undone.Board.ID {
		others, err := s.columnsNow(c, undone.Left.Slug, "", undone.Columns...)
		if err != nil {
			return err
		}
		columns = append(columns, others...)
	}
	return s.renderToast(c, columns, message)
}

func undoneNote(undone workflows.Undone) string {
	in, _ := undone.Board.Column(undone.Ticket.Column)
	note := "Undone: " + undone.Ticket.Key.String()
	switch undone.Kind {
	case tickets.KindClosed:
		note += " is open again, in " + in.Name + "."
	case tickets.KindReopened:
		note += " is closed again."
	default:
		note += " is back in " + in.Name + "."
	}
	if undone.Gone {
		note += " The column that it was in is gone, so it went to the first."
	}
	return note
}
