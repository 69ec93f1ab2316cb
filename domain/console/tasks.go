package console

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// RunTasks returns a page of a run's tasks.
func (c *Console) RunTasks(ctx context.Context, run id.Run, filter migrations.TaskFilter) (migrations.TaskPage, error) {
	return read(ctx, c, run, "tasks", func(by db.Sight) (migrations.TaskPage, error) {
		return c.engine.Tasks(ctx, by, run, filter)
	})
}

// RunTask returns a task with its whole payload and the last of its failed attempts.
func (c *Console) RunTask(
	ctx context.Context, run id.Run, task id.Task,
) (found migrations.Task, attempts []migrations.Attempt, err error) {
	found, err = read(ctx, c, run, fmt.Sprintf("task %d", task), func(by db.Sight) (found migrations.Task, err error) {
		found, attempts, err = c.engine.Task(ctx, by, run, task)
		return found, err
	})
	return found, attempts, err
}

// TaskLabel says in a few words what a task of a run is about; see migrations.Engine.Label.
func (c *Console) TaskLabel(ctx context.Context, run migrations.Run, task migrations.Task) (string, error) {
	if task.Hidden {
		return migrations.HiddenTask, nil
	}
	return ask(ctx, func(actor) (string, error) { return c.engine.Label(run.Name, task.Payload), nil })
}

// RunFailures returns the groups of a run's errors.
func (c *Console) RunFailures(ctx context.Context, run id.Run) ([]migrations.Failure, error) {
	return ask(ctx, func(actor) ([]migrations.Failure, error) { return c.engine.Failures(ctx, run) })
}

// FailureSheet has a run's failed tasks with their errors: of a group, or all if the fingerprint is "".
func (c *Console) FailureSheet(ctx context.Context, run id.Run, fingerprint string) (*migrations.Sheet, error) {
	return read(ctx, c, run, "failed tasks", func(by db.Sight) (*migrations.Sheet, error) {
		return c.engine.FailureSheet(ctx, by, run, fingerprint)
	})
}

// RejectionSheet has the lines of a run's file that were rejected.
func (c *Console) RejectionSheet(ctx context.Context, run id.Run) (*migrations.Sheet, error) {
	return read(ctx, c, run, "rejected lines", func(by db.Sight) (*migrations.Sheet, error) {
		return c.engine.RejectionSheet(ctx, by, run)
	})
}

// ReportSheet has the outcome of each row of a run's file, or what it would be for a dry run.
func (c *Console) ReportSheet(ctx context.Context, run id.Run) (*migrations.Sheet, error) {
	return read(ctx, c, run, "report", func(by db.Sight) (*migrations.Sheet, error) {
		return c.engine.ReportSheet(ctx, by, run)
	})
}

// RetryTasks opens tasks again and returns how many.
func (c *Console) RetryTasks(ctx context.Context, run id.Run, which migrations.Selection) (int64, error) {
	return ask(ctx, func(by actor) (int64, error) { return c.engine.RetryTasks(ctx, by, run, which) })
}

// SkipTasks skips tasks and returns how many.
func (c *Console) SkipTasks(ctx context.Context, run id.Run, which migrations.Selection) (int64, error) {
	return ask(ctx, func(by actor) (int64, error) { return c.engine.SkipTasks(ctx, by, run, which) })
}

// RunRejections returns a page of the rejected lines, by number, from above after.
func (c *Console) RunRejections(
	ctx context.Context, run id.Run, after uint64,
) (list []migrations.Rejection, more bool, err error) {
	list, err = read(ctx, c, run, "rejected lines", func(by db.Sight) (list []migrations.Rejection, err error) {
		list, more, err = c.engine.Rejections(ctx, by, run, after)
		return list, err
	})
	return list, more, err
}

// RunEvents returns a page of a run's log, the newest first.
func (c *Console) RunEvents(ctx context.Context, run id.Run, before id.Event) ([]migrations.Event, bool, error) {
	return askPage(ctx, func(actor) ([]migrations.Event, bool, error) { return c.engine.Events(ctx, run, before) })
}
