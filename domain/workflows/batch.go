package workflows

import (
	"context"
	"errors"
	"slices"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// TicketChange changes one ticket of several. It returns what it added to the history, if that can be undone, or 0.
type TicketChange func(ctx context.Context, key tickets.Key) (id.Activity, error)

// Refusal is a ticket that a change left as it is, and the reason.
type Refusal struct {
	Key tickets.Key
	Err error
}

// BatchResult is the outcome of a change of several tickets.
type BatchResult struct {
	Changed    []tickets.Key
	Activities []id.Activity // that can be undone, in their order
	Refused    []Refusal
}

// ChangeBatch changes tickets one after the other, each in a transaction of its own: one that is refused leaves the
// others changed. An error that is not about a ticket, such as a database that does not answer, ends it: the rest is
// refused with it. The error is returned if nothing was changed before.
func (w *Workflows) ChangeBatch(
	ctx context.Context, keys []tickets.Key, change TicketChange,
) (result BatchResult, err error) {
	if _, err := mayWrite(ctx, "tickets:write"); err != nil {
		return result, err
	}
	for i, key := range keys {
		activity, err := change(ctx, key)
		switch {
		case err == nil:
			result.Changed = append(result.Changed, key)
			if activity != 0 {
				result.Activities = append(result.Activities, activity)
			}
			continue
		case aboutTicket(err):
			result.Refused = append(result.Refused, Refusal{key, err})
			continue
		case len(result.Changed) == 0:
			return result, err
		}
		for _, rest := range keys[i:] {
			result.Refused = append(result.Refused, Refusal{rest, err})
		}
		break
	}
	return result, nil
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
