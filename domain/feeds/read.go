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
// The page's own statement reads the head and the horizon again: an answer of a server that is behind bounds the page
// by how far that server has come, and tombstones that belong into it may have been removed before it was read.
func (e *Engine) Read(ctx context.Context, cursor Cursor, limit int, scope Scope) (page Page, err error) {
	feed, err := e.Feed(cursor.Feed)
	if err != nil {
		return Page{}, err
	}
	if e.atHead(ctx, cursor) {
		return Page{From: cursor, Cursor: cursor}, nil
	}
	err = e.db.ReadTx(ctx, func(tx *db.Tx) error {
		page, err = read(ctx, tx, feed, cursor, limit, scope)
		return err
	})
	return page, err
}

// atHead reports in one statement that there is nothing behind a cursor, and false if there may be. It asks where this
// process knows of nothing; a server that is behind answers no worse than a moment ago.
func (e *Engine) atHead(ctx context.Context, cursor Cursor) bool {
	if known, _ := e.Head(cursor.Feed); known != cursor {
		return false
	}
	now, err := e.sequence(ctx, cursor.Feed)
	return err == nil && cursor.Position == now.Value && cursor.check(now) == nil
}

func read(ctx context.Context, tx *db.Tx, feed Feed, cursor Cursor, limit int, scope Scope) (Page, error) {
	now, err := tx.Sequence(ctx, feed.Name)
	if err != nil {
		return Page{}, err
	}
	if cursor.Position == 0 { // a reader of nothing begins now
		cursor.Began = now.Value
	}
	if err := cursor.check(now); err != nil {
		return Page{}, err
	}
	if cursor.Position == now.Value {
		return Page{From: cursor, Cursor: cursor}, nil
	}
	rows, err := feed.Load(ctx, tx, Span{After: cursor.Position, To: now.Value, Limit: limit, Scope: scope})
	if err != nil {
		return Page{}, err
	}
	seen, err := seenBy(ctx, tx, feed, rows, cursor.Position, now.Value)
	if err != nil {
		return Page{}, err
	}
	if err := cursor.outdated(seen); err != nil {
		return Page{}, err
	}
	return page(cursor, min(now.Value, max(cursor.Position, seen.Head)), limit, rows)
}

// seenBy returns the feed as the statement saw it that read the rows in (after, to]. Without rows another statement
// tells, which must find none either.
func seenBy(ctx context.Context, tx *db.Tx, feed Feed, rows []Row, after, to uint64) (db.FeedHead, error) {
	if len(rows) > 0 {
		return rows[0].Feed, nil
	}
	seen, there, err := tx.FeedBehind(ctx, feed.Name, feed.Table, after, to)
	if there {
		seen.Head = after
	}
	return seen, err
}

// page makes a page of the rows of a stretch that ends at head.
func page(cursor Cursor, head uint64, limit int, rows []Row) (Page, error) {
	last, full := cursor.Position, len(rows) == limit
	var items []Item
	for _, row := range rows {
		if row.Position <= last {
			return Page{}, fmt.Errorf("feeds: %s has %d behind %d, up to %d", cursor.Feed, row.Position, last, head)
		}
		if row.Position > head {
			full = false
			break
		}
		last = row.Position
		if !row.Hidden {
			items = append(items, row.Item)
		}
	}
	if !full {
		last = head
	}
	return Page{Items: items, From: cursor, Cursor: cursor.to(last), More: last < head}, nil
}
