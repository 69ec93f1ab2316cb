package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

func pauseCommand(env environment) *cli.Command {
	return controlCommand(env, "pause", "Pause a run: no further task is claimed", "pauses", (*console.Console).PauseRun)
}

func cancelCommand(env environment) *cli.Command {
	return controlCommand(env, "cancel", "Stop a run for good", "is stopped for good", (*console.Console).CancelRun)
}

func dismissCommand(env environment) *cli.Command {
	return controlCommand(env, "dismiss", "Dismiss a finished run from those that need attention", "is dismissed",
		(*console.Console).DismissRun)
}

func resumeCommand(env environment) *cli.Command {
	c := controlCommand(env, "resume", "Resume a paused run", "is resumed", (*console.Console).ResumeRun)
	c.Flags = runOptions()
	return c
}

// controlCommand moves a run to another state.
func controlCommand(
	env environment, name, usage, done string, act func(*console.Console, context.Context, id.Run) (migrations.Run, error),
) *cli.Command {
	return &cli.Command{
		Name: name, ArgsUsage: "RUN", Usage: usage,
		Flags: []cli.Flag{jsonOption("print the run as JSON, as the API gives it")},
		Action: func(ctx context.Context, c *cli.Command) error {
			run, err := runNumber(c.Args().First())
			if err != nil {
				return err
			}
			return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
				r, err := act(w.Console, ctx, run)
				if err != nil {
					return err
				}
				return showRun(ctx, env, c, w, run, fmt.Sprintf("Run %d %s; it is %s.", r.ID, done, r.State))
			})
		},
	}
}
