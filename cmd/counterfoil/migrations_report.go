package main

import (
	"context"
	"encoding/csv"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

func rejectionsCommand(env environment) *cli.Command {
	return sheetCommand(env, "rejections", "Print the rejected lines of a run's file, as CSV",
		(*console.Console).RejectionSheet)
}

func reportCommand(env environment) *cli.Command {
	return sheetCommand(env, "report", "Print the outcome of each line of a run, as CSV", (*console.Console).ReportSheet)
}

// sheetCommand prints a file about a run.
func sheetCommand(
	env environment, name, usage string, sheet func(*console.Console, context.Context, id.Run) (*migrations.Sheet, error),
) *cli.Command {
	return &cli.Command{
		Name: name, ArgsUsage: "RUN", Usage: usage,
		Action: func(ctx context.Context, c *cli.Command) error {
			run, err := runNumber(c.Args().First())
			if err != nil {
				return err
			}
			return printSheet(ctx, env, func(ctx context.Context, w *app.App) (*migrations.Sheet, error) {
				return sheet(w.Console, ctx, run)
			})
		},
	}
}

func printSheet(
	ctx context.Context, env environment, open func(ctx context.Context, w *app.App) (*migrations.Sheet, error),
) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		sheet, err := open(ctx, w)
		if err != nil {
			return err
		}
		out := csv.NewWriter(env.stdout)
		for more := true; more && err == nil; {
			more, err = sheet.WriteSome(ctx, out)
		}
		return err
	})
}
