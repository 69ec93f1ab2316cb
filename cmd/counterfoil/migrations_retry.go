package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

func retryCommand(env environment) *cli.Command {
	return choiceCommand(env, "retry", "Retry failed or waiting tasks", "retried", "no longer failed",
		(*console.Console).RetryTasks)
}

func skipCommand(env environment) *cli.Command {
	return choiceCommand(env, "skip", "Skip failed or waiting tasks", "skipped", "already processing or done",
		(*console.Console).SkipTasks)
}

// choiceCommand acts on failed or waiting tasks. others describes the tasks that it leaves alone.
func choiceCommand(
	env environment, name, usage, done, others string,
	act func(*console.Console, context.Context, id.Run, migrations.Selection) (int64, error),
) *cli.Command {
	return &cli.Command{
		Name: name, ArgsUsage: "RUN", Usage: usage,
		UsageText: "counterfoil migrations " + name + " RUN --all | --fingerprint F | --waiting | --task N[,N…]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "all failed tasks"},
			&cli.StringFlag{Name: "fingerprint", Usage: "the failed tasks of one group, by its FINGERPRINT in “failures”"},
			&cli.BoolFlag{Name: "waiting", Usage: "all tasks that wait for their next attempt"},
			&cli.StringFlag{Name: "task", Usage: "tasks by their numbers, N,N…; of several, those where it is possible"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			run, err := runNumber(c.Args().First())
			if err != nil {
				return err
			}
			which, err := chosen(c)
			if err != nil {
				return err
			}
			return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
				n, err := act(w.Console, ctx, run, which)
				if err != nil {
					return err
				}
				said := fmt.Sprintf("%s of run %d %s.", views.Counted(n, "task", "tasks"), run, done)
				if left := int64(len(which.Tasks)) - n; left > 0 {
					said += fmt.Sprintf(" %s %s.", views.Counted(left, "other is", "others are"), others)
				}
				_, err = fmt.Fprintln(env.stdout, said)
				return err
			})
		},
	}
}

// chosen are the tasks that the options name.
func chosen(c *cli.Command) (migrations.Selection, error) {
	tasks, err := tasksIn(c.String("task"))
	if err != nil {
		return migrations.Selection{}, err
	}
	slices.Sort(tasks)
	tasks = slices.Compact(tasks)
	which := migrations.Selection{Tasks: tasks, Fingerprint: strings.ToLower(c.String("fingerprint")), All: c.Bool("all"),
		Waiting: c.Bool("waiting")}
	given := 0
	for _, name := range []string{"all", "fingerprint", "waiting", "task"} {
		if c.IsSet(name) {
			given++
		}
	}
	if given != 1 || !which.All && !which.Waiting && which.Fingerprint == "" && tasks == nil {
		return which, usageError{"choose tasks with one of --all, --fingerprint, --waiting and --task."}
	}
	if len(tasks) == 1 {
		which.Task, which.Tasks = tasks[0], nil
	}
	return which, nil
}

func tasksIn(list string) (tasks []id.Task, err error) {
	if list == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(list, ",") {
		task, err := parseNumber[id.Task](strings.TrimSpace(part), "task", "tasks")
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, task)
	}
	return tasks, nil
}
