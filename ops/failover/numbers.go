package failover

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

const (
	leastSkipped = 100
	day          = 24 * time.Hour
	// boardsAtOnce is how many boards skip numbers in one transaction.
	boardsAtOnce = 50
	// numbersAtOnce is how many tickets a statement reads.
	numbersAtOnce = 1000
)

// skipNumbers lets each board go on ahead of the numbers that it may have handed out after the last change that the
// database knows: ahead by as many as it handed out in the busiest such time of the last day, and at least by 100.
func (f *failover) skipNumbers(ctx context.Context) error {
	for after, more := id.Board(0), true; more; {
		page, err := db.Read(f.db.NumbersHandedOut(ctx, db.NumbersHandedOutParams{FailoverID: f.ID, After: after,
			Limit: boardsAtOnce}))
		if err != nil || len(page) == 0 {
			return err
		}
		after, more = page[len(page)-1].BoardID, len(page) == boardsAtOnce
		page = slices.DeleteFunc(page, func(b db.NumbersHandedOutRow) bool { return b.Skipped > 0 })
		for i := range page {
			if page[i].Skipped, err = f.ahead(ctx, page[i].BoardID); err != nil {
				return err
			}
		}
		if err := f.skip(ctx, page); err != nil {
			return err
		}
	}
	return nil
}

func (f *failover) skip(ctx context.Context, boards []db.NumbersHandedOutRow) error {
	return f.db.InTx(ctx, func(tx *db.Tx) error {
		for _, b := range boards {
			err := tx.RecordSkipped(ctx, db.RecordSkippedParams{FailoverID: f.ID, BoardID: b.BoardID,
				LastNumber: b.MaxTicketID, Skipped: b.Skipped})
			if err != nil {
				return err
			}
			if n, err := tx.SkipNumbers(ctx, b.Skipped, b.BoardID); err != nil || n != 1 {
				return fmt.Errorf("skip numbers of board %d: %d rows: %w", b.BoardID, n, err)
			}
		}
		return nil
	})
}

// ahead is by how many numbers a board goes on.
func (f *failover) ahead(ctx context.Context, board id.Board) (uint64, error) {
	times, err := f.handedOut(ctx, board)
	return max(leastSkipped, uint64(busiest(times, f.Lost()))), err
}

// handedOut returns when a board handed out the numbers of the day before the last change. Numbers only grow, so it
// reads from the highest down, until a whole page is older.
func (f *failover) handedOut(ctx context.Context, board id.Board) (times []time.Time, err error) {
	since := f.LastAt.Add(-day)
	for below := uint64(math.MaxInt64); ; {
		page, err := db.Read(f.db.NumberTimes(ctx, db.NumberTimesParams{BoardID: board, Below: below,
			Limit: numbersAtOnce}))
		if err != nil {
			return nil, err
		}
		before := len(times)
		for _, n := range page {
			at := slices.MaxFunc([]time.Time{n.CreatedAt, n.ImportedAt, n.MovedAt}, time.Time.Compare)
			if !at.Before(since) {
				times = append(times, at)
			}
			below = n.LocalID
		}
		if len(page) < numbersAtOnce || len(times) == before {
			return times, nil
		}
	}
}

// busiest is the most of some times that lie within a span.
func busiest(times []time.Time, span time.Duration) (most int) {
	slices.SortFunc(times, time.Time.Compare)
	first := 0
	for last := range times {
		for times[last].Sub(times[first]) > span {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}
