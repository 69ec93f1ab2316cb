package workflows_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/recurrence"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// noon is the time at which tests of recurrences begin.
var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// recurring is an environment whose clock stands, with a board.
type recurring struct {
	*env
	board boards.Board
	now   time.Time
}

func newRecurring(t *testing.T) *recurring {
	t.Helper()
	e := &recurring{env: newEnv(t), now: noon}
	e.board = e.Board(t, "NINJA")
	e.DB.SetClock(func() time.Time { return e.now })
	return e
}

// repeat opens a ticket that is due, as typed, and repeats it.
func (e *recurring) repeat(t *testing.T, ctx context.Context, due, rule, opens string) tickets.Ticket {
	t.Helper()
	draft := tickets.Draft{Title: "Water the plants", Description: "- [x] can\n- [ ] tap", Labels: []string{"home"}}
	draft.Due = domaintest.OK(tickets.ParseDate("due", due))(t)
	ticket := domaintest.OK(e.Workflows.OpenTicket(ctx, "NINJA", draft, nil))(t)
	plan := domaintest.OK(recurrence.ParsePlan(rule, opens, "Europe/Berlin"))(t)
	ticket, _, err := e.Workflows.SetRecurrence(ctx, ticket.Key, &plan)
	domaintest.Must(t, err)
	return ticket
}

// opens fails unless so many tickets are opened now.
func (e *recurring) opens(t *testing.T, want int) {
	t.Helper()
	if got := domaintest.OK(e.Workflows.OpenRecurring(context.Background()))(t); got != want {
		t.Fatalf("%d tickets are opened at %s, want %d", got, e.now, want)
	}
	e.Sound(t)
}

// history returns what a ticket's history says of its recurrence, newest first.
func (e *recurring) history(t *testing.T, key string) (said []string) {
	t.Helper()
	list, _, err := tickets.History(e.Ctx, e.DB.Queries, e.Ticket(t, key).ID, 0, 50)
	domaintest.Must(t, err)
	for _, entry := range list {
		if r := entry.Detail.Recurred; r != nil {
			text := fmt.Sprintf("%d skipped", r.Skipped)
			switch {
			case r.Next != nil:
				text = "next " + r.Next.String()
			case r.Before != nil:
				text += " after " + r.Before.String()
			case r.Paused != "":
				text = "paused: " + string(r.Paused)
			}
			said = append(said, text)
		}
	}
	return said
}

