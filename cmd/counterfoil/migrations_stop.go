package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
)

func stopAllCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "stop-all", ArgsUsage: "REASON", Usage: "Stop all runs on all servers, until release; operators see the reason",
		Action: func(ctx context.Context, c *cli.Command) error {
			return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
				stop, err := w.Console.StopAll(ctx, c.Args().First())
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(env.stdout, "All runs are stopped since %s, by %s: %s\n", stamp(stop.At), stop.Actor,
					stop.Reason)
				return err
			})
		},
	}
}

func releaseCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "release", Usage: "Release all runs: they go on as they were",
		Action: func(ctx context.Context, _ *cli.Command) error {
			return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
				if err := w.Console.Release(ctx); err != nil {
					return err
				}
				_, err := fmt.Fprintln(env.stdout, "Runs go on as they were.")
				return err
			})
		},
	}
}
