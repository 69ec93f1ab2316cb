package workflows

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Assignment is a change of assignees: those that it does not name stay as a concurrent one leaves them.
type Assignment struct {
	Add, Remove []id.Account
}

// AssignTicket changes the assignees of a ticket, and notifies the new ones. entry is what it added to the history; its ID
// is 0 if nothing changed. It returns tickets.NotFound, NotAssignable or TooManyAssignees.
func (w *Workflows) AssignTicket(
	ctx context.Context, key tickets.Key, change Assignment,
) (ticket tickets.Ticket, entry tickets.Activity, err error) {
	plan := func(t lockedTicket, by db.Sight) (add []tickets.Assignee, remove []id.Account, err error) {
		add, err = assignableAccounts(ctx, t.tx, by, change.Add)
		return add, change.Remove, err
	}
	if ticket, entry, err = w.assign(ctx, key, plan); err != nil {
		return tickets.Ticket{}, entry, fmt.Errorf("assign ticket: %w", err)
	}
	return ticket, entry, nil
}

// SetAssignees makes the members with these handles the assignees of a ticket. It returns what AssignTicket does.
func (w *Workflows) SetAssignees(ctx context.Context, key tickets.Key, handles []string) (tickets.Ticket, error) {
	if len(handles) > tickets.MaxAssignees {
		return tickets.Ticket{}, tickets.TooManyAssignees()
	}
	plan := func(t lockedTicket, by db.Sight) (add []tickets.Assignee, remove []id.Account, err error) {
		if add, err = assignable(ctx, t.tx, by, handles); err != nil {
			return nil, nil, err
		}
		now, err := tickets.AssigneesOf(ctx, t.tx.Queries, by.Company, []tickets.ID{t.ID})
		if err != nil {
			return nil, nil, err
		}
		for _, one := range now[t.ID] {
			remove = append(remove, one.ID)
		}
		return add, remove, nil
	}
	ticket, _, err := w.assign(ctx, key, plan)
	if err != nil {
		return tickets.Ticket{}, fmt.Errorf("set assignees: %w", err)
	}
	return ticket, nil
}

// assignable returns the members in sight with these handles, and keeps them members until the transaction ends.
func assignable(ctx context.Context, tx *db.Tx, by db.Sight, handles []string) ([]tickets.Assignee, error) {
	found, err := accounts.ByHandle(ctx, tx.Queries, by, handles)
	if err != nil {
		return nil, err
	}
	ids := make([]id.Account, len(found))
	byHandle := make(map[string]accounts.NamedMember, len(found))
	for i, m := range found {
		ids[i], byHandle[m.Handle] = m.ID, m
	}
	roles, err := accounts.LockMembership(ctx, tx, by.Company, ids)
	if err != nil {
		return nil, err
	}
	var list []tickets.Assignee
	for _, handle := range handles {
		m, ok := byHandle[handle]
		switch {
		case !ok || roles[m.ID] == "":
			return nil, tickets.NotAssignable(handle, false)
		case roles[m.ID] == accounts.Viewer:
			return nil, tickets.NotAssignable(m.Name, true)
		}
		list = append(list, tickets.Assignee{ID: m.ID, Name: m.Name, Handle: m.Handle, Avatar: m.Avatar})
	}
	return list, nil
}

// assignableAccounts is assignable for accounts.
func assignableAccounts(
	ctx context.Context, tx *db.Tx, by db.Sight, list []id.Account,
) (add []tickets.Assignee, err error) {
	roles, err := accounts.LockMembership(ctx, tx, by.Company, list)
	if err != nil {
		return nil, err
	}
	named, err := accounts.ByAccount(ctx, tx.Queries, by, list)
	if err != nil {
		return nil, err
	}
	for _, account := range list {
		one, seen := named[account]
		switch {
		case !seen || roles[account] == "":
			return nil, tickets.NotAssignable("", false)
		case roles[account] == accounts.Viewer:
			return nil, tickets.NotAssignable(one.Name, true)
		}
		add = append(add, tickets.Assignee{ID: account, Name: one.Name, Handle: one.Handle, Avatar: one.Avatar})
	}
	return add, nil
}

