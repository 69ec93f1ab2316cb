package console

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Migrations returns all migrations.
func (c *Console) Migrations(ctx context.Context) ([]migrations.Info, error) {
	return ask(ctx, func(actor) ([]migrations.Info, error) { return c.engine.Infos(ctx) })
}

// Migration returns a migration, or migrations.UnknownMigration.
func (c *Console) Migration(ctx context.Context, name string) (migrations.Info, error) {
	return ask(ctx, func(actor) (migrations.Info, error) { return c.engine.Info(ctx, name) })
}

// CheckRun returns the parameters of a run as they would be stored; see migrations.Engine.Check.
func (c *Console) CheckRun(ctx context.Context, name string, values migrations.Values) (migrations.Values, error) {
	return ask(ctx, func(actor) (migrations.Values, error) { return c.engine.Check(ctx, name, values) })
}

// OpenRun opens a run of a migration (see migrations.Engine.OpenRun), with once only once for a key.
func (c *Console) OpenRun(
	ctx context.Context, name string, values migrations.Values, draft migrations.Draft,
	once *workflows.Once[migrations.Run],
) (migrations.Run, error) {
	draft.Also = func(ctx context.Context, tx *db.Tx, run migrations.Run) error {
		if err := workflows.StillOperator(ctx, tx, accounts.ActorFrom(ctx)); err != nil || once == nil {
			return err
		}
		return workflows.StoreResponses(ctx, tx, once.Row(tx, run))
	}
	return ask(ctx, func(by actor) (migrations.Run, error) {
		if draft.From != 0 {
			if err := c.engine.ShowsFile(ctx, workflows.SightOf(by), draft.From); err != nil {
				return migrations.Run{}, err
			}
		}
		return workflows.DoOnce(ctx, c.workflows, once, func() (migrations.Run, error) {
			return c.engine.OpenRun(ctx, by, name, values, draft)
		})
	})
}

// Runs returns a page of one of the lists of runs: migrations.ListAttention, ListActive or ListFinished.
func (c *Console) Runs(ctx context.Context, list string, before id.Run) ([]migrations.Run, bool, error) {
	return askPage(ctx, func(actor) ([]migrations.Run, bool, error) { return c.engine.Runs(ctx, list, before) })
}

// Run returns a run, or migrations.RunNotFound.
func (c *Console) Run(ctx context.Context, run id.Run) (migrations.Run, error) {
	return ask(ctx, func(actor) (migrations.Run, error) { return c.engine.Run(ctx, run) })
}

// StartRun starts a run that is ready, with a canary above 0 for so many tasks. Its settings change with it, or not
// at all.
func (c *Console) StartRun(
	ctx context.Context, run id.Run, canary int, change migrations.KnobChange,
) (migrations.Run, error) {
	return ask(ctx, func(by actor) (migrations.Run, error) { return c.engine.StartRun(ctx, by, run, canary, change) })
}

// PauseRun pauses a run.
func (c *Console) PauseRun(ctx context.Context, run id.Run) (migrations.Run, error) {
	return c.control(ctx, run, c.engine.PauseRun)
}

// ResumeRun resumes a run.
func (c *Console) ResumeRun(ctx context.Context, run id.Run) (migrations.Run, error) {
	return c.control(ctx, run, c.engine.ResumeRun)
}

// CancelRun ends a run for good.
func (c *Console) CancelRun(ctx context.Context, run id.Run) (migrations.Run, error) {
	return c.control(ctx, run, c.engine.CancelRun)
}

// DismissRun takes a finished run off the list of runs that need attention.
func (c *Console) DismissRun(ctx context.Context, run id.Run) (migrations.Run, error) {
	return c.control(ctx, run, c.engine.DismissRun)
}

func (c *Console) control(
	ctx context.Context, run id.Run, act func(context.Context, actor, id.Run) (migrations.Run, error),
) (migrations.Run, error) {
	return ask(ctx, func(by actor) (migrations.Run, error) { return act(ctx, by, run) })
}

// ChangeKnobs changes settings of a run that is not over.
func (c *Console) ChangeKnobs(ctx context.Context, run id.Run, change migrations.KnobChange) (migrations.Run, error) {
	return ask(ctx, func(by actor) (migrations.Run, error) { return c.engine.ChangeKnobs(ctx, by, run, change) })
}

// RunStatistics returns how fast a run goes, when it may be done, and its workers.
func (c *Console) RunStatistics(ctx context.Context, run id.Run) (monitor.Statistics, error) {
	return ask(ctx, func(actor) (monitor.Statistics, error) { return c.monitor.Statistics(ctx, run) })
}

// MigrationGauges returns the state of all migrations for monitoring: the caller need not be an operator.
func (c *Console) MigrationGauges(ctx context.Context) (monitor.Gauges, error) {
	return c.monitor.Gauges(ctx)
}

// DatabaseHealth returns how the database is.
func (c *Console) DatabaseHealth(ctx context.Context) (monitor.Health, error) {
	return ask(ctx, func(actor) (monitor.Health, error) { return c.monitor.Health(ctx) })
}
