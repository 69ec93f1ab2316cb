package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
)

func newEpochCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "new-epoch", Usage: "Refuse all earlier cursors, as after a failover that lost changes",
		Action: func(ctx context.Context, _ *cli.Command) error { return newEpoch(ctx, env) },
	}
}

func newEpoch(ctx context.Context, env environment) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		if err := w.Console.NewEpoch(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintln(env.stdout,
			"All earlier cursors are refused; every reader of a feed starts again from its beginning.")
		return err
	})
}
