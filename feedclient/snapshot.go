package feedclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// Snapshot is a part of the rows of a board, as they are published up to the cursor UpTo. The next begins behind Next,
// "" at the end.
type Snapshot struct {
	Items []Item `json:"items"`
	UpTo  string `json:"upto"`
	Next  string `json:"next"`
}

// Snapshot reads rows of a board from behind a place, "" for the first; limit is as of Query. A reader of all of them,
// and of the feed from its cursor on, has all rows of the board. A board that the reader does not see is an *Error of
// status 404.
func (c *Client) Snapshot(ctx context.Context, feed string, board uint64, after string, limit int) (part Snapshot, err error) {
	values := url.Values{"board": {strconv.FormatUint(board, 10)}}
	if after != "" {
		values.Set("after", after)
	}
	if limit != 0 {
		values.Set("limit", strconv.Itoa(limit))
	}
	err = c.call(ctx, http.MethodGet, "/feeds/"+url.PathEscape(feed)+"/snapshot?"+values.Encode(), nil, &part)
	return part, err
}

// BoardStore is a Store that knows the boards of rows. With another, Follow reads the whole feed again when its reader
// gets or loses a board.
type BoardStore interface {
	Store
	// OfBoard returns at most limit rows above after whose mark has a board, in ascending order.
	OfBoard(ctx context.Context, board, after uint64, limit int) ([]uint64, error)
}

// errUnknownBoards begins a new round.
var errUnknownBoards = errors.New("feedclient: the store does not know the boards of rows")

// changeOfBoard hands over the rows of a board that the reader got to see, and as deleted those that it does not see.
func (f *follower) changeOfBoard(ctx context.Context, item Item) error {
	store, ok := f.o.Store.(BoardStore)
	if !ok {
		return errUnknownBoards
	}
	if err := f.save(ctx); err != nil {
		return err
	}
	if rows, err := store.OfBoard(ctx, 0, 0, 1); err != nil || len(rows) > 0 { // of a version that kept no boards
		return cmp.Or(err, errUnknownBoards)
	}
	shown := map[uint64]bool{}
	for next := ""; item.Reason == Joined; {
		part, err := f.snapshot(ctx, item.Board, next)
		if lost(err) {
			return nil // the feed says so later
		}
		if err != nil {
			return err
		}
		if err := f.take(ctx, part.Items...); err != nil {
			return err
		}
		if err := f.save(ctx); err != nil {
			return err
		}
		for _, row := range part.Items {
			shown[row.ID] = true
		}
		if next = part.Next; next == "" {
			break
		}
	}
	return f.dropOfBoard(ctx, store, item, shown)
}

// snapshot reads a part of a board, with retries.
func (f *follower) snapshot(ctx context.Context, board uint64, after string) (part Snapshot, err error) {
	err = f.insist(ctx, func() (err error) {
		part, err = f.c.Snapshot(ctx, f.o.Feed, board, after, f.o.Limit)
		return err
	})
	return part, err
}

// lost reports whether the reader does not see a board.
func lost(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Status == http.StatusNotFound
}

// dropOfBoard hands over as deleted the rows of an item's board that are not among those shown.
func (f *follower) dropOfBoard(ctx context.Context, store BoardStore, item Item, shown map[uint64]bool) error {
	for after := uint64(0); ; {
		rows, err := store.OfBoard(ctx, item.Board, after, 1000)
		if err != nil {
			return fmt.Errorf("read the store: %w", err)
		}
		if len(rows) == 0 {
			return nil
		}
		after = rows[len(rows)-1]
		for _, row := range rows {
			if shown[row] {
				continue
			}
			if err := f.handle(ctx, Item{ID: row, Board: item.Board, Deleted: true, Reason: Left}); err != nil {
				return err
			}
			f.marks[row] = Mark{ID: row, Gone: true}
		}
		if err := f.save(ctx); err != nil {
			return err
		}
	}
}
