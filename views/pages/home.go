package pages

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/home"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// HomeProps is the first page of a company.
type HomeProps struct {
	Page   views.Page
	Alert  string
	Boards []boards.Board
	Pinned []boards.Board // those that the user pinned
	Work   []WorkGroup    // the most urgent of the user's tickets
	All    int            // how many tickets the user has
	Above  bool           // there are more than All
	Recent []tickets.Ticket
	// Since is when the user looked last, nil for never before.
	Since   *time.Time
	Changes []home.Change
	More    bool
	New     BoardForm
}

// WorkGroup are tickets that are due at about the same time.
type WorkGroup struct {
	Name    string
	Tickets []tickets.Work
}

// shownWork is how many tickets the home page shows of the user's.
const shownWork = 8

// MostUrgent returns the most urgent of the user's tickets: those that are overdue or due within a week by due date, then
// the others by priority. now is in the zone of the user.
func MostUrgent(list []tickets.Work, now time.Time) (groups []WorkGroup) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b tickets.Work) int {
		in := urgencyOf(a, now)
		if c := cmp.Compare(in, urgencyOf(b, now)); c != 0 {
			return c
		}
		byDue, byPriority := compareDue(a.Due, b.Due), cmp.Compare(b.Priority, a.Priority)
		if in == dueLater {
			return cmp.Or(byPriority, byDue)
		}
		return cmp.Or(byDue, byPriority)
	})
	for _, one := range list[:min(len(list), shownWork)] {
		name := urgencyName(urgencyOf(one, now))
		if n := len(groups); n == 0 || groups[n-1].Name != name {
			groups = append(groups, WorkGroup{Name: name})
		}
		group := &groups[len(groups)-1]
		group.Tickets = append(group.Tickets, one)
	}
	return groups
}

// urgencyOf is how soon an open ticket is due: never counts as later.
func urgencyOf(w tickets.Work, now time.Time) dueRange {
	return min(dueIn(w.Due, false, now), dueLater)
}

// urgencyName is the head of tickets that are as urgent.
func urgencyName(of dueRange) string {
	if of == dueLater {
		return "Later, or without a due date"
	}
	return dueGroups[of].Name
}

// compareDue sorts due dates; none is the last.
func compareDue(a, b tickets.Date) int {
	switch {
	case a.IsZero() && b.IsZero():
		return 0
	case a.IsZero():
		return 1
	case b.IsZero():
		return -1
	}
	return a.At.Compare(b.At)
}

// allWork names the link to all tickets of the user.
func (p HomeProps) allWork() string {
	n := strconv.Itoa(p.All)
	if p.Above {
		n += "+"
	}
	return "All " + n
}

func (p HomeProps) pinned(b boards.Board) bool {
	return slices.ContainsFunc(p.Pinned, func(pinned boards.Board) bool { return pinned.ID == b.ID })
}

// manyWords says what a user did to many tickets.
func manyWords(m home.Many) string {
	n := views.Count(int64(m.Tickets), "ticket", "tickets")
	if m.More {
		n = strconv.Itoa(m.Tickets) + "+ tickets"
	}
	if m.Imported {
		return "imported " + n
	}
	return "changed " + n + " in a bulk edit"
}

func commentWords(a home.Action) string {
	if a.Comments == 1 {
		return "commented"
	}
	return "wrote " + strconv.Itoa(a.Comments) + " comments"
}
