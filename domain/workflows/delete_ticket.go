package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// delete takes the ticket off its board, whose column is locked. It returns what it added to the history.
func (t lockedTicket) delete(ctx context.Context) (id.Activity, error) {
	entry, err := tickets.Delete(ctx, t.tx, t.Ticket, t.by)
	if err != nil {
		return 0, err
	}
	t.follow.shifts = append(t.follow.shifts, shift{t.Column, 0})
	return entry, nil
}

// DeletedPerPage is how many deleted tickets a page lists.
const DeletedPerPage = 50

// DeleteTicket takes a ticket off its board. Its number is never used again. It returns tickets.NotFound or
// boards.Archived.
func (w *Workflows) DeleteTicket(ctx context.Context, key tickets.Key) error {
	err := w.findTicket(ctx, key, func(seen tickets.Ticket) error {
		return w.inColumns(ctx, seen, nil, nil, func(t lockedTicket) error {
			_, err := t.delete(ctx)
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("delete ticket: %w", err)
	}
	return nil
}

// DeletedTickets returns a page of the tickets of a board that can be restored, the last deleted first, from below a
// cursor, or from the newest if that is nil. next is the start of the next page, nil if there is none. It returns
// boards.NotFound.
func (w *Workflows) DeletedTickets(
	ctx context.Context, slug string, below *tickets.DeletedCursor,
) (board boards.Board, list []tickets.DeletedTicket, next *tickets.DeletedCursor, err error) {
	if _, err := MayRead(ctx, "tickets:read"); err != nil {
		return board, nil, nil, err
	}
	if board, err = w.Board(ctx, slug); err != nil {
		return board, nil, nil, err
	}
	since := w.db.Now().Add(-tickets.KeepDeleted)
	list, err = tickets.DeletedOf(ctx, w.db.Queries, board.ID, board.Slug, since, below, DeletedPerPage+1)
	if err != nil || len(list) <= DeletedPerPage {
		return board, list, nil, err
	}
	list = list[:DeletedPerPage]
	last := list[DeletedPerPage-1]
	return board, list, &tickets.DeletedCursor{At: last.At, ID: last.ID}, nil
}

// DeletedTicket returns a deleted ticket that can be restored, with its board and the entry of its deletion. It returns
// tickets.NotFound for any other.
func (w *Workflows) DeletedTicket(
	ctx context.Context, key tickets.Key,
) (ticket tickets.Ticket, board boards.Board, deletion tickets.Activity, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return ticket, board, deletion, err
	}
	if ticket, err = tickets.DeletedByKey(ctx, w.db.Queries, actor.Sight(), key); err != nil {
		return ticket, board, deletion, err
	}
	if !w.restorable(ticket) {
		return tickets.Ticket{}, board, deletion, tickets.NotFound()
	}
	if board, err = boards.BySlug(ctx, w.db.Queries, actor.Sight(), ticket.Key.Board); err != nil {
		return ticket, board, deletion, err
	}
	deletion, err = tickets.Deletion(ctx, w.db.Queries, ticket)
	return ticket, board, deletion, err
}

func (w *Workflows) restorable(ticket tickets.Ticket) bool {
	return ticket.Deleted() && !ticket.DeletedAt.Before(w.db.Now().Add(-tickets.KeepDeleted))
}

// RestoreTicket puts a deleted ticket back at the end of its column, or of the board's first if that is gone. One that
// is not deleted stays as it is, and nothing is recorded. It returns tickets.NotFound, tickets.DeletedLongAgo,
// boards.ColumnFull or Archived.
func (w *Workflows) RestoreTicket(
	ctx context.Context, key tickets.Key,
) (moved tickets.MoveResult, board boards.Board, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return moved, board, err
	}
	seen, err := tickets.DeletedByKey(ctx, w.db.Queries, actor.Sight(), key)
	if errors.Is(err, tickets.CodeNotFound) {
		moved.Ticket, board, err = w.TicketOnBoard(ctx, key)
		return moved, board, err
	}
	if err != nil {
		return moved, board, err
	}
	if err := mayWriteOn(actor, seen.Grant); err != nil {
		return moved, board, err
	}
	if !w.restorable(seen) {
		return moved, board, tickets.DeletedLongAgo(seen.Key)
	}
	deletion, err := tickets.Deletion(ctx, w.db.Queries, seen)
	if err != nil {
		return moved, board, err
	}
	for range relocations {
		if board, err = boards.BySlug(ctx, w.db.Queries, actor.Sight(), seen.Key.Board); err != nil {
			return moved, board, err
		}
		to := columnOf(board, deletion.Detail.From)
		moved, err = w.restoreIn(ctx, actor, seen, to)
		if !errors.Is(err, errElsewhere) {
			break
		}
	}
	if err != nil {
		return tickets.MoveResult{}, board, fmt.Errorf("restore ticket: %w", err)
	}
	return moved, board, nil
}

// columnOf returns the column of a location, or the board's first if that is gone or being removed.
func columnOf(board boards.Board, location *tickets.Location) boards.Column {
	if location != nil {
		if column, ok := board.Target(location.Column); ok {
			return column
		}
	}
	return board.Entry()
}

func (w *Workflows) restoreIn(
	ctx context.Context, actor accounts.Actor, seen tickets.Ticket, to boards.Column,
) (moved tickets.MoveResult, err error) {
	err = w.change(ctx, func(tx *db.Tx) error {
		columns, err := boards.LockColumns(ctx, tx, to.ID)
		if err != nil {
			return err
		}
		locked, err := tickets.LockAny(ctx, tx, seen)
		if err != nil {
			return err
		}
		moved = tickets.MoveResult{Ticket: locked}
		if !locked.Deleted() {
			return nil // it was restored meanwhile
		}
		column, ok := columns[to.ID]
		if !ok || column.Board != locked.Board {
			return errElsewhere
		}
		if err := boards.Live(ctx, tx, locked.Board); err != nil {
			return err
		}
		t := lockedTicket{Ticket: locked, tx: tx, by: user(actor), columns: columns, follow: &followUps{}}
		closedAt := tickets.ClosedIn(locked, false, column.Done, tx.Now)
		if moved, _, err = t.carry(ctx, t.Key, tickets.Intent{Column: to.ID, AtEnd: true}, closedAt); err != nil {
			return err
		}
		if err := t.record(ctx, tickets.KindRestored, &moved, tickets.Detail{}); err != nil {
			return err
		}
		return t.follow.do(ctx, tx, t.by)
	})
	return moved, err
}
