package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// leave removes the caller from the company.
func (e *env) leave(t testing.TB, ctx context.Context) {
	t.Helper()
	e.Exec(t, "DELETE FROM membership WHERE account_id = ?", uint64(accounts.ActorFrom(ctx).Account.ID))
}

var demo1 = tickets.Key{Board: "DEMO", Number: 1}

// comment comments on DEMO-1.
func (e *env) comment(t testing.TB, ctx context.Context, text string) tickets.Comment {
	t.Helper()
	comment := domaintest.OK(e.Workflows.Comment(ctx, demo1, text, nil))(t)
	return comment.Comment
}

// notifications returns the entries of the caller's inbox, the newest last: reason, author, ticket.
func (e *env) notifications(t testing.TB, ctx context.Context) (all []string) {
	t.Helper()
	rows := domaintest.OK(e.DB.SQL.Query(`SELECT CONCAT(n.kind, ' by ', a.name, ' on ', b.slug, '-', t.local_id)
		FROM notification n JOIN account a ON a.id = n.actor_id JOIN ticket t ON t.id = n.ticket_id
		JOIN board b ON b.id = t.board_id WHERE n.account_id = ? AND n.company_id = ? ORDER BY n.id`,
		uint64(accounts.ActorFrom(ctx).Account.ID), uint64(accounts.ActorFrom(ctx).Company.ID)))(t)
	defer rows.Close()
	for rows.Next() {
		var one string
		domaintest.Must(t, rows.Scan(&one))
		all = append(all, one)
	}
	domaintest.Must(t, rows.Err())
	return all
}

func (e *env) hears(t *testing.T, ctx context.Context, want ...string) {
	t.Helper()
	if got := e.notifications(t, ctx); !slices.Equal(got, want) {
		t.Errorf("%s has notifications %q, want %q", accounts.ActorFrom(ctx).Account.Name, got, want)
	}
}

func (e *env) assign(t testing.TB, ctx context.Context, handles ...string) tickets.Ticket {
	t.Helper()
	return domaintest.OK(e.Workflows.SetAssignees(ctx, demo1, handles))(t)
}

