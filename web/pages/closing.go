package pages

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// CloseTicket closes a ticket, or with closed=0 reopens it.
func (h *Handlers) CloseTicket(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	do, done := h.workflows.CloseTicket, " is closed."
	switch c.FormValue("closed") {
	case "1":
	case "0":
		do, done = h.workflows.ReopenTicket, " is open again."
	default:
		return badClosed()
	}
	moved, _, err := do(c.Request().Context(), k)
	if err != nil {
		return err
	}
	return h.seeUndo(c, views.TicketPath(respond.Company(c).Slug, moved.Ticket.Key), moved.Ticket.Key.String()+done,
		moved.Activity)
}

// codeBadClosed: the field closed is neither 1 nor 0. Reload the page.
const codeBadClosed fault.Code = "Ticket.BadClosed"

func badClosed() error {
	return fault.Invalid.New(codeBadClosed, "closed", "closed must be 1 or 0. Reload the page and try again.")
}

// seeUndo is SeeOther with a button that undoes the activity; 0 is none.
func (h *Handlers) seeUndo(c echo.Context, path, message string, activity id.Activity) error {
	if err := h.respond.Flash(c, views.Flash{Text: message, Undo: activity}); err != nil {
		return err
	}
	return respond.Redirect(c, path)
}

// DeletionForm asks whether to delete a ticket.
func (h *Handlers) DeletionForm(c echo.Context) error {
	ticket, board, err := h.ticketToChange(c)
	if err != nil {
		return err
	}
	props := pages.DeletionProps{Page: h.respond.Page(c, "Delete "+ticket.Key.String()), Board: board, Ticket: ticket}
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, pages.DeletionForm(props))
	}
	return respond.Render(c, http.StatusOK, pages.DeletionPage(props))
}

func (h *Handlers) DeleteTicket(c echo.Context) error {
	ctx := c.Request().Context()
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	if err := h.workflows.DeleteTicket(ctx, k); err != nil {
		return err
	}
	ticket, board, deletion, err := h.workflows.DeletedTicket(ctx, k)
	if err != nil {
		return err
	}
	return h.seeUndo(c, views.FilteredPath(respond.Company(c).Slug, board.Slug, filterOf(c)),
		ticket.Key.String()+" is deleted.", deletion.ID)
}

func (h *Handlers) RestoreTicket(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	moved, board, err := h.workflows.RestoreTicket(c.Request().Context(), k)
	if err != nil {
		return err
	}
	in, _ := board.Column(moved.Ticket.Column)
	return h.respond.SeeOther(c, views.TicketPath(respond.Company(c).Slug, moved.Ticket.Key),
		moved.Ticket.Key.String()+" was restored to "+in.Name+".")
}

// DeletedTickets lists the tickets that can be restored.
func (h *Handlers) DeletedTickets(c echo.Context) error {
	below, ok := tickets.ParseDeletedCursor(c.QueryParam("below"))
	if !ok {
		return echo.ErrBadRequest
	}
	board, list, next, err := h.workflows.DeletedTickets(c.Request().Context(), c.Param("board"), below)
	if err != nil {
		return err
	}
	if err := respond.CheckName(c, "board", board.Slug); err != nil {
		return err
	}
	props := pages.DeletedListProps{Page: h.respond.Page(c, "Deleted tickets of "+board.Title), Board: board, List: list,
		Next: next}
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, pages.DeletedRows(props))
	}
	return respond.Render(c, http.StatusOK, pages.DeletedListPage(props))
}

// Undo reverts an action of the user, the last one if the form names none. A board gets its present columns.
func (h *Handlers) Undo(c echo.Context) error {
	ctx := c.Request().Context()
	var activity id.Activity
	var passed []id.Activity
	if text := c.FormValue("activity"); text != "" {
		var err error
		if activity, err = respond.RowID[id.Activity](text, tickets.NothingToUndo()); err != nil {
			return err
		}
	} else {
		passed = h.respond.RefusedUndos(ctx)
	}
	undone, err := h.workflows.Undo(ctx, activity, passed...)
	var refused workflows.UndoRefusal
	if activity == 0 && errors.As(err, &refused) && !errors.Is(err, fault.Unavailable) &&
		!errors.Is(err, fault.Unknown) {
		// The user knows why; the next press reverts the action before it.
		if err := h.respond.KeepRefusedUndo(c, refused.Activity); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	note := undoneNote(undone)
	if respond.Target(c) == views.BoardID {
		return h.showUndone(c, undone, views.Flash{Text: note})
	}
	next := respond.OwnPath(c.FormValue("next"))
	if next == "" {
		next = views.TicketPath(respond.Company(c).Slug, undone.Ticket.Key)
	}
	if err := h.respond.Flash(c, views.Flash{Text: note}); err != nil {
		return err
	}
	return respond.Redirect(c, next)
}

// showUndone responds to a board: the ticket may have come from another one.
func (h *Handlers) showUndone(c echo.Context, undone workflows.UndoResult, message views.Flash) error {
	columns, err := h.columnsNow(c, undone.Board.Slug, "", undone.Columns...)
	if err != nil {
		return err
	}
	if undone.Left.ID != undone.Board.ID {
		others, err := h.columnsNow(c, undone.Left.Slug, "", undone.Columns...)
		if err != nil {
			return err
		}
		columns = append(columns, others...)
	}
	return h.renderToast(c, columns, message)
}

func undoneNote(undone workflows.UndoResult) string {
	in, _ := undone.Board.Column(undone.Ticket.Column)
	note := "Undone: " + undone.Ticket.Key.String()
	switch undone.Kind {
	case tickets.KindClosed:
		note += " is open again, in " + in.Name + "."
	case tickets.KindReopened:
		note += " is closed again."
	case tickets.KindSet, tickets.KindChecked, tickets.KindRelated, tickets.KindAttached:
		note += " is as it was."
	default:
		note += " is back in " + in.Name + "."
	}
	if undone.Gone {
		note += " Its column is gone, so it is in the first."
	}
	return note
}
