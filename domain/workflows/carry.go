package workflows

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// carry puts a locked ticket, which may be deleted, where the intent says, under a key that may be
// another, and keeps what is counted. columns are locked, the intent's among them. It returns
// boards.ColumnFull.
func carry(ctx context.Context, tx *db.Tx, locked tickets.Ticket, key tickets.Key, intent tickets.Intent, columns map[id.Column]boards.Column, closedAt *time.Time) (tickets.Moved, error) {
	to := columns[intent.Column]
	target := tickets.Target{Board: to.Board, Key: key, LastRank: to.LastRank, ClosedAt: closedAt}
	moved, placed, err := tickets.Move(ctx, tx, locked, intent, target)
	if err != nil || !placed {
		return moved, err
	}
	switch {
	case locked.Deleted():
		if err := to.Admit(1); err != nil {
			return moved, err
		}
		err = boards.Count(ctx, tx, to.ID, 1)
	case locked.Column != to.ID:
		_, err = crossing(ctx, tx, columns[locked.Column], to)
	}
	if err != nil || locked.Current() == moved.Ticket.Current() {
		return moved, err
	}
	return moved, tickets.SetCurrent(ctx, tx, locked.ID, moved.Ticket.Current())
}

// record adds what was done to a ticket to its history, with where it was and where it is.
func record(ctx context.Context, tx *db.Tx, by tickets.User, kind string, moved *tickets.Moved, columns map[id.Column]boards.Column, detail tickets.Detail) (err error) {
	to := moved.To()
	detail.To = &to
	if moved.From.Column != 0 {
		detail.From = &moved.From
	}
	if moved.From.Column != to.Column {
		detail.Column = &tickets.Change{Old: columns[moved.From.Column].Name, New: columns[to.Column].Name}
	}
	if moved.Was != moved.Ticket.Key {
		detail.Key = &tickets.Change{Old: moved.Was.String(), New: moved.Ticket.Key.String()}
	}
	moved.Activity, err = tickets.Record(ctx, tx, moved.Ticket.ID, by, kind, detail)
	return err
}
