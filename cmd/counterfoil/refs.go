package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// refsCommand works like the page and the API, directly on the database.
func refsCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "refs", Usage: "The pool of reference codes: mint, load, pop, quarantine", Action: group,
		Commands: []*cli.Command{mintCommand(env), refStatusCommand(env), popCommand(env), loadCommand(env), lotsCommand(env),
			quarantineCommand(env)},
	}
}

// openRefRun opens a run that starts by itself.
func openRefRun(
	ctx context.Context, env environment, c *cli.Command, name string, values migrations.Values, draft migrations.Draft,
) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		run, err := w.Console.OpenRun(ctx, name, values, draft, nil)
		if err != nil {
			return err
		}
		return showRun(ctx, env, c, w, run.ID, openedLine(run))
	})
}

// openedLine describes a run that starts by itself.
func openedLine(run migrations.Run) string {
	return fmt.Sprintf("Run %d was opened; it starts by itself once “serve” or “work” runs. “migrations status %d” shows how far it is.", run.ID, run.ID)
}
