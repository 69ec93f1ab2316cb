package pages

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// ListGroup are the tickets of a list's page that have the same in a field. A ticket with several assignees or labels is in
// the group of its first, as it is in that lane of a board.
type ListGroup struct {
	ID      string
	Name    string
	Query   string // the condition for its tickets on all pages, as far as a query can say it
	Tickets []tickets.Ticket
	// Gains is the form, as in an address, that gives a ticket what the group stands for, "" if none can; Loses is what is
	// added to that of another group, so that the ticket leaves this one.
	Gains, Loses string

	order string // groups are sorted by it, in this order of bytes
}

// GroupsOf returns the groups of a page of tickets, which stay in their order. on are their boards, now is in the zone of
// the reader.
func GroupsOf(by string, list []tickets.Ticket, on map[id.Board]boards.Board, now time.Time) (groups []ListGroup) {
	at := map[string]int{}
	for _, t := range list {
		group := groupOf(query.Field(by), t, now)
		if by == string(query.Column) {
			group = columnGroup(on[t.Board], t.Column)
		}
		i, ok := at[group.ID]
		if !ok {
			i = len(groups)
			at[group.ID] = i
			groups = append(groups, group)
		}
		groups[i].Tickets = append(groups[i].Tickets, t)
	}
	sortGroups(groups)
	return groups
}

// WithDropGroups adds the groups that tickets can be dragged to, on whatever page, to those of a page that has some.
func WithDropGroups(by string, groups []ListGroup) []ListGroup {
	if len(groups) == 0 {
		return groups
	}
	for _, group := range dropGroups(query.Field(by)) {
		if !slices.ContainsFunc(groups, func(g ListGroup) bool { return g.ID == group.ID }) {
			groups = append(groups, group)
		}
	}
	sortGroups(groups)
	return groups
}

func dropGroups(by query.Field) (groups []ListGroup) {
	examples := []tickets.Ticket{{}}
	switch by {
	case query.Status:
		examples = append(examples, tickets.Ticket{ClosedAt: &time.Time{}})
	case query.Priority:
		for _, p := range tickets.Priorities {
			examples = append(examples, tickets.Ticket{Properties: tickets.Properties{Priority: p}})
		}
	case query.Due:
		return []ListGroup{dueGroups[dueToday], dueGroups[dueNever]}
	case query.Assignee, query.Label:
	default:
		return nil
	}
	for _, t := range examples {
		groups = append(groups, groupOf(by, t, time.Time{}))
	}
	return groups
}

func sortGroups(groups []ListGroup) {
	slices.SortStableFunc(groups, func(a, b ListGroup) int { return strings.Compare(a.order, b.order) })
}

// groupOf is the group of a ticket, without tickets.
func groupOf(by query.Field, t tickets.Ticket, now time.Time) ListGroup {
	switch by {
	case query.Status:
		if t.Closed() {
			return ListGroup{ID: "closed", Name: "Closed", Query: "status:closed", Gains: change(bulkedits.Close), order: "2"}
		}
		return ListGroup{ID: "open", Name: "Open", Query: "status:open", Gains: change(bulkedits.Reopen), order: "1"}
	case query.Assignee:
		if len(t.Assignees) == 0 {
			return ListGroup{ID: "none", Name: "Unassigned", Query: "assignee:none", Gains: change(bulkedits.Assign), order: "~"}
		}
		first := t.Assignees[0]
		return ListGroup{ID: views.Number(uint64(first.ID)), Name: first.Name, Query: term(query.Assignee, "@"+first.Handle),
			Gains: change(bulkedits.Assign, "add", "@"+first.Handle), Loses: fields("drop", "@"+first.Handle),
			order: "!" + strings.ToLower(first.Name)}
	case query.Label:
		if len(t.Labels) == 0 {
			return ListGroup{ID: "none", Name: "No label", Query: "label:none", Gains: change(bulkedits.Label), order: "~"}
		}
		first := t.Labels[0]
		return ListGroup{ID: views.Number(uint64(first.ID)), Name: first.Name, Query: term(query.Label, first.Name),
			Gains: change(bulkedits.Label, "add", first.Name), Loses: fields("drop", first.Name),
			order: "!" + strings.ToLower(first.Name)}
	case query.Priority:
		group := ListGroup{ID: t.Priority.String(), Name: views.PriorityText(t.Priority), Query: term(query.Priority, t.Priority.String()),
			Gains: change(bulkedits.Priority, "priority", t.Priority.String()),
			order: views.Number(uint64(tickets.Urgent - t.Priority))}
		if t.Priority == tickets.NoPriority {
			group.Name = "No priority"
		}
		return group
	case query.Due:
		return dueGroups[dueIn(t.Due, t.Closed(), now)]
	}
	return ListGroup{}
}

// columnGroup is the group of a column, with those of its name on other boards. Columns are in the order of their first
// board; those for finished work come last.
func columnGroup(board boards.Board, column id.Column) ListGroup {
	at := slices.IndexFunc(board.Columns, func(c boards.Column) bool { return c.ID == column })
	if at < 0 {
		return ListGroup{ID: "none", Name: "No column", order: "~"}
	}
	name := board.Columns[at].Name
	order := "!"
	if board.Columns[at].Done {
		order = "#"
	}
	return ListGroup{ID: url.PathEscape(strings.ToLower(name)), Name: name, Query: term(query.Column, name),
		Gains: change(bulkedits.Move, "column", name), order: fmt.Sprintf("%s%04d", order, at)}
}

// dueRange says how soon a ticket is due.
type dueRange int

const (
	dueOver dueRange = iota
	duePast          // of a closed ticket
	dueToday
	dueThisWeek
	dueLater
	dueNever
)

// dueGroups are the groups by due date.
var dueGroups = map[dueRange]ListGroup{
	dueOver:     {ID: "over", Name: "Overdue", Query: "is:overdue", order: "1"},
	duePast:     {ID: "past", Name: "Past", Query: "status:closed due:<today", order: "2"},
	dueToday:    {ID: "today", Name: "Today", Query: "due:today", Gains: change(bulkedits.Due, "due", "today"), order: "3"},
	dueThisWeek: {ID: "week", Name: "Next 7 days", Query: "due:>today due:<7d", order: "4"},
	dueLater:    {ID: "later", Name: "Later", Query: "due:>=7d", order: "5"},
	dueNever:    {ID: "none", Name: "No due date", Query: "due:none", Gains: change(bulkedits.Due), order: "6"},
}

// dueIn is how soon a ticket with a due date is due.
func dueIn(due tickets.Date, closed bool, now time.Time) dueRange {
	days := due.Days(now)
	switch {
	case due.IsZero():
		return dueNever
	case due.Over(now) && !closed:
		return dueOver
	case days < 0:
		return duePast
	case days == 0:
		return dueToday
	case days < 7:
		return dueThisWeek
	}
	return dueLater
}

// change is the form of a kind of change with fields: a name and a value each.
func change(kind bulkedits.Kind, named ...string) string {
	return fields(append([]string{"do", string(kind)}, named...)...)
}

func fields(named ...string) string {
	values := url.Values{}
	for i := 0; i < len(named); i += 2 {
		values.Set(named[i], named[i+1])
	}
	return values.Encode()
}

func term(field query.Field, value string) string {
	return query.NodeText(query.Term{Field: field, Value: value})
}
