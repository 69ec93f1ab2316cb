package apptest

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Publish publishes all that is not.
func (e *Env) Publish(t testing.TB) {
	t.Helper()
	for _, feed := range e.Feeds.Names() {
		for n := 1; n > 0; {
			var err error
			if n, err = e.Feeds.RunOnce(context.Background(), feed); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// FeedItems returns the items of the company's reader after a cursor, "" for the start, and the next cursor.
func (e *Env) FeedItems(t testing.TB, feed, cursor string) ([]feeds.Item, string) {
	t.Helper()
	e.Publish(t)
	var items []feeds.Item
	for {
		page := domaintest.OK(e.Workflows.FeedPage(e.Ctx, "", workflows.FeedQuery{Feed: feed, Cursor: cursor, Limit: 1000}))(
			t)
		items, cursor = append(items, page.Items...), page.Cursor.String()
		if !page.More {
			return items, cursor
		}
	}
}

// Offer turns a board's request form on or off.
func (e *Env) Offer(t testing.TB, slug string, on bool) {
	t.Helper()
	form := e.Form(t, slug)
	form.On, form.Intro = on, "Hello"
	domaintest.OK(e.Workflows.SetForm(e.Ctx, slug, form))(t)
}

// Form returns a board's form for requests.
func (e *Env) Form(t testing.TB, slug string) requests.Form {
	t.Helper()
	board := domaintest.OK(e.Workflows.Board(e.Ctx, slug))(t)
	return domaintest.OK(e.Workflows.Form(e.Ctx, board))(t)
}

// Load adds codes to the pool.
func Load(t testing.TB, d *db.DB, codes ...refs.Code) {
	t.Helper()
	InLot(t, d, func(ctx context.Context, tx *db.Tx, lot id.Lot) error {
		_, err := refs.Load(ctx, tx, lot, refs.Short, codes)
		return err
	})
}

var lots atomic.Uint64

// InLot runs do in a transaction with a new lot of codes.
func InLot(t testing.TB, d *db.DB, do func(ctx context.Context, tx *db.Tx, lot id.Lot) error) {
	t.Helper()
	domaintest.Must(t, d.InTx(context.Background(), func(tx *db.Tx) error {
		lot, err := refs.OpenLot(context.Background(), tx, id.Run(lots.Add(1)), refs.FromMint, refs.Short)
		if err != nil {
			return err
		}
		return do(context.Background(), tx, lot)
	}))
}