func TestRecurring(t *testing.T) {
	t.Parallel()
	t.Run("the next ticket is opened when one is due", func(t *testing.T) {
		t.Parallel()
		e := newRecurring(t)
		first := e.repeat(t, e.Ctx, "2026-11-30", "FREQ=WEEKLY", "due")
		e.opens(t, 0)
		e.now = time.Date(2026, 11, 29, 22, 59, 0, 0, time.UTC) // 23:59 in Berlin
		e.opens(t, 0)
		e.now = e.now.Add(time.Minute)
		e.opens(t, 1)
		e.opens(t, 0)
		next := e.Ticket(t, "NINJA-2")
		if next.Title != first.Title || next.Description != "- [ ] can\n- [ ] tap" || next.Due.String() != "2026-12-07" ||
			next.Column != e.board.Entry().ID || len(next.Labels) != 1 || next.Recurrence == nil || next.Author.ID != e.Actor.Account.ID {
			t.Errorf("the next ticket is %+v", next)
		}
		if before := e.Ticket(t, "NINJA-1"); before.Recurrence != nil || before.Closed() {
			t.Errorf("the ticket before is %+v", before)
		}
		if said := e.history(t, "NINJA-1"); !slices.Equal(said, []string{"next NINJA-2"}) {
			t.Errorf("the history says %v", said)
		}
		if said := e.history(t, "NINJA-2"); !slices.Equal(said, []string{"0 skipped after NINJA-1"}) {
			t.Errorf("the history says %v", said)
		}
	})
	t.Run("after a week in which no server was up there is one, not seven", func(t *testing.T) {
		t.Parallel()
		e := newRecurring(t)
		e.repeat(t, e.Ctx, "2026-11-27", "FREQ=DAILY", "due")
		e.now = noon.AddDate(0, 0, 7)
		e.opens(t, 1)
		e.opens(t, 0)
		if due := e.Ticket(t, "NINJA-2").Due.String(); due != "2026-12-05" {
			t.Errorf("it is due on %s", due)
		}
		if said := e.history(t, "NINJA-2"); !slices.Equal(said, []string{"7 skipped after NINJA-1"}) {
			t.Errorf("the history says %v", said)
		}
	})
	t.Run("the next ticket is opened when one is closed", func(t *testing.T) {
		t.Parallel()
		e := newRecurring(t)
		ticket := e.repeat(t, e.Ctx, "2026-11-27T15:00:00Z", "FREQ=DAILY", "closed")
		e.now = noon.AddDate(0, 0, 3)
		e.opens(t, 0)
		_, _, err := e.Workflows.CloseTicket(e.Ctx, ticket.Key)
		domaintest.Must(t, err)
		_, _, err = e.Workflows.ReopenTicket(e.Ctx, ticket.Key)
		domaintest.Must(t, err)
		e.opens(t, 0)
		_, _, err = e.Workflows.MoveTicket(e.Ctx, ticket.Key, tickets.Intent{Column: e.board.Columns[2].ID})
		domaintest.Must(t, err)
		e.opens(t, 1)
		e.opens(t, 0)
		if due := e.Ticket(t, "NINJA-2").Due.String(); due != "2026-11-30T15:00:00Z" {
			t.Errorf("it is due at %s", due)
		}
	})
	t.Run("the next ticket is open, also where the first column is done", func(t *testing.T) {
		t.Parallel()
		e := newRecurring(t)
		e.repeat(t, e.Ctx, "2026-11-27", "FREQ=DAILY", "closed")
		done := true
		e.edit(t, "NINJA", e.board.Columns[0].ID, boards.ColumnEdit{Done: &done})
		e.opens(t, 1)
		if next := e.Ticket(t, "NINJA-2"); next.Closed() || next.Column != e.board.Columns[1].ID {
			t.Errorf("the next ticket is in column %d, closed %t", next.Column, next.Closed())
		}
	})
	t.Run("ten servers open it once", func(t *testing.T) {
		t.Parallel()
		e := newRecurring(t)
		for range 20 {
			e.repeat(t, e.Ctx, "2026-11-27", "FREQ=DAILY", "due")
		}
		var servers []func() error
		for range 10 {
			one := e.Another(t)
			servers = append(servers, func() error {
				_, err := one.Workflows.OpenRecurring(context.Background())
				return err
			})
		}
		for _, err := range atOnce(servers...) {
			domaintest.Must(t, err)
		}
		e.now = e.now.Add(2 * time.Minute) // what one claimed and lost
		domaintest.OK(e.Workflows.OpenRecurring(context.Background()))(t)
		e.Counts(t, 40, "SELECT COUNT(*) FROM ticket WHERE board_id = ?", e.board.ID)
		e.Counts(t, 40, "SELECT COUNT(DISTINCT recurrence_id, occurs_at) FROM occurrence")
		e.Sound(t)
	})
	t.Run("a server that died with it is followed by another", func(t *testing.T) {
		t.Parallel()
		e := newRecurring(t)
		e.repeat(t, e.Ctx, "2026-11-27", "FREQ=DAILY", "due")
		due := domaintest.OK(tickets.DueRecurrences(e.Ctx, e.DB.Queries, e.now, 10))(t)
		claimed := domaintest.OK(tickets.ClaimRecurrence(e.Ctx, e.DB, due[0], e.now.Add(time.Minute)))(t)
		if again := domaintest.OK(tickets.ClaimRecurrence(e.Ctx, e.DB, due[0], e.now.Add(time.Minute)))(t); !claimed || again {
			t.Fatalf("claimed %t, then %t", claimed, again)
		}
		e.opens(t, 0)
		e.now = e.now.Add(time.Minute)
		e.opens(t, 1)
	})
	t.Run("with the rights of its owner, who may not any more", func(t *testing.T) {
		t.Parallel()
		for name, lose := range map[string]func(e *recurring, bob context.Context){
			"left": func(e *recurring, bob context.Context) { e.leave(t, bob) },
			"views": func(e *recurring, bob context.Context) {
				e.Exec(t, "UPDATE membership SET role = 'viewer' WHERE account_id = ?", uint64(accounts.ActorFrom(bob).Account.ID))
			},
			"does not see the board": func(e *recurring, bob context.Context) {
				domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "NINJA", true))(t)
			},
		} {
			e := newRecurring(t)
			bob := e.As(t, "bob", "member")
			cyd := e.As(t, "cyd", "member")
			e.repeat(t, bob, "2026-11-27", "FREQ=DAILY", "due")
			lose(e, bob)
			e.opens(t, 0)
			r := e.Ticket(t, "NINJA-1").Recurrence
			if r.State != tickets.RecurrenceRights {
				t.Errorf("%s: the recurrence is %+v", name, r)
			}
			e.Counts(t, 0, "SELECT COUNT(*) FROM recurrence WHERE due_at IS NOT NULL")
			if said := e.history(t, "NINJA-1"); !slices.Equal(said, []string{"paused: rights"}) {
				t.Errorf("%s: the history says %v", name, said)
			}
			e.hears(t, e.Ctx, "paused by bob on NINJA-1")
			e.hears(t, cyd)
			e.now = e.now.AddDate(0, 0, 1)
			e.opens(t, 0)
			plan := r.Plan
			_, entry, err := e.Workflows.SetRecurrence(e.Ctx, tickets.Key{Board: "NINJA", Number: 1}, &plan)
			domaintest.Must(t, err)
			if entry.ID == 0 {
				t.Errorf("%s: it was not taken over", name)
			}
			e.opens(t, 1)
		}
	})
	t.Run("assignees who cannot be assigned any more are left out", func(t *testing.T) {
		t.Parallel()
		e := newRecurring(t)
		bob := e.As(t, "bob", "member")
		e.As(t, "cyd", "member")
		dan, eve := e.As(t, "dan", "member"), e.As(t, "eve", "member")
		ticket := e.repeat(t, e.Ctx, "2026-11-27", "FREQ=DAILY", "due")
		domaintest.OK(e.Workflows.SetAssignees(e.Ctx, ticket.Key, []string{"bob", "cyd", "dan", "eve"}))(t)
		e.leave(t, bob)
		domaintest.OK(e.Console.DeactivateAccount(e.Ctx, accounts.ActorFrom(dan).Account.ID, ""))(t)
		e.Exec(t, "UPDATE membership SET role = 'viewer' WHERE account_id = ?", uint64(accounts.ActorFrom(eve).Account.ID))
		e.opens(t, 1)
		if next := e.Ticket(t, "NINJA-2"); len(next.Assignees) != 1 || next.Assignees[0].Handle != "cyd" {
			t.Errorf("it is assigned to %v", next.Assignees)
		}
	})
	t.Run("while the ticket is deleted, or the board archived, nothing is opened", func(t *testing.T) {
		t.Parallel()
		e := newRecurring(t)
		ticket := e.repeat(t, e.Ctx, "2026-11-27", "FREQ=DAILY", "due")
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, ticket.Key))
		e.opens(t, 0)
		_, _, err := e.Workflows.RestoreTicket(e.Ctx, ticket.Key)
		domaintest.Must(t, err)
		domaintest.OK(e.Workflows.ArchiveBoard(e.Ctx, "NINJA", true, nil))(t)
		e.now = e.now.Add(2 * time.Hour)
		e.opens(t, 0)
		domaintest.OK(e.Workflows.ArchiveBoard(e.Ctx, "NINJA", false, nil))(t)
		e.now = e.now.Add(2 * time.Hour)
		e.opens(t, 1)
	})
	t.Run("it ends with the rule", func(t *testing.T) {
		t.Parallel()
		e := newRecurring(t)
		e.repeat(t, e.Ctx, "2026-11-27", "FREQ=DAILY;COUNT=2", "due")
		e.opens(t, 1)
		e.now = e.now.AddDate(0, 0, 1)
		e.opens(t, 0)
		if r := e.Ticket(t, "NINJA-2").Recurrence; r.State != tickets.RecurrenceEnded {
			t.Errorf("it is %s", r.State)
		}
		e.hears(t, e.Ctx)
	})
}

