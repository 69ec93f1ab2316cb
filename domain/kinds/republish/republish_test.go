package republish_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

func TestRepublish(t *testing.T) {
	t.Parallel()

	t.Run("a board whose slug changes has all its tickets and comments published again, without an operator", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 203)
		for _, key := range []int{0, 0, 150} {
			domaintest.OK(e.Workflows.Comment(e.Ctx, keys[key], "hello", nil))(t)
		}
		_, ticketsAt := e.FeedItems(t, "tickets", "")
		_, commentsAt := e.FeedItems(t, "comments", "")
		member := e.Actor
		member.Account.Operator = false
		domaintest.OK(e.Workflows.RenameBoard(accounts.WithActor(e.Ctx, member), "NINJA", boards.Names{Slug: new("SHADOW")},
			board.Version))(t)
		runs := e.WorkAll(t, "republish")
		if len(runs) != 1 || runs[0].State != migrations.Complete || runs[0].Actor != e.Actor.Account.Name {
			t.Fatalf("runs %+v", runs)
		}
		for feed, want := range map[string]struct {
			from string
			n    int
		}{"tickets": {ticketsAt, 203}, "comments": {commentsAt, 3}} {
			items, _ := e.FeedItems(t, feed, want.from)
			if len(items) != want.n {
				t.Errorf("%d items of %s came again, not %d", len(items), feed, want.n)
			}
			for _, item := range items {
				if text, err := json.Marshal(item); err != nil || !strings.Contains(string(text), "SHADOW-") {
					t.Fatalf("%s (%v)", text, err)
				}
			}
		}
	})

	t.Run("a title that changes opens no run", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		domaintest.OK(e.Workflows.RenameBoard(e.Ctx, "NINJA", boards.Names{Title: new("Shadows")}, board.Version))(t)
		if runs := e.WorkAll(t, "republish"); len(runs) != 0 {
			t.Errorf("runs %+v", runs)
		}
	})

	t.Run("an empty or forbidden selection is refused", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for _, which := range []feeds.Selection{{}, {All: true, Board: "DEMO"}, {IDs: make([]uint64, feeds.MaxRepublish+1)}} {
			if _, _, err := e.Workflows.RepublishRows(e.Ctx, "tickets", which); !errors.Is(err, feeds.CodeBadSelection) {
				t.Errorf("%d ids, %q, %v: %v", len(which.IDs), which.Board, which.All, err)
			}
		}
		if _, _, err := e.Workflows.RepublishRows(e.Ctx, "nothing", feeds.Selection{All: true}); !errors.Is(err,
			feeds.CodeNotFound) {
			t.Error(err)
		}
		if _, _, err := e.Workflows.RepublishRows(e.Ctx, "tickets", feeds.Selection{Board: "NONE"}); !errors.Is(err,
			fault.NotFound) {
			t.Error(err)
		}
		member := e.Actor
		member.Account.Operator = false
		if _, _, err := e.Workflows.RepublishRows(accounts.WithActor(e.Ctx, member), "tickets",
			feeds.Selection{All: true}); !errors.Is(err, accounts.CodeNotOperator) {
			t.Error(err)
		}
		guest := e.Actor
		guest.Token, guest.Scopes = id.Token(1), []string{"tickets:read"}
		if _, _, err := e.Workflows.RepublishRows(accounts.WithActor(e.Ctx, guest), "tickets",
			feeds.Selection{IDs: []uint64{1}}); !errors.Is(err, fault.Forbidden) {
			t.Error(err)
		}
	})
}

