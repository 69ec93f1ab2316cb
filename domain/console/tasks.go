package console

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// RunTasks returns a page of a run's tasks.
func (c *Console) RunTasks(ctx context.Context, run id.Run, filter migrations.TaskFilter) (migrations.TaskPage, error) {
	return ask(ctx, func(by actor) (migrations.TaskPage, error) {
		return c.engine.Tasks(ctx, workflows.SightOf(by), run, filter)
	})
}

// RunTask returns a task with its whole payload and the last of its failed attempts.
func (c *Console) RunTask(
	ctx context.Context, run id.Run, task id.Task,
) (found migrations.Task, attempts []migrations.Attempt, err error) {
	err = operate(ctx, func(by actor) error {
		found, attempts, err = c.engine.Task(ctx, workflows.SightOf(by), run, task)
		return err
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
	return ask(ctx, func(by actor) (*migrations.Sheet, error) {
		return c.engine.FailureSheet(ctx, workflows.SightOf(by), run, fingerprint)
	})
}

// RejectionSheet has the lines of a run's file that were rejected.
func (c *Console) RejectionSheet(ctx context.Context, run id.Run) (*migrations.Sheet, error) {
	return ask(ctx, func(by actor) (*migrations.Sheet, error) {
		return c.engine.RejectionSheet(ctx, workflows.SightOf(by), run)
	})
}

// ReportSheet has the outcome of each row of a run's file, or what it would be for a dry run.
func (c *Console) ReportSheet(ctx context.Context, run id.Run) (*migrations.Sheet, error) {
	return ask(ctx, func(by actor) (*migrations.Sheet, error) {
		return c.engine.ReportSheet(ctx, workflows.SightOf(by), run)
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
func (c *Console) RunRejections(ctx context.Context, run id.Run, after uint64) ([]migrations.Rejection, bool, error) {
	return askPage(ctx, func(by actor) ([]migrations.Rejection, bool, error) {
		return c.engine.Rejections(ctx, workflows.SightOf(by), run, after)
	})
}

// RunEvents returns a page of a run's log, the newest first.
func (c *Console) RunEvents(ctx context.Context, run id.Run, before id.Event) ([]migrations.Event, bool, error) {
	return askPage(ctx, func(actor) ([]migrations.Event, bool, error) { return c.engine.Events(ctx, run, before) })
}
