package tickets

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Changes to all tickets of a column at once. Callers hold the column's lock, so that no ticket enters or leaves.

// CloseColumn closes the open tickets of a column that becomes a done column.
func CloseColumn(ctx context.Context, tx *db.Tx, column id.Column, by User) error {
	detail, err := json.Marshal(Detail{})
	if err != nil {
		return fmt.Errorf("write detail: %w", err)
	}
	_, err = tx.RecordClosed(ctx, db.RecordClosedParams{AccountID: by.ID, Kind: KindClosed, Detail: string(detail),
		CreatedAt: tx.Now, ColumnID: &column})
	if err != nil {
		return fmt.Errorf("record activity: %w", err)
	}
	return setClosed(ctx, tx, column, true)
}

// ReopenColumn reopens all tickets of a column that is no longer a done column.
func ReopenColumn(ctx context.Context, tx *db.Tx, column id.Column, by User) error {
	if err := recordAll(ctx, tx, column, math.MinInt64, by, KindReopened, Detail{}); err != nil {
		return err
	}
	return setClosed(ctx, tx, column, false)
}

func setClosed(ctx context.Context, tx *db.Tx, column id.Column, closed bool) (err error) {
	if closed {
		_, err = tx.CloseColumn(ctx, db.CloseColumnParams{ClosedAt: &tx.Now, ColumnID: &column})
	} else {
		_, err = tx.ReopenColumn(ctx, &tx.Now, &column)
	}
	if err != nil {
		return fmt.Errorf("close or open the tickets of a column: %w", err)
	}
	if _, err := tx.SetCurrentInColumn(ctx, !closed, &column); err != nil {
		return fmt.Errorf("set current work: %w", err)
	}
	return nil
}

// ColumnMove asks to append all tickets of a column to another, whose last rank is LastRank. Names are those of the
// columns.
type ColumnMove struct {
	From, To         id.Column
	LastRank         int64
	FromDone, ToDone bool
	Names            Change
}

// EmptyColumn moves the tickets, and returns how many there were and the target's last rank. Their entries in the
// history name no locations, because the column to undo them into is removed.
func EmptyColumn(ctx context.Context, tx *db.Tx, e ColumnMove, by User) (n, last int64, err error) {
	lowest := int64(math.MinInt64)
	top, err := tx.CardBelow(ctx, db.CardBelowParams{ColumnID: &e.From, FromRank: &lowest})
	if db.IsNotFound(err) {
		return 0, e.LastRank, nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("read the first card: %w", err)
	}
	foot, err := cardAbove(ctx, tx.Queries, e.From, math.MaxInt64)
	if err != nil {
		return 0, 0, err
	}
	if e.FromDone != e.ToDone {
		if err := setClosed(ctx, tx, e.From, e.ToDone); err != nil {
			return 0, 0, err
		}
	}
	offset := e.LastRank + Gap - *top.RankInColumn
	n, err = tx.EmptyColumn(ctx, db.EmptyColumnParams{ToColumn: &e.To, RankOffset: &offset, MovedAt: tx.Now,
		EnteredAt: &tx.Now, FromColumn: &e.From})
	if err != nil {
		return 0, 0, fmt.Errorf("empty column: %w", err)
	}
	return n, *foot.RankInColumn + offset, recordAll(ctx, tx, e.To, e.LastRank, by, KindMoved, Detail{Column: &e.Names})
}

// recordAll adds an entry to the history of every ticket of a column below a rank.
func recordAll(
	ctx context.Context, tx *db.Tx, column id.Column, below int64, by User, kind string, detail Detail,
) error {
	text, err := json.Marshal(detail)
	if err != nil {
		return fmt.Errorf("write detail: %w", err)
	}
	_, err = tx.RecordInColumn(ctx, db.RecordInColumnParams{
		AccountID: by.ID, Kind: kind, Detail: string(text), CreatedAt: tx.Now, ColumnID: &column, FromRank: &below,
	})
	if err != nil {
		return fmt.Errorf("record activity: %w", err)
	}
	return nil
}
