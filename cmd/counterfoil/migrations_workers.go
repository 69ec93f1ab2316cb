package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/api"
)

func workersCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "workers", Usage: "List the workers, and how many tasks each has claimed",
		Flags:  []cli.Flag{jsonOption("print JSON, as the API gives it")},
		Action: func(ctx context.Context, c *cli.Command) error { return listWorkers(ctx, env, c.Bool("json")) },
	}
}

func listWorkers(ctx context.Context, env environment, asJSON bool) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		list, err := w.Console.Workers(ctx)
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(env.stdout).Encode(api.WorkersJSON(list))
		}
		if len(list) == 0 {
			_, err = fmt.Fprintln(env.stdout,
				"No worker was ever started. Start “counterfoil serve” or “counterfoil work” with this database.")
			return err
		}
		rows := make([][]string, len(list))
		for i, one := range list {
			rows[i] = []string{
				digits(one.ID), one.Host, strconv.Itoa(one.PID), one.Version, admin.WorkerWord(one), strconv.Itoa(one.InFlight),
				views.Thousands(int64(one.Finished)),
				strconv.FormatFloat(one.PerSecond, 'f', 1, 64), stamp(one.StartedAt), stamp(one.BeatAt),
			}
		}
		return table(env, "WORKER HOST PID VERSION STATE PROCESSING DONE PER-SECOND STARTED SEEN", rows)
	})
}

func drainCommand(env environment) *cli.Command {
	return workerCommand(env, "drain", "Drain a worker: it finishes its tasks and claims no more",
		"Worker %d finishes its tasks and claims no more.\n", true)
}

func undrainCommand(env environment) *cli.Command {
	return workerCommand(env, "undrain", "Undrain a worker: it claims tasks again", "Worker %d claims tasks again.\n", false)
}

func workerCommand(env environment, name, usage, said string, drain bool) *cli.Command {
	return &cli.Command{
		Name: name, ArgsUsage: "WORKER", Usage: usage,
		Action: func(ctx context.Context, c *cli.Command) error {
			worker, err := parseNumber[id.Worker](c.Args().First(), "worker", "workers")
			if err != nil {
				return err
			}
			return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
				if err := w.Console.DrainWorker(ctx, worker, drain); err != nil {
					return err
				}
				_, err := fmt.Fprintf(env.stdout, said, worker)
				return err
			})
		},
	}
}
