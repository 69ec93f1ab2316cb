package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/web/api"
)

func eventsCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "events", ArgsUsage: "RUN", Usage: "List the events of a run and their operators, newest first",
		Flags: []cli.Flag{&cli.Uint64Flag{Name: "before", Usage: "events before an EVENT: the next page"},
			jsonOption("print JSON, as the API gives it")},
		Action: func(ctx context.Context, c *cli.Command) error {
			run, err := runNumber(c.Args().First())
			if err != nil {
				return err
			}
			return listEvents(ctx, env, run, id.Event(c.Uint64("before")), c.Bool("json"))
		},
	}
}

func listEvents(ctx context.Context, env environment, run id.Run, before id.Event, asJSON bool) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		list, more, err := w.Console.RunEvents(ctx, run, before)
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(env.stdout).Encode(api.EventsJSON(list, more))
		}
		rows := make([][]string, len(list))
		for i, e := range list {
			rows[i] = []string{digits(e.ID), stamp(e.At), e.Actor, e.Kind, e.Detail}
		}
		if err := table(env, "EVENT AT BY WHAT DETAIL", rows); err != nil || !more {
			return err
		}
		_, err = fmt.Fprintf(env.stderr, "Continue with --before %d\n", list[len(list)-1].ID)
		return err
	})
}
