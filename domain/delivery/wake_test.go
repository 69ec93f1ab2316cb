package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// A process that polls once an hour publishes its own changes at once: a change wakes it.
func TestAChangeIsPublishedAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		feed   string
		change func(e *env, key tickets.Key, n int) error
	}{
		"a ticket is opened": {"tickets", func(e *env, _ tickets.Key, n int) error {
			_, err := e.Workflows.OpenTicket(e.Ctx, "NINJA", tickets.Draft{Title: fmt.Sprint(n)}, nil)
			return err
		}},
		"a ticket is closed, and opened again": {"tickets", func(e *env, key tickets.Key, n int) error {
			if n%2 == 0 {
				_, _, err := e.Workflows.CloseTicket(e.Ctx, key)
				return err
			}
			_, _, err := e.Workflows.ReopenTicket(e.Ctx, key)
			return err
		}},
		"somebody says something": {"comments", func(e *env, key tickets.Key, n int) error {
			_, err := e.Workflows.Comment(e.Ctx, key, fmt.Sprint(n), nil)
			return err
		}},
		"a board is opened": {"boards", func(e *env, _ tickets.Key, n int) error {
			slug := fmt.Sprintf("B%d", n)
			_, err := e.Workflows.OpenBoard(e.Ctx, boards.Draft{Slug: slug, Title: slug}, nil)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			board := e.Board(t, "NINJA")
			key := e.Open(t, "NINJA", board.Columns[0].ID, 1)[0]
			e.Feeds.PollEvery(time.Hour)
			e.publishes(t)
			e.moves(t, c.feed, feeds.Cursor{})
			// It looks once when it begins, and once more for what rang before: the third change needs a ring of its own.
			for n := range 4 {
				at, _ := e.Feeds.Head(c.feed)
				domaintest.Must(t, c.change(e, key, n))
				e.moves(t, c.feed, at)
			}
		})
	}
}

// moves waits until a feed has moved on from a place.
func (e *env) moves(t *testing.T, feed string, from feeds.Cursor) {
	t.Helper()
	patience := time.After(3 * time.Minute)
	for {
		at, moved := e.Feeds.Head(feed)
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
