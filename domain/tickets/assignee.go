package tickets

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// MaxAssignees is how many members a ticket can be assigned to.
const MaxAssignees = 20

// maxHandle is how many characters a handle has at most.
const maxHandle = 40

// KindAssigned is the entry of a history for a change of assignees.
const KindAssigned = "assigned"

// Assignee is a user whom a ticket is assigned to. Handle is "" if the user left the company.
type Assignee struct {
	ID     id.Account
	Name   string
	Handle string
	Avatar string // of accounts.Account
}

// AssigneesOf returns the assignees of many tickets in one query, each ticket's by account.
func AssigneesOf(ctx context.Context, q *db.Queries, company id.Company, tickets []ID) (map[ID][]Assignee, error) {
	if len(tickets) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.AssigneesOf(ctx, company, tickets))
	if err != nil {
		return nil, fmt.Errorf("read assignees: %w", err)
	}
	found := make(map[ID][]Assignee)
	for _, row := range rows {
		found[row.TicketID] = append(found[row.TicketID], Assignee{ID: row.AccountID, Name: row.Name, Handle: row.Handle, Avatar: row.Avatar})
	}
	return found, nil
}

// AssigneeChange are the accounts that a change assigned and unassigned: what it takes to undo it.
type AssigneeChange struct {
	Added   []id.Account `json:"added,omitempty"`
	Removed []id.Account `json:"removed,omitempty"`
}

// Assign changes the assignees of a locked ticket, and records them before and after. add are members of the company,
// whose locks the caller holds. It returns all assignees and the new ones among them, and what it added to the history,
// whose ID is 0 if nothing changed; or TooManyAssignees.
func Assign(
	ctx context.Context, tx *db.Tx, company id.Company, ticket Ticket, add []Assignee, remove []id.Account, by User,
) (now, added []Assignee, entry Activity, err error) {
	r, err := reassign(ctx, tx, company, ticket, add, remove)
	if err != nil || r.none() {
		return r.now, nil, entry, err
	}
	entry, err = r.record(ctx, tx, ticket, by, Detail{Assigned: &AssigneeChange{Added: AccountsOf(r.added), Removed: r.removed}})
	return r.now, r.added, entry, err
}

// UndoAssigned reverts a change of assignees, if it is still as the change left it, and records that. The caller holds
// the ticket's lock; back are the members who are assigned again, whose locks it holds, too. It returns UndoneBefore or
// ChangedSince.
func UndoAssigned(
	ctx context.Context, tx *db.Tx, company id.Company, ticket Ticket, action Action, back []Assignee, by User,
) (_ Ticket, entry id.Activity, err error) {
	if err := MarkUndone(ctx, tx, ticket, action); err != nil {
		return Ticket{}, 0, err
	}
	found, err := AssigneesOf(ctx, tx.Queries, company, []ID{ticket.ID})
	if err != nil {
		return Ticket{}, 0, err
	}
	was := func(account id.Account) bool { return has(found[ticket.ID], account) }
	done := action.Detail.Assigned
	if ticket.Deleted() || slices.ContainsFunc(done.Removed, was) ||
		slices.ContainsFunc(done.Added, func(account id.Account) bool { return !was(account) }) {
		return Ticket{}, 0, ChangedSince(ticket, "changed", "")
	}
	r, err := reassign(ctx, tx, company, ticket, back, done.Added)
	if err != nil {
		return Ticket{}, 0, err
	}
	ticket.Assignees = r.now
	change := &AssigneeChange{Added: AccountsOf(r.added), Removed: r.removed}
	recorded, err := r.record(ctx, tx, ticket, by, Detail{Undid: KindAssigned, Assigned: change})
	return ticket, recorded.ID, err
}

// reassignment is a change of assignees.
type reassignment struct {
	was, now, added []Assignee
	removed         []id.Account
}

func (r reassignment) none() bool { return len(r.added) == 0 && len(r.removed) == 0 }

func (r reassignment) record(ctx context.Context, tx *db.Tx, ticket Ticket, by User, detail Detail) (Activity, error) {
	detail.Assignees = &Change{Old: names(r.was), New: names(r.now)}
	recorded, err := Record(ctx, tx, ticket.ID, by, KindAssigned, detail)
	return Activity{ID: recorded, Kind: KindAssigned, By: by, At: tx.Now, Detail: detail}, err
}

