package console

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/migrations"
)

// StopAll stops all runs on all servers until Release. It returns migrations.BadStopReason.
func (c *Console) StopAll(ctx context.Context, reason string) (migrations.Stop, error) {
	return ask(ctx, func(by actor) (migrations.Stop, error) { return c.engine.StopAll(ctx, by, reason) })
}

// Release ends a stop of all runs: they go on as they were.
func (c *Console) Release(ctx context.Context) error {
	return operate(ctx, func(by actor) error { return c.engine.Release(ctx, by) })
}

// Stopped returns the present stop of all runs; is reports whether there is one.
func (c *Console) Stopped(ctx context.Context) (stop migrations.Stop, is bool, err error) {
	err = operate(ctx, func(actor) error {
		stop, is, err = c.engine.Stopped(ctx)
		return err
	})
	return stop, is, err
}
