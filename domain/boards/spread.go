package boards

import (
	"context"
	"fmt"
	"math"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// spreadRoom is how many tickets may be put between those of a column that are not respaced yet, beside as many again as
// there are, until gaps get smaller.
const spreadRoom = 10_000

// CodeRanksUsedUp: the ranks of a column are used up, which takes millions of spreadings. Move its tickets to
// another column, and back.
const CodeRanksUsedUp fault.Code = "Column.RanksUsedUp"

func RanksUsedUp(column id.Column) error {
	return fault.Conflict.New(CodeRanksUsedUp, "",
		fmt.Sprintf("The ranks of column %d are used up. Move its tickets to another column, and back.", column))
}

// LockSpread locks a column and returns the lowest rank that a run has given its tickets. For a run that begins, that
// is a rank far below all tickets: tickets appended from now on go below it. It returns ColumnNotFound or RanksUsedUp.
func LockSpread(ctx context.Context, tx *db.Tx, column id.Column, run id.Run, gap int64) (int64, error) {
	row, err := tx.LockSpread(ctx, column)
	if db.IsNotFound(err) {
		return 0, ColumnNotFound{Column: uint64(column)}
	}
	if err != nil {
		return 0, fmt.Errorf("lock column: %w", err)
	}
	if row.SpreadRun == run {
		return row.SpreadFrom, nil
	}
	room := (2*row.TicketCount + spreadRoom) * gap
	if row.LastRank > math.MaxInt64/2-room {
		return 0, RanksUsedUp(column)
	}
	from := row.LastRank + room
	if err := tx.BeginSpread(ctx, db.BeginSpreadParams{Run: run, SpreadFrom: from, ID: column}); err != nil {
		return 0, fmt.Errorf("begin to spread a column: %w", err)
	}
	return from, nil
}

// SaveSpread stores the progress of a run. The caller holds the column's lock.
func SaveSpread(ctx context.Context, tx *db.Tx, column id.Column, from int64) error {
	if err := tx.SetSpread(ctx, from, column); err != nil {
		return fmt.Errorf("keep how far a column is spread: %w", err)
	}
	return nil
}
