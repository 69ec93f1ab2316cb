package feeds

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// MaxLimit is how many rows are read at once at most.
	MaxLimit = 1000
	// aheadFor is the default of Engine.aheadFor: longer than a publisher takes to note what another has left.
	aheadFor = 2 * time.Second
	// aheadEvery is how often the head is asked for meanwhile.
	aheadEvery = 100 * time.Millisecond
)

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
	return Cursor{Epoch: now.Epoch, Feed: feed, Began: now.Head}, err
}

// End returns the cursor behind everything that is published and durable.
func (e *Engine) End(ctx context.Context, feed string) (Cursor, error) {
	now, err := e.sequence(ctx, feed)
	return Cursor{Epoch: now.Epoch, Feed: feed, Position: now.Head}, err
}

func (e *Engine) sequence(ctx context.Context, feed string) (db.FeedHead, error) {
	return sequence(ctx, e.db.Queries, feed)
}

func sequence(ctx context.Context, q *db.Queries, feed string) (db.FeedHead, error) {
	row, err := db.Read(q.Sequence(ctx, feed))
	return db.FeedHead{Epoch: row.Epoch, Head: uint64(row.Head), Horizon: row.Horizon}, err
}

// Read returns the page behind a cursor: at most limit rows are read, 1 to MaxLimit.
//
// A row of the stretch may be missing because it was changed since, and a crash may take that back if it is not durable:
// Read then returns once it is.
//
// A cursor ahead of the head is waited for: a server that is behind may have answered, or a publisher that crashed has
// not noted how far the feed is durable. After a while Read returns CursorAhead.
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
	whole := false
	err = e.awaitHead(ctx, func() error {
		return e.db.ReadTx(ctx, func(tx *db.Tx) error {
			page, whole, err = read(ctx, tx, feed, cursor, limit, scope)
			return err
		})
	})
	if err == nil && !whole {
		_, err = e.flushes.Do(ctx, feed.Name, struct{}{})
	}
	return page, err
}

// newFlushes returns a group that makes durable, for all its callers at once, what was visible before they called.
func newFlushes(e *Engine) *coalesce.Group[string, struct{}, struct{}] {
	return coalesce.New(func(ctx context.Context, feed string, calls []struct{}) ([]struct{}, error) {
		return calls, e.noteDurable(ctx, feed, 0)
	}, coalesce.Options{Timeout: roundTime})
}

// awaitHead repeats try for a while, as long as it returns CursorAhead.
func (e *Engine) awaitHead(ctx context.Context, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, e.aheadFor)
	defer cancel()
	for {
		err := try()
		if !errors.Is(err, CodeCursorAhead) || wait.Sleep(ctx, aheadEvery) != nil {
			return err
		}
	}
}

// atHead reports in one statement that there is nothing behind a cursor, and false if there may be. It asks where this
// process knows of nothing; a server that is behind answers no worse than a moment ago.
func (e *Engine) atHead(ctx context.Context, cursor Cursor) bool {
	if known, _ := e.Head(cursor.Feed); known != cursor {
		return false
	}
	now, err := e.sequence(ctx, cursor.Feed)
	return err == nil && cursor.Position == now.Head && cursor.check(now) == nil
}

// read also reports whether each position of the page has its row.
func read(
	ctx context.Context, tx *db.Tx, feed Feed, cursor Cursor, limit int, scope Scope,
) (p Page, whole bool, err error) {
	now, err := sequence(ctx, tx.Queries, feed.Name)
	if err != nil {
		return Page{}, false, err
	}
	if cursor.Position == 0 { // a reader of nothing begins now
		cursor.Began = now.Head
	}
	if err := cursor.check(now); err != nil {
		return Page{}, false, err
	}
	if cursor.Position == now.Head {
		return Page{From: cursor, Cursor: cursor}, true, nil
	}
	span := Span{After: cursor.Position, To: now.Head, Limit: limit, Scope: scope}
	rows, err := feed.Load(ctx, tx, span)
	if err != nil {
		return Page{}, false, err
	}
	seen, err := seenBy(ctx, tx, feed, rows, cursor.Position, now.Head)
	if err != nil {
		return Page{}, false, err
	}
	if feed.Sights != "" {
		if rows, seen, err = withSights(ctx, tx, feed, span, cursor.Began, rows, seen); err != nil {
			return Page{}, false, err
		}
	}
	if err := cursor.outdated(seen); err != nil {
		return Page{}, false, err
	}
	p, err = page(cursor, min(now.Head, max(cursor.Position, seen.Head)), limit, rows)
	return p, p.Cursor.Position-cursor.Position <= uint64(len(rows)), err
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
