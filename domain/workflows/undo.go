package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// UndoResult is the outcome of an undo.
type UndoResult struct {
	Kind    string // of what was undone
	Ticket  tickets.Ticket
	Board   boards.Board
	Left    boards.Board // its board before the undo
	Columns []id.Column  // that have changed
	// Gone says that its column is gone, so that it went to the first.
	Gone bool
}

// UndoRefusal is an action that stays as it is, and the reason.
type UndoRefusal struct {
	Activity id.Activity
	Err      error
}

func (e UndoRefusal) Error() string { return e.Err.Error() }
func (e UndoRefusal) Unwrap() error { return e.Err }

// Undo reverts an action of the caller: a move, a close, a reopening, a deletion, or a change of properties, a
// checklist, a relation or a file, of the last 30 minutes; 0 is their latest in the company but for those passed over. The
// ticket goes below its old neighbour, or to the column's end if that is gone. It returns tickets.NothingToUndo, or UndoRefusal with UndoneBefore, ChangedSince,
// boards.ColumnFull or Archived.
func (w *Workflows) Undo(ctx context.Context, activity id.Activity, passed ...id.Activity) (UndoResult, error) {
	actor, err := mayWrite(ctx, "tickets:write")
	if err != nil {
		return UndoResult{}, err
	}
	latest := activity == 0
	for range relocations {
		if latest {
			since := w.db.Now().Add(-tickets.UndoFor)
			activity, err = tickets.LastAction(ctx, w.db.Queries, actor.Sight(), since, passed)
			if err != nil {
				return UndoResult{}, err
			}
		}
		var undone UndoResult
		undone, err = w.undo(ctx, actor, activity)
		switch {
		case err == nil:
			return undone, nil
		case errors.Is(err, errElsewhere):
		case latest && errors.Is(err, tickets.CodeUndoneBefore): // pressing the key twice undoes two actions
		default:
			return UndoResult{}, fmt.Errorf("undo: %w", UndoRefusal{activity, err})
		}
	}
	return UndoResult{}, db.Unavailable{Why: "the ticket is moved again and again", Err: err}
}

func (w *Workflows) undo(ctx context.Context, actor accounts.Actor, activity id.Activity) (UndoResult, error) {
	action, err := tickets.ActionByID(ctx, w.db.Queries, actor.Sight(), activity)
	if err != nil {
		return UndoResult{}, err
	}
	seen, err := tickets.ByID(ctx, w.db.Queries, actor.Sight(), action.Ticket)
	if err == nil && action.InPlace() {
		return w.undoInPlace(ctx, actor, action, seen)
	}
	tooLate := w.tooLate(action)
	if errors.Is(err, tickets.CodeNotFound) || err == nil && (action.Detail.From == nil || tooLate) {
		return UndoResult{}, tickets.NothingToUndo()
	}
	if err != nil {
		return UndoResult{}, err
	}
	back := reversal{action: action, old: *action.Detail.From}
	if back.move.from, err = boards.ByID(ctx, w.db.Queries, actor.Sight(), seen.Board); err != nil {
		return UndoResult{}, err
	}
	if back.move.to, err = boards.ByID(ctx, w.db.Queries, actor.Sight(), back.old.Board); err != nil {
		return UndoResult{}, err
	}
	for _, board := range []boards.Board{back.move.from, back.move.to} {
		if err := mayWriteOn(actor, board.Grant); err != nil {
			return UndoResult{}, err
		}
	}
	if back.old.After, err = w.currentKey(ctx, back.old.After); err != nil {
		return UndoResult{}, err
	}
	back.column = columnOf(back.move.to, &back.old).ID
	undone := UndoResult{
		Kind: action.Kind, Board: back.move.to, Left: back.move.from, Gone: back.column != back.old.Column,
	}
	err = w.change(ctx, func(tx *db.Tx) error {
		t, key, err := back.lock(ctx, tx, seen, user(actor))
		if err != nil {
			return err
		}
		if err := tickets.Undo(ctx, tx, t.Ticket, action); err != nil {
			return err
		}
		moved, err := back.carryOut(ctx, t, key)
		if err != nil {
			return err
		}
		undone.Ticket = moved.Ticket
		return t.follow.do(ctx, tx, t.by)
	})
	undone.Columns = []id.Column{back.column, seen.Column}
	return undone, err
}

// tooLate reports whether an action is too old to be undone.
func (w *Workflows) tooLate(action tickets.Action) bool {
	return action.At.Before(w.db.Now().Add(-tickets.UndoFor))
}

