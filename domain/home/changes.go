package home

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Bounds of what is read and returned.
const (
	// Window is how many positions of a feed are looked through, the latest.
	Window = 2000
	// entries is how many of the newest entries of all histories are looked through.
	entries = 20000

	// late is how long after its time a change may be committed and is still found. What a member saw within that time
	// before the end of a visit may be listed once more.
	late = 10 * time.Second

	maxTickets  = 200
	maxEntries  = 2000
	maxComments = 200
	maxChanges  = 10
	maxActions  = 3
	maxExamples = 3
)

// Change is what others did to a ticket, or an action of theirs on many tickets.
type Change struct {
	Ticket  Ticket   // zero for an action on many
	Actions []Action // newest first
	More    int      // older ones that are left out
	Many    Many     // zero for a ticket
	At      time.Time
}

// Ticket is one that others changed.
type Ticket struct {
	Key    tickets.Key
	Title  string
	Closed bool
}

// Action is an entry of a ticket's history, or comments of a member or of the requester.
type Action struct {
	By        tickets.User
	Requester bool
	At        time.Time
	Entry     tickets.Activity
	Comments  int
	Comment   id.Comment // the newest
}

// Many is a bulk edit, or a run of an import. More says that it may be on more than Tickets tickets.
type Many struct {
	By       tickets.User
	Imported bool
	Tickets  int
	More     bool
	Examples []Ticket
}

// Source says which changes to read: those of boards, made after a time, and published in stretches of the feeds.
type Source struct {
	Boards            []id.Board
	Since             time.Time
	Tickets, Comments feeds.Stretch
}

// Changes returns what others changed, the latest first. more says that there is more.
func Changes(ctx context.Context, q *db.Queries, by db.Sight, of Source) (list []Change, more bool, err error) {
	if len(of.Boards) == 0 {
		return nil, false, nil
	}
	since := of.Since.Add(-late)
	changed, err := db.Read(q.ChangedTickets(ctx, db.ChangedTicketsParams{Reader: by.Reader, CompanyID: by.Company, Reach: by.Reach,
		Boards: of.Boards, After: &of.Tickets.After, To: &of.Tickets.To, Limit: maxTickets}))
	if err != nil {
		return nil, false, fmt.Errorf("read changed tickets: %w", err)
	}
	comments, err := db.Read(q.CommentsByOthers(ctx, db.CommentsByOthersParams{Reader: by.Reader, CompanyID: by.Company,
		Reach: by.Reach, Boards: of.Boards, After: &of.Comments.After, To: &of.Comments.To, Since: since, Limit: maxComments}))
	if err != nil {
		return nil, false, fmt.Errorf("read comments: %w", err)
	}
	histories, err := histories(ctx, q, by, changed, since)
	if err != nil {
		return nil, false, err
	}
	cut := len(changed) == maxTickets || of.Tickets.Cut
	list = merge(changed, comments, histories, cut)
	more = len(list) > maxChanges || cut || len(comments) == maxComments || of.Comments.Cut
	return list[:min(len(list), maxChanges)], more, nil
}

// histories returns what others did to tickets since a time, newest first.
func histories(
	ctx context.Context, q *db.Queries, by db.Sight, changed []db.ChangedTicketsRow, since time.Time,
) (map[id.Ticket][]tickets.Activity, error) {
	if len(changed) == 0 {
		return nil, nil
	}
	newest, err := db.Read(q.NewestActivity(ctx))
	if err != nil {
		return nil, fmt.Errorf("read the newest entry: %w", err)
	}
	list := make([]id.Ticket, len(changed))
	for i, t := range changed {
		list[i] = t.ID
	}
	return tickets.HistoriesByOthers(ctx, q, by.Reader, list, id.Activity(max(newest-entries, 0)), since, maxEntries)
}

// merge sorts what others did by tickets, and what they did to many tickets at once by bulk edits and imports. cut says
// that there are more changed tickets.
func merge(
	changed []db.ChangedTicketsRow, comments []db.CommentsByOthersRow, histories map[id.Ticket][]tickets.Activity, cut bool,
) (list []Change) {
	of := map[id.Ticket]*Change{}
	to := func(ticket id.Ticket, t Ticket) *Change {
		if of[ticket] == nil {
			of[ticket] = &Change{Ticket: t}
		}
		return of[ticket]
	}
	many := map[string]*Change{}
	for _, row := range changed {
		t := Ticket{tickets.Key{Board: row.Slug, Number: row.LocalID}, row.Title, row.ClosedAt != nil}
		counted := map[string]bool{} // a run may have several entries
		for _, entry := range histories[row.ID] {
			if run := runOf(entry); run != "" {
				if !counted[run] {
					addToRun(many, run, t, entry)
				}
				counted[run] = true
				continue
			}
			change := to(row.ID, t)
			change.Actions = append(change.Actions, Action{By: entry.By, At: entry.At, Entry: entry})
		}
	}
	for _, row := range comments {
		t := Ticket{tickets.Key{Board: row.Slug, Number: row.LocalID}, row.Title, row.ClosedAt != nil}
		to(row.TicketID, t).addComment(row)
	}
	for _, change := range many {
		change.Many.More = cut
		list = append(list, *change)
	}
	for _, change := range of {
		list = append(list, change.sorted())
	}
	slices.SortFunc(list, func(a, b Change) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Ticket.Key.String(), b.Ticket.Key.String()))
	})
	return list
}

// runOf names the bulk edit or the run of an import that an entry is of, "" for none.
func runOf(entry tickets.Activity) string {
	switch {
	case entry.Detail.BulkEdit != 0:
		return "bulk edit " + strconv.FormatUint(uint64(entry.Detail.BulkEdit), 10)
	case entry.Detail.Import != nil:
		return "import " + strconv.FormatUint(uint64(entry.Detail.Import.Run), 10)
	}
	return ""
}

// addToRun counts a ticket to what a bulk edit or an import changed.
func addToRun(many map[string]*Change, run string, t Ticket, entry tickets.Activity) {
	change := many[run]
	if change == nil {
		change = &Change{Many: Many{By: entry.By, Imported: entry.Detail.Import != nil}}
		many[run] = change
	}
	change.Many.Tickets++
	if len(change.Many.Examples) < maxExamples {
		change.Many.Examples = append(change.Many.Examples, t)
	}
	if entry.At.After(change.At) {
		change.At = entry.At
	}
}

// addComment adds a comment to the others of its author.
func (c *Change) addComment(row db.CommentsByOthersRow) {
	at := slices.IndexFunc(c.Actions, func(a Action) bool {
		return a.Comments > 0 && a.By.ID == row.AccountID && a.Requester == row.FromRequester
	})
	if at < 0 {
		at = len(c.Actions)
		c.Actions = append(c.Actions, Action{By: tickets.User{ID: row.AccountID, Name: row.AccountName}, Requester: row.FromRequester})
	}
	one := &c.Actions[at]
	one.Comments++
	if row.CreatedAt.After(one.At) {
		one.At, one.Comment = row.CreatedAt, row.ID
	}
}

// sorted is the change with its latest actions.
func (c Change) sorted() Change {
	slices.SortStableFunc(c.Actions, func(a, b Action) int { return b.At.Compare(a.At) })
	c.At = c.Actions[0].At
	if len(c.Actions) > maxActions {
		c.More = len(c.Actions) - maxActions
		c.Actions = c.Actions[:maxActions]
	}
	return c
}
