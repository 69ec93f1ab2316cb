package boards

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// TakeRanks takes k ranks, gap apart, at a column's end for new tickets, counts them and locks the column. It returns
// the last of the ranks, or ColumnNotFound, ColumnLeaving, ColumnFull, or ErrOutdated if the column changed since it was
// read: its done, or whether it is being removed.
func TakeRanks(ctx context.Context, tx *db.Tx, board ID, column Column, k int, gap int64) (last int64, err error) {
	result, err := tx.AppendRanks(ctx, db.AppendRanksParams{K: int64(k), Span: int64(k) * gap, ID: column.ID,
		BoardID: board, Done: column.Done})
	if err != nil {
		return 0, fmt.Errorf("take ranks: %w", err)
	}
	last, ok := handedOut(result)
	if !ok {
		return 0, whyNone(ctx, tx, board, column, k)
	}
	return last, nil
}

// whyNone returns why a column had no ranks to take.
func whyNone(ctx context.Context, tx *db.Tx, board ID, column Column, k int) error {
	locked, err := LockColumns(ctx, tx, column.ID)
	if err != nil {
		return err
	}
	now, ok := locked[column.ID]
	if !ok || now.Board != board {
		return ColumnNotFound{Column: uint64(column.ID)}
	}
	if now.Leaving() && !column.Leaving() {
		return ErrOutdated
	}
	if err := now.Admit(int64(k)); err != nil {
		return err
	}
	return ErrOutdated
}

// AllocateNumbers takes k ticket numbers of a board and locks its incrementer. It returns the last of them; the others
// come right before it. Lock columns first.
//
// UPDATE … LAST_INSERT_ID(expr) is MySQL's documented way to count: the row's lock serialises it, and the answer to
// the update carries the value.
func AllocateNumbers(ctx context.Context, tx *db.Tx, board ID, k int) (last uint64, err error) {
	result, err := tx.AllocateNumbers(ctx, uint64(k), board)
	if err != nil {
		return 0, fmt.Errorf("take numbers: %w", err)
	}
	n, ok := handedOut(result)
	if !ok || n < int64(k) {
		return 0, fmt.Errorf("board %d has no incrementer", board)
	}
	return uint64(n), nil
}

// handedOut reads a LAST_INSERT_ID(expr) that must have changed exactly one row.
func handedOut(result sql.Result) (value int64, ok bool) {
	rows, err := result.RowsAffected()
	if err != nil || rows != 1 {
		return 0, false
	}
	value, err = result.LastInsertId()
	return value, err == nil
}

// LockNumbers locks the incrementers of boards. Lock columns first, tickets afterwards.
func LockNumbers(ctx context.Context, tx *db.Tx, boards []ID) error {
	if _, err := tx.LockIncrementers(ctx, boards); err != nil {
		return fmt.Errorf("lock incrementers: %w", err)
	}
	return nil
}

// CountPurged counts n more numbers of a board whose tickets are purged. The caller holds the lock of its incrementer.
func CountPurged(ctx context.Context, tx *db.Tx, board ID, n uint64) error {
	changed, err := tx.CountPurged(ctx, n, board)
	if err != nil {
		return fmt.Errorf("count purged numbers: %w", err)
	}
	if changed != 1 {
		return fmt.Errorf("board %d has no incrementer", board)
	}
	return nil
}
