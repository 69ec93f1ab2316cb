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

// Ticket returns a ticket, or tickets.NotFound.
func (w *Workflows) Ticket(ctx context.Context, key tickets.Key) (tickets.Ticket, error) {
	actor, err := Reading(ctx, "tickets:read")
	if err != nil {
		return tickets.Ticket{}, err
	}
	return tickets.ForReader(ctx, w.db.Queries, actor.Company.ID, key, actor.Account.ID)
}

// TicketOnBoard returns a ticket with its board.
func (w *Workflows) TicketOnBoard(ctx context.Context, key tickets.Key) (tickets.Ticket, boards.Board, error) {
	ticket, err := w.Ticket(ctx, key)
	if err != nil {
		return tickets.Ticket{}, boards.Board{}, err
	}
	board, err := boards.BySlug(ctx, w.db.Queries, accounts.ActorFrom(ctx).Company.ID, ticket.Key.Board)
	return ticket, board, err
}

// History returns a page of a ticket's history, newest first, from below before; 0 means from the
// newest. more says that there are older entries. EntryOf tells what an edit changed in a description.
func (w *Workflows) History(ctx context.Context, ticket tickets.ID, before id.Activity) (entries []tickets.Activity, more bool, err error) {
	return tickets.History(ctx, w.db.Queries, ticket, before, HistoryPerPage)
}

// EntryOf returns an entry of a ticket's history, or tickets.NotFound.
func (w *Workflows) EntryOf(ctx context.Context, ticket tickets.Ticket, entry id.Activity) (tickets.Activity, error) {
	return tickets.ActivityOf(ctx, w.db.Queries, ticket, entry)
}

// TicketsOf returns a board and up to limit of its tickets in board order, those of one column or, where
// column is 0, of all from left to right. after is where the page before ended, nil for the start;
// next is where to go on, nil at the end. It returns boards.NotFound or ColumnNotFound.
func (w *Workflows) TicketsOf(ctx context.Context, slug string, column id.Column, after *tickets.Cursor, limit int) (board boards.Board, list []tickets.Ticket, next *tickets.Cursor, err error) {
	actor, err := Reading(ctx, "tickets:read")
	if err != nil {
		return board, nil, nil, err
	}
	board, err = boards.BySlug(ctx, w.db.Queries, actor.Company.ID, slug)
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
	return board, list, next, w.addAssignees(ctx, actor.Company.ID, list)
}

