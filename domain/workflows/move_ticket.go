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
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// MoveTicket puts a ticket below another, on its board or on another one, where it gets a new key and keeps the old one
// as an alias. It returns the board that the ticket is on then, or tickets.NotFound, boards.Unknown, ColumnNotFound,
// ColumnFull, Archived, tickets.MovedSince or AfterItself. A ticket that is there already stays, and nothing is
// recorded.
func (w *Workflows) MoveTicket(
	ctx context.Context, key tickets.Key, intent tickets.Intent,
) (moved tickets.MoveResult, board boards.Board, err error) {
	ticket, from, err := w.TicketOnBoard(ctx, key)
	if err != nil {
		return moved, board, err
	}
	if board, err = w.goal(ctx, from, intent.Board); err != nil {
		return moved, board, err
	}
	if _, ok := board.Column(intent.Column); !ok {
		return moved, board, boards.ColumnNotFound{Column: uint64(intent.Column)}
	}
	if err := w.current(ctx, &intent, from, board); err != nil {
		return moved, board, err
	}
	m := move{from: from, to: board, intent: intent}
	err = w.findTicket(ctx, ticket.Key, func(seen tickets.Ticket) error {
		number := func(tx *db.Tx) (err error) {
			m.key, err = m.takeKey(ctx, tx, seen)
			return err
		}
		return w.inColumns(ctx, seen, []id.Column{intent.Column}, number, func(t lockedTicket) (err error) {
			moved, err = m.carryOut(ctx, t)
			return err
		})
	})
	if err != nil {
		return tickets.MoveResult{}, board, fmt.Errorf("move ticket: %w", err)
	}
	return moved, board.With(m.changed...), nil
}

// counterpart is the column for a ticket that comes from another board: that with the name of its own, else for a closed one
// the first done column, else that for new tickets.
func counterpart(from, to boards.Board, ticket tickets.Ticket) boards.Column {
	own, _ := from.Column(ticket.Column)
	if column, ok := to.ColumnNamed(own.Name); ok {
		return column
	}
	if done, ok := to.FirstColumn(true); ok && ticket.Closed() {
		return done
	}
	return to.Entry()
}

// goal returns the board that a ticket goes to: its own if slug is "".
func (w *Workflows) goal(ctx context.Context, from boards.Board, slug string) (boards.Board, error) {
	if slug == "" || slug == from.Slug {
		return from, nil
	}
	actor := accounts.ActorFrom(ctx)
	board, err := boards.BySlug(ctx, w.db.Queries, actor.Sight(), slug)
	if errors.Is(err, fault.NotFound) {
		return board, boards.Unknown()
	}
	if err != nil {
		return board, err
	}
	return board, mayWriteOn(actor, board.Grant)
}

// current replaces old slugs in the keys of an intent. A key that is no ticket's stays: its ticket is not in the
// column.
func (w *Workflows) current(ctx context.Context, intent *tickets.Intent, from, to boards.Board) error {
	rename := func(key *tickets.Key, board boards.Board) (*tickets.Key, error) {
		if key != nil && key.Board == board.Slug {
			return key, nil
		}
		return w.currentKey(ctx, key)
	}
	var err error
	if intent.After, err = rename(intent.After, to); err != nil || intent.Seen == nil {
		return err
	}
	seen := *intent.Seen
	seen.After, err = rename(seen.After, from)
	intent.Seen = &seen
	return err
}

// move is the way of a ticket from a board to the same or another.
type move struct {
	from, to boards.Board
	intent   tickets.Intent
	key      tickets.Key     // on the board that it goes to
	changed  []boards.Column // as they are after the move
}

// takeKey returns the key of a ticket on the board that it goes to: its own, the one that it had there before, or a new
// one.
func (m *move) takeKey(ctx context.Context, tx *db.Tx, seen tickets.Ticket) (tickets.Key, error) {
	switch seen.Board {
	case m.to.ID:
		return seen.Key, nil
	case m.from.ID:
	default:
		return tickets.Key{}, tickets.MovedSince{Current: seen}
	}
	number, had, err := tickets.NumberOn(ctx, tx.Queries, seen.ID, m.to.ID)
	if err != nil {
		return tickets.Key{}, err
	}
	if !had {
		if number, err = boards.AllocateNumbers(ctx, tx, m.to.ID, 1); err != nil {
			return tickets.Key{}, err
		}
	}
	return tickets.Key{Board: m.to.Slug, Number: number}, nil
}

func (m *move) carryOut(ctx context.Context, t lockedTicket) (tickets.MoveResult, error) {
	from := t.columns[t.Column]
	to, ok := t.columns[m.intent.Column]
	if !ok || to.Board != m.to.ID {
		return tickets.MoveResult{}, boards.ColumnNotFound{Column: uint64(m.intent.Column)}
	}
	if m.to.ID != t.Board {
		if err := boards.Live(ctx, t.tx, m.to.ID); err != nil {
			return tickets.MoveResult{}, err
		}
	}
	m.changed = []boards.Column{to}
	wasDone := from.Done || from.LeavesBehind(t.ClosedAt, t.MovedAt)
	moved, placed, err := t.carry(ctx, m.key, m.intent, tickets.ClosedIn(t.Ticket, wasDone, to.Done, t.tx.Now))
	if err != nil || !placed {
		return moved, err
	}
	if from.ID != to.ID {
		from.Count--
		to.Count++
		m.changed = []boards.Column{from, to}
	}
	if !t.Closed() && moved.Ticket.Closed() {
		t.follow.closed = append(t.follow.closed, t.ID)
	}
	moved.Activity, err = tickets.Record(ctx, t.tx, t.ID, t.by, tickets.KindMoved, m.detail(moved, from, to))
	return moved, err
}

func (m *move) detail(moved tickets.MoveResult, from, to boards.Column) tickets.Detail {
	detail := tickets.Detail{
		Column: &tickets.Change{Old: from.Name, New: to.Name},
		From:   &moved.From, To: &tickets.Location{Board: m.to.ID, Column: to.ID, After: moved.After},
	}
	if moved.Was != moved.Ticket.Key {
		detail.Board = &tickets.Change{Old: m.from.Title, New: m.to.Title}
		detail.Key = &tickets.Change{Old: moved.Was.String(), New: moved.Ticket.Key.String()}
	}
	return detail
}
