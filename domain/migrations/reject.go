package migrations

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// RejectLines adds to the rejected lines of a run those that a task of it refused, in the transaction that completes the
// task. Only the first MaxRejections of a run are kept, the others are counted.
func RejectLines(ctx context.Context, tx *db.Tx, run id.Run, lines []Rejection) error {
	if len(lines) == 0 {
		return nil
	}
	row, err := LockRun(ctx, tx, run)
	if err != nil {
		return fmt.Errorf("reject lines: %w", err)
	}
	if err := tx.CountRejected(ctx, uint64(len(lines)), run); err != nil {
		return fmt.Errorf("reject lines: %w", err)
	}
	kept := lines[:min(uint64(len(lines)), MaxRejections-min(row.Rejected, MaxRejections))]
	rows := make([]db.MigrationRejection, len(kept))
	for i, line := range kept {
		rows[i] = RejectionRow(run, row.Rejected+uint64(i)+1, line)
	}
	if err := tx.AddRejections(ctx, rows); err != nil {
		return fmt.Errorf("reject lines: %w", err)
	}
	return nil
}

// RejectionRow is the row of a rejected line, whose number among those of the run counts from 1.
func RejectionRow(run id.Run, number uint64, line Rejection) db.MigrationRejection {
	return db.MigrationRejection{RunID: run, Number: number, Line: line.Line, Reason: Cut(line.Reason, MaxReason),
		Content: Cut(line.Content, MaxReason)}
}
