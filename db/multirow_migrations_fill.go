package db

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/id"
)

// NewTask is a row for AddTasks.
type NewTask struct {
	Line    uint64
	Payload string
}

const addTasks = `INSERT INTO migration_task (run_id, line, payload) VALUES `

// AddTasks adds open tasks of a run in one statement, in their order.
func (tx *Tx) AddTasks(ctx context.Context, run id.Run, tasks []NewTask) error {
	if len(tasks) == 0 {
		return nil
	}
	args := make([]any, 0, 3*len(tasks))
	for _, t := range tasks {
		args = append(args, uint64(run), t.Line, t.Payload)
	}
	_, err := tx.SQL.ExecContext(ctx, addTasks+tuples(len(tasks), 3), args...)
	return err
}

const addRejections = `INSERT INTO migration_rejection (run_id, number, line, reason, content) VALUES `

// AddRejections adds all rows in one statement.
func (tx *Tx) AddRejections(ctx context.Context, rows []MigrationRejection) error {
	if len(rows) == 0 {
		return nil
	}
	args := make([]any, 0, 5*len(rows))
	for _, r := range rows {
		args = append(args, uint64(r.RunID), r.Number, r.Line, r.Reason, r.Content)
	}
	_, err := tx.SQL.ExecContext(ctx, addRejections+tuples(len(rows), 5), args...)
	return err
}