func TestRepublishRows(t *testing.T) {
	t.Parallel()
	t.Run("named rows come again at once, but none of another company", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 3)
		domaintest.OK(e.Workflows.Comment(e.Ctx, keys[0], "hello", nil))(t)
		rivals := domaintest.OK(e.Console.OpenCompany(e.Ctx, "Rivals", "rivals", nil))(t)
		stranger := e.Actor
		stranger.Company = rivals
		for _, feed := range e.Feeds.Names() {
			items, at := e.FeedItems(t, feed, "")
			if len(items) == 0 {
				t.Fatalf("%s shows nothing", feed)
			}
			last := items[len(items)-1].ID
			which := feeds.Selection{IDs: []uint64{last, 999_999, last}}
			if n, _, err := e.Workflows.RepublishRows(accounts.WithActor(e.Ctx, stranger), feed, which); err != nil || n != 0 {
				t.Errorf("a stranger republished %d %s (%v)", n, feed, err)
			}
			if again, _ := e.FeedItems(t, feed, at); len(again) != 0 {
				t.Errorf("%s: %+v came again", feed, again)
			}
			n, run, err := e.Workflows.RepublishRows(e.Ctx, feed, which)
			if err != nil || n != 1 || run != nil {
				t.Errorf("%s: %d, %v, %v", feed, n, run, err)
			}
			if again, _ := e.FeedItems(t, feed, at); len(again) != 1 || again[0].ID != last {
				t.Errorf("%s: %+v came again", feed, again)
			}
		}
	})
	t.Run("tickets are named by any key that they have or had, beside ids", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board, other := e.Board(t, "NINJA"), e.Board(t, "OTHER")
		var ids []uint64
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 7)
		for _, key := range keys {
			ids = append(ids, uint64(e.Ticket(t, key.String()).ID))
		}
		if _, _, err := e.Workflows.MoveTicket(e.Ctx, keys[1],
			tickets.Intent{Board: other.Slug, Column: other.Columns[0].ID}); err != nil {
			t.Fatal(err)
		}
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, keys[2]))
		e.Exec(t, "INSERT INTO board_slug (company_id, slug, board_id, created_at, imported) VALUES (?, 'JIRA', ?, NOW(6), TRUE)", e.Actor.Company.ID, board.ID)
		e.Exec(t, "INSERT INTO ticket_origin (company_id, external_id, ticket_id, created_at) VALUES (?, 'JIRA-3', ?, NOW(6))", e.Actor.Company.ID, ids[3])
		domaintest.OK(e.Workflows.RenameBoard(e.Ctx, "NINJA", boards.Names{Slug: new("SHADOW")}, board.Version))(t)
		e.WorkAll(t, "republish")
		_, at := e.FeedItems(t, "tickets", "")
		which := feeds.Selection{
			IDs:  []uint64{ids[5], ids[0]},
			Keys: []string{"shadow-1", keys[1].String(), keys[2].String(), "JIRA-3", keys[4].String(), "SHADOW-5"},
		}
		if n, _, err := e.Workflows.RepublishRows(e.Ctx, "tickets", which); err != nil || n != 6 {
			t.Fatalf("%d, %v", n, err)
		}
		again, at := e.FeedItems(t, "tickets", at)
		var came []uint64
		for _, item := range again {
			came = append(came, item.ID)
		}
		if slices.Sort(came); !slices.Equal(came, ids[:6]) {
			t.Errorf("%v came again, not %v", came, ids[:6])
		}

		rivals := domaintest.OK(e.Console.OpenCompany(e.Ctx, "Rivals", "rivals", nil))(t)
		stranger := e.Actor
		stranger.Company = rivals
		for name, bad := range map[string]struct {
			ctx  context.Context
			feed string
			keys []string
			want fault.Code
			says string
		}{
			"a number that was never given out":         {e.Ctx, "tickets", []string{"SHADOW-1", "SHADOW-99"}, tickets.CodeUnknownKey, "SHADOW-99"},
			"a slug that no board had":                  {e.Ctx, "tickets", []string{"NONE-1"}, tickets.CodeUnknownKey, "NONE-1"},
			"a number that no ticket can have":          {e.Ctx, "tickets", []string{"SHADOW-0"}, tickets.CodeUnknownKey, "SHADOW-0"},
			"another company's":                         {accounts.WithActor(e.Ctx, stranger), "tickets", []string{"SHADOW-1"}, tickets.CodeUnknownKey, "SHADOW-1"},
			"the key of a ticket among ids of comments": {e.Ctx, "comments", []string{"SHADOW-1"}, feeds.CodeNoKeys, "comments"},
			"more than can be named":                    {e.Ctx, "tickets", slices.Repeat([]string{"SHADOW-1"}, feeds.MaxRepublish+1), feeds.CodeBadSelection, "1000"},
		} {
			_, _, err := e.Workflows.RepublishRows(bad.ctx, bad.feed, feeds.Selection{Keys: bad.keys})
			if !errors.Is(err, bad.want) || !strings.Contains(err.Error(), bad.says) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if again, _ := e.FeedItems(t, "tickets", at); len(again) != 0 {
			t.Errorf("%+v came again", again)
		}
	})
}

