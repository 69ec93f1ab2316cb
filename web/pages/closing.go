package pages

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/a-h/templ"
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

// Undo reverts actions of the user: those that the form names, or else the last one, with those that were made together
// with it. A board gets its present columns.
func (h *Handlers) Undo(c echo.Context) error {
	ctx := c.Request().Context()
	activities, err := idsField[id.Activity](c, "activity", tickets.MaxBatch, tickets.NothingToUndo(), tickets.NothingToUndo())
	if err != nil {
		return err
	}
	if len(activities) > 1 {
		return h.undoBatch(c, activities)
	}
	var activity id.Activity
	var passed []id.Activity
	if len(activities) == 1 {
		activity = activities[0]
	} else {
		passed = h.respond.RefusedUndos(ctx)
		batch, err := h.lastBatch(ctx, passed)
		if err != nil {
			return err
		}
		if len(batch) > 1 {
			return h.undoBatch(c, batch)
		}
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
	return h.showUndone(c, []workflows.UndoResult{undone}, views.Flash{Text: undoneNote(undone)})
}

// lastBatch is the user's last change of several tickets, if nothing was done since.
func (h *Handlers) lastBatch(ctx context.Context, passed []id.Activity) ([]id.Activity, error) {
	batch := h.respond.Batch(ctx)
	if batch == nil {
		return nil, nil
	}
	last, err := h.workflows.LastAction(ctx, passed...)
	if errors.Is(err, tickets.CodeNothingToUndo) || err == nil && !slices.Contains(batch, last) {
		return nil, nil
	}
	return batch, err
}

// undoBatch reverts actions that were made together, the last one first. One that stays as it is leaves the others
// undone.
func (h *Handlers) undoBatch(c echo.Context, activities []id.Activity) error {
	ctx := c.Request().Context()
	var undone []workflows.UndoResult
	var refused error
	for _, activity := range slices.Backward(activities) {
		one, err := h.workflows.Undo(ctx, activity)
		if err != nil && len(undone) == 0 && (errors.Is(err, fault.Unavailable) || errors.Is(err, fault.Unknown)) {
			return err
		}
		if err != nil {
			refused = err
			continue
		}
		undone = append(undone, one)
	}
	if err := h.respond.KeepBatch(c, nil); err != nil {
		return err
	}
	if len(undone) == 0 {
		return refused
	}
	back := map[tickets.ID]bool{}
	for _, one := range undone {
		back[one.Ticket.ID] = true
	}
	messages := []views.Flash{{Text: "Undone: " + views.Count(int64(len(back)), "ticket is as it was.", "tickets are as they were.")}}
	if left := len(activities) - len(undone); left > 0 {
		messages = append(messages, views.Flash{Bad: true, Text: views.Count(int64(left), "ticket stays", "tickets stay") +
			" as now: " + fault.Message(refused)})
	}
	return h.showUndone(c, undone, messages...)
}

// showUndone responds to an undo: to a board with its columns, which the tickets may have come from another one to.
func (h *Handlers) showUndone(c echo.Context, undone []workflows.UndoResult, messages ...views.Flash) error {
	if respond.Target(c) != views.BoardID {
		next := respond.OwnPath(c.FormValue("next"))
		if next == "" {
			next = views.TicketPath(respond.Company(c).Slug, undone[0].Ticket.Key)
		}
		return h.seeAll(c, next, messages)
	}
	changed := map[string][]id.Column{}
	for _, one := range undone {
		changed[one.Board.Slug] = append(changed[one.Board.Slug], one.Columns...)
		if one.Left.ID != one.Board.ID {
			changed[one.Left.Slug] = append(changed[one.Left.Slug], one.Columns...)
		}
	}
	var columns []templ.Component
	for _, slug := range slices.Sorted(maps.Keys(changed)) {
		now, err := h.columnsNow(c, slug, "", changed[slug]...)
		if err != nil {
			return err
		}
		columns = append(columns, now...)
	}
	return h.renderToasts(c, columns, messages)
}

// seeAll redirects to a page with messages.
func (h *Handlers) seeAll(c echo.Context, path string, messages []views.Flash) error {
	for _, message := range messages {
		if err := h.respond.Flash(c, message); err != nil {
			return err
		}
	}
	return respond.Redirect(c, path)
}

func undoneNote(undone workflows.UndoResult) string {
	in, _ := undone.Board.Column(undone.Ticket.Column)
	note := "Undone: " + undone.Ticket.Key.String()
	switch undone.Kind {
	case tickets.KindClosed:
		note += " is open again, in " + in.Name + "."
	case tickets.KindReopened:
		note += " is closed again."
	case tickets.KindSet, tickets.KindChecked, tickets.KindRelated, tickets.KindAttached, tickets.KindAssigned:
		note += " is as it was."
	default:
		note += " is back in " + in.Name + "."
	}
	if undone.Gone {
		note += " Its column is gone, so it is in the first."
	}
	return note
}