// stillAssignable returns the handles of those accounts that can be assigned on a board now, and that the reader sees.
func stillAssignable(
	ctx context.Context, q *db.Queries, by db.Sight, board id.Board, once []id.Account,
) (handles []string, err error) {
	members, err := accounts.ByAccount(ctx, q, by, once)
	if err != nil || len(members) == 0 {
		return nil, err
	}
	for _, m := range members {
		handles = append(handles, m.Handle)
	}
	active, err := accounts.ByHandle(ctx, q, by, handles)
	if err != nil {
		return nil, err
	}
	seeing, err := tickets.Seeing(ctx, q, board, once)
	if err != nil {
		return nil, err
	}
	handles = nil
	for _, account := range once {
		at := slices.IndexFunc(active, func(m accounts.NamedMember) bool { return m.ID == account })
		if at >= 0 && active[at].Role != accounts.Viewer && seeing[account] {
			handles = append(handles, active[at].Handle)
		}
	}
	return handles, nil
}

// assignNew gives new tickets the assignees that their drafts name. Without any it reads nothing.
func assignNew(ctx context.Context, tx *db.Tx, openings []*openRequest, opened []tickets.Ticket) error {
	for i, o := range openings {
		if len(o.Draft.Assignees) == 0 {
			continue
		}
		list, err := assignable(ctx, tx, o.actor.Sight(), o.Draft.Assignees)
		if err != nil {
			return err
		}
		if err := allSee(ctx, tx, opened[i].Board, list); err != nil {
			return err
		}
		if err := tickets.AssignNew(ctx, tx, opened[i], list); err != nil {
			return err
		}
		opened[i].Assignees = list
	}
	return nil
}

// allSee returns tickets.NotOnBoard for the first assignee that does not see the board.
func allSee(ctx context.Context, tx *db.Tx, board id.Board, assignees []tickets.Assignee) error {
	seeing, err := tickets.Seeing(ctx, tx.Queries, board, tickets.AccountsOf(assignees))
	if err != nil {
		return err
	}
	for _, one := range assignees {
		if !seeing[one.ID] {
			return tickets.NotOnBoard(one.Name)
		}
	}
	return nil
}

// assign runs plan on a locked ticket, carries out what it returns and notifies the new assignees.
func (w *Workflows) assign(
	ctx context.Context, key tickets.Key,
	plan func(t lockedTicket, by db.Sight) (add []tickets.Assignee, remove []id.Account, err error),
) (ticket tickets.Ticket, entry tickets.Activity, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return ticket, entry, err
	}
	err = w.onTicket(ctx, key, func(t lockedTicket) error {
		add, remove, err := plan(t, actor.Sight())
		if err != nil {
			return err
		}
		if err := allSee(ctx, t.tx, t.Board, add); err != nil {
			return err
		}
		now, added, recorded, err := tickets.Assign(ctx, t.tx, actor.Company.ID, t.Ticket, add, remove, t.by)
		if err != nil {
			return err
		}
		ticket, entry = t.Ticket, recorded
		ticket.Assignees = now
		if len(added) == 0 {
			return nil
		}
		return t.notify(ctx, tickets.Notifications{Assigned: tickets.AccountsOf(added)})
	})
	return ticket, entry, err
}

// WorkPerPage is how many tickets My work shows at once.
const WorkPerPage = 100

// Work returns a page of the caller's open tickets, newest first, from below one; 0 means from the newest. more says
// that there are older ones.
func (w *Workflows) Work(ctx context.Context, before tickets.ID) (list []tickets.Work, more bool, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, false, err
	}
	return tickets.WorkOf(ctx, w.db.Queries, actor.Sight(), before, WorkPerPage)
}
