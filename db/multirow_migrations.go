package db

// Statements that claim, finish and release tasks of migrations: many tasks at once, each by its id and the fence of
// its claim. Ids are in ascending order.

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// byKey forces the primary key: it sets the order of locks, and avoids locks on another index before.
const byKey = " FORCE INDEX (PRIMARY) "

const takeTasks = `UPDATE migration_task` + byKey + `SET state = 'processing', fence = ?, worker_id = ?, attempt = attempt + 1, claimed_at = NOW(6)
WHERE id IN (`

// ClaimTasks gives open tasks, which the transaction has locked, to a worker, and returns how many were open: none
// after a time by the database's clock, when the claim would be too late.
func (tx *Tx) ClaimTasks(
	ctx context.Context, tasks []id.Task, fence uint64, worker id.Worker, before time.Time,
) (int64, error) {
	args := make([]any, 0, len(tasks)+3)
	args = append(args, fence, uint64(worker))
	for _, task := range tasks {
		args = append(args, uint64(task))
	}
	return tx.changed(ctx, takeTasks+marks(len(tasks))+`) AND state = 'open' AND NOW(6) < ?`, append(args, before))
}

// FinishedTask is a claimed task and its new state.
type FinishedTask struct {
	Task        id.Task
	Fence       uint64
	Note        string        // of a complete or waiting one
	Fingerprint [8]byte       // of a failed one
	Due         time.Duration // of a waiting one: the delay
	Free        bool          // of a waiting one: the attempt does not count
}

// StoredTask is the stored state of a task.
type StoredTask struct {
	Task  id.Task
	Fence uint64
	State string
}

const lockTasks = `SELECT id, fence, state FROM migration_task` + byKey + `WHERE id IN (`

// LockTasks locks tasks, in the order of their ids, and returns their states.
func (tx *Tx) LockTasks(ctx context.Context, tasks []FinishedTask) (list []StoredTask, err error) {
	args := make([]any, 0, len(tasks))
	for _, task := range tasks {
		args = append(args, uint64(task.Task))
	}
	rows, err := tx.SQL.QueryContext(ctx, lockTasks+marks(len(tasks))+`) ORDER BY id FOR UPDATE`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s StoredTask
		if err := rows.Scan(&s.Task, &s.Fence, &s.State); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// CompleteTasks completes tasks whose claim still holds, and returns how many.
func (tx *Tx) CompleteTasks(ctx context.Context, tasks []FinishedTask) (int64, error) {
	return tx.end(ctx, tasks, `state = 'complete', finished_at = NOW(6), note = `, notes)
}

// FailTasks fails tasks whose claim still holds for good.
func (tx *Tx) FailTasks(ctx context.Context, tasks []FinishedTask) (int64, error) {
	return tx.end(ctx, tasks, `state = 'failed', finished_at = NOW(6), fingerprint = `,
		pick("NULL", func(e FinishedTask) (any, bool) { return e.Fingerprint[:], true }))
}

// PutOffTasks lets tasks whose claim still holds wait.
func (tx *Tx) PutOffTasks(ctx context.Context, tasks []FinishedTask) (int64, error) {
	return tx.end(ctx, tasks, `state = 'waiting', attempt = attempt - `,
		pick("0", func(e FinishedTask) (any, bool) { return 1, e.Free }),
		`, due_at = NOW(6) + INTERVAL `, pick("0",
			func(e FinishedTask) (any, bool) { return e.Due.Microseconds(), true }), ` MICROSECOND, note = `, notes)
}

// ReturnTasks reopens tasks whose claim still holds, as if it had not been. The worker stays recorded for its fence.
func (tx *Tx) ReturnTasks(ctx context.Context, tasks []FinishedTask) (int64, error) {
	return tx.end(ctx, tasks, `state = 'open', fence = (fence >> 32) << 32, attempt = attempt - 1`)
}

// ReopenTasks reopens tasks whose claim still holds; their attempt counts.
func (tx *Tx) ReopenTasks(ctx context.Context, tasks []FinishedTask) (int64, error) {
	return tx.end(ctx, tasks, `state = 'open', fence = (fence >> 32) << 32`)
}

// end sets the parts, which are SQL or choose a value for each task.
func (tx *Tx) end(ctx context.Context, tasks []FinishedTask, parts ...any) (int64, error) {
	if len(tasks) == 0 {
		return 0, nil
	}
	var text strings.Builder
	args := make([]any, 0, 4*len(tasks))
	text.WriteString(`UPDATE migration_task` + byKey + `SET `)
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			text.WriteString(part)
		case perTask:
			args = part.write(&text, tasks, args)
		}
	}
	text.WriteString(` WHERE id IN (` + marks(len(tasks)) + `) AND state = 'processing' AND `)
	for _, task := range tasks {
		args = append(args, uint64(task.Task))
	}
	if !slices.ContainsFunc(tasks, func(e FinishedTask) bool { return e.Fence != tasks[0].Fence }) { // of one claim
		text.WriteString(`fence = ?`)
		return tx.changed(ctx, text.String(), append(args, tasks[0].Fence))
	}
	text.WriteString(`(id, fence) IN (` + tuples(len(tasks), 2) + `)`)
	for _, task := range tasks {
		args = append(args, uint64(task.Task), task.Fence)
	}
	return tx.changed(ctx, text.String(), args)
}

