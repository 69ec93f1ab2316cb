package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// news is what the company's reader gets behind a cursor, which is "" at the start, and where that ends.
func (h *house) news(t testing.TB, feed, cursor string) ([]feeds.Item, string) {
	t.Helper()
	h.publish(t)
	var items []feeds.Item
	for {
		page, err := h.FeedPage(h.ctx, "", workflows.FeedQuery{Feed: feed, Cursor: cursor, Limit: 1000})
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
	ctx, stop := context.WithTimeout(workflows.AsCommandLine(t.Context()), time.Minute)
	defer stop()
	working, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Engine().Work(working) }()
	defer func() { end(); <-done }()
	for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
		active, _, err := h.Runs(ctx, migrations.ListActive, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(active) > 0 {
			continue
		}
		list, _, err := h.Runs(ctx, migrations.ListFinished, 0)
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
			if _, err := h.Comment(h.ctx, keys[key], "hello", nil); err != nil {
				t.Fatal(err)
			}
		}
		_, ticketsAt := h.news(t, "tickets", "")
		_, commentsAt := h.news(t, "comments", "")
		member := h.actor
		member.Account.Operator = false
		if _, err := h.RenameBoard(accounts.WithActor(h.ctx, member), "NINJA", boards.Names{Slug: ptr("SHADOW")}, board.Version); err != nil {
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
		if _, err := h.RenameBoard(h.ctx, "NINJA", boards.Names{Title: ptr("Shadows")}, board.Version); err != nil {
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
		if _, err := h.Comment(h.ctx, keys[0], "hello", nil); err != nil {
			t.Fatal(err)
		}
		rivals, err := h.OpenCompany(h.ctx, h.actor.Account.ID, "Rivals", "rivals")
		if err != nil {
			t.Fatal(err)
		}
		stranger := h.actor
		stranger.Company = rivals
		for _, feed := range h.Feeds().Names() {
			items, at := h.news(t, feed, "")
			if len(items) == 0 {
				t.Fatalf("%s shows nothing", feed)
			}
			last := items[len(items)-1].ID
			which := feeds.Which{IDs: []uint64{last, 999_999, last}}
			if n, _, err := h.RepublishRows(accounts.WithActor(h.ctx, stranger), feed, which); err != nil || n != 0 {
				t.Errorf("a stranger republished %d %s (%v)", n, feed, err)
			}
			if again, _ := h.news(t, feed, at); len(again) != 0 {
				t.Errorf("%s: %+v came again", feed, again)
			}
			n, run, err := h.RepublishRows(h.ctx, feed, which)
			if err != nil || n != 1 || run != nil {
				t.Errorf("%s: %d, %v, %v", feed, n, run, err)
			}
			if again, _ := h.news(t, feed, at); len(again) != 1 || again[0].ID != last {
				t.Errorf("%s: %+v came again", feed, again)
			}
		}
	})

	t.Run("a board, and everything, come again by a run of as many rows a second", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		board := h.board(t, "NINJA")
		h.open(t, "NINJA", board.Columns[0].ID, 3)
		_, at := h.news(t, "tickets", "")
		_, run, err := h.RepublishRows(h.ctx, "tickets", feeds.Which{Board: "ninja"})
		if err != nil || run == nil || run.Knobs.Rate != 10 {
			t.Fatalf("%+v, %v", run, err)
		}
		h.worked(t, "republish")
		items, at := h.news(t, "tickets", at)
		if len(items) != 3 {
			t.Errorf("%d tickets of the board came again", len(items))
		}
		if _, _, err := h.RepublishRows(h.ctx, "tickets", feeds.Which{All: true}); err != nil {
			t.Fatal(err)
		}
		h.worked(t, "republish")
		all, _ := h.news(t, "tickets", "")
		if items, _ := h.news(t, "tickets", at); len(items) != len(all) || len(all) < 4 {
			t.Errorf("%d of %d tickets came again", len(items), len(all))
		}
	})

	t.Run("what does not say what to publish, or is not theirs to, is refused", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		for _, which := range []feeds.Which{{}, {All: true, Board: "DEMO"}, {IDs: make([]uint64, feeds.MaxRepublish+1)}} {
			if _, _, err := h.RepublishRows(h.ctx, "tickets", which); !errors.As(err, new(feeds.BadWhich)) {
				t.Errorf("%d ids, %q, %v: %v", len(which.IDs), which.Board, which.All, err)
			}
		}
		if _, _, err := h.RepublishRows(h.ctx, "nothing", feeds.Which{All: true}); !errors.As(err, new(feeds.NotFound)) {
			t.Error(err)
		}
		if _, _, err := h.RepublishRows(h.ctx, "tickets", feeds.Which{Board: "NONE"}); !errors.Is(err, fault.NotFound) {
			t.Error(err)
		}
		member := h.actor
		member.Account.Operator = false
		if _, _, err := h.RepublishRows(accounts.WithActor(h.ctx, member), "tickets", feeds.Which{All: true}); !errors.As(err, new(accounts.NotOperator)) {
			t.Error(err)
		}
		guest := h.actor
		guest.Token, guest.Scopes = id.Token(1), []string{"tickets:read"}
		if _, _, err := h.RepublishRows(accounts.WithActor(h.ctx, guest), "tickets", feeds.Which{IDs: []uint64{1}}); !errors.Is(err, fault.Forbidden) {
			t.Error(err)
		}
	})
}
