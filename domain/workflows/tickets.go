package workflows

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Ticket returns a ticket, or tickets.NotFound.
func (w *Workflows) Ticket(ctx context.Context, key tickets.Key) (tickets.Ticket, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return tickets.Ticket{}, err
	}
	return tickets.ByKey(ctx, w.db.Queries, actor.Sight(), key)
}

// TicketOnBoard returns a ticket with its board.
func (w *Workflows) TicketOnBoard(ctx context.Context, key tickets.Key) (tickets.Ticket, boards.Board, error) {
	ticket, err := w.Ticket(ctx, key)
	if err != nil {
		return tickets.Ticket{}, boards.Board{}, err
	}
	board, err := boards.BySlug(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight(), ticket.Key.Board)
	return ticket, board, err
}

// History returns a page of a ticket's history, newest first, from below before; 0 means from the newest. more says
// that there are older entries. The change of a description is in EntryOf.
func (w *Workflows) History(
	ctx context.Context, ticket tickets.ID, before id.Activity,
) (entries []tickets.Activity, more bool, err error) {
	return tickets.History(ctx, w.db.Queries, ticket, before, HistoryPerPage)
}

// EntryOf returns an entry of a ticket's history, or tickets.NotFound.
func (w *Workflows) EntryOf(ctx context.Context, ticket tickets.Ticket, entry id.Activity) (tickets.Activity, error) {
	return tickets.ActivityOf(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight(), ticket, entry)
}

// TicketsOf returns a board and up to limit of its tickets in board order: of one column, or of all from left to right
// if column is 0. after is the end of the page before, nil for the start; next is the end of this one, nil if there is
// no more. It returns boards.NotFound or ColumnNotFound.
func (w *Workflows) TicketsOf(
	ctx context.Context, slug string, column id.Column, after *tickets.Cursor, limit int,
) (board boards.Board, list []tickets.Ticket, next *tickets.Cursor, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return board, nil, nil, err
	}
	board, err = boards.BySlug(ctx, w.db.Queries, actor.Sight(), slug)
	if err != nil {
		return board, nil, nil, err
	}
	columns, err := columnsFrom(board, column, after)
	if err != nil {
		return board, nil, nil, err
	}
	for i, c := range columns {
		if i > 0 {
			after = nil
		}
		some, err := tickets.Below(ctx, w.db.Queries, board.ID, board.Slug, c, after, limit-len(list)+1)
		if err != nil {
			return board, nil, nil, err
		}
		if list = append(list, some...); len(list) > limit {
			end := list[limit-1].Cursor()
			list, next = list[:limit], &end
			break
		}
	}
	return board, list, next, w.complete(ctx, actor.Sight(), list)
}

// complete gives tickets their assignees, labels, relations, attachments and recurrences, in a query each.
func (w *Workflows) complete(ctx context.Context, by db.Sight, list []tickets.Ticket) error {
	ids := make([]tickets.ID, len(list))
	for i, t := range list {
		ids[i] = t.ID
	}
	found, err := tickets.AssigneesOf(ctx, w.db.Queries, by.Company, ids)
	if err != nil {
		return err
	}
	labels, err := tickets.LabelsOf(ctx, w.db.Queries, ids)
	if err != nil {
		return err
	}
	relations, err := tickets.RelationsOf(ctx, w.db.Queries, by, ids)
	if err != nil {
		return err
	}
	attachments, err := tickets.AttachmentsOf(ctx, w.db.Queries, ids)
	if err != nil {
		return err
	}
	recurrences, err := tickets.RecurrencesOf(ctx, w.db.Queries, ids)
	for i := range list {
		of := list[i].ID
		list[i].Assignees, list[i].Labels, list[i].Relations = found[of], labels[of], relations[of]
		list[i].Attachments, list[i].Recurrence = attachments[of], recurrences[of]
	}
	return err
}

// columnsFrom returns the columns to list, the first of them that of the cursor.
func columnsFrom(board boards.Board, column id.Column, after *tickets.Cursor) ([]id.Column, error) {
	var columns []id.Column
	for _, c := range board.Columns {
		if column == 0 || c.ID == column {
			columns = append(columns, c.ID)
		}
	}
	if len(columns) == 0 {
		return nil, boards.ColumnNotFound{Column: uint64(column)}
	}
	if after == nil {
		return columns, nil
	}
	for i, c := range columns {
		if c == after.Column {
			return columns[i:], nil
		}
	}
	return nil, boards.ColumnNotFound{Column: uint64(after.Column)}
}

// EditTicket changes a ticket's title or description. It returns tickets.NotFound, Stale, or all that is wrong with the
// edit.
func (w *Workflows) EditTicket(
	ctx context.Context, key tickets.Key, edit tickets.Edit,
) (ticket tickets.Ticket, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return tickets.Ticket{}, err
	}
	err = w.onTicket(ctx, key, func(t lockedTicket) error {
		if ticket, err = tickets.Save(ctx, t.tx, t.Ticket, edit, t.by); err != nil {
			return err
		}
		if edit.Description != nil && !ticket.FromRequester { // a requester's text is plain
			if err := keepMedia(ctx, t.tx, actor, t.Ticket, 0, w.mediaIn(actor, ticket.Description)); err != nil {
				return err
			}
		}
		return t.notifyMentioned(ctx, tickets.Notifications{}, t.Description, ticket.Description)
	})
	if err != nil {
		return tickets.Ticket{}, fmt.Errorf("edit ticket: %w", err)
	}
	return ticket, nil
}

// Conflict returns what happened to a ticket since the version that an edit was made from.
func (w *Workflows) Conflict(
	ctx context.Context, current tickets.Ticket, version uint64,
) (conflict tickets.Conflict, err error) {
	if _, err := MayRead(ctx, "tickets:read"); err != nil {
		return conflict, err
	}
	conflict.Current = current
	conflict.Since, conflict.Known, err = tickets.EditsSince(ctx, w.db.Queries, current, version)
	return conflict, err
}

// ConflictAt returns the conflict that a user was shown when the ticket had a version: Current has its texts.
func (w *Workflows) ConflictAt(
	ctx context.Context, current tickets.Ticket, base, shown uint64,
) (tickets.Conflict, error) {
	conflict, err := w.Conflict(ctx, current, base)
	if err != nil || !conflict.Known || shown == current.Version {
		return conflict, err
	}
	since, err := w.Conflict(ctx, current, shown)
	conflict.Known = since.Known
	conflict.Current.Title, conflict.Current.Description = since.Since.Title, since.Since.Description
	return conflict, err
}

// PlacementOf returns a ticket's position, for the form that moves it.
func (w *Workflows) PlacementOf(ctx context.Context, ticket tickets.Ticket) (tickets.Placement, error) {
	return tickets.PlacementOf(ctx, w.db.Queries, ticket)
}
