package workflows

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Assignment is a wish to change who works on a ticket: what someone saw who changes it at the same
// time stays as they want it.
type Assignment struct {
	Add, Remove []id.Account
}

// AssignTicket changes who works on a ticket, and tells those who are new. It returns
// tickets.NotFound, NotAssignable or TooManyAssignees.
func (w *Workflows) AssignTicket(ctx context.Context, key tickets.Key, wish Assignment) (tickets.Ticket, error) {
	ticket, err := w.assign(ctx, key, func(tx *db.Tx, locked tickets.Ticket, company id.Company) ([]tickets.Assignee, []id.Account, error) {
		roles, err := accounts.HoldMembers(ctx, tx, company, wish.Add)
		if err != nil {
			return nil, nil, err
		}
		named, err := accounts.ByAccount(ctx, tx.Queries, company, wish.Add)
		if err != nil {
			return nil, nil, err
		}
		var add []tickets.Assignee
		for _, account := range wish.Add {
			one := named[account]
			if roles[account] == "" {
				return nil, nil, tickets.NotAssignable("", false)
			}
			add = append(add, tickets.Assignee{ID: account, Name: one.Name, Handle: one.Handle})
			if roles[account] == accounts.Viewer {
				return nil, nil, tickets.NotAssignable(one.Name, true)
			}
		}
		return add, wish.Remove, nil
	})
	if err != nil {
		return tickets.Ticket{}, fmt.Errorf("assign ticket: %w", err)
	}
	return ticket, nil
}

// SetAssignees makes the members with these handles a ticket's assignees, and nobody else. It returns
// what AssignTicket does.
func (w *Workflows) SetAssignees(ctx context.Context, key tickets.Key, handles []string) (tickets.Ticket, error) {
	if len(handles) > tickets.MaxAssignees {
		return tickets.Ticket{}, tickets.TooManyAssignees()
	}
	ticket, err := w.assign(ctx, key, func(tx *db.Tx, locked tickets.Ticket, company id.Company) (add []tickets.Assignee, remove []id.Account, err error) {
		if add, err = assignable(ctx, tx, company, handles); err != nil {
			return nil, nil, err
		}
		now, err := tickets.AssigneesOf(ctx, tx.Queries, company, []tickets.ID{locked.ID})
		if err != nil {
			return nil, nil, err
		}
		for _, one := range now[locked.ID] {
			remove = append(remove, one.ID)
		}
		return add, remove, nil
	})
	if err != nil {
		return tickets.Ticket{}, fmt.Errorf("set assignees: %w", err)
	}
	return ticket, nil
}

// assignable returns the members with these handles, who stay members until the transaction ends.
func assignable(ctx context.Context, tx *db.Tx, company id.Company, handles []string) ([]tickets.Assignee, error) {
	found, err := accounts.ByHandle(ctx, tx.Queries, company, handles)
	if err != nil {
		return nil, err
	}
	ids := make([]id.Account, len(found))
	byHandle := make(map[string]accounts.NamedMember, len(found))
	for i, m := range found {
		ids[i], byHandle[m.Handle] = m.ID, m
	}
	roles, err := accounts.HoldMembers(ctx, tx, company, ids)
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
		list = append(list, tickets.Assignee{ID: m.ID, Name: m.Name, Handle: m.Handle})
	}
	return list, nil
}

// assign runs plan on a locked ticket, carries out what it returns and tells those who are new.
func (w *Workflows) assign(ctx context.Context, key tickets.Key, plan func(*db.Tx, tickets.Ticket, id.Company) (add []tickets.Assignee, remove []id.Account, err error)) (ticket tickets.Ticket, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return tickets.Ticket{}, err
	}
	err = w.onTicket(ctx, key, func(t lockedTicket) error {
		add, remove, err := plan(t.tx, t.Ticket, actor.Company.ID)
		if err != nil {
			return err
		}
		now, added, err := tickets.Assign(ctx, t.tx, actor.Company.ID, t.Ticket, add, remove, t.by)
		if err != nil {
			return err
		}
		ticket = t.Ticket
		ticket.Assignees = now
		if len(added) == 0 {
			return nil
		}
		var n tickets.Notifications
		for _, one := range added {
			n.Assigned = append(n.Assigned, one.ID)
		}
		return t.notify(ctx, n)
	})
	return ticket, err
}

// WorkPerPage is how many tickets My work shows at once.
const WorkPerPage = 100

// Work returns a page of the open tickets of whoever asks, newest first, from below one; 0 means from
// the newest. more says that there are older ones.
func (w *Workflows) Work(ctx context.Context, before tickets.ID) (list []tickets.Work, more bool, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, false, err
	}
	return tickets.WorkOf(ctx, w.db.Queries, actor.Company.ID, actor.Account.ID, before, WorkPerPage)
}
