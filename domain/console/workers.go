package console

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// Workers returns the workers of all processes.
func (c *Console) Workers(ctx context.Context) ([]migrations.Worker, error) {
	return ask(ctx, func(actor) ([]migrations.Worker, error) { return c.engine.Workers(ctx) })
}

// DrainWorker has a worker finish its tasks and claim nothing more, or claim again.
func (c *Console) DrainWorker(ctx context.Context, worker id.Worker, drain bool) error {
	return operate(ctx, func(by actor) error { return c.engine.DrainWorker(ctx, by, worker, drain) })
}
