package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// news is what the company's reader gets behind a cursor, which is "" at the start, and where that ends.
func (h *house) news(t testing.TB, feed, cursor string) ([]feeds.Item, string) {
	t.Helper()
	h.publish(t)
	var items []feeds.Item
	for {
		page, err := h.Workflows.FeedPage(h.ctx, "", workflows.FeedQuery{Feed: feed, Cursor: cursor, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		items, cursor = append(items, page.Items...), page.Cursor.String()
		if !page.More {
			return items, cursor
		}
	}
}

// worked has a worker of this process carry out all runs of a migration, and returns them.
func (h *house) worked(t testing.TB, name string) (finished []migrations.Run) {
	t.Helper()
	ctx, stop := context.WithTimeout(console.AsCommandLine(t.Context()), 10*time.Minute)
	defer stop()
	working, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Engine.Work(working) }()
	defer func() { end(); <-done }()
	for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
		active, _, err := h.Console.Runs(ctx, migrations.ListActive, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(active) > 0 {
			continue
		}
		list, _, err := h.Console.Runs(ctx, migrations.ListFinished, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range list {
			if run.Name == name {
				finished = append(finished, run)
			}
		}
		return finished
	}
}

func TestRepublish(t *testing.T) {
	t.Parallel()

	t.Run("a board whose slug changes has all its tickets and comments published again, without an operator", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		board := h.board(t, "NINJA")
		keys := h.open(t, "NINJA", board.Columns[0].ID, 203)
		for _, key := range []int{0, 0, 150} {
			if _, err := h.Workflows.Comment(h.ctx, keys[key], "hello", nil); err != nil {
				t.Fatal(err)
			}
		}
		_, ticketsAt := h.news(t, "tickets", "")
		_, commentsAt := h.news(t, "comments", "")
		member := h.actor
		member.Account.Operator = false
		if _, err := h.Workflows.RenameBoard(accounts.WithActor(h.ctx, member), "NINJA", boards.Names{Slug: ptr("SHADOW")}, board.Version); err != nil {
			t.Fatal(err)
		}
		runs := h.worked(t, "republish")
		if len(runs) != 1 || runs[0].State != migrations.Complete || runs[0].Actor != h.actor.Account.Name {
			t.Fatalf("runs %+v", runs)
		}
		for feed, want := range map[string]struct {
			from string
			n    int
		}{"tickets": {ticketsAt, 203}, "comments": {commentsAt, 3}} {
			items, _ := h.news(t, feed, want.from)
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
		h := newHouse(t)
		board := h.board(t, "NINJA")
		if _, err := h.Workflows.RenameBoard(h.ctx, "NINJA", boards.Names{Title: ptr("Shadows")}, board.Version); err != nil {
			t.Fatal(err)
		}
		if runs := h.worked(t, "republish"); len(runs) != 0 {
			t.Errorf("runs %+v", runs)
		}
	})

	t.Run("named rows come again at once, but none of another company", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		board := h.board(t, "NINJA")
		keys := h.open(t, "NINJA", board.Columns[0].ID, 3)
		if _, err := h.Workflows.Comment(h.ctx, keys[0], "hello", nil); err != nil {
			t.Fatal(err)
		}
		rivals, err := h.Console.OpenCompany(h.ctx, h.actor.Account.ID, "Rivals", "rivals")
		if err != nil {
			t.Fatal(err)
		}
		stranger := h.actor
		stranger.Company = rivals
		for _, feed := range h.Feeds.Names() {
			items, at := h.news(t, feed, "")
			if len(items) == 0 {
				t.Fatalf("%s shows nothing", feed)
			}
			last := items[len(items)-1].ID
			which := feeds.Which{IDs: []uint64{last, 999_999, last}}
			if n, _, err := h.Workflows.RepublishRows(accounts.WithActor(h.ctx, stranger), feed, which); err != nil || n != 0 {
				t.Errorf("a stranger republished %d %s (%v)", n, feed, err)
			}
			if again, _ := h.news(t, feed, at); len(again) != 0 {
				t.Errorf("%s: %+v came again", feed, again)
			}
			n, run, err := h.Workflows.RepublishRows(h.ctx, feed, which)
			if err != nil || n != 1 || run != nil {
				t.Errorf("%s: %d, %v, %v", feed, n, run, err)
			}
			if again, _ := h.news(t, feed, at); len(again) != 1 || again[0].ID != last {
				t.Errorf("%s: %+v came again", feed, again)
			}
		}
	})

	t.Run("tickets are named by any key that they have or had, beside ids", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		board, other := h.board(t, "NINJA"), h.board(t, "OTHER")
		var ids []uint64
		keys := h.open(t, "NINJA", board.Columns[0].ID, 7)
		for _, key := range keys {
			ids = append(ids, uint64(h.ticket(t, key.String()).ID))
		}
		if _, _, err := h.Workflows.MoveTicket(h.ctx, keys[1], tickets.Intent{Board: other.Slug, Column: other.Columns[0].ID}); err != nil {
			t.Fatal(err)
		}
		if err := h.Workflows.DeleteTicket(h.ctx, keys[2]); err != nil {
			t.Fatal(err)
		}
		h.exec(t, "INSERT INTO board_slug (company_id, slug, board_id, created_at, imported) VALUES (?, 'JIRA', ?, NOW(6), TRUE)", h.actor.Company.ID, board.ID)
		h.exec(t, "INSERT INTO ticket_origin (company_id, external_id, ticket_id, created_at) VALUES (?, 'JIRA-3', ?, NOW(6))", h.actor.Company.ID, ids[3])
		if _, err := h.Workflows.RenameBoard(h.ctx, "NINJA", boards.Names{Slug: ptr("SHADOW")}, board.Version); err != nil {
			t.Fatal(err)
		}
		h.worked(t, "republish")
		_, at := h.news(t, "tickets", "")
		which := feeds.Which{
			IDs:  []uint64{ids[5], ids[0]},
			Keys: []string{"shadow-1", keys[1].String(), keys[2].String(), "JIRA-3", keys[4].String(), "SHADOW-5"},
		}
		if n, _, err := h.Workflows.RepublishRows(h.ctx, "tickets", which); err != nil || n != 6 {
			t.Fatalf("%d, %v", n, err)
		}
		again, at := h.news(t, "tickets", at)
		var came []uint64
		for _, item := range again {
			came = append(came, item.ID)
		}
		if slices.Sort(came); !slices.Equal(came, ids[:6]) {
			t.Errorf("%v came again, not %v", came, ids[:6])
		}

		rivals, err := h.Console.OpenCompany(h.ctx, h.actor.Account.ID, "Rivals", "rivals")
		if err != nil {
			t.Fatal(err)
		}
		stranger := h.actor
		stranger.Company = rivals
		for name, bad := range map[string]struct {
			ctx  context.Context
			feed string
			keys []string
			want fault.Code
			says string
		}{
			"a number that was never given out":         {h.ctx, "tickets", []string{"SHADOW-1", "SHADOW-99"}, tickets.CodeUnknownKey, "SHADOW-99"},
			"a slug that no board had":                  {h.ctx, "tickets", []string{"NONE-1"}, tickets.CodeUnknownKey, "NONE-1"},
			"a number that no ticket can have":          {h.ctx, "tickets", []string{"SHADOW-0"}, tickets.CodeUnknownKey, "SHADOW-0"},
			"another company's":                         {accounts.WithActor(h.ctx, stranger), "tickets", []string{"SHADOW-1"}, tickets.CodeUnknownKey, "SHADOW-1"},
			"the key of a ticket among ids of comments": {h.ctx, "comments", []string{"SHADOW-1"}, feeds.CodeNoKeys, "comments"},
			"more than can be named":                    {h.ctx, "tickets", slices.Repeat([]string{"SHADOW-1"}, feeds.MaxRepublish+1), feeds.CodeBadWhich, "1000"},
		} {
			_, _, err := h.Workflows.RepublishRows(bad.ctx, bad.feed, feeds.Which{Keys: bad.keys})
			if !errors.Is(err, bad.want) || !strings.Contains(err.Error(), bad.says) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if again, _ := h.news(t, "tickets", at); len(again) != 0 {
			t.Errorf("%+v came again", again)
		}
	})

	t.Run("a board, and everything, come again by a run of as many rows a second", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		board := h.board(t, "NINJA")
		h.open(t, "NINJA", board.Columns[0].ID, 3)
		_, at := h.news(t, "tickets", "")
		_, run, err := h.Workflows.RepublishRows(h.ctx, "tickets", feeds.Which{Board: "ninja"})
		if err != nil || run == nil || run.Knobs.Rate != 10 {
			t.Fatalf("%+v, %v", run, err)
		}
		h.worked(t, "republish")
		items, at := h.news(t, "tickets", at)
		if len(items) != 3 {
			t.Errorf("%d tickets of the board came again", len(items))
		}
		if _, _, err := h.Workflows.RepublishRows(h.ctx, "tickets", feeds.Which{All: true}); err != nil {
			t.Fatal(err)
		}
		h.worked(t, "republish")
		all, _ := h.news(t, "tickets", "")
		if items, _ := h.news(t, "tickets", at); len(items) != len(all) || len(all) < 4 {
			t.Errorf("%d of %d tickets came again", len(items), len(all))
		}
	})

	t.Run("whoever asks for what a run is about to do gets that run, and behind one that has begun all come once more", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		board := h.board(t, "NINJA")
		h.board(t, "OTHER")
		h.open(t, "NINJA", board.Columns[0].ID, 3)
		member := h.actor
		member.Account.Operator = false
		asks := func(slug string) *workflows.Republishing {
			t.Helper()
			_, run, err := h.Workflows.RepublishRows(accounts.WithActor(h.ctx, member), "tickets", feeds.Which{Board: slug})
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
		h.exec(t, "UPDATE migration_run SET started_at = NOW(6) WHERE id = ?", first.ID) // as though some of it was done
		second := asks("NINJA")
		if second.ID == first.ID || second.Already {
			t.Errorf("%+v", second)
		}
		if again := asks("NINJA"); again.ID != second.ID || !again.Already {
			t.Errorf("%+v", again)
		}
		for _, run := range h.worked(t, "republish") {
			if run.State != migrations.Complete {
				t.Errorf("%+v", run)
			}
		}
		if n := h.count(t, "SELECT COUNT(*) FROM migration_run a JOIN migration_run b ON b.id = ? AND b.started_at >= a.finished_at WHERE a.id = ?", second.ID, first.ID); n != 1 {
			t.Error("the second did not wait for the first")
		}
		if _, run, err := h.Console.RepublishFor(h.ctx, "", "", feeds.Which{All: true}, ""); err != nil || run.Already {
			t.Errorf("%+v, %v", run, err)
		} else if _, again, err := h.Console.RepublishFor(h.ctx, "", "", feeds.Which{All: true}, ""); err != nil || again.ID != run.ID || !again.Already {
			t.Errorf("%+v, %v", again, err)
		}
	})

	t.Run("what does not say what to publish, or is not theirs to, is refused", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		for _, which := range []feeds.Which{{}, {All: true, Board: "DEMO"}, {IDs: make([]uint64, feeds.MaxRepublish+1)}} {
			if _, _, err := h.Workflows.RepublishRows(h.ctx, "tickets", which); !errors.Is(err, feeds.CodeBadWhich) {
				t.Errorf("%d ids, %q, %v: %v", len(which.IDs), which.Board, which.All, err)
			}
		}
		if _, _, err := h.Workflows.RepublishRows(h.ctx, "nothing", feeds.Which{All: true}); !errors.Is(err, feeds.CodeNotFound) {
			t.Error(err)
		}
		if _, _, err := h.Workflows.RepublishRows(h.ctx, "tickets", feeds.Which{Board: "NONE"}); !errors.Is(err, fault.NotFound) {
			t.Error(err)
		}
		member := h.actor
		member.Account.Operator = false
		if _, _, err := h.Workflows.RepublishRows(accounts.WithActor(h.ctx, member), "tickets", feeds.Which{All: true}); !errors.Is(err, accounts.CodeNotOperator) {
			t.Error(err)
		}
		guest := h.actor
		guest.Token, guest.Scopes = id.Token(1), []string{"tickets:read"}
		if _, _, err := h.Workflows.RepublishRows(accounts.WithActor(h.ctx, guest), "tickets", feeds.Which{IDs: []uint64{1}}); !errors.Is(err, fault.Forbidden) {
			t.Error(err)
		}
	})
}
