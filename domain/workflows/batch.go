package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Refusal is a ticket that a change left as it is, and the reason.
type Refusal struct {
	Key    tickets.Key
	Reason string
}

// BatchResult is the outcome of a change of several tickets.
type BatchResult struct {
	Changed    []tickets.Key // also those that were as wanted already
	Activities []id.Activity // that can be undone, in their order
	Refused    []Refusal
}

// ChangeTickets makes an edit on up to tickets.MaxBatch tickets in one transaction. One that is refused leaves the others
// changed. An edit that names a column is about tickets of that board alone.
func (w *Workflows) ChangeTickets(
	ctx context.Context, board boards.Board, edit bulkedits.Edit, keys []tickets.Key,
) (result BatchResult, err error) {
	actor, err := mayWrite(ctx, "tickets:write")
	if err != nil {
		return result, err
	}
	found, err := tickets.Named(ctx, w.db.Queries, actor.Sight(), keys)
	if err != nil {
		return result, err
	}
	var list []BulkTicket
	named := map[id.Ticket]tickets.Key{}
	for i, key := range keys {
		ticket, ok := found[i]
		if !ok {
			result.Refused = append(result.Refused, Refusal{key, "There is no such ticket, or not for you."})
		} else if _, twice := named[ticket]; !twice {
			named[ticket] = key
			list = append(list, BulkTicket{ID: ticket})
		}
	}
	items, err := w.apply(ctx, actor, board, edit, list)
	if err != nil {
		return result, fmt.Errorf("change tickets: %w", err)
	}
	for _, item := range items {
		key := named[item.Ticket]
		if item.Outcome == bulkedits.Refused {
			result.Refused = append(result.Refused, Refusal{key, item.Reason})
			continue
		}
		result.Changed = append(result.Changed, key)
		if item.Activity.ID != 0 {
			result.Activities = append(result.Activities, item.Activity.ID)
		}
	}
	return result, nil
}

// apply makes an edit on tickets, again if one of them was moved meanwhile.
func (w *Workflows) apply(
	ctx context.Context, actor accounts.Actor, board boards.Board, edit bulkedits.Edit, list []BulkTicket,
) (items []bulkedits.Item, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	editor := BulkEditor{BulkEdit: bulkedits.BulkEdit{Edit: edit}, actor: actor}
	if edit.Column != nil {
		editor.Board = board.ID
	}
	for range relocations {
		err = w.change(ctx, func(tx *db.Tx) (err error) {
			items, err = editor.Apply(ctx, tx, list)
			return err
		})
		if !errors.Is(err, errElsewhere) {
			break
		}
	}
	return items, err
}

// aboutTicket reports whether an error is about one ticket, so that the next one may be changed.
func aboutTicket(err error) bool {
	return slices.ContainsFunc([]fault.Kind{fault.Invalid, fault.Forbidden, fault.NotFound, fault.Gone, fault.Conflict},
		func(kind fault.Kind) bool { return errors.Is(err, kind) })
}

// AssignableMembers returns the members with these handles. It returns tickets.NotAssignable for one that there is not.
func (w *Workflows) AssignableMembers(ctx context.Context, handles []string) ([]id.Account, error) {
	actor, err := mayWrite(ctx, "tickets:write")
	if err != nil {
		return nil, err
	}
	found, err := accounts.ByHandle(ctx, w.db.Queries, actor.Sight(), handles)
	if err != nil {
		return nil, err
	}
	ids := make([]id.Account, 0, len(found))
	for _, handle := range handles {
		at := slices.IndexFunc(found, func(m accounts.NamedMember) bool { return m.Handle == handle })
		if at < 0 {
			return nil, tickets.NotAssignable(handle, false)
		}
		ids = append(ids, found[at].ID)
	}
	return ids, nil
}

// LastAction is the caller's latest action that can be undone, but for those passed over. It returns
// tickets.NothingToUndo.
func (w *Workflows) LastAction(ctx context.Context, passed ...id.Activity) (id.Activity, error) {
	actor, err := mayWrite(ctx, "tickets:write")
	if err != nil {
		return 0, err
	}
	return tickets.LastAction(ctx, w.db.Queries, actor.Sight(), w.db.Now().Add(-tickets.UndoFor), passed)
}
