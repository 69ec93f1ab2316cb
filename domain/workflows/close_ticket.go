package workflows

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// CloseTicket closes a ticket: it goes to the top of the board's first done column, or stays if there is none. A closed
// ticket stays as it is, and nothing is recorded. It returns tickets.NotFound, boards.ColumnFull or Archived.
func (w *Workflows) CloseTicket(
	ctx context.Context, key tickets.Key,
) (moved tickets.MoveResult, board boards.Board, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return moved, board, err
	}
	err = w.findTicket(ctx, key, func(seen tickets.Ticket) error {
		if board, err = boards.BySlug(ctx, w.db.Queries, actor.Sight(), seen.Key.Board); err != nil {
			return err
		}
		var others []id.Column
		done, ok := board.FirstColumn(true)
		if ok {
			others = []id.Column{done.ID}
		}
		return w.inColumns(ctx, seen, others, nil, func(t lockedTicket) error {
			moved, err = t.close(ctx, done.ID)
			return err
		})
	})
	if err != nil {
		return tickets.MoveResult{}, board, fmt.Errorf("close ticket: %w", err)
	}
	return moved, board, nil
}

// close closes the ticket: it goes to the top of a locked column, which is to be a done one; 0 is none. It returns
// errElsewhere.
func (t lockedTicket) close(ctx context.Context, done id.Column) (moved tickets.MoveResult, err error) {
	moved = tickets.MoveResult{Ticket: t.Ticket}
	if t.Closed() {
		return moved, nil
	}
	if done != 0 && !t.columns[t.Column].Done {
		if to := t.columns[done]; !to.Done || to.Board != t.Board {
			return moved, errElsewhere
		}
		moved, _, err = t.carry(ctx, t.Key, tickets.Intent{Column: done}, &t.tx.Now)
	} else {
		moved, err = tickets.SetClosed(ctx, t.tx, t.Ticket, &t.tx.Now)
	}
	if err != nil {
		return moved, err
	}
	t.follow.closed = append(t.follow.closed, t.ID)
	return moved, t.record(ctx, tickets.KindClosed, &moved, tickets.Detail{})
}

// ReopenTicket reopens a ticket: it goes to the end of the column that it was closed from, or of the first that is not
// done; if it was closed within its column, it stays. An open ticket stays as it is, and nothing is recorded. It
// returns tickets.NotFound, boards.AllDone, ColumnFull or Archived.
func (w *Workflows) ReopenTicket(
	ctx context.Context, key tickets.Key,
) (moved tickets.MoveResult, board boards.Board, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return moved, board, err
	}
	err = w.findTicket(ctx, key, func(seen tickets.Ticket) error {
		if board, err = boards.BySlug(ctx, w.db.Queries, actor.Sight(), seen.Key.Board); err != nil {
			return err
		}
		goal, err := reopenIn(ctx, w.db.Queries, seen, board)
		if err != nil {
			return err
		}
		return w.inColumns(ctx, seen, []id.Column{goal.ID}, nil, func(t lockedTicket) error {
			moved, err = t.reopen(ctx, goal.ID)
			return err
		})
	})
	if err != nil {
		return tickets.MoveResult{}, board, fmt.Errorf("reopen ticket: %w", err)
	}
	return moved, board, nil
}

// reopen reopens the ticket: it goes to the end of a locked column, which is not to be a done one. It returns errElsewhere.
func (t lockedTicket) reopen(ctx context.Context, goal id.Column) (moved tickets.MoveResult, err error) {
	moved = tickets.MoveResult{Ticket: t.Ticket}
	if !t.Closed() {
		return moved, nil
	}
	if t.columns[t.Column].Done {
		if to := t.columns[goal]; to.Done || to.Board != t.Board {
			return moved, errElsewhere
		}
		moved, _, err = t.carry(ctx, t.Key, tickets.Intent{Column: goal, AtEnd: true}, nil)
	} else {
		moved, err = tickets.SetClosed(ctx, t.tx, t.Ticket, nil)
	}
	if err != nil {
		return moved, err
	}
	return moved, t.record(ctx, tickets.KindReopened, &moved, tickets.Detail{})
}

// reopenIn returns the column for a ticket that is reopened.
func reopenIn(ctx context.Context, q *db.Queries, ticket tickets.Ticket, board boards.Board) (boards.Column, error) {
	if here, ok := board.Column(ticket.Column); ok && !here.Done {
		return here, nil
	}
	spots, err := tickets.LastLocations(ctx, q, ticket.ID)
	if err != nil {
		return boards.Column{}, err
	}
	for _, location := range spots {
		if column, ok := board.Target(location.Column); ok && !column.Done {
			return column, nil
		}
	}
	if column, ok := board.FirstColumn(false); ok {
		return column, nil
	}
	return boards.Column{}, boards.AllDone()
}