// undoInPlace reverts a change of properties, labels, assignees, a checklist, a relation or a file.
func (w *Workflows) undoInPlace(
	ctx context.Context, actor accounts.Actor, action tickets.Action, seen tickets.Ticket,
) (undone UndoResult, err error) {
	if w.tooLate(action) {
		return undone, tickets.NothingToUndo()
	}
	if undone.Board, err = boards.ByID(ctx, w.db.Queries, actor.Sight(), seen.Board); err != nil {
		return undone, err
	}
	if action.Kind == tickets.KindRelated {
		undone.Ticket, err = w.undoRelated(ctx, actor, action, seen)
		undone.Kind, undone.Left, undone.Columns = action.Kind, undone.Board, []id.Column{seen.Column}
		return undone, err
	}
	err = w.onTicket(ctx, seen.Key, func(t lockedTicket) (err error) {
		switch action.Kind {
		case tickets.KindChecked:
			undone.Ticket, err = tickets.UndoChecked(ctx, t.tx, t.Ticket, action, t.by)
		case tickets.KindAttached:
			undone.Ticket = t.Ticket
			err = tickets.UndoAttached(ctx, t.tx, t.Ticket, action, t.by)
		case tickets.KindAssigned:
			undone.Ticket, _, err = undoAssigned(ctx, t, actor, action)
		default:
			undone.Ticket, _, err = undoSet(ctx, t, actor, action)
		}
		return err
	})
	undone.Kind, undone.Left, undone.Columns = action.Kind, undone.Board, []id.Column{seen.Column}
	return undone, err
}

// undoSet reverts a change of properties, labels or the recurrence.
func undoSet(
	ctx context.Context, t lockedTicket, actor accounts.Actor, action tickets.Action,
) (tickets.Ticket, id.Activity, error) {
	live, err := labels.Lock(ctx, t.tx, actor.Company.ID, action.Detail.Labels.RemovedIDs()...)
	if err != nil {
		return tickets.Ticket{}, 0, err
	}
	return tickets.UndoSet(ctx, t.tx, t.Ticket, action, live, t.by)
}

// undoAssigned reverts a change of assignees, without notifications: those who come back were assigned before. It returns
// tickets.NotAssignable or NotOnBoard for one who cannot.
func undoAssigned(
	ctx context.Context, t lockedTicket, actor accounts.Actor, action tickets.Action,
) (tickets.Ticket, id.Activity, error) {
	back, err := assignableAccounts(ctx, t.tx, actor.Sight(), action.Detail.Assigned.Removed)
	if err != nil {
		return tickets.Ticket{}, 0, err
	}
	if err := allSee(ctx, t.tx, t.Board, back); err != nil {
		return tickets.Ticket{}, 0, err
	}
	return tickets.UndoAssigned(ctx, t.tx, actor.Company.ID, t.Ticket, action, back, t.by)
}

// currentKey returns the present key of a ticket. One that is no ticket's stays.
func (w *Workflows) currentKey(ctx context.Context, key *tickets.Key) (*tickets.Key, error) {
	if key == nil {
		return nil, nil
	}
	ticket, err := tickets.ByKey(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight(), *key)
	if errors.Is(err, fault.NotFound) {
		return key, nil
	}
	return &ticket.Key, err
}

// reversal is the way of a ticket back to a location.
type reversal struct {
	action tickets.Action
	move   move             // from its board to its old one
	old    tickets.Location // its old one
	column id.Column        // of the old location, or the board's first if that is gone
}

// lock takes all locks for it, and the ticket's key on the board that it goes back to. It returns errElsewhere or
// boards.Archived.
func (b *reversal) lock(
	ctx context.Context, tx *db.Tx, seen tickets.Ticket, by tickets.User,
) (t lockedTicket, key tickets.Key, err error) {
	columns, err := boards.LockColumns(ctx, tx, b.column, seen.Column)
	if err != nil {
		return t, key, err
	}
	if key, err = b.move.takeKey(ctx, tx, seen); err != nil {
		return t, key, err
	}
	locked, err := tickets.LockAny(ctx, tx, seen)
	if err != nil {
		return t, key, err
	}
	if columns[b.column].Board != b.move.to.ID || locked.Column != seen.Column || locked.Board != seen.Board {
		return t, key, errElsewhere
	}
	t = lockedTicket{Ticket: locked, tx: tx, by: by, columns: columns, follow: &followUps{}}
	return t, key, boards.Live(ctx, tx, locked.Board, b.move.to.ID)
}

// carryOut takes the ticket, which is as the action left it, back under a key.
func (b *reversal) carryOut(
	ctx context.Context, t lockedTicket, key tickets.Key,
) (moved tickets.MoveResult, err error) {
	closedAt := b.old.ClosedAt
	if t.columns[b.column].Done && closedAt == nil {
		closedAt = &t.tx.Now
	}
	if b.stays() {
		moved, err = tickets.SetClosed(ctx, t.tx, t.Ticket, closedAt)
	} else {
		moved, _, err = t.carry(ctx, key, b.intent(), closedAt)
	}
	if err != nil {
		return moved, err
	}
	return moved, t.record(ctx, tickets.KindUndone, &moved, tickets.Detail{Undid: b.action.Effect()})
}

// stays reports whether a ticket was closed or reopened without leaving its column.
func (b *reversal) stays() bool {
	kind := b.action.Effect()
	return (kind == tickets.KindClosed || kind == tickets.KindReopened) && b.action.Detail.To.Column == b.column
}

func (b *reversal) intent() tickets.Intent {
	if b.column != b.old.Column {
		return tickets.Intent{Column: b.column, AtEnd: true}
	}
	return tickets.Intent{Column: b.column, After: b.old.After}
}
