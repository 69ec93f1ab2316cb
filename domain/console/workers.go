package console

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Workers returns who works.
func (c *Console) Workers(ctx context.Context) ([]migrations.Worker, error) {
	if _, err := workflows.Operator(ctx); err != nil {
		return nil, err
	}
	return c.engine.Workers(ctx)
}

// DrainWorker has a worker finish what it holds and claim nothing more, or claim again.
func (c *Console) DrainWorker(ctx context.Context, worker id.Worker, drain bool) error {
	actor, err := workflows.Operator(ctx)
	if err != nil {
		return err
	}
	return c.engine.DrainWorker(ctx, actor, worker, drain)
}
