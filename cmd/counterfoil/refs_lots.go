package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/web/api"
)

func lotsCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "lots", Usage: "List the lots: what each mint and each file added",
		Flags:  []cli.Flag{jsonOption("print a line of JSON for each")},
		Action: func(ctx context.Context, c *cli.Command) error { return listLots(ctx, env, c.Bool("json")) },
	}
}

func listLots(ctx context.Context, env environment, asJSON bool) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		list, _, err := w.Console.RefLots(ctx, 0)
		if err != nil {
			return err
		}
		var rows [][]string
		for _, l := range list {
			if asJSON {
				if err := json.NewEncoder(env.stdout).Encode(api.Lot(l)); err != nil {
					return err
				}
				continue
			}
			rows = append(rows, []string{
				fmt.Sprint(l.ID), l.Source, strconv.Itoa(l.Length), thousands(l.Added),
				fmt.Sprintf("%d (expected %.0f)", l.Collided, l.Expected), thousands(l.Quarantined), fmt.Sprint(l.Run),
				l.CreatedAt.UTC().Format(time.RFC3339),
			})
		}
		if asJSON {
			return nil
		}
		return table(env, "LOT FROM LENGTH CODES COLLIDED QUARANTINED RUN CREATED", rows)
	})
}

func quarantineCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "quarantine", ArgsUsage: "LOT", Usage: "Quarantine a lot: its codes are never popped again",
		Flags: runOptions(),
		Action: func(ctx context.Context, c *cli.Command) error {
			lot, err := strconv.ParseUint(c.Args().First(), 10, 63)
			if err != nil {
				return usageError{fmt.Sprintf("%q is no number of a lot; “refs lots” shows them.", c.Args().First())}
			}
			return quarantineRefs(ctx, env, c, id.Lot(lot))
		},
	}
}

func quarantineRefs(ctx context.Context, env environment, c *cli.Command, lot id.Lot) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		run, err := w.Console.QuarantineRefs(ctx, lot)
		if err != nil {
			return err
		}
		return showRun(ctx, env, c, w, run.ID, fmt.Sprintf("No code of lot %d is popped any more.\n%s", lot, openedLine(run)))
	})
}
