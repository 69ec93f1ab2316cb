package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/api"
)

// runOptions are the options of each command that opens or resumes a run.
func runOptions(more ...cli.Flag) []cli.Flag {
	return append(more,
		&cli.BoolFlag{Name: "wait",
			Usage: "wait until the run is over and show its progress; exit code 1 if it was cancelled, is stuck or has failed tasks"},
		jsonOption("print the run as JSON, as the API gives it"),
	)
}

// showRun ends a command that opened or resumed a run: it prints a line about it, or with --json the run; with --wait
// it waits for the run's end first.
func showRun(ctx context.Context, env environment, c *cli.Command, w *app.App, run id.Run, said string) error {
	asJSON, wait := c.Bool("json"), c.Bool("wait")
	if !asJSON && said != "" {
		fmt.Fprintln(env.stdout, said)
	}
	if asJSON && !wait {
		return printRun(ctx, env, w, run, true)
	}
	if !wait {
		return nil
	}
	r, err := awaitEnd(ctx, env, w, run)
	if err != nil {
		return err
	}
	if err := printRun(ctx, env, w, run, asJSON); err != nil {
		return err
	}
	canaryDone := r.State == migrations.Paused && r.CanaryLeft != nil && *r.CanaryLeft == 0
	if r.Progress.Failed > 0 {
		fmt.Fprintf(env.stderr, "“counterfoil migrations failures %d” shows what failed.\n", run)
	}
	if r.State != migrations.Complete && !canaryDone || r.Progress.Failed > 0 {
		return errFindings
	}
	return nil
}

// awaitEnd waits until a run is over, or paused until an operator acts.
func awaitEnd(ctx context.Context, env environment, w *app.App, run id.Run) (migrations.Run, error) {
	bar := newProgress(env)
	defer bar.end()
	var said time.Time
	r, err := watchRun(ctx, env, w, run, func(r migrations.Run) bool {
		if r.State == migrations.Complete || r.State == migrations.Cancelled || r.State == migrations.Paused {
			return true
		}
		bar.at(fmt.Sprintf("run %d %s", run, r.State), r.Progress.Done(), int64(r.Total))
		if stats, err := w.Console.RunStatistics(ctx, run); err == nil {
			if stats.ETA.Known {
				bar.note("(%s to %s left)", stats.ETA.Low.Round(time.Second), stats.ETA.High.Round(time.Second))
			}
			if !env.terminal && time.Since(said) > 30*time.Second {
				said = time.Now()
				fmt.Fprintln(env.stderr, oneLine(statusLine(r, stats)))
			}
		}
		return false
	})
	switch {
	case ctx.Err() != nil:
		return r, fmt.Errorf(
			"run %d continues without this command; “counterfoil migrations status %d” shows how far it is: %w", run, run,
			ctx.Err())
	case errors.Is(err, errAlone):
		return r, fmt.Errorf(
			"no worker is running, so run %d waits: start “counterfoil serve” or “counterfoil work” with this database; “counterfoil migrations status %d” shows how far it is", run, run)
	}
	return r, err
}

// errAlone ends the wait for a run without workers.
var errAlone = errors.New("no worker is running")

// watchRun polls a run until seen returns true, or no worker lives for as long as patience.
func watchRun(
	ctx context.Context, env environment, w *app.App, run id.Run, seen func(migrations.Run) bool,
) (migrations.Run, error) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	var alone time.Time // the time since which no worker lives
	for {
		r, err := w.Console.Run(ctx, run)
		if err != nil || seen(r) {
			return r, err
		}
		workers, err := w.Console.Workers(ctx)
		if err != nil {
			return r, err
		}
		switch living := admin.Living(workers) > 0; {
		case living:
			alone = time.Time{}
		case alone.IsZero():
			alone = time.Now()
			fmt.Fprintln(env.stderr, "No worker is running on this database; waiting a moment for one.")
		case time.Since(alone) > env.patience:
			return r, errAlone
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-ticker.C:
		}
	}
}

// printRun prints the progress of a run in a line.
func printRun(ctx context.Context, env environment, w *app.App, run id.Run, asJSON bool) error {
	r, err := w.Console.Run(ctx, run)
	if err != nil {
		return err
	}
	stats, err := w.Console.RunStatistics(ctx, run)
	if err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(env.stdout).Encode(api.RunJSON(env.base(), r, stats))
	}
	_, err = fmt.Fprintln(env.stdout, oneLine(statusLine(r, stats)))
	return err
}
