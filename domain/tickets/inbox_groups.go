package tickets

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// InboxGroup is all that an inbox has of a ticket: its newest notification, and what else is unread. One about a board
// is a group of its own.
type InboxGroup struct {
	Notification
	New  int      // how many are unread
	Also []string // the reasons of unread ones that the newest does not have
}

const (
	// inboxWindow is how many notifications a page of groups is made of. What is unread of a ticket is read from the
	// newest down, because reading one reads those before it, so hardly any is below the window of the newest.
	inboxWindow = 300
	// inboxWindows is how often a page reads on if all tickets of a window are on earlier pages.
	inboxWindows = 10
)

// Inbox returns up to limit groups of the reader's inbox, the newest first, from below a notification; 0 means from the
// newest. A ticket is on the page that has its newest notification and on no other. next is where the
// next page begins, 0 if there is none.
func Inbox(
	ctx context.Context, q *db.Queries, by db.Sight, before id.Notification, limit int,
) (list []InboxGroup, next id.Notification, err error) {
	if before == 0 {
		before = math.MaxInt64
	}
	for range inboxWindows {
		rows, err := db.Read(q.InboxWindow(ctx, db.InboxWindowParams{Reach: by.Reach, AccountID: by.Reader,
			CompanyID: by.Company, BeforeID: before, Limit: inboxWindow + 1}))
		if err != nil {
			return nil, 0, fmt.Errorf("read inbox: %w", err)
		}
		list, next = groupsOf(rows, limit)
		if len(list) > 0 || next == 0 {
			break
		}
		before = next
	}
	list, err = describe(ctx, q, by, list)
	return list, next, err
}

// groupsOf groups a window of notifications and one more. next is 0 if nothing is below the groups.
func groupsOf(rows []db.InboxWindowRow, limit int) (list []InboxGroup, next id.Notification) {
	rows, more := cut(rows, inboxWindow)
	if more {
		next = rows[len(rows)-1].ID
	}
	of := map[ID]int{}
	for i, r := range rows {
		if id.Notification(r.Newest) != r.ID || r.Visible == 0 {
			continue
		}
		if len(list) == limit {
			next = rows[i-1].ID
			break
		}
		group := InboxGroup{Notification: Notification{ID: r.ID, Why: r.Kind, Unread: r.Unread}}
		if ticket := ID(r.TicketID); ticket != 0 {
			of[ticket] = len(list)
		} else if r.Unread {
			group.New = 1
		}
		list = append(list, group)
	}
	for _, r := range rows {
		if r.TicketID == 0 || !r.Unread {
			continue
		}
		if at, ok := of[ID(r.TicketID)]; ok {
			list[at].add(r.Kind)
		}
	}
	return list, next
}

// add counts an unread notification.
func (g *InboxGroup) add(why string) {
	g.New++
	if why != g.Why && !slices.Contains(g.Also, why) {
		g.Also = append(g.Also, why)
	}
}

// InboxEntry returns a notification of the reader as a group without others, or EntryNotFound.
func InboxEntry(ctx context.Context, q *db.Queries, by db.Sight, entry id.Notification) (InboxGroup, error) {
	if _, err := entryTicket(ctx, q, by, entry); err != nil {
		return InboxGroup{}, err
	}
	list, err := describe(ctx, q, by, []InboxGroup{{Notification: Notification{ID: entry}}})
	if err != nil {
		return InboxGroup{}, err
	}
	if len(list) == 0 { // out of sight by now
		return InboxGroup{}, EntryNotFound()
	}
	if list[0].Unread {
		list[0].New = 1
	}
	return list[0], nil
}

// describe reads the newest notifications of groups, and returns the groups that are still in sight.
func describe(ctx context.Context, q *db.Queries, by db.Sight, list []InboxGroup) ([]InboxGroup, error) {
	if len(list) == 0 {
		return nil, nil
	}
	ids, at := make([]id.Notification, len(list)), make(map[id.Notification]int, len(list))
	for i, g := range list {
		ids[i], at[g.ID] = g.ID, i
	}
	rows, err := db.Read(q.InboxOf(ctx, ids, by.Reach))
	if err != nil {
		return nil, fmt.Errorf("read inbox entries: %w", err)
	}
	for _, r := range rows {
		one := Notification{
			ID: r.ID, Why: r.Kind, Unread: r.Unread, At: r.CreatedAt, By: User{ID: r.ActorID, Name: r.ActorName},
			Key: Key{Board: r.BoardSlug, Number: uint64(r.LocalID)}, Title: r.Title, Gone: r.DeletedAt != nil, Excerpt: r.Excerpt,
			FromRequester: r.FromRequester,
		}
		if !r.FromRequester { // whose text is plain
			one.Excerpt = markup.Preview(r.Excerpt)
		}
		if r.CommentID != nil {
			one.Comment = *r.CommentID
		}
		list[at[r.ID]].Notification = one
	}
	return slices.DeleteFunc(list, func(g InboxGroup) bool { return g.At.IsZero() }), nil
}
