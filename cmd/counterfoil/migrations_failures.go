package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/api"
)

func failuresCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "failures", ArgsUsage: "RUN", Usage: "List groups of errors, or with --csv every failed task",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "csv", Usage: "every failed task with its payload and error, as CSV"},
			&cli.StringFlag{Name: "fingerprint", Usage: "with --csv: the tasks of one group, by its FINGERPRINT"},
			jsonOption("print JSON, as the API gives it"),
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			run, err := runNumber(c.Args().First())
			if err != nil {
				return err
			}
			fingerprint := c.String("fingerprint")
			switch {
			case c.Bool("csv") && c.Bool("json"):
				return usageError{"choose one of --csv and --json."}
			case c.Bool("csv"):
				return printSheet(ctx, env, func(ctx context.Context, w *app.App) (*migrations.Sheet, error) {
					return w.Console.FailureSheet(ctx, run, strings.ToLower(fingerprint))
				})
			case fingerprint != "":
				return usageError{"--fingerprint goes with --csv."}
			}
			return listFailures(ctx, env, run, c.Bool("json"))
		},
	}
}

func listFailures(ctx context.Context, env environment, run id.Run, asJSON bool) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		list, err := w.Console.RunFailures(ctx, run)
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(env.stdout).Encode(api.FailuresJSON(list))
		}
		if err := printRejected(ctx, env, w, run); err != nil {
			return err
		}
		if len(list) == 0 {
			_, err = fmt.Fprintf(env.stdout, "Run %d has no failed tasks.\n", run)
			return err
		}
		rows := make([][]string, len(list))
		for i, f := range list {
			rows[i] = []string{
				f.Fingerprint, views.Thousands(int64(f.Failed)), views.Thousands(int64(f.Errors)), digits(f.Task), stamp(f.LastAt),
				cutTo(f.Message, 120),
			}
		}
		return table(env, "FINGERPRINT FAILED ERRORS TASK LAST MESSAGE", rows)
	})
}

// printRejected prints the first rejected lines.
func printRejected(ctx context.Context, env environment, w *app.App, run id.Run) error {
	const shown = 10
	list, more, err := w.Console.RunRejections(ctx, run, 0)
	if err != nil || len(list) == 0 {
		return err
	}
	rows := make([][]string, 0, shown)
	for _, r := range list[:min(len(list), shown)] {
		rows = append(rows, []string{digits(r.Line), oneLine(r.Reason), cutTo(oneLine(r.Content), 60)})
	}
	if err := table(env, "LINE REJECTED BEGINS", rows); err != nil {
		return err
	}
	if more || len(list) > shown {
		fmt.Fprintf(env.stdout, "and more: “migrations rejections %d” prints all that are listed\n", run)
		r, err := w.Console.Run(ctx, run)
		if err != nil {
			return err
		}
		if unlisted := admin.UnlistedRejections(r); unlisted != "" {
			fmt.Fprintln(env.stdout, unlisted)
		}
	}
	_, err = fmt.Fprintln(env.stdout)
	return err
}
