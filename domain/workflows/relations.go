package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
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

// SetParent makes a ticket the child of another parent, or of none if to is nil. from is the parent that it has, nil if
// none. entries are what that added to the ticket's history. It returns what Relate does, and HasParent for a ticket
// that has another one by now.
func (w *Workflows) SetParent(ctx context.Context, key tickets.Key, from, to *tickets.Key) (entries []id.Activity, err error) {
	var others []tickets.Key
	for _, other := range []*tickets.Key{from, to} {
		if other != nil {
			others = append(others, *other)
		}
	}
	err = w.onTickets(ctx, key, others, func(t lockedTicket, parents []tickets.Ticket) error {
		entries = nil
		for i, parent := range parents {
			wanted := to != nil && i == len(parents)-1
			entry, err := t.setRelation(ctx, tickets.Parent, parent, wanted, tickets.Detail{})
			if err != nil {
				return err
			}
			if entry.ID != 0 {
				entries = append(entries, entry.ID)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("set parent: %w", err)
	}
	return entries, nil
}

// onPair is onTickets with one other ticket.
func (w *Workflows) onPair(
	ctx context.Context, key, other tickets.Key, do func(t lockedTicket, o tickets.Ticket) error,
) error {
	return w.onTickets(ctx, key, []tickets.Key{other}, func(t lockedTicket, others []tickets.Ticket) error {
		return do(t, others[0])
	})
}

// onTickets runs do in a transaction that holds the locks of a ticket and of others to relate it to. The caller may
// change all of them, and their boards are not archived. It returns tickets.NotFound, RelatedNotFound, RelatedToItself
// or boards.Archived.
func (w *Workflows) onTickets(
	ctx context.Context, key tickets.Key, others []tickets.Key, do func(t lockedTicket, others []tickets.Ticket) error,
) error {
	return w.findTicket(ctx, key, func(seen tickets.Ticket) error {
		actor := accounts.ActorFrom(ctx)
		all := []tickets.Ticket{seen}
		for _, other := range others {
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
			all = append(all, far)
		}
		return w.change(ctx, func(tx *db.Tx) error {
			locked, err := lockInOrder(ctx, tx, all)
			if err != nil {
				return err
			}
			var on []id.Board
			for _, ticket := range locked {
				on = append(on, ticket.Board)
			}
			if err := boards.Live(ctx, tx, on...); err != nil {
				return err
			}
			return do(lockedTicket{Ticket: locked[0], tx: tx, by: user(actor)}, locked[1:])
		})
	})
}

// lockInOrder locks tickets in the order of their ids, and returns them in their own. It returns errElsewhere if one of
// them is on another board by now.
func lockInOrder(ctx context.Context, tx *db.Tx, seen []tickets.Ticket) ([]tickets.Ticket, error) {
	order := make([]int, len(seen))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(seen[a].ID, seen[b].ID) })
	locked := make([]tickets.Ticket, len(seen))
	for _, i := range order {
		ticket, err := tickets.Lock(ctx, tx, seen[i])
		if err != nil {
			return nil, err
		}
		if ticket.Board != seen[i].Board {
			return nil, errElsewhere
		}
		locked[i] = ticket
	}
	return locked, nil
}

// undoRelated reverts a change of a relation.
func (w *Workflows) undoRelated(
	ctx context.Context, actor accounts.Actor, action tickets.Action, seen tickets.Ticket,
) (ticket tickets.Ticket, err error) {
	other, err := tickets.ByID(ctx, w.db.Queries, actor.Sight(), action.Detail.Relation.Ticket)
	if err == nil && other.Deleted() || errors.Is(err, fault.NotFound) {
		err = tickets.ChangedSince(seen, "changed", "")
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
			return tickets.ChangedSince(t.Ticket, "changed", "")
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
