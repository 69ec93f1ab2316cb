package console

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Console runs the use cases of operators on a database. Make one with New, end it with Close.
type Console struct {
	db        *db.DB
	workflows *workflows.Workflows
	engine    *migrations.Engine
	monitor   *monitor.Monitor
	feeds     *feeds.Engine
	refs      *refs.Engine
	gauges    feedGauges
	pops      *coalesce.Group[accounts.ID, *pop, []refs.Code] // by service account; 0: operators
}

// New returns the use cases of operators.
func New(
	d *db.DB, w *workflows.Workflows, engine *migrations.Engine, measures *monitor.Monitor,
	published *feeds.Engine, pool *refs.Engine,
) *Console {
	c := &Console{db: d, workflows: w, engine: engine, monitor: measures, feeds: published, refs: pool}
	c.pops = coalesce.New(c.popBatch, coalesce.Options{Alone: retryAlone})
	return c
}

// Database returns the host and the name of the database, for pages that ask whether to change it.
func (c *Console) Database() (host, database string) { return c.db.Location() }

// Close refuses new pops, and waits until the accepted ones are committed, or ctx ends.
func (c *Console) Close(ctx context.Context) error { return c.pops.Close(ctx) }