func TestRepublishRuns(t *testing.T) {
	t.Parallel()
	t.Run("an operator demoted on another server meanwhile opens no run of everything", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.Exec(t, "UPDATE account SET operator = FALSE WHERE id = ?", e.Actor.Account.ID)
		_, run, err := e.Workflows.RepublishRows(e.Ctx, "tickets", feeds.Selection{All: true})
		if !errors.Is(err, accounts.CodeNotOperator) || run != nil {
			t.Errorf("%+v, %v", run, err)
		}
		e.Counts(t, 0, "SELECT COUNT(*) FROM migration_run")
	})
	t.Run("a board, and everything, come again by a run of as many rows a second", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		e.Open(t, "NINJA", board.Columns[0].ID, 3)
		_, at := e.FeedItems(t, "tickets", "")
		_, run, err := e.Workflows.RepublishRows(e.Ctx, "tickets", feeds.Selection{Board: "ninja"})
		if err != nil || run == nil || run.Knobs.Rate != 10 {
			t.Fatalf("%+v, %v", run, err)
		}
		e.WorkAll(t, "republish")
		items, at := e.FeedItems(t, "tickets", at)
		if len(items) != 3 {
			t.Errorf("%d tickets of the board came again", len(items))
		}
		if _, _, err := e.Workflows.RepublishRows(e.Ctx, "tickets", feeds.Selection{All: true}); err != nil {
			t.Fatal(err)
		}
		e.WorkAll(t, "republish")
		all, _ := e.FeedItems(t, "tickets", "")
		if items, _ := e.FeedItems(t, "tickets", at); len(items) != len(all) || len(all) < 4 {
			t.Errorf("%d of %d tickets came again", len(items), len(all))
		}
	})
	t.Run("a request that equals a pending run gets that run; behind one that has begun all rows come once more", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		e.Board(t, "OTHER")
		e.Open(t, "NINJA", board.Columns[0].ID, 3)
		member := e.Actor
		member.Account.Operator = false
		asks := func(slug string) *workflows.RepublishRun {
			t.Helper()
			_, run, err := e.Workflows.RepublishRows(accounts.WithActor(e.Ctx, member), "tickets", feeds.Selection{Board: slug})
			domaintest.Must(t, err)
			return run
		}
		first := asks("NINJA")
		for range 3 {
			if again := asks("ninja"); again.ID != first.ID || !again.Already {
				t.Errorf("%+v", again)
			}
		}
		if other := asks("OTHER"); other.ID == first.ID || other.Already {
			t.Errorf("%+v", other)
		}
		e.Exec(t, "UPDATE migration_run SET started_at = NOW(6) WHERE id = ?", first.ID) // as though some of it was done
		second := asks("NINJA")
		if second.ID == first.ID || second.Already {
			t.Errorf("%+v", second)
		}
		if again := asks("NINJA"); again.ID != second.ID || !again.Already {
			t.Errorf("%+v", again)
		}
		for _, run := range e.WorkAll(t, "republish") {
			if run.State != migrations.Complete {
				t.Errorf("%+v", run)
			}
		}
		if n := e.Count(t, "SELECT COUNT(*) FROM migration_run a JOIN migration_run b ON b.id = ? AND b.started_at >= a.finished_at WHERE a.id = ?", second.ID, first.ID); n != 1 {
			t.Error("the second did not wait for the first")
		}
		republish := func() *workflows.RepublishRun {
			return domaintest.OK(e.Console.Republish(e.Ctx, "", "", feeds.Selection{All: true}, "", nil))(t).Run
		}
		if run := republish(); run.Already {
			t.Errorf("%+v", run)
		} else if again := republish(); again.ID != run.ID || !again.Already {
			t.Errorf("%+v", again)
		}
	})
}