func TestNotifying(t *testing.T) {
	t.Parallel()
	t.Run("a mentioned member is notified once, and no member of their own actions", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ben := e.As(t, "Ben", accounts.Member)
		e.comment(t, e.Ctx, "@ben look, @Ben! `@ana` and @ana, @nobody")
		e.hears(t, ben, "mention by Ana on DEMO-1")
		e.hears(t, e.Ctx)
	})
	t.Run("replies notify the author, mentioned members, assignees and commenters", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ben, cyd, dan, eve := e.As(t, "Ben", accounts.Member), e.As(t, "Cyd", accounts.Member),
			e.As(t, "Dan", accounts.Member), e.As(t, "Eve", accounts.Member)
		e.comment(t, e.Ctx, "@ben")
		e.assign(t, e.Ctx, "cyd")
		e.comment(t, dan, "I am here too")
		e.comment(t, eve, "Hello")
		e.hears(t, e.Ctx, "reply by Dan on DEMO-1", "reply by Eve on DEMO-1")
		e.hears(t, ben, "mention by Ana on DEMO-1", "reply by Dan on DEMO-1", "reply by Eve on DEMO-1")
		e.hears(t, cyd, "assignment by Ana on DEMO-1", "reply by Dan on DEMO-1", "reply by Eve on DEMO-1")
		e.hears(t, dan, "reply by Eve on DEMO-1")
		e.hears(t, eve)
	})
	t.Run("an edit notifies only newly mentioned members", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ben, cyd := e.As(t, "Ben", accounts.Member), e.As(t, "Cyd", accounts.Member)
		comment := e.comment(t, e.Ctx, "@ben")
		domaintest.OK(e.Workflows.EditComment(e.Ctx, demo1, comment.ID, "@ben and @cyd", 1))(t)
		e.hears(t, ben, "mention by Ana on DEMO-1")
		e.hears(t, cyd, "mention by Ana on DEMO-1")
	})
	t.Run("a description notifies at opening and at an edit", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ben, cyd := e.As(t, "Ben", accounts.Member), e.As(t, "Cyd", accounts.Member)
		ticket := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "DEMO", tickets.Draft{Title: "x", Description: "For @ben"},
			nil))(t)
		text := "For @ben and @cyd"
		domaintest.OK(e.Workflows.EditTicket(e.Ctx, ticket.Key, tickets.Edit{Description: &text, Version: 1}))(t)
		e.hears(t, ben, "mention by Ana on "+ticket.Key.String())
		e.hears(t, cyd, "mention by Ana on "+ticket.Key.String())
	})
	t.Run("a muted ticket brings no replies, but mentions and assignments", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ben, vera := e.As(t, "Ben", accounts.Member), e.As(t, "Vera", accounts.Viewer)
		for _, ctx := range []context.Context{e.Ctx, ben, vera} { // the author too, and a viewer may
			domaintest.OK(e.Workflows.MuteTicket(ctx, demo1, true))(t)
		}
		e.comment(t, e.Ctx, "one")
		e.comment(t, ben, "two, @vera")
		e.comment(t, e.Ctx, "three")
		e.assign(t, e.Ctx, "ben")
		e.hears(t, e.Ctx)
		e.hears(t, ben, "assignment by Ana on DEMO-1")
		e.hears(t, vera, "mention by Ben on DEMO-1")
		domaintest.OK(e.Workflows.MuteTicket(e.Ctx, demo1, false))(t)
		e.comment(t, ben, "four")
		e.hears(t, e.Ctx, "reply by Ben on DEMO-1")
	})
	t.Run("a former member is not notified", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ben := e.As(t, "Ben", accounts.Member)
		e.comment(t, ben, "I am off")
		e.leave(t, ben)
		e.comment(t, e.Ctx, "@ben, wait")
		e.hears(t, ben)
		domaintest.Fails(e.Workflows.SetAssignees(e.Ctx, demo1, []string{"ben"}))(t, tickets.CodeNotAssignable)
	})
	t.Run("of a thousand mentioned members fifty are notified", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		var text strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&text, "@p%d ", i)
		}
		for i := range 60 {
			e.As(t, fmt.Sprintf("P%d", i), accounts.Member)
		}
		e.comment(t, e.Ctx, text.String())
		var n int
		if err := e.DB.SQL.QueryRow("SELECT COUNT(*) FROM notification").Scan(&n); err != nil || n != tickets.MaxMentions {
			t.Errorf("%d were told (%v)", n, err)
		}
	})
	t.Run("members who mention each other at the same time do not block each other", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		members := []context.Context{e.Ctx, e.As(t, "Ben", accounts.Member), e.As(t, "Cyd", accounts.Member),
			e.As(t, "Dan", accounts.Member)}
		var group sync.WaitGroup
		for i, ctx := range members {
			group.Go(func() {
				for n := range 10 {
					key := tickets.Key{Board: "DEMO", Number: uint64(1 + (i+n)%3)}
					if _, err := e.Workflows.Comment(ctx, key, "@dan @cyd @ben @ana", nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		for _, ctx := range members {
			if got := len(e.notifications(t, ctx)); got != 30 {
				t.Errorf("%s is told %d times, want 30", accounts.ActorFrom(ctx).Account.Name, got)
			}
		}
	})
}

func TestMarkAsRead(t *testing.T) {
	t.Parallel()
	t.Run("opening the ticket, an entry, or all marks as read, and the count ends", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ben := e.As(t, "Ben", accounts.Member)
		e.comment(t, e.Ctx, "@ben")
		other, err := e.Workflows.OpenTicket(e.Ctx, "DEMO", tickets.Draft{Title: "x", Description: "@ben"}, nil)
		domaintest.Must(t, err)
		unread := func(want int) {
			t.Helper()
			if n, err := e.Workflows.Unread(ben); err != nil || n != want {
				t.Errorf("%d unread, want %d (%v)", n, want, err)
			}
		}
		unread(2)
		ticket, err := e.Workflows.Ticket(ben, other.Key)
		domaintest.Must(t, err)
		if n, err := e.Workflows.ReadTicket(ben, ticket); err != nil || n != 1 {
			t.Error(n, err)
		}
		unread(1)
		list, _, err := e.Workflows.Inbox(ben, 0)
		domaintest.Must(t, err)
		domaintest.Is(t, e.Workflows.ReadEntry(e.Ctx, list[1].ID), tickets.CodeEntryNotFound)
		if err := e.Workflows.ReadEntry(ben, list[1].ID); err != nil {
			t.Error(err)
		}
		unread(0)
		e.Exec(t, "INSERT INTO notification (company_id, account_id, ticket_id, actor_id, kind, created_at) SELECT n.company_id, n.account_id, n.ticket_id, n.actor_id, n.kind, n.created_at FROM notification n, activity a, activity b, activity c WHERE n.id = ? LIMIT 300", uint64(list[0].ID))
		unread(tickets.MaxUnread + 1)
		if list, _, err = e.Workflows.Inbox(ben, 0); err != nil {
			t.Fatal(err)
		}
		e.comment(t, e.Ctx, "@ben")
		domaintest.Must(t, e.Workflows.ReadInbox(ben, list[0].ID))
		unread(1) // later entries
	})
}

// stored is a comment of DEMO-1.
func (e *env) stored(t testing.TB, comment id.Comment) tickets.Comment {
	t.Helper()
	ticket := domaintest.OK(e.Workflows.Ticket(e.Ctx, demo1))(t)
	return domaintest.OK(e.Workflows.CommentOf(e.Ctx, ticket, comment))(t)
}

func TestComments(t *testing.T) {
	t.Parallel()
	t.Run("of two edits of one comment at once one is taken, and the other sees it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		comment := e.comment(t, e.Ctx, "as it was")
		errs := make([]error, 8)
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() { _, errs[i] = e.Workflows.EditComment(e.Ctx, demo1, comment.ID, fmt.Sprint("by ", i), 1) })
		}
		group.Wait()
		won := -1
		for i, err := range errs {
			var stale tickets.StaleComment
			switch {
			case err == nil && won < 0:
				won = i
			case err == nil:
				t.Errorf("%d was taken, and so was %d", i, won)
			case !errors.As(err, &stale):
				t.Error(err)
			}
		}
		for i, err := range errs {
			var stale tickets.StaleComment
			if errors.As(err, &stale) && (stale.Current.Body != fmt.Sprint("by ", won) || stale.Current.Version != 2) {
				t.Errorf("%d is shown %+v", i, stale.Current)
			}
		}
	})
	t.Run("a comment is its author's alone, and leaves its place behind", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ben, vera := e.As(t, "Ben", accounts.Member), e.As(t, "Vera", accounts.Viewer)
		comment := e.comment(t, ben, "mine")
		domaintest.Fails(e.Workflows.EditComment(e.Ctx, demo1, comment.ID, "ours", 1))(t, tickets.CodeNotYourComment)
		domaintest.Fails(e.Workflows.DeleteComment(e.Ctx, demo1, comment.ID))(t, tickets.CodeNotYourComment)
		domaintest.Fails(e.Workflows.Comment(vera, demo1, "x", nil))(t, accounts.CodeReadOnly)
		domaintest.Fails(e.Workflows.EditComment(ben, tickets.Key{Board: "DEMO", Number: 2}, comment.ID, "x", 1))(t,
			tickets.CodeCommentNotFound)
		domaintest.OK(e.Workflows.DeleteComment(ben, demo1, comment.ID))(t)
		var stale tickets.StaleComment
		if _, err := e.Workflows.EditComment(ben, demo1, comment.ID, "x", 1); !errors.As(err, &stale) ||
			!stale.Current.Deleted() {
			t.Error(err)
		}
		domaintest.Fails(e.Workflows.DeleteComment(ben, demo1, comment.ID))(t, tickets.CodeCommentNotFound)
		ticket, err := e.Workflows.Ticket(e.Ctx, demo1)
		domaintest.Must(t, err)
		page, err := e.Workflows.Comments(e.Ctx, ticket, 0)
		if err != nil || len(page.List) != 1 || !page.List[0].Deleted() || page.List[0].Body != "" ||
			page.List[0].Author.Name != "Ben" {
			t.Errorf("%+v %v", page, err)
		}
	})
	t.Run("a deleted comment comes back by an undo of its deleter, under a new version, and is not an edited one",
		func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			ben := e.As(t, "Ben", accounts.Member)
			said := e.comment(t, ben, "mine, @ana")
			domaintest.OK(e.Workflows.DeleteComment(ben, demo1, said.ID))(t)
			e.Counts(t, 0, "SELECT COUNT(*) FROM comment WHERE body <> ''")
			domaintest.Fails(e.Workflows.RestoreComment(e.Ctx, demo1, said.ID))(t, tickets.CodeNotYourDeletion)
			domaintest.OK(e.Workflows.RestoreComment(ben, demo1, said.ID))(t)
			domaintest.OK(e.Workflows.RestoreComment(ben, demo1, said.ID))(t) // it is there
			e.Counts(t, 0, "SELECT COUNT(*) FROM deleted_comment")
			e.Counts(t, 1, "SELECT COUNT(*) FROM notification")
			back := e.stored(t, said.ID)
			if back.Body != said.Body || back.Deleted() || back.Version != 3 || back.Edited() ||
				back.Author.Name != "Ben" || !back.CreatedAt.Equal(said.CreatedAt) {
				t.Errorf("it is back as %+v", back)
			}
			domaintest.OK(e.Workflows.EditComment(ben, demo1, said.ID, "better", 3))(t)
			domaintest.OK(e.Workflows.DeleteComment(ben, demo1, said.ID))(t)
			domaintest.OK(e.Workflows.RestoreComment(ben, demo1, said.ID))(t)
			if back := e.stored(t, said.ID); back.Body != "better" || back.Version != 6 || !back.Edited() {
				t.Errorf("it is back as %+v", back)
			}
		})
	t.Run("too late the text is gone, and forgotten", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		late, soon := e.comment(t, e.Ctx, "late"), e.comment(t, e.Ctx, "soon")
		for _, one := range []tickets.Comment{late, soon} {
			domaintest.OK(e.Workflows.DeleteComment(e.Ctx, demo1, one.ID))(t)
		}
		e.Exec(t, "UPDATE deleted_comment SET deleted_at = deleted_at - INTERVAL 31 MINUTE WHERE comment_id = ?",
			uint64(late.ID))
		domaintest.Fails(e.Workflows.RestoreComment(e.Ctx, demo1, late.ID))(t, tickets.CodeCommentDeletedLongAgo)
		if n := domaintest.OK(e.Workflows.ForgetDeletedTexts(e.Ctx))(t); n != 1 {
			t.Errorf("%d texts were forgotten", n)
		}
		e.Counts(t, 1, "SELECT COUNT(*) FROM deleted_comment")
		domaintest.Fails(e.Workflows.RestoreComment(e.Ctx, demo1, late.ID))(t, tickets.CodeCommentDeletedLongAgo)
		domaintest.OK(e.Workflows.RestoreComment(e.Ctx, demo1, soon.ID))(t)
		domaintest.Fails(e.Workflows.RestoreComment(e.Ctx, tickets.Key{Board: "DEMO", Number: 2}, soon.ID))(t,
			tickets.CodeCommentNotFound)
	})
	t.Run("of many undos of one deletion one counts", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		said := e.comment(t, e.Ctx, "mine")
		domaintest.OK(e.Workflows.DeleteComment(e.Ctx, demo1, said.ID))(t)
		undo := func() error {
			_, err := e.Workflows.RestoreComment(e.Ctx, demo1, said.ID)
			return err
		}
		if n := countSucceeded(atOnce(undo, undo, undo, undo)); n != 4 {
			t.Errorf("%d undos succeeded", n)
		}
		if back := e.stored(t, said.ID); back.Body != "mine" || back.Version != 3 {
			t.Errorf("it is back as %+v", back)
		}
	})
	t.Run("pages lead back to the first comment, in order, and are shorter for long texts", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		var want []string
		for i := range 60 {
			want = append(want, e.comment(t, e.Ctx, fmt.Sprint("comment ", i)).Body)
		}
		for range 4 {
			want = append(want, e.comment(t, e.Ctx, strings.Repeat("x", tickets.MaxComment)).Body)
		}
		ticket, err := e.Workflows.Ticket(e.Ctx, demo1)
		domaintest.Must(t, err)
		var got []string
		before := tickets.Comments{Older: true}
		for first := true; before.Older; first = false {
			from := tickets.Comment{}.ID
			if !first {
				from = before.List[0].ID
			}
			if before, err = e.Workflows.Comments(e.Ctx, ticket, from); err != nil {
				t.Fatal(err)
			}
			size := 0
			var page []string
			if first && before.Before != len(want)-len(before.List) {
				t.Errorf("%d are older than the first page of %d", before.Before, len(before.List))
			}
			for _, c := range before.List {
				page, size = append(page, c.Body), size+len(c.Body)
			}
			if len(page) > workflows.CommentsPerPage || size > 130<<10 {
				t.Errorf("a page of %d comments with %d bytes", len(page), size)
			}
			got = append(page, got...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d comments came back, in another order or not all", len(got))
		}
	})
}

