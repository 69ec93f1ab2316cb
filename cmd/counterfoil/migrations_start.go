package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

func startRunCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "start", ArgsUsage: "NAME|RUN [KEY=VALUE …]",
		Usage:     "Open and start a run of a migration, or start one that is ready",
		UsageText: "counterfoil migrations start NAME [KEY=VALUE …] [OPTIONS]\ncounterfoil migrations start RUN [--canary N] [--wait] [--json]",
		Flags: runOptions(
			&cli.StringFlag{Name: "file", Usage: "the FILE that it is filled from; - is standard input"},
			&cli.Uint64Flag{Name: "from", Usage: "an earlier RUN, whose file and values are used unless given"},
			&cli.BoolFlag{Name: "dry", Usage: "report what each task would do; change nothing"},
			&cli.IntFlag{Name: "canary", Usage: "do N tasks, then pause"},
			&cli.BoolFlag{Name: "prepare", Usage: "only fill it and print the number of tasks; start it later"},
		),
		Description: "“counterfoil migrations list” shows the migrations with their parameters.",
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Int("canary") < 0 {
				return usageError{"a canary is a number of tasks from 1."}
			}
			if run, err := runNumber(c.Args().First()); err == nil {
				return startReady(ctx, env, c, run)
			}
			return openAndStart(ctx, env, c)
		},
	}
}

// startReady starts a run that was prepared.
func startReady(ctx context.Context, env environment, c *cli.Command, run id.Run) error {
	if c.NArg() > 1 || c.String("file") != "" || c.Uint64("from") != 0 || c.Bool("dry") || c.Bool("prepare") {
		return usageError{"a run that exists has its values; only --canary can be given."}
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error { return begin(ctx, env, c, w, run) })
}

// openAndStart opens a run, waits until a worker has filled it, and starts it.
func openAndStart(ctx context.Context, env environment, c *cli.Command) error {
	values, err := keyValues(c.Args().Tail())
	if err != nil {
		return err
	}
	draft, err := draftOf(env, c)
	if err != nil {
		return err
	}
	if file, ok := draft.Upload.(*os.File); ok {
		defer file.Close()
	}
	say := env.stdout
	if c.Bool("json") {
		say = io.Discard
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		r, err := w.Console.OpenRun(ctx, c.Args().First(), values, draft, nil)
		var several fault.Several
		if errors.As(err, &several) || fault.Field(err) != "" {
			return badValues(fault.Each(err))
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(say, "Run %d is open. Its tasks are counted.\n", r.ID)
		if r, err = awaitFilled(ctx, env, w, r.ID); err != nil {
			return err
		}
		sayFilled(say, w, r)
		if r.State == migrations.Ready && !c.Bool("prepare") {
			return begin(ctx, env, c, w, r.ID)
		}
		if r.State == migrations.Ready { // --wait has nothing to wait for
			if !c.Bool("json") {
				return nil
			}
			return printRun(ctx, env, w, r.ID, true)
		}
		return showRun(ctx, env, c, w, r.ID, "")
	})
}

// draftOf is the draft of a run from the options.
func draftOf(env environment, c *cli.Command) (migrations.Draft, error) {
	draft := migrations.Draft{Dry: c.Bool("dry"), From: id.Run(c.Uint64("from"))}
	switch file := c.String("file"); file {
	case "":
	case "-":
		draft.Upload, draft.UploadName = env.stdin, "standard input"
	default:
		opened, err := openFile(file)
		if err != nil {
			return draft, usageError{fmt.Sprintf("the file cannot be read: %v.", err)}
		}
		draft.Upload, draft.UploadName = opened, file
	}
	return draft, nil
}

func keyValues(words []string) (migrations.Values, error) {
	values := migrations.Values{}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, usageError{fmt.Sprintf("%q is no key=value.", word)}
		}
		if _, twice := values[key]; twice {
			return nil, usageError{fmt.Sprintf("%s is given twice.", key)}
		}
		values[key] = value
	}
	return values, nil
}

// awaitFilled waits until a worker has filled a run.
func awaitFilled(ctx context.Context, env environment, w *app.App, run id.Run) (migrations.Run, error) {
	bar := newProgress(env)
	defer bar.end()
	r, err := watchRun(ctx, env, w, run, func(r migrations.Run) bool {
		bar.at(fmt.Sprintf("run %d: tasks", run), int64(r.Total), 0)
		return r.State != migrations.Open && r.State != migrations.Filling
	})
	switch {
	case ctx.Err() != nil:
		return r, fmt.Errorf("run %d stays as it is; “counterfoil migrations start %d” starts it: %w", run, run, ctx.Err())
	case errors.Is(err, errAlone):
		return r, noWorker(run)
	}
	return r, err
}

func sayFilled(out io.Writer, w *app.App, r migrations.Run) {
	host, database := w.Console.Database()
	fmt.Fprintf(out, "It has %s on db host %s, database %s.", views.Counted(int64(r.Total), "task", "tasks"), host,
		database)
	if r.Rejected > 0 {
		fmt.Fprintf(out, " %s rejected.", views.Counted(int64(r.Rejected), "line was", "lines were"))
	}
	fmt.Fprintln(out)
	if r.State == migrations.Ready {
		return
	}
	if r.Dry {
		fmt.Fprintln(out, "It is a dry run, which starts by itself: nothing is changed.")
	}
	fmt.Fprintln(out, strings.TrimSpace(oneLine(fmt.Sprintf("It is %s. %s", r.State, r.Reason))))
}

// begin starts a run that is ready.
func begin(ctx context.Context, env environment, c *cli.Command, w *app.App, run id.Run) error {
	canary := c.Int("canary")
	r, err := w.Console.StartRun(ctx, run, canary, nil)
	if err != nil {
		return err
	}
	what := views.Counted(int64(r.Total), "task", "tasks")
	if canary > 0 {
		what = views.Counted(int64(canary), "task", "tasks") + " first, of " + views.Thousands(int64(r.Total))
	}
	return showRun(ctx, env, c, w, run,
		fmt.Sprintf("Run %d is started: %s. “counterfoil migrations status %d” shows how far it is.", run, what, run))
}
