package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// A process that looks for changes once an hour publishes its own all the same: what changes something rings.
func TestAChangeIsPublishedAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		feed   string
		change func(h *env, key tickets.Key, n int) error
	}{
		"a ticket is opened": {"tickets", func(h *env, _ tickets.Key, n int) error {
			_, err := h.Workflows.OpenTicket(h.Ctx, "NINJA", tickets.Draft{Title: fmt.Sprint(n)}, nil)
			return err
		}},
		"a ticket is closed, and opened again": {"tickets", func(h *env, key tickets.Key, n int) error {
			if n%2 == 0 {
				_, _, err := h.Workflows.CloseTicket(h.Ctx, key)
				return err
			}
			_, _, err := h.Workflows.ReopenTicket(h.Ctx, key)
			return err
		}},
		"somebody says something": {"comments", func(h *env, key tickets.Key, n int) error {
			_, err := h.Workflows.Comment(h.Ctx, key, fmt.Sprint(n), nil)
			return err
		}},
		"a board is opened": {"boards", func(h *env, _ tickets.Key, n int) error {
			slug := fmt.Sprintf("B%d", n)
			_, err := h.Workflows.OpenBoard(h.Ctx, boards.Draft{Slug: slug, Title: slug}, nil)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newEnv(t)
			board := h.Board(t, "NINJA")
			key := h.Open(t, "NINJA", board.Columns[0].ID, 1)[0]
			h.Feeds.PollEvery(time.Hour)
			h.publishes(t)
			h.moves(t, c.feed, feeds.Cursor{})
			// It looks once when it begins, and once more for what rang before: the third change needs a ring of its own.
			for n := range 4 {
				at, _ := h.Feeds.Head(c.feed)
				if err := c.change(h, key, n); err != nil {
					t.Fatal(err)
				}
				h.moves(t, c.feed, at)
			}
		})
	}
}

// moves waits until a feed has moved on from a place.
func (h *env) moves(t *testing.T, feed string, from feeds.Cursor) {
	t.Helper()
	patience := time.After(3 * time.Minute)
	for {
		at, moved := h.Feeds.Head(feed)
		if at != from {
			return
		}
		select {
		case <-moved:
		case <-patience:
			t.Fatalf("%s stays at %s", feed, from)
		}
	}
}
