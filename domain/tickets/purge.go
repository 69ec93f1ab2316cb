package tickets

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// CodePurged: the ticket was deleted more than 30 days ago and removed for good. Its number is not used again.
const CodePurged fault.Code = "Ticket.Purged"

func Purged(key Key) error {
	return fault.NotFound.New(CodePurged, "",
		key.String()+" was deleted more than 30 days ago and is gone for good. Its number is never used again.")
}

// DeletedBefore returns up to limit tickets of a board that were deleted before a time, from behind a cursor; next is
// nil at the end.
func DeletedBefore(
	ctx context.Context, q *db.Queries, board id.Board, slug string, before time.Time, after DeletedCursor, limit int,
) (list []DeletedTicket, next *DeletedCursor, err error) {
	rows, err := db.Read(q.DeletedBefore(ctx, db.DeletedBeforeParams{BoardID: board, Since: &after.At, Before: &before,
		AfterID: after.ID, Limit: int32(limit)}))
	if err != nil {
		return nil, nil, fmt.Errorf("read deleted tickets: %w", err)
	}
	for _, r := range rows {
		list = append(list, DeletedTicket{ID: r.ID, Key: Key{Board: slug, Number: r.LocalID}, At: *r.DeletedAt})
	}
	if len(list) == limit {
		last := list[limit-1]
		next = &DeletedCursor{At: last.At, ID: last.ID}
	}
	return list, next, nil
}

// MaxKept is how long a deleted ticket is kept at most for consumers that have not read its deletion.
const MaxKept = 90 * 24 * time.Hour

// FeedPositions are positions in the feeds of tickets and of comments.
type FeedPositions struct{ Tickets, Comments uint64 }

// PurgeRule says which deleted tickets may be purged: those deleted before a time whose deletion, and that of their
// comments, is at or below the positions in Passed. If the deletion is more than MaxKept before Now, it need only be
// published. Both times are of the database's clock, because a process's may be fast by weeks.
type PurgeRule struct {
	Now, Before time.Time
	Passed      FeedPositions
}

// PurgeResult is the result of a purge. Waiting are tickets that consumers have not read yet. Numbers counts the
// numbers of boards that no ticket has any more. To are the horizons to set.
type PurgeResult struct {
	Gone, Waiting map[ID]bool
	Numbers       map[id.Board]uint64
	To            FeedPositions
}

// Purge removes those tickets that the rule allows for good, with all rows that belong to them. Lock the incrementers
// of their boards first (BoardsLeft has their former ones), and raise the horizons of the feeds to To in the same
// transaction.
func (p PurgeRule) Purge(ctx context.Context, tx *db.Tx, tickets []ID) (done PurgeResult, err error) {
	done, ids, err := p.lock(ctx, tx, tickets)
	if err != nil || len(ids) == 0 {
		return done, err
	}
	old, err := tx.OldNumbersOf(ctx, ids)
	if err != nil {
		return done, fmt.Errorf("read aliases: %w", err)
	}
	for _, row := range old {
		done.Numbers[row.BoardID]++
	}
	if err := purgeAttachments(ctx, tx, ids); err != nil {
		return done, err
	}
	for _, purge := range []func(context.Context, []ID) error{ // a row after those that reference it
		tx.PurgeNotifications, tx.PurgeDeletedTexts, tx.PurgeReactions, tx.PurgeComments, tx.PurgeActivity, tx.PurgeStays,
		tx.PurgeBacklinks, tx.DropBacklinksOf, tx.PurgeOccurrences, tx.PurgeRuleOccurrences, tx.PurgeRecurrences, tx.PurgeAssignees, tx.PurgeTicketLabels,
		tx.PurgeRelations, tx.PurgeRelationsTo,
		tx.PurgeWatchers, tx.PurgeAliases, tx.PurgeOrigins, tx.PurgeRequests, tx.PurgePictures,
	} {
		if err := purge(ctx, ids); err != nil {
			return done, fmt.Errorf("purge what hangs on tickets: %w", err)
		}
	}
	n, err := tx.PurgeTickets(ctx, ids)
	if err != nil {
		return done, fmt.Errorf("purge tickets: %w", err)
	}
	if n != int64(len(ids)) {
		return done, fmt.Errorf("%d of %d tickets were purged", n, len(ids))
	}
	return done, nil
}

// Preview returns the result that Purge would have now, and changes nothing.
func (p PurgeRule) Preview(ctx context.Context, tx *db.Tx, tickets []ID) (PurgeResult, error) {
	would, _, err := p.lock(ctx, tx, tickets)
	return would, err
}

// lock returns those tickets that the rule allows, locked, and the result of their purge.
func (p PurgeRule) lock(ctx context.Context, tx *db.Tx, tickets []ID) (done PurgeResult, ids []ID, err error) {
	done = PurgeResult{Gone: map[ID]bool{}, Waiting: map[ID]bool{}, Numbers: map[id.Board]uint64{}}
	rows, err := tx.LockTickets(ctx, tickets)
	if err != nil {
		return done, nil, fmt.Errorf("lock tickets: %w", err)
	}
	comments, err := tx.CommentsPublished(ctx, tickets)
	if err != nil {
		return done, nil, fmt.Errorf("read what was published of comments: %w", err)
	}
	last, unheard := map[ID]uint64{}, map[ID]bool{}
	for _, row := range comments {
		last[row.TicketID] = uint64(row.Last)
		unheard[row.TicketID] = row.Waiting > 0
	}
	for _, row := range rows {
		if row.DeletedAt == nil || !row.DeletedAt.Before(p.Before) {
			continue
		}
		if row.FeedSyncID == nil || unheard[row.ID] ||
			(*row.FeedSyncID > p.Passed.Tickets || last[row.ID] > p.Passed.Comments) &&
				row.DeletedAt.After(p.Now.Add(-MaxKept)) {
			done.Waiting[row.ID] = true
			continue
		}
		ids = append(ids, row.ID)
		done.Gone[row.ID] = true
		done.Numbers[row.BoardID]++
		done.To.Tickets = max(done.To.Tickets, *row.FeedSyncID)
		done.To.Comments = max(done.To.Comments, last[row.ID])
	}
	return done, ids, nil
}

// BoardsLeft returns the boards that tickets had numbers on before they were moved.
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

// missingError returns Purged for a key whose ticket was purged, NotFound for any other without a ticket.
func missingError(ctx context.Context, q *db.Queries, by db.Sight, key Key) error {
	purged, err := db.Read(q.NumberPurged(ctx, db.NumberPurgedParams{CompanyID: by.Company, Slug: key.Board,
		LocalID: key.Number, Reader: by.Reader, Reach: by.Reach}))
	switch {
	case err != nil:
		return fmt.Errorf("read whether a number was purged: %w", err)
	case purged:
		return Purged(key)
	}
	return NotFound()
}

// PurgedKeys returns those of some keys, of boards by their slugs, whose tickets were purged.
func PurgedKeys(ctx context.Context, q *db.Queries, on map[string]id.Board, keys []Key) (map[Key]bool, error) {
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
	rows, err := db.Read(q.ExistingNumbers(ctx, wanted))
	if err != nil {
		return nil, fmt.Errorf("read numbers: %w", err)
	}
	type number struct {
		board  id.Board
		number uint64
	}
	there := make(map[number]bool, len(rows))
	for _, row := range rows {
		there[number{row.Board, row.Number}] = true
	}
	purged := map[Key]bool{}
	for _, key := range keys {
		if !there[number{on[key.Board], key.Number}] {
			purged[key] = true
		}
	}
	return purged, nil
}
