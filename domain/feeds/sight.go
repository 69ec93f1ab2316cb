package feeds

import (
	"cmp"
	"context"
	"slices"

	"github.com/counterfoil/counterfoil/db"
)

// LoadSnapshot returns at most limit rows of the scope's board, also deleted, hidden and unpublished ones, from behind a
// place, "" for the first; more says that there may be others behind them, from behind next. It returns BadPlace.
type LoadSnapshot func(ctx context.Context, tx *db.Tx, scope Scope, after string, limit int) (rows []SnapshotRow, next string,
	err error)

// SnapshotRow is a row of a board. One that is not published has the position 0.
type SnapshotRow struct {
	Row
	After string // the place behind it
}

// Snapshot is a part of a board as its rows are published up to UpTo. The next begins behind the place Next, "" at the
// end.
type Snapshot struct {
	Items []Item
	UpTo  Cursor
	Next  string
	after []string // the place behind each item
}

// PlaceAfter returns the place behind the item i.
func (s Snapshot) PlaceAfter(i int) string {
	if i == len(s.Items)-1 {
		return s.Next
	}
	return s.after[i]
}

// Snapshot reads rows of the scope's board from behind a place. A reader of all of them, and of the feed from an earlier cursor
// on, has the board: a row that is not among them is published later than UpTo. It returns
// NotFound or BadPlace.
func (e *Engine) Snapshot(ctx context.Context, name string, scope Scope, after string, limit int) (s Snapshot, err error) {
	feed, err := e.Feed(name)
	if err != nil {
		return s, err
	}
	waiting := false
	err = e.db.ReadTx(ctx, func(tx *db.Tx) error {
		s, waiting = Snapshot{}, false
		now, err := sequence(ctx, tx.Queries, name)
		if err != nil {
			return err
		}
		s.UpTo = Cursor{Epoch: now.Epoch, Feed: name, Position: now.Head}
		rows, next, err := feed.Board(ctx, tx, scope, after, limit)
		s.Next = next
		for _, row := range rows {
			waiting = waiting || row.Position == 0
			if row.Hidden || row.Deleted || row.Position == 0 || row.Position > min(now.Head, row.Feed.Head) {
				continue
			}
			s.Items, s.after = append(s.Items, row.Item), append(s.after, row.After)
		}
		return err
	})
	if err == nil && waiting { // a crash may take the change back, and the row is at a position before UpTo again
		_, err = e.flushes.Do(ctx, name, struct{}{})
	}
	return s, err
}

// withSights adds the changes of sight of a span to its rows, and returns the worse of how both statements saw the feed.
// Those up to began tell the reader nothing: all that it has was read since.
func withSights(
	ctx context.Context, tx *db.Tx, feed Feed, span Span, began uint64, rows []Row, seen db.FeedHead,
) ([]Row, db.FeedHead, error) {
	changes, at, err := tx.SightChanges(ctx, feed.Name, feed.Sights, span.Scope.Sight, span.After, span.To, span.Limit)
	if err != nil {
		return nil, seen, err
	}
	seen = db.FeedHead{Epoch: max(seen.Epoch, at.Epoch), Head: min(seen.Head, at.Head),
		Horizon: max(seen.Horizon, at.Horizon)}
	for _, c := range changes {
		rows = append(rows, sightRow(c, span.Scope, began))
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Position, b.Position) })
	return rows[:min(len(rows), span.Limit)], seen, nil
}

// sightRow returns a change of sight as the reader of a scope gets it. One without an account is told of what it lost
// alone: what it gets is published again.
func sightRow(c db.SightChange, scope Scope, began uint64) Row {
	row := Row{Item: Item{Position: c.Position}}
	switch {
	case !c.Own, c.Position <= began, scope.Board != 0 && scope.Board != c.Board, c.Visible && scope.Reader == 0:
		row.Hidden = true
		return row
	case c.Visible:
		row.Reason = Joined
	default:
		row.Reason, row.Deleted = Left, true
	}
	row.Board = c.Board
	return row
}