// perTask is a value that differs from task to task.
type perTask struct {
	otherwise string
	value     func(FinishedTask) (any, bool)
}

var notes = pick("''", func(e FinishedTask) (any, bool) { return e.Note, e.Note != "" })

func pick(otherwise string, value func(FinishedTask) (any, bool)) perTask {
	return perTask{otherwise, value}
}

func (p perTask) write(text *strings.Builder, tasks []FinishedTask, args []any) []any {
	some := false
	for _, task := range tasks {
		value, ok := p.value(task)
		if !ok {
			continue
		}
		if !some {
			text.WriteString(`CASE id`)
		}
		some = true
		text.WriteString(` WHEN ? THEN ?`)
		args = append(args, uint64(task.Task), value)
	}
	if !some {
		text.WriteString(p.otherwise)
		return args
	}
	text.WriteString(` ELSE ` + p.otherwise + ` END`)
	return args
}

const addAttempts = `INSERT INTO migration_attempt (run_id, task_id, iteration, attempt, outcome, worker_id, worker, started_at, took_us, fingerprint, message, detail) VALUES `

// NewAttempt is a row for AddAttempts; Ago is when it began.
type NewAttempt struct {
	MigrationAttempt
	Ago time.Duration
}

// AddAttempts adds all rows in one statement.
func (tx *Tx) AddAttempts(ctx context.Context, list []NewAttempt) error {
	const row = `(?,?,?,?,?,?,?,NOW(6) - INTERVAL ? MICROSECOND,?,?,?,?)`
	args := make([]any, 0, 12*len(list))
	for _, a := range list {
		args = append(args, uint64(a.RunID), uint64(a.TaskID), a.Iteration, a.Attempt, a.Outcome, uint64(a.WorkerID),
			a.Worker,
			a.Ago.Microseconds(), a.TookUs, a.Fingerprint, a.Message, a.Detail)
	}
	_, err := tx.SQL.ExecContext(ctx, addAttempts+row+strings.Repeat(","+row, len(list)-1), args...)
	return err
}

const (
	addFailures      = `INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at) VALUES `
	addFailuresAgain = ` ON DUPLICATE KEY UPDATE errors = errors + VALUES(errors), failed = failed + VALUES(failed), last_at = VALUES(last_at)`
)

// AddFailures counts errors in their groups, which come in ascending order of their fingerprints.
func (tx *Tx) AddFailures(ctx context.Context, list []MigrationFailure) error {
	const row = `(?,?,?,?,?,?,NOW(6),NOW(6))`
	args := make([]any, 0, 6*len(list))
	for _, f := range list {
		args = append(args, uint64(f.RunID), f.Fingerprint, f.Message, uint64(f.TaskID), f.Errors, f.Failed)
	}
	_, err := tx.SQL.ExecContext(ctx, addFailures+row+strings.Repeat(","+row, len(list)-1)+addFailuresAgain, args...)
	return err
}

// ExplainClaim returns the server's plan of LockOpenTasks: a line for each table, each value by the name
// of its column in lower case.
func (d *DB) ExplainClaim(ctx context.Context, run id.Run) (lines []map[string]string, err error) {
	rows, err := d.SQL.QueryContext(ctx, "EXPLAIN FORMAT=TRADITIONAL "+lockOpenTasks, uint64(run), uint64(run), 1, 10)
	if err != nil {
		return nil, classify(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values, targets := make([]*string, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		line := map[string]string{}
		for i, name := range columns {
			if values[i] != nil {
				line[strings.ToLower(name)] = *values[i]
			}
		}
		lines = append(lines, line)
	}
	return lines, classify(rows.Err())
}

func (tx *Tx) changed(ctx context.Context, statement string, args []any) (int64, error) {
	result, err := tx.SQL.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// marks returns n placeholders: ?,?,?.
func marks(n int) string { return strings.Repeat("?,", n-1) + "?" }
