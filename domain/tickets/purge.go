package tickets

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Purged reports a key whose ticket was deleted long ago and then removed for good.
type Purged struct{ Key Key }

func (e Purged) Error() string {
	return e.Key.String() + " was deleted more than 30 days ago and has been removed for good. Its number is not used again, so no other ticket is meant."
}
func (Purged) Unwrap() error { return fault.NotFound }

// LongDeleted returns up to limit tickets of a board that were deleted before a time, from behind a cursor
// on; the zero one is the beginning. next is where to go on, nil at the end.
func LongDeleted(ctx context.Context, q *db.Queries, board id.Board, slug string, before time.Time, after DeletedCursor, limit int) (list []Deleted, next *DeletedCursor, err error) {
	rows, err := db.Read(q.LongDeleted(ctx, db.LongDeletedParams{BoardID: board, Since: &after.At, Before: &before, AfterID: after.ID, Limit: int32(limit)}))
	if err != nil {
		return nil, nil, fmt.Errorf("read deleted tickets: %w", err)
	}
	for _, r := range rows {
		list = append(list, Deleted{ID: r.ID, Key: Key{Board: slug, Number: r.LocalID}, At: *r.DeletedAt})
	}
	if len(list) == limit {
		last := list[limit-1]
		next = &DeletedCursor{At: last.At, ID: last.ID}
	}
	return list, next, nil
}

// Purge removes for good those of some tickets that are deleted since before a time, with all that hangs
// on them. It returns the ids of those that it removed, and how many numbers of which boards are no
// ticket's any more. Lock the incrementers of these boards first (BoardsLeft tells the others than their own).
func Purge(ctx context.Context, tx *db.Tx, tickets []ID, before time.Time) (gone map[ID]bool, numbers map[id.Board]uint64, err error) {
	rows, err := tx.LockTickets(ctx, tickets)
	if err != nil {
		return nil, nil, fmt.Errorf("lock tickets: %w", err)
	}
	gone, numbers = map[ID]bool{}, map[id.Board]uint64{}
	var ids []ID
	for _, row := range rows {
		if row.DeletedAt != nil && row.DeletedAt.Before(before) {
			gone[row.ID] = true
			ids = append(ids, row.ID)
			numbers[row.BoardID]++
		}
	}
	if len(ids) == 0 {
		return gone, numbers, nil
	}
	old, err := tx.OldNumbersOf(ctx, ids)
	if err != nil {
		return nil, nil, fmt.Errorf("read aliases: %w", err)
	}
	for _, row := range old {
		numbers[row.BoardID]++
	}
	for _, purge := range []func(context.Context, []ID) error{ // each after what names it
		tx.PurgeNotifications, tx.PurgeComments, tx.PurgeActivity, tx.PurgeAssignees, tx.PurgeWatchers, tx.PurgeAliases, tx.PurgeOrigins,
	} {
		if err := purge(ctx, ids); err != nil {
			return nil, nil, fmt.Errorf("purge what hangs on tickets: %w", err)
		}
	}
	n, err := tx.PurgeTickets(ctx, ids)
	if err != nil {
		return nil, nil, fmt.Errorf("purge tickets: %w", err)
	}
	if n != int64(len(ids)) {
		return nil, nil, fmt.Errorf("%d of %d tickets were purged", n, len(ids))
	}
	return gone, numbers, nil
}

// BoardsLeft returns the boards on which some tickets had a number before they moved.
func BoardsLeft(ctx context.Context, q *db.Queries, tickets []ID) ([]id.Board, error) {
	rows, err := q.OldNumbersOf(ctx, tickets)
	if err != nil {
		return nil, fmt.Errorf("read aliases: %w", err)
	}
	boards := make([]id.Board, len(rows))
	for i, row := range rows {
		boards[i] = row.BoardID
	}
	return boards, nil
}

// whyNone returns Purged for a key whose ticket was removed for good, NotFound for any other without one.
func whyNone(ctx context.Context, q *db.Queries, company id.Company, key Key) error {
	purged, err := db.Read(q.NumberPurged(ctx, db.NumberPurgedParams{CompanyID: company, Slug: key.Board, LocalID: key.Number}))
	switch {
	case err != nil:
		return fmt.Errorf("read whether a number was purged: %w", err)
	case purged:
		return Purged{Key: key}
	}
	return NotFound{Key: key.String()}
}

// Gone returns those of some keys, of boards by their slugs, that were tickets' and are not any more.
func Gone(ctx context.Context, q *db.Queries, on map[string]id.Board, keys []Key) (map[Key]bool, error) {
	at := map[id.Board]int{}
	var wanted []db.Numbers
	for _, key := range keys {
		board := on[key.Board]
		i, ok := at[board]
		if !ok {
			i = len(wanted)
			at[board] = i
			wanted = append(wanted, db.Numbers{Board: board})
		}
		wanted[i].Numbers = append(wanted[i].Numbers, key.Number)
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.NumbersThere(ctx, wanted))
	if err != nil {
		return nil, fmt.Errorf("read numbers: %w", err)
	}
	type number struct {
		board  id.Board
		number uint64
	}
	there := make(map[number]bool, len(rows))
	for _, row := range rows {
		there[number{row.Board, row.Numbers[0]}] = true
	}
	gone := map[Key]bool{}
	for _, key := range keys {
		if !there[number{on[key.Board], key.Number}] {
			gone[key] = true
		}
	}
	return gone, nil
}