// addAssignees gives tickets their assignees, in one query.
func (w *Workflows) addAssignees(ctx context.Context, company id.Company, list []tickets.Ticket) error {
	ids := make([]tickets.ID, len(list))
	for i, t := range list {
		ids[i] = t.ID
	}
	found, err := tickets.AssigneesOf(ctx, w.db.Queries, company, ids)
	for i := range list {
		list[i].Assignees = found[list[i].ID]
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

// EditTicket changes a ticket's title or description. It returns tickets.NotFound, Stale, or what
// is wrong with the edit.
func (w *Workflows) EditTicket(ctx context.Context, key tickets.Key, edit tickets.Edit) (ticket tickets.Ticket, err error) {
	if _, err := changing(ctx, "tickets"); err != nil {
		return tickets.Ticket{}, err
	}
	err = w.onTicket(ctx, key, func(tx *db.Tx, locked tickets.Ticket, by tickets.User) error {
		if ticket, err = tickets.Save(ctx, tx, locked, edit, by); err != nil {
			return err
		}
		company := accounts.ActorFrom(ctx).Company.ID
		return tellNamed(ctx, tx, company, tickets.Notifications{Ticket: locked, By: by}, locked.Description, ticket.Description)
	})
	if err != nil {
		return tickets.Ticket{}, fmt.Errorf("edit ticket: %w", err)
	}
	return ticket, nil
}

// Conflict returns what happened to a ticket since the version that an edit of it saw.
func (w *Workflows) Conflict(ctx context.Context, current tickets.Ticket, version uint64) (conflict tickets.Conflict, err error) {
	if _, err := Reading(ctx, "tickets:read"); err != nil {
		return conflict, err
	}
	conflict.Current = current
	conflict.Since, conflict.Known, err = tickets.EditsSince(ctx, w.db.Queries, current, version)
	return conflict, err
}

// errElsewhere says that a ticket changed columns between the read that says which to lock and the lock.
var errElsewhere = errors.New("the ticket is in another column")

// relocations is how often a use case looks again where a ticket is.
const relocations = 20

// onTicket runs fn in a transaction that holds the ticket's lock but not its column's. The ticket's
// board is not archived. It returns tickets.NotFound or boards.Archived.
func (w *Workflows) onTicket(ctx context.Context, key tickets.Key, fn func(tx *db.Tx, locked tickets.Ticket, by tickets.User) error) error {
	return w.found(ctx, key, func(actor accounts.Actor, seen tickets.Ticket) error {
		return w.change(ctx, func(tx *db.Tx) error {
			locked, err := tickets.Lock(ctx, tx, seen)
			if err != nil {
				return err
			}
			if locked.Board != seen.Board {
				return errElsewhere
			}
			if err := boards.Live(ctx, tx, locked.Board); err != nil {
				return err
			}
			return fn(tx, locked, person(actor))
		})
	})
}

// inPlace runs fn in a transaction that holds the locks of the ticket, its column and those named.
// The ticket's board is not archived. It returns tickets.NotFound or boards.Archived.
func (w *Workflows) inPlace(ctx context.Context, key tickets.Key, also []id.Column, fn func(tx *db.Tx, locked tickets.Ticket, columns map[id.Column]boards.Column, by tickets.User) error) error {
	return w.numbered(ctx, key, also, noNumber, fn)
}

func noNumber(*db.Tx, tickets.Ticket) error { return nil }

// numbered is inPlace where number takes the lock of an incrementer, which comes between those of
// columns and tickets.
func (w *Workflows) numbered(ctx context.Context, key tickets.Key, also []id.Column, number func(tx *db.Tx, seen tickets.Ticket) error,
	fn func(tx *db.Tx, locked tickets.Ticket, columns map[id.Column]boards.Column, by tickets.User) error) error {
	return w.found(ctx, key, func(actor accounts.Actor, seen tickets.Ticket) error {
		return w.held(ctx, actor, seen, also, number, fn)
	})
}

// held is one look of numbered: it returns errElsewhere where the ticket is not as it was seen.
func (w *Workflows) held(ctx context.Context, actor accounts.Actor, seen tickets.Ticket, also []id.Column, number func(tx *db.Tx, seen tickets.Ticket) error,
	fn func(tx *db.Tx, locked tickets.Ticket, columns map[id.Column]boards.Column, by tickets.User) error) error {
	return w.change(ctx, func(tx *db.Tx) error {
		columns, err := boards.LockColumns(ctx, tx, append(also, seen.Column)...)
		if err != nil {
			return err
		}
		if err := number(tx, seen); err != nil {
			return err
		}
		locked, err := tickets.Lock(ctx, tx, seen)
		if err != nil {
			return err
		}
		if locked.Column != seen.Column {
			return errElsewhere
		}
		if err := boards.Live(ctx, tx, locked.Board); err != nil {
			return err
		}
		return fn(tx, locked, columns, person(actor))
	})
}

// found calls do with a ticket as it is read, again while do returns errElsewhere.
func (w *Workflows) found(ctx context.Context, key tickets.Key, do func(actor accounts.Actor, seen tickets.Ticket) error) error {
	actor, err := writing(ctx, "tickets:write")
	if err != nil {
		return err
	}
	for range relocations {
		seen, err := tickets.ByKey(ctx, w.db.Queries, actor.Company.ID, key)
		if err != nil {
			return err
		}
		if err := do(actor, seen); !errors.Is(err, errElsewhere) {
			return err
		}
	}
	return db.Unavailable{Why: "the ticket is moved again and again", Err: errElsewhere}
}

// PlaceOf returns where a ticket is: what a form that moves it remembers as seen.
func (w *Workflows) PlaceOf(ctx context.Context, ticket tickets.Ticket) (tickets.Placement, error) {
	return tickets.PlacementOf(ctx, w.db.Queries, ticket)
}
