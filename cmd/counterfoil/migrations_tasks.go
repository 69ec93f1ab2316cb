package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/web/api"
)

func tasksCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "tasks", ArgsUsage: "RUN", Usage: "List tasks of a run, page by page",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "state", Usage: "tasks in a STATE: " + strings.Join(migrations.TaskStates, ", ")},
			&cli.Uint64Flag{Name: "worker", Usage: "tasks that a worker had last, by its number N"},
			&cli.IntFlag{Name: "iteration", Usage: "tasks of an iteration: the first, the second … (N)"},
			&cli.Uint64Flag{Name: "after", Usage: "tasks after a TASK: the next page"},
			jsonOption("print JSON, as the API gives it"),
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			run, err := runNumber(c.Args().First())
			if err != nil {
				return err
			}
			if c.Int("iteration") < 0 {
				return usageError{"an iteration is a number from 1."}
			}
			return listTasks(ctx, env, run, migrations.TaskFilter{
				State: c.String("state"), Worker: id.Worker(c.Uint64("worker")), Iteration: c.Int("iteration"),
				After: id.Task(c.Uint64("after")),
			}, c.Bool("json"))
		},
	}
}

func listTasks(ctx context.Context, env environment, run id.Run, filter migrations.TaskFilter, asJSON bool) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		page, err := w.Console.RunTasks(ctx, run, filter)
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(env.stdout).Encode(api.TasksJSON(page))
		}
		rows := make([][]string, len(page.Tasks))
		for i, t := range page.Tasks {
			rows[i] = []string{
				digits(t.ID), t.State, strconv.Itoa(t.Iteration), strconv.Itoa(t.Attempt), digits(t.Line), digits(t.Worker),
				cutTo(t.Payload, 80), cutTo(t.Note, 80),
			}
		}
		if len(rows) == 0 && page.Next == 0 {
			_, err = fmt.Fprintln(env.stdout, "There are no such tasks.")
			return err
		}
		if err := table(env, "TASK STATE ITERATION ATTEMPT LINE WORKER PAYLOAD NOTE", rows); err != nil || page.Next == 0 {
			return err
		}
		_, err = fmt.Fprintf(env.stderr, "Continue with --after %d\n", page.Next)
		return err
	})
}

func taskCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "task", ArgsUsage: "RUN TASK", Usage: "Show a task with its whole payload and its failed attempts",
		Flags: []cli.Flag{jsonOption("print JSON, as the API gives it")},
		Action: func(ctx context.Context, c *cli.Command) error {
			run, err := runNumber(c.Args().First())
			if err != nil {
				return err
			}
			task, err := parseNumber[id.Task](c.Args().Get(1), "task", "tasks")
			if err != nil {
				return err
			}
			return showTask(ctx, env, run, task, c.Bool("json"))
		},
	}
}

func showTask(ctx context.Context, env environment, run id.Run, task id.Task, asJSON bool) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		t, attempts, err := w.Console.RunTask(ctx, run, task)
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(env.stdout).Encode(api.TaskJSON(t, attempts))
		}
		return printTask(env, t, attempts)
	})
}

func printTask(env environment, t migrations.Task, attempts []migrations.Attempt) error {
	parts := []string{fmt.Sprintf("task %d of run %d", t.ID, t.Run), t.State, fmt.Sprintf("iteration %d", t.Iteration),
		fmt.Sprintf("attempt %d", t.Attempt)}
	if t.Line != 0 {
		parts = append(parts, fmt.Sprintf("line %d", t.Line))
	}
	if t.Worker != 0 {
		parts = append(parts, fmt.Sprintf("worker %d", t.Worker))
	}
	if t.DueAt != nil {
		parts = append(parts, "due at "+stamp(*t.DueAt))
	}
	fmt.Fprintln(env.stdout, strings.Join(parts, ", "))
	if t.Note != "" {
		fmt.Fprintln(env.stdout, indented(t.Note))
	}
	_, err := fmt.Fprintln(env.stdout, "payload:\n"+indented(t.Payload))
	for _, a := range attempts {
		fmt.Fprintf(env.stdout, "iteration %d, attempt %d: %s on %s at %s after %s\n", a.Iteration, a.Attempt, a.Outcome,
			oneLine(a.Worker), stamp(a.StartedAt), a.Took)
		for _, text := range []string{a.Message, a.Detail} {
			if text != "" {
				_, err = fmt.Fprintln(env.stdout, indented(text))
			}
		}
	}
	return err
}
