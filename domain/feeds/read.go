package feeds

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// MaxLimit is how many rows are read at once at most.
const MaxLimit = 1000

// Page is a page of a feed from From; the next begins at Cursor. More says that there is more to read already.
type Page struct {
	Items  []Item
	From   Cursor
	Cursor Cursor
	More   bool
}

// CursorAfter returns the cursor behind the item i.
func (p Page) CursorAfter(i int) Cursor {
	if i == len(p.Items)-1 {
		return p.Cursor
	}
	return p.From.to(p.Items[i].Position)
}

// Start returns the cursor before everything: from there a reader gets each row once as it is by then.
func (e *Engine) Start(ctx context.Context, feed string) (Cursor, error) {
	now, err := e.sequence(ctx, feed)
	return Cursor{Epoch: now.Epoch, Feed: feed, Began: now.Value}, err
}

// End returns the cursor behind everything that is published.
func (e *Engine) End(ctx context.Context, feed string) (Cursor, error) {
	now, err := e.sequence(ctx, feed)
	return Cursor{Epoch: now.Epoch, Feed: feed, Position: now.Value}, err
}

func (e *Engine) sequence(ctx context.Context, feed string) (db.Sequence, error) {
	return db.Read(e.db.Sequence(ctx, feed))
}

// Read returns the page behind a cursor: at most limit rows are read, 1 to MaxLimit.
//
// The head is read first, in a statement of its own, and bounds the page: a MariaDB view may hold a batch without the
// one before it, but not one that was opened after that answer. So a page that is not full is complete up to the head.
// The horizon is checked again after the page, because tombstones that belong into it may have been removed before it
// was read.
func (e *Engine) Read(ctx context.Context, cursor Cursor, limit int, scope Scope) (Page, error) {
	feed, err := e.Feed(cursor.Feed)
	if err != nil {
		return Page{}, err
	}
	now, err := e.sequence(ctx, feed.Name)
	if err != nil {
		return Page{}, err
	}
	if cursor.Position == 0 { // a reader of nothing begins now
		cursor.Began = now.Value
	}
	if err := cursor.check(now); err != nil {
		return Page{}, err
	}
	var rows []Row
	if cursor.Position < now.Value {
		rows, err = feed.Load(ctx, e.db.Queries, Span{After: cursor.Position, To: now.Value, Limit: limit, Scope: scope})
		if err != nil {
			return Page{}, err
		}
		after, err := e.sequence(ctx, feed.Name)
		if err != nil {
			return Page{}, err
		}
		if err := cursor.check(after); err != nil {
			return Page{}, err
		}
	}
	return page(cursor, now.Value, limit, rows)
}

// page makes a page of the rows of a stretch that ends at head.
func page(cursor Cursor, head uint64, limit int, rows []Row) (Page, error) {
	last := cursor.Position
	var items []Item
	for _, row := range rows {
		if row.Position <= last || row.Position > head {
			return Page{}, fmt.Errorf("feeds: %s has %d behind %d, up to %d", cursor.Feed, row.Position, last, head)
		}
		last = row.Position
		if !row.Hidden {
			items = append(items, row.Item)
		}
	}
	if len(rows) < limit {
		last = head
	}
	return Page{Items: items, From: cursor, Cursor: cursor.to(last), More: last < head}, nil
}