func TestSetRecurrence(t *testing.T) {
	t.Parallel()
	e := newRecurring(t)
	daily := domaintest.OK(recurrence.ParsePlan("FREQ=DAILY", "due", "UTC"))(t)
	weekly := domaintest.OK(recurrence.ParsePlan("FREQ=WEEKLY", "closed", "UTC"))(t)
	never := domaintest.OK(recurrence.ParsePlan("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "due", "UTC"))(t)
	e.Open(t, "NINJA", e.board.Columns[0].ID, 1)
	_, _, err := e.Workflows.SetRecurrence(e.Ctx, tickets.Key{Board: "NINJA", Number: 1}, &daily)
	domaintest.Is(t, err, tickets.CodeNoDueDate)
	ticket := e.repeat(t, e.Ctx, "2026-12-01", "FREQ=DAILY", "due")
	set := func(plan *recurrence.Plan) (tickets.Ticket, tickets.Activity) {
		t.Helper()
		changed, entry, err := e.Workflows.SetRecurrence(e.Ctx, ticket.Key, plan)
		domaintest.Must(t, err)
		return changed, entry
	}
	_, _, err = e.Workflows.SetRecurrence(e.Ctx, ticket.Key, &never)
	domaintest.Is(t, err, recurrence.CodeNever)
	_, entry := set(&weekly)
	if change := entry.Detail.Recurrence; change == nil || !strings.HasPrefix(change.Old, "FREQ=DAILY due") || change.New != weekly.String() {
		t.Errorf("the history says %+v", entry.Detail)
	}
	if _, again := set(&weekly); again.ID != 0 {
		t.Error("the same plan again is recorded")
	}
	_, removed := set(nil)
	domaintest.OK(e.Workflows.Undo(e.Ctx, removed.ID))(t)
	if r := e.Ticket(t, ticket.Key.String()).Recurrence; r == nil || r.Plan.String() != weekly.String() {
		t.Errorf("undone, it is %+v", r)
	}
	_, entry = set(&daily)
	set(&weekly)
	domaintest.Fails(e.Workflows.Undo(e.Ctx, entry.ID))(t, tickets.CodeChangedSince)
	_, _, err = e.Workflows.CloseTicket(e.Ctx, ticket.Key)
	domaintest.Must(t, err)
	set(nil)
	_, _, err = e.Workflows.SetRecurrence(e.Ctx, ticket.Key, &weekly)
	domaintest.Is(t, err, tickets.CodeRepeatsClosed)
	viewer := e.As(t, "vic", "viewer")
	if _, _, err := e.Workflows.SetRecurrence(viewer, ticket.Key, &daily); err == nil {
		t.Error("a viewer repeats tickets")
	}
	e.Sound(t)
}
