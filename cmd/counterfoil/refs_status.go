package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/api"
)

func refStatusCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "Show how many codes there are, and how long they last",
		Flags:  []cli.Flag{jsonOption("print JSON, as the API gives it")},
		Action: func(ctx context.Context, c *cli.Command) error { return refStatus(ctx, env, c.Bool("json")) },
	}
}

func refStatus(ctx context.Context, env environment, asJSON bool) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		standing, err := w.Console.RefState(ctx)
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(env.stdout).Encode(api.Refs(standing))
		}
		var rows [][]string
		for _, l := range standing.ByLength {
			rows = append(rows, []string{strconv.Itoa(l.Length), thousands(l.Available), thousands(l.Issued),
				thousands(l.Quarantined), thousands(l.Minted), fmt.Sprintf("%.2f %%", 100*l.Share())})
		}
		if err := table(env, "LENGTH AVAILABLE ISSUED QUARANTINED MINTED SHARE", rows); err != nil {
			return err
		}
		_, err = fmt.Fprintln(env.stdout, runway(standing)+"\n"+recountLine(standing.Recount))
		return err
	})
}

// runway says how long the codes last.
func runway(s refs.State) string {
	if last, ok := s.Runway(); ok {
		return fmt.Sprintf("At %.0f codes an hour they last %.1f hours.", s.Rate, last.Hours())
	}
	return "None was popped in the last day."
}

// recountLine describes the last comparison of counters and tables.
func recountLine(r refs.Recount) string {
	text := "Not counted yet."
	if r.At != nil {
		text = fmt.Sprintf("Counted %s: %s.", r.At.UTC().Format(time.RFC3339), admin.RecountVerdict(r))
	}
	if r.GaveUp() {
		text += fmt.Sprintf(" The count that began %s took too long and was stopped.", r.BeganAt.UTC().Format(time.RFC3339))
	}
	return text
}
