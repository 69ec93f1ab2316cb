package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// migrationsCommand works like the pages and the API, directly on the database.
func migrationsCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "migrations", Usage: "Bulk jobs: start, watch and control runs, as on /admin/migrations", Action: group,
		Commands: []*cli.Command{
			listRunsCommand(env), startRunCommand(env), runStatusCommand(env), pauseCommand(env), resumeCommand(env),
			cancelCommand(env), dismissCommand(env),
			knobCommand(env), tasksCommand(env), taskCommand(env), failuresCommand(env), retryCommand(env), skipCommand(env),
			rejectionsCommand(env),
			reportCommand(env), eventsCommand(env), workersCommand(env), drainCommand(env), undrainCommand(env),
			stopAllCommand(env), releaseCommand(env),
		},
	}
}

func runNumber(text string) (id.Run, error) { return parseNumber[id.Run](text, "run", "list") }

// parseNumber parses the number of a run, task, worker or lot; list is the command that lists them.
func parseNumber[T ~uint64](text, thing, list string) (T, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 10, 63)
	if err != nil || n == 0 {
		return 0, usageError{fmt.Sprintf("%q is no number of a %s; “migrations %s” shows them.", text, thing, list)}
	}
	return T(n), nil
}

// withWorkflows opens the database and calls do as the command line's actor.
func withWorkflows(ctx context.Context, env environment, do func(ctx context.Context, w *app.App) error) (err error) {
	d, err := env.openExisting(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	w, err := env.workflows(ctx, d)
	if err != nil {
		return err
	}
	defer w.Close(context.WithoutCancel(ctx))
	return do(console.AsCommandLine(ctx), w)
}

// codeBadValues: a run cannot be opened with these values. Correct each option that the message names.
const codeBadValues fault.Code = "Run.BadValues"

func badValues(bad fault.Several) error {
	return fault.Invalid.New(codeBadValues, "", badValuesMessage(bad))
}

func badValuesMessage(bad fault.Several) string {
	var b strings.Builder
	b.WriteString("The run cannot be opened:")
	for _, err := range bad {
		b.WriteString("\n  ")
		switch field := fault.Field(err); field {
		case "":
		case "upload":
			b.WriteString("--file: ")
		case "dry":
			b.WriteString("--dry: ")
		default:
			b.WriteString(field + ": ")
		}
		b.WriteString(err.Error())
	}
	return b.String()
}

// codeNoWorker: no worker is running, so a run is not filled. Start serve or work with this database.
const codeNoWorker fault.Code = "Worker.NoneRunning"

func noWorker(run id.Run) error {
	return fault.Unavailable.New(codeNoWorker, "",
		fmt.Sprintf("No worker is running, so the tasks of run %d are not counted yet. Start “counterfoil serve” or “counterfoil work” with this database, then “counterfoil migrations start %d”.", run, run))
}
