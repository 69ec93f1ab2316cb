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

// Assign changes the assignees of a locked ticket, and records their names before and after. add are members of the
// company, whose locks the caller holds. It returns all assignees and the new ones among them, or TooManyAssignees.
func Assign(
	ctx context.Context, tx *db.Tx, company id.Company, ticket Ticket, add []Assignee, remove []id.Account, by User,
) (now, added []Assignee, err error) {
	found, err := AssigneesOf(ctx, tx.Queries, company, []ID{ticket.ID})
	if err != nil {
		return nil, nil, err
	}
	was := found[ticket.ID]
	var removed []id.Account
	for _, one := range was {
		if slices.Contains(remove, one.ID) && !has(add, one.ID) {
			removed = append(removed, one.ID)
		} else {
			now = append(now, one)
		}
	}
	for _, one := range add {
		if !has(now, one.ID) {
			now, added = append(now, one), append(added, one)
		}
	}
	if len(removed) == 0 && len(added) == 0 {
		return was, nil, nil
	}
	if len(added) > 0 && len(now) > MaxAssignees {
		return nil, nil, TooManyAssignees()
	}
	sortAssignees(now)
	sortAssignees(added)
	if len(removed) > 0 {
		if _, err := tx.Unassign(ctx, ticket.ID, removed); err != nil {
			return nil, nil, fmt.Errorf("unassign: %w", err)
		}
	}
	if err := tx.Assign(ctx, ticket.ID, AccountsOf(added), !ticket.Closed()); err != nil {
		return nil, nil, fmt.Errorf("assign: %w", err)
	}
	if _, err := tx.RepublishTicket(ctx, ticket.ID); err != nil {
		return nil, nil, fmt.Errorf("republish ticket: %w", err)
	}
	_, err = Record(ctx, tx, ticket.ID, by, KindAssigned, Detail{Assignees: &Change{Old: names(was), New: names(now)}})
	return now, added, err
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

// HandOver is Assign for a ticket of from, whom it removes, and reports whether the ticket was theirs. A ticket that has
// MaxAssignees keeps as many.
func HandOver(
	ctx context.Context, tx *db.Tx, company id.Company, ticket Ticket, from id.Account, to []Assignee, by User,
) (bool, error) {
	found, err := AssigneesOf(ctx, tx.Queries, company, []ID{ticket.ID})
	if err != nil || !has(found[ticket.ID], from) {
		return false, err
	}
	_, _, err = Assign(ctx, tx, company, ticket, to, []id.Account{from}, by)
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
