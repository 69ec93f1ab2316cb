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
		h := newEnv(t)
		board := h.Board(t, "NINJA")
		keys := h.Open(t, "NINJA", board.Columns[0].ID, 203)
		for _, key := range []int{0, 0, 150} {
			if _, err := h.Workflows.Comment(h.Ctx, keys[key], "hello", nil); err != nil {
				t.Fatal(err)
			}
		}
		_, ticketsAt := h.FeedItems(t, "tickets", "")
		_, commentsAt := h.FeedItems(t, "comments", "")
		member := h.Actor
		member.Account.Operator = false
		if _, err := h.Workflows.RenameBoard(accounts.WithActor(h.Ctx, member), "NINJA", boards.Names{Slug: new("SHADOW")}, board.Version); err != nil {
			t.Fatal(err)
		}
		runs := h.WorkAll(t, "republish")
		if len(runs) != 1 || runs[0].State != migrations.Complete || runs[0].Actor != h.Actor.Account.Name {
			t.Fatalf("runs %+v", runs)
		}
		for feed, want := range map[string]struct {
			from string
			n    int
		}{"tickets": {ticketsAt, 203}, "comments": {commentsAt, 3}} {
			items, _ := h.FeedItems(t, feed, want.from)
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
		h := newEnv(t)
		board := h.Board(t, "NINJA")
		if _, err := h.Workflows.RenameBoard(h.Ctx, "NINJA", boards.Names{Title: new("Shadows")}, board.Version); err != nil {
			t.Fatal(err)
		}
		if runs := h.WorkAll(t, "republish"); len(runs) != 0 {
			t.Errorf("runs %+v", runs)
		}
	})

	t.Run("named rows come again at once, but none of another company", func(t *testing.T) {
		t.Parallel()
		h := newEnv(t)
		board := h.Board(t, "NINJA")
		keys := h.Open(t, "NINJA", board.Columns[0].ID, 3)
		if _, err := h.Workflows.Comment(h.Ctx, keys[0], "hello", nil); err != nil {
			t.Fatal(err)
		}
		rivals, err := h.Console.OpenCompany(h.Ctx, "Rivals", "rivals")
		if err != nil {
			t.Fatal(err)
		}
		stranger := h.Actor
		stranger.Company = rivals
		for _, feed := range h.Feeds.Names() {
			items, at := h.FeedItems(t, feed, "")
			if len(items) == 0 {
				t.Fatalf("%s shows nothing", feed)
			}
			last := items[len(items)-1].ID
			which := feeds.Selection{IDs: []uint64{last, 999_999, last}}
			if n, _, err := h.Workflows.RepublishRows(accounts.WithActor(h.Ctx, stranger), feed, which); err != nil || n != 0 {
				t.Errorf("a stranger republished %d %s (%v)", n, feed, err)
			}
			if again, _ := h.FeedItems(t, feed, at); len(again) != 0 {
				t.Errorf("%s: %+v came again", feed, again)
			}
			n, run, err := h.Workflows.RepublishRows(h.Ctx, feed, which)
			if err != nil || n != 1 || run != nil {
				t.Errorf("%s: %d, %v, %v", feed, n, run, err)
			}
			if again, _ := h.FeedItems(t, feed, at); len(again) != 1 || again[0].ID != last {
				t.Errorf("%s: %+v came again", feed, again)
			}
		}
	})

	t.Run("tickets are named by any key that they have or had, beside ids", func(t *testing.T) {
		t.Parallel()
		h := newEnv(t)
		board, other := h.Board(t, "NINJA"), h.Board(t, "OTHER")
		var ids []uint64
		keys := h.Open(t, "NINJA", board.Columns[0].ID, 7)
		for _, key := range keys {
			ids = append(ids, uint64(h.Ticket(t, key.String()).ID))
		}
		if _, _, err := h.Workflows.MoveTicket(h.Ctx, keys[1], tickets.Intent{Board: other.Slug, Column: other.Columns[0].ID}); err != nil {
			t.Fatal(err)
		}
		if err := h.Workflows.DeleteTicket(h.Ctx, keys[2]); err != nil {
			t.Fatal(err)
		}
		h.Exec(t, "INSERT INTO board_slug (company_id, slug, board_id, created_at, imported) VALUES (?, 'JIRA', ?, NOW(6), TRUE)", h.Actor.Company.ID, board.ID)
		h.Exec(t, "INSERT INTO ticket_origin (company_id, external_id, ticket_id, created_at) VALUES (?, 'JIRA-3', ?, NOW(6))", h.Actor.Company.ID, ids[3])
		if _, err := h.Workflows.RenameBoard(h.Ctx, "NINJA", boards.Names{Slug: new("SHADOW")}, board.Version); err != nil {
			t.Fatal(err)
		}
		h.WorkAll(t, "republish")
		_, at := h.FeedItems(t, "tickets", "")
		which := feeds.Selection{
			IDs:  []uint64{ids[5], ids[0]},
			Keys: []string{"shadow-1", keys[1].String(), keys[2].String(), "JIRA-3", keys[4].String(), "SHADOW-5"},
		}
		if n, _, err := h.Workflows.RepublishRows(h.Ctx, "tickets", which); err != nil || n != 6 {
			t.Fatalf("%d, %v", n, err)
		}
		again, at := h.FeedItems(t, "tickets", at)
		var came []uint64
		for _, item := range again {
			came = append(came, item.ID)
		}
		if slices.Sort(came); !slices.Equal(came, ids[:6]) {
			t.Errorf("%v came again, not %v", came, ids[:6])
		}

		rivals, err := h.Console.OpenCompany(h.Ctx, "Rivals", "rivals")
		if err != nil {
			t.Fatal(err)
		}
		stranger := h.Actor
		stranger.Company = rivals
		for name, bad := range map[string]struct {
			ctx  context.Context
			feed string
			keys []string
			want fault.Code
			says string
		}{
			"a number that was never given out":         {h.Ctx, "tickets", []string{"SHADOW-1", "SHADOW-99"}, tickets.CodeUnknownKey, "SHADOW-99"},
			"a slug that no board had":                  {h.Ctx, "tickets", []string{"NONE-1"}, tickets.CodeUnknownKey, "NONE-1"},
			"a number that no ticket can have":          {h.Ctx, "tickets", []string{"SHADOW-0"}, tickets.CodeUnknownKey, "SHADOW-0"},
			"another company's":                         {accounts.WithActor(h.Ctx, stranger), "tickets", []string{"SHADOW-1"}, tickets.CodeUnknownKey, "SHADOW-1"},
			"the key of a ticket among ids of comments": {h.Ctx, "comments", []string{"SHADOW-1"}, feeds.CodeNoKeys, "comments"},
			"more than can be named":                    {h.Ctx, "tickets", slices.Repeat([]string{"SHADOW-1"}, feeds.MaxRepublish+1), feeds.CodeBadSelection, "1000"},
		} {
			_, _, err := h.Workflows.RepublishRows(bad.ctx, bad.feed, feeds.Selection{Keys: bad.keys})
			if !errors.Is(err, bad.want) || !strings.Contains(err.Error(), bad.says) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if again, _ := h.FeedItems(t, "tickets", at); len(again) != 0 {
			t.Errorf("%+v came again", again)
		}
	})

	t.Run("an operator who was demoted on another server meanwhile opens no run of everything", func(t *testing.T) {
		t.Parallel()
		h := newEnv(t)
		h.Exec(t, "UPDATE account SET operator = FALSE WHERE id = ?", h.Actor.Account.ID)
		_, run, err := h.Workflows.RepublishRows(h.Ctx, "tickets", feeds.Selection{All: true})
		if !errors.Is(err, accounts.CodeNotOperator) || run != nil {
			t.Errorf("%+v, %v", run, err)
		}
		if n := h.Count(t, "SELECT COUNT(*) FROM migration_run"); n != 0 {
			t.Errorf("%d runs were opened", n)
		}
	})

	t.Run("a board, and everything, come again by a run of as many rows a second", func(t *testing.T) {
		t.Parallel()
		h := newEnv(t)
		board := h.Board(t, "NINJA")
		h.Open(t, "NINJA", board.Columns[0].ID, 3)
		_, at := h.FeedItems(t, "tickets", "")
		_, run, err := h.Workflows.RepublishRows(h.Ctx, "tickets", feeds.Selection{Board: "ninja"})
		if err != nil || run == nil || run.Knobs.Rate != 10 {
			t.Fatalf("%+v, %v", run, err)
		}
		h.WorkAll(t, "republish")
		items, at := h.FeedItems(t, "tickets", at)
		if len(items) != 3 {
			t.Errorf("%d tickets of the board came again", len(items))
		}
		if _, _, err := h.Workflows.RepublishRows(h.Ctx, "tickets", feeds.Selection{All: true}); err != nil {
			t.Fatal(err)
		}
		h.WorkAll(t, "republish")
		all, _ := h.FeedItems(t, "tickets", "")
		if items, _ := h.FeedItems(t, "tickets", at); len(items) != len(all) || len(all) < 4 {
			t.Errorf("%d of %d tickets came again", len(items), len(all))
		}
	})

	t.Run("whoever asks for what a run is about to do gets that run, and behind one that has begun all come once more", func(t *testing.T) {
		t.Parallel()
		h := newEnv(t)
		board := h.Board(t, "NINJA")
		h.Board(t, "OTHER")
		h.Open(t, "NINJA", board.Columns[0].ID, 3)
		member := h.Actor
		member.Account.Operator = false
		asks := func(slug string) *workflows.RepublishRun {
			t.Helper()
			_, run, err := h.Workflows.RepublishRows(accounts.WithActor(h.Ctx, member), "tickets", feeds.Selection{Board: slug})
			if err != nil {
				t.Fatal(err)
			}
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
		h.Exec(t, "UPDATE migration_run SET started_at = NOW(6) WHERE id = ?", first.ID) // as though some of it was done
		second := asks("NINJA")
		if second.ID == first.ID || second.Already {
			t.Errorf("%+v", second)
		}
		if again := asks("NINJA"); again.ID != second.ID || !again.Already {
			t.Errorf("%+v", again)
		}
		for _, run := range h.WorkAll(t, "republish") {
			if run.State != migrations.Complete {
				t.Errorf("%+v", run)
			}
		}
		if n := h.Count(t, "SELECT COUNT(*) FROM migration_run a JOIN migration_run b ON b.id = ? AND b.started_at >= a.finished_at WHERE a.id = ?", second.ID, first.ID); n != 1 {
			t.Error("the second did not wait for the first")
		}
		if _, run, err := h.Console.Republish(h.Ctx, "", "", feeds.Selection{All: true}, ""); err != nil || run.Already {
			t.Errorf("%+v, %v", run, err)
		} else if _, again, err := h.Console.Republish(h.Ctx, "", "", feeds.Selection{All: true}, ""); err != nil || again.ID != run.ID || !again.Already {
			t.Errorf("%+v, %v", again, err)
		}
	})

	t.Run("what does not say what to publish, or is not theirs to, is refused", func(t *testing.T) {
		t.Parallel()
		h := newEnv(t)
		for _, which := range []feeds.Selection{{}, {All: true, Board: "DEMO"}, {IDs: make([]uint64, feeds.MaxRepublish+1)}} {
			if _, _, err := h.Workflows.RepublishRows(h.Ctx, "tickets", which); !errors.Is(err, feeds.CodeBadSelection) {
				t.Errorf("%d ids, %q, %v: %v", len(which.IDs), which.Board, which.All, err)
			}
		}
		if _, _, err := h.Workflows.RepublishRows(h.Ctx, "nothing", feeds.Selection{All: true}); !errors.Is(err, feeds.CodeNotFound) {
			t.Error(err)
		}
		if _, _, err := h.Workflows.RepublishRows(h.Ctx, "tickets", feeds.Selection{Board: "NONE"}); !errors.Is(err, fault.NotFound) {
			t.Error(err)
		}
		member := h.Actor
		member.Account.Operator = false
		if _, _, err := h.Workflows.RepublishRows(accounts.WithActor(h.Ctx, member), "tickets", feeds.Selection{All: true}); !errors.Is(err, accounts.CodeNotOperator) {
			t.Error(err)
		}
		guest := h.Actor
		guest.Token, guest.Scopes = id.Token(1), []string{"tickets:read"}
		if _, _, err := h.Workflows.RepublishRows(accounts.WithActor(h.Ctx, guest), "tickets", feeds.Selection{IDs: []uint64{1}}); !errors.Is(err, fault.Forbidden) {
			t.Error(err)
		}
	})
}
