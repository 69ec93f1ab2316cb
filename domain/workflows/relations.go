package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Relate adds a relation of a ticket to another: kind says what the other is to it. The caller may change both. entry is
// what it added to the ticket's history; its ID is 0 if the relation was there. It returns tickets.NotFound,
// RelatedNotFound, RelatedToItself or what tickets.Relate does.
func (w *Workflows) Relate(
	ctx context.Context, key tickets.Key, kind tickets.RelationKind, other tickets.Key,
) (tickets.Ticket, tickets.Activity, error) {
	return w.changeRelation(ctx, key, kind, other, true)
}

// Unrelate removes a relation. It returns what Relate does; entry.ID is 0 if there was none.
func (w *Workflows) Unrelate(
	ctx context.Context, key tickets.Key, kind tickets.RelationKind, other tickets.Key,
) (tickets.Ticket, tickets.Activity, error) {
	return w.changeRelation(ctx, key, kind, other, false)
}

func (w *Workflows) changeRelation(
	ctx context.Context, key tickets.Key, kind tickets.RelationKind, other tickets.Key, wanted bool,
) (ticket tickets.Ticket, entry tickets.Activity, err error) {
	if _, err := mayChange(ctx, "tickets"); err != nil {
		return ticket, entry, err
	}
	err = w.onPair(ctx, key, other, func(t lockedTicket, o tickets.Ticket) (err error) {
		ticket = t.Ticket
		entry, err = t.setRelation(ctx, kind, o, wanted, tickets.Detail{})
		return err
	})
	if err != nil {
		return tickets.Ticket{}, tickets.Activity{}, fmt.Errorf("change relation: %w", err)
	}
	if entry.ID == 0 {
		return ticket, entry, nil
	}
	ticket, err = w.Ticket(ctx, ticket.Key)
	return ticket, entry, err
}

// setRelation adds or removes a relation to another locked ticket, unless it is as wanted: entry.ID is 0 then. What may
// close a cycle waits for the company's lock, for two may close one together without a ticket in common.
func (t lockedTicket) setRelation(
	ctx context.Context, kind tickets.RelationKind, other tickets.Ticket, wanted bool, detail tickets.Detail,
) (entry tickets.Activity, err error) {
	is, err := tickets.Related(ctx, t.tx, t.Ticket, kind, other)
	if err != nil || is == wanted {
		return entry, err
	}
	if !wanted {
		return tickets.Unrelate(ctx, t.tx, t.Ticket, kind, other, detail, t.by)
	}
	if kind.Acyclic() {
		if err := accounts.LockMembers(ctx, t.tx, accounts.ActorFrom(ctx).Company.ID); err != nil {
			return entry, err
		}
	}
	return tickets.Relate(ctx, t.tx, t.Ticket, kind, other, detail, t.by)
}

// onPair runs do in a transaction that holds the locks of two tickets. The caller may change both, and their boards are
// not archived.
func (w *Workflows) onPair(
	ctx context.Context, key, other tickets.Key, do func(t lockedTicket, o tickets.Ticket) error,
) error {
	return w.findTicket(ctx, key, func(seen tickets.Ticket) error {
		actor := accounts.ActorFrom(ctx)
		far, err := tickets.ByKey(ctx, w.db.Queries, actor.Sight(), other)
		if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Gone) {
			return tickets.RelatedNotFound(other.String())
		}
		if err != nil {
			return err
		}
		if err := mayWriteOn(actor, far.Grant); err != nil {
			return err
		}
		if far.ID == seen.ID {
			return tickets.RelatedToItself(seen.Key)
		}
		return w.change(ctx, func(tx *db.Tx) error {
			near, far, err := lockPair(ctx, tx, seen, far)
			if err != nil {
				return err
			}
			if err := boards.Live(ctx, tx, near.Board, far.Board); err != nil {
				return err
			}
			return do(lockedTicket{Ticket: near, tx: tx, by: user(actor)}, far)
		})
	})
}

// lockPair locks two tickets in the order of their ids. It returns errElsewhere if one of them is on another board by now.
func lockPair(ctx context.Context, tx *db.Tx, one, two tickets.Ticket) (a, b tickets.Ticket, err error) {
	if one.ID > two.ID {
		b, a, err = lockPair(ctx, tx, two, one)
		return a, b, err
	}
	if a, err = tickets.Lock(ctx, tx, one); err != nil {
		return a, b, err
	}
	if b, err = tickets.Lock(ctx, tx, two); err != nil {
		return a, b, err
	}
	if a.Board != one.Board || b.Board != two.Board {
		return a, b, errElsewhere
	}
	return a, b, nil
}

// undoRelated reverts a change of a relation.
func (w *Workflows) undoRelated(
	ctx context.Context, actor accounts.Actor, action tickets.Action, seen tickets.Ticket,
) (ticket tickets.Ticket, err error) {
	other, err := tickets.ByID(ctx, w.db.Queries, actor.Sight(), action.Detail.Relation.Ticket)
	if err == nil && other.Deleted() || errors.Is(err, fault.NotFound) {
		err = tickets.ChangedSince(seen, "changed", "Someone else")
	}
	if err != nil {
		return ticket, err
	}
	done := action.Detail.Relation
	kind, err := tickets.ParseRelationKind(done.Kind)
	if err != nil {
		return ticket, fmt.Errorf("read history: %w", err)
	}
	err = w.onPair(ctx, seen.Key, other.Key, func(t lockedTicket, o tickets.Ticket) error {
		ticket = t.Ticket
		if err := tickets.MarkUndone(ctx, t.tx, t.Ticket, action); err != nil {
			return err
		}
		entry, err := t.setRelation(ctx, kind, o, done.Removed, tickets.Detail{Undid: tickets.KindRelated})
		if err == nil && entry.ID == 0 {
			return tickets.ChangedSince(t.Ticket, "changed", "Someone else")
		}
		return err
	})
	return ticket, err
}

// CloseAsDuplicate relates a ticket to the one that it duplicates, then closes it. One that cannot be closed, as when the
// column is full, stays related. It returns what Relate and CloseTicket do.
func (w *Workflows) CloseAsDuplicate(
	ctx context.Context, key, of tickets.Key,
) (moved tickets.MoveResult, board boards.Board, err error) {
	ticket, _, err := w.Relate(ctx, key, tickets.Duplicates, of)
	if err != nil {
		return moved, board, err
	}
	if moved, board, err = w.CloseTicket(ctx, key); err == nil {
		moved.Ticket.Relations = ticket.Relations
	}
	return moved, board, err
}

// Backlinks returns the newest tickets that the caller sees and that mention a ticket, up to limit.
func (w *Workflows) Backlinks(ctx context.Context, ticket tickets.ID, limit int) ([]tickets.Backlink, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, err
	}
	return tickets.Backlinks(ctx, w.db.Queries, actor.Sight(), ticket, limit)
}

// RelationsSeen returns which tickets of the relations in entries of a history the caller sees.
func (w *Workflows) RelationsSeen(ctx context.Context, entries []tickets.Activity) (map[tickets.ID]bool, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, err
	}
	return tickets.RelationsSeen(ctx, w.db.Queries, actor.Sight(), entries)
}
