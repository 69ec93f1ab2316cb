package workflows

import (
	"context"
	"errors"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// lockedTicket is a ticket in a transaction that holds its lock.
type lockedTicket struct {
	tickets.Ticket
	tx      *db.Tx
	by      tickets.User
	columns map[id.Column]boards.Column // locked, too
	follow  *followUps                  // of moves, which whoever began the transaction does at its end
}

// errElsewhere says that a ticket changed columns between the read that says which to lock and the lock.
var errElsewhere = errors.New("the ticket is in another column")

// relocations is how often a use case reads a ticket's location again.
const relocations = 20

// findTicket calls do with a ticket as it is read, again if do returns errElsewhere.
func (w *Workflows) findTicket(ctx context.Context, key tickets.Key, do func(seen tickets.Ticket) error) error {
	actor, err := mayWrite(ctx, "tickets:write")
	if err != nil {
		return err
	}
	for range relocations {
		seen, err := tickets.ByKey(ctx, w.db.Queries, actor.Sight(), key)
		if err != nil {
			return err
		}
		if err := mayWriteOn(actor, seen.Grant); err != nil {
			return err
		}
		if err := do(seen); !errors.Is(err, errElsewhere) {
			return err
		}
	}
	return db.Unavailable{Why: "the ticket is moved again and again", Err: errElsewhere}
}

// onTicket runs do in a transaction that holds the ticket's lock but not its column's. The ticket's board is not
// archived. It returns tickets.NotFound or boards.Archived.
func (w *Workflows) onTicket(ctx context.Context, key tickets.Key, do func(t lockedTicket) error) error {
	return w.findTicket(ctx, key, func(seen tickets.Ticket) error {
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
			return do(lockedTicket{Ticket: locked, tx: tx, by: user(accounts.ActorFrom(ctx))})
		})
	})
}

// inColumns is onTicket for a ticket that was read, with the locks of its column and of others. number, if not nil,
// takes the lock of an incrementer, which comes between those of columns and tickets. It returns errElsewhere if the
// ticket is in another column by now.
func (w *Workflows) inColumns(
	ctx context.Context, seen tickets.Ticket, others []id.Column,
	number func(tx *db.Tx) error, do func(t lockedTicket) error,
) error {
	return w.change(ctx, func(tx *db.Tx) error {
		columns, err := boards.LockColumns(ctx, tx, append(others, seen.Column)...)
		if err != nil {
			return err
		}
		if number != nil {
			if err := number(tx); err != nil {
				return err
			}
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
		t := lockedTicket{Ticket: locked, tx: tx, by: user(accounts.ActorFrom(ctx)), columns: columns, follow: &followUps{}}
		if err := do(t); err != nil {
			return err
		}
		return t.follow.do(ctx, tx, t.by)
	})
}

// carry moves the ticket, which may be deleted, as the intent says, under a key that may be another, and notes what follows.
// The intent's column is locked. placed is false for a ticket that is there already. It returns
// boards.ColumnFull.
func (t lockedTicket) carry(
	ctx context.Context, key tickets.Key, intent tickets.Intent, closedAt *time.Time,
) (moved tickets.MoveResult, placed bool, err error) {
	to := t.columns[intent.Column]
	target := tickets.Target{Board: to.Board, Key: key, LastRank: to.LastRank, ClosedAt: closedAt}
	moved, placed, err = tickets.Move(ctx, t.tx, t.Ticket, intent, target)
	if err != nil || !placed {
		return moved, false, err
	}
	if t.Deleted() || t.Column != to.ID {
		if err := to.Admit(1); err != nil {
			return moved, true, err
		}
	}
	t.follow.note(t.Ticket, moved.Ticket)
	return moved, true, nil
}

// record adds an action on the ticket to its history, with its locations before and after.
func (t lockedTicket) record(
	ctx context.Context, kind string, moved *tickets.MoveResult, detail tickets.Detail,
) (err error) {
	to := moved.To()
	detail.To = &to
	if moved.From.Column != 0 {
		detail.From = &moved.From
	}
	if moved.From.Column != to.Column {
		detail.Column = &tickets.Change{Old: t.columns[moved.From.Column].Name, New: t.columns[to.Column].Name}
	}
	if moved.Was != moved.Ticket.Key {
		detail.Key = &tickets.Change{Old: moved.Was.String(), New: moved.Ticket.Key.String()}
	}
	moved.Activity, err = tickets.Record(ctx, t.tx, t.ID, t.by, kind, detail)
	return err
}

// notify adds notifications about the ticket, never for the caller's own action.
func (t lockedTicket) notify(ctx context.Context, n tickets.Notifications) error {
	n.Company, n.Ticket, n.By = accounts.ActorFrom(ctx).Company.ID, t.Ticket, t.by
	return tickets.Notify(ctx, t.tx, n)
}
