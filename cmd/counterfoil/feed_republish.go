package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/feeds"
)

func republishCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "republish", ArgsUsage: "FEED|all", Usage: "Resend rows of a feed, unchanged",
		UsageText: "counterfoil feed republish FEED|all --all [--rate 1000] [--wait]\n" +
			"counterfoil feed republish FEED|all --company SLUG --board SLUG [--wait]\ncounterfoil feed republish FEED --company SLUG --ids 17,NINJA-42",
		Flags: runOptions(
			&cli.BoolFlag{Name: "all", Usage: "everything"},
			&cli.StringFlag{Name: "company", Usage: "the short name of the company, a SLUG"},
			&cli.StringFlag{Name: "board", Usage: "the SLUG of a board of it"},
			&cli.StringFlag{Name: "ids",
				Usage: "up to 1,000 rows by their IDS, or tickets by their keys, separated by commas"},
			&cli.StringFlag{Name: "rate", Usage: "rows per second, N"},
		),
		Action: func(ctx context.Context, c *cli.Command) error { return republishFeed(ctx, env, c) },
	}
}

func republishFeed(ctx context.Context, env environment, c *cli.Command) error {
	name, company := c.Args().First(), c.String("company")
	which := feeds.Selection{Board: c.String("board"), All: c.Bool("all")}
	err := which.Add(feeds.SplitIDs(c.String("ids"))...)
	if err == nil {
		err = which.Check()
	}
	switch {
	case err != nil:
		return usageError{err.Error()}
	case which.All == (company != ""):
		return usageError{"name --all or a company."}
	}
	if name == "all" && !which.HasRows() {
		name = ""
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		done, err := w.Console.Republish(ctx, name, company, which, c.String("rate"), nil)
		run := done.Run
		switch {
		case err != nil:
			return err
		case run == nil:
			return printRepublished(env, done.Rows, c.Bool("json"))
		case run.Already:
			return showRun(ctx, env, c, w, run.ID,
				fmt.Sprintf("Run %d does the same and has not started, so no other was opened; it starts by itself once “serve” or “work” runs. “migrations status %d” shows how far it is.", run.ID, run.ID))
		}
		return showRun(ctx, env, c, w, run.ID, openedLine(run.Run))
	})
}

func printRepublished(env environment, rows int64, asJSON bool) (err error) {
	if asJSON {
		return json.NewEncoder(env.stdout).Encode(map[string]int64{"rows": rows})
	}
	_, err = fmt.Fprintf(env.stdout, "%d rows are republished.\n", rows)
	return err
}
