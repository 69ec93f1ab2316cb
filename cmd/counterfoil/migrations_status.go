package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/views"
)

func runStatusCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "status", ArgsUsage: "RUN", Usage: "Show the progress of a run in one line",
		Flags: []cli.Flag{jsonOption("print JSON, as the API gives it")},
		Action: func(ctx context.Context, c *cli.Command) error {
			run, err := runNumber(c.Args().First())
			if err != nil {
				return err
			}
			return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
				return printRun(ctx, env, w, run, c.Bool("json"))
			})
		},
	}
}

func stateOf(r migrations.Run) string {
	if r.Dry {
		return string(r.State) + " (dry)"
	}
	return string(r.State)
}

// statusLine is the progress of a run in a line.
func statusLine(r migrations.Run, stats monitor.Statistics) string {
	p := r.Progress
	parts := []string{fmt.Sprintf("run %d", r.ID), r.Name, stateOf(r)}
	if r.Reason != "" {
		parts[2] += ": " + strings.TrimSuffix(r.Reason, ".")
	}
	parts = append(parts, views.Thousands(p.Done())+" of "+views.Thousands(int64(r.Total))+" done")
	for _, part := range []struct {
		n    int64
		word string
	}{{p.Failed, "failed"}, {p.Skipped, "skipped"}, {p.Processing, "processing"}, {p.Waiting, "waiting"},
		{int64(r.Rejected), "rejected"}} {
		if part.n > 0 {
			parts = append(parts, views.Thousands(part.n)+" "+part.word)
		}
	}
	if r.State == migrations.Running {
		parts = append(parts, strconv.FormatFloat(stats.Now, 'f', 1, 64)+"/s")
	}
	if stats.ETA.Known {
		parts = append(parts, fmt.Sprintf("%s to %s left", stats.ETA.Low.Round(time.Second),
			stats.ETA.High.Round(time.Second)))
	}
	return strings.Join(parts, ", ")
}