// reassign changes the assignees of a locked ticket, and publishes it. It returns TooManyAssignees.
func reassign(
	ctx context.Context, tx *db.Tx, company id.Company, ticket Ticket, add []Assignee, remove []id.Account,
) (r reassignment, err error) {
	found, err := AssigneesOf(ctx, tx.Queries, company, []ID{ticket.ID})
	if err != nil {
		return r, err
	}
	r.was = found[ticket.ID]
	for _, one := range r.was {
		if slices.Contains(remove, one.ID) && !has(add, one.ID) {
			r.removed = append(r.removed, one.ID)
		} else {
			r.now = append(r.now, one)
		}
	}
	for _, one := range add {
		if !has(r.now, one.ID) {
			r.now, r.added = append(r.now, one), append(r.added, one)
		}
	}
	if r.none() {
		return r, nil
	}
	if len(r.added) > 0 && len(r.now) > MaxAssignees {
		return reassignment{}, TooManyAssignees()
	}
	sortAssignees(r.now)
	sortAssignees(r.added)
	if len(r.removed) > 0 {
		if _, err := tx.Unassign(ctx, ticket.ID, r.removed); err != nil {
			return r, fmt.Errorf("unassign: %w", err)
		}
	}
	if err := tx.Assign(ctx, ticket.ID, AccountsOf(r.added), !ticket.Closed()); err != nil {
		return r, fmt.Errorf("assign: %w", err)
	}
	if _, err := tx.RepublishTicket(ctx, ticket.ID); err != nil {
		return r, fmt.Errorf("republish ticket: %w", err)
	}
	return r, nil
}

// ParseAssignees returns the handles of the assignees of a new ticket, each once. It returns NotAssignable or
// TooManyAssignees.
func ParseAssignees(list []string) (handles []string, err error) {
	for _, handle := range list {
		if len(handle) > maxHandle {
			return nil, NotAssignable(fmt.Sprintf("%.40s…", handle), false)
		}
		if !slices.Contains(handles, handle) {
			handles = append(handles, handle)
		}
	}
	if len(handles) > MaxAssignees {
		return nil, TooManyAssignees()
	}
	return handles, nil
}

// AssignNew gives a new ticket its first assignees: they are part of its opening.
func AssignNew(ctx context.Context, tx *db.Tx, ticket Ticket, assignees []Assignee) error {
	if err := tx.Assign(ctx, ticket.ID, AccountsOf(assignees), !ticket.Closed()); err != nil {
		return fmt.Errorf("assign: %w", err)
	}
	return nil
}

// LockOpen locks an open ticket's row and returns the ticket without the names of members. It returns NotFound for one
// that is closed or deleted.
func LockOpen(ctx context.Context, tx *db.Tx, ticket ID) (Ticket, error) {
	locked, err := Lock(ctx, tx, Ticket{ID: ticket})
	if err == nil && locked.Closed() {
		err = NotFound()
	}
	return locked, err
}

// HandOver is Assign for a ticket of from, whom it removes, and reports whether the ticket was theirs. It cannot be
// undone. A ticket that has MaxAssignees keeps as many.
func HandOver(
	ctx context.Context, tx *db.Tx, company id.Company, ticket Ticket, from id.Account, to []Assignee, by User,
) (bool, error) {
	found, err := AssigneesOf(ctx, tx.Queries, company, []ID{ticket.ID})
	if err != nil || !has(found[ticket.ID], from) {
		return false, err
	}
	r, err := reassign(ctx, tx, company, ticket, to, []id.Account{from})
	if err == nil {
		_, err = r.record(ctx, tx, ticket, by, Detail{})
	}
	return err == nil, err
}

func has(list []Assignee, account id.Account) bool {
	return slices.ContainsFunc(list, func(a Assignee) bool { return a.ID == account })
}

func sortAssignees(list []Assignee) {
	slices.SortFunc(list, func(a, b Assignee) int { return compare(a.ID, b.ID) })
}

func compare(a, b id.Account) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// AccountsOf are the accounts of assignees.
func AccountsOf(list []Assignee) []id.Account {
	ids := make([]id.Account, len(list))
	for i, a := range list {
		ids[i] = a.ID
	}
	return ids
}

func names(list []Assignee) string {
	all := make([]string, len(list))
	for i, a := range list {
		all[i] = a.Name
	}
	return strings.Join(all, ", ")
}