func TestAssigning(t *testing.T) {
	t.Parallel()
	t.Run("assignees are several members but viewers, and the history has their names", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ben := e.As(t, "Ben", accounts.Member)
		e.As(t, "Vera", accounts.Viewer)
		for _, handles := range [][]string{{"vera"}, {"nobody"}, {"ana", "nobody"}, {""}, {"ANA"}} {
			if _, err := e.Workflows.SetAssignees(e.Ctx, demo1, handles); !errors.Is(err, tickets.CodeNotAssignable) {
				t.Errorf("%q: %v", handles, err)
			}
		}
		e.assign(t, e.Ctx, "ben", "ana", "ben")
		if ticket := e.assign(t, ben, "ben"); len(ticket.Assignees) != 1 || ticket.Assignees[0].Handle != "ben" {
			t.Errorf("%+v", ticket.Assignees)
		}
		e.assign(t, ben, "ben") // changes nothing
		ticket, err := e.Workflows.Ticket(e.Ctx, demo1)
		if err != nil || len(ticket.Assignees) != 1 || ticket.Assignees[0].Name != "Ben" {
			t.Fatal(ticket.Assignees, err)
		}
		history, _, err := e.Workflows.History(e.Ctx, ticket.ID, 0)
		if err != nil || len(history) != 3 ||
			*history[0].Detail.Assignees != (tickets.Change{Old: "Ana, Ben", New: "Ben"}) ||
			*history[1].Detail.Assignees != (tickets.Change{New: "Ana, Ben"}) {
			t.Errorf("%+v %v", history, err)
		}
	})
	t.Run("two concurrent assignments both hold", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ben := e.As(t, "Ben", accounts.Member)
		var group sync.WaitGroup
		for _, ctx := range []context.Context{e.Ctx, ben} {
			group.Go(func() {
				wish := workflows.Assignment{Add: []accounts.ID{accounts.ActorFrom(ctx).Account.ID}}
				if _, _, err := e.Workflows.AssignTicket(ctx, demo1, wish); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if ticket, err := e.Workflows.Ticket(e.Ctx, demo1); err != nil || len(ticket.Assignees) != 2 {
			t.Error(ticket.Assignees, err)
		}
	})
	t.Run("a member who is removed at the same time is assigned before, or not at all", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for i := range 12 {
			name := fmt.Sprint("Ben", i)
			ben := e.As(t, name, accounts.Member)
			key := tickets.Key{Board: "DEMO", Number: uint64(1 + i%7)}
			var err error
			var group sync.WaitGroup
			group.Go(func() { _, err = e.Workflows.SetAssignees(e.Ctx, key, []string{strings.ToLower(name)}) })
			group.Go(func() { e.leave(t, ben) })
			group.Wait()
			if err != nil && !errors.Is(err, tickets.CodeNotAssignable) {
				t.Error(err)
			}
			var n int
			if err2 := e.DB.SQL.QueryRow("SELECT COUNT(*) FROM assignee WHERE account_id = ?",
				uint64(accounts.ActorFrom(ben).Account.ID)).Scan(&n); err2 != nil || n == 1 != (err == nil) {
				t.Errorf("%d rows after %v (%v)", n, err, err2)
			}
		}
	})
	t.Run("My work has the caller's open tickets after any action", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.assign(t, e.Ctx, "ana")
		work := func(want int) {
			t.Helper()
			if list, _, err := e.Workflows.Work(e.Ctx, 0); err != nil || len(list) != want || want == 1 && list[0].Key != demo1 {
				t.Errorf("%+v %v, want %d", list, err, want)
			}
		}
		work(1)
		columns := e.Practice.Columns
		for _, move := range []struct{ to, want int }{{2, 0}, {1, 1}, {2, 0}, {0, 1}} {
			if _, _, err := e.Workflows.MoveTicket(e.Ctx, demo1, tickets.Intent{Column: columns[move.to].ID}); err != nil {
				t.Fatal(err)
			}
			work(move.want)
		}
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, demo1))
		work(0)
		closed := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "DEMO",
			tickets.Draft{Title: "done already", Column: columns[2].ID}, nil))(t)
		domaintest.OK(e.Workflows.SetAssignees(e.Ctx, closed.Key, []string{"ana"}))(t)
		work(0)
	})
	t.Run("a ticket has twenty assignees at most", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		var wish workflows.Assignment
		for i := range tickets.MaxAssignees + 1 {
			wish.Add = append(wish.Add, accounts.ActorFrom(e.As(t, fmt.Sprint("P", i), accounts.Member)).Account.ID)
		}
		if _, _, err := e.Workflows.AssignTicket(e.Ctx, demo1, wish); !errors.Is(err, tickets.CodeTooManyAssignees) {
			t.Error(err)
		}
		wish.Add = wish.Add[1:]
		if _, _, err := e.Workflows.AssignTicket(e.Ctx, demo1, wish); err != nil {
			t.Error(err)
		}
	})
}

func TestFindMembers(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.As(t, "Ben", accounts.Member)
	e.As(t, "Bea", accounts.Viewer)
	e.Exec(t, "UPDATE account SET name = 'Zoë Benton 100%' WHERE name = 'Bea'")
	for text, want := range map[string]string{
		"": "ana bea ben", "be": "bea ben", "@BE": "bea ben", "ben": "ben bea", "zoe": "bea", "100%": "bea", "%": "", "_": "",
		"en": "", "x": "", "\x00": "", "\xff": "", `\`: "", strings.Repeat("b", 5000): "",
	} {
		found, err := e.Workflows.FindMembers(e.Ctx, text, false, 8)
		var got []string
		for _, m := range found {
			got = append(got, m.Handle)
		}
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("%.20q finds %q, want %q (%v)", text, got, want, err)
		}
	}
	if found, err := e.Workflows.FindMembers(e.Ctx, "be", true, 8); err != nil || len(found) != 1 {
		t.Error("of those who may work:", found, err)
	}
}
