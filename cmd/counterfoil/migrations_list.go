package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/api"
)

func listRunsCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "List the runs that need attention or are active, and the migrations with their parameters",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "also the newest finished runs"},
			jsonOption("print one line of JSON"),
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			return listRuns(ctx, env, c.Bool("all"), c.Bool("json"))
		},
	}
}

func listRuns(ctx context.Context, env environment, all, asJSON bool) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		kinds, err := w.Console.Migrations(ctx)
		if err != nil {
			return err
		}
		lists := []string{migrations.ListAttention, migrations.ListActive}
		if all {
			lists = append(lists, migrations.ListFinished)
		}
		runs := []migrations.Run{}
		for _, list := range lists {
			part, more, err := w.Console.Runs(ctx, list, 0)
			if err != nil {
				return err
			}
			if more { // keeps JSON and pipes clean
				fmt.Fprintf(env.stderr, "Of the runs in the list “%s” only the newest %d are shown; /admin/migrations has all.\n",
					list, migrations.RunsPerPage)
			}
			runs = append(runs, part...)
		}
		if asJSON {
			return json.NewEncoder(env.stdout).Encode(api.RunsJSON(env.base(), kinds, runs))
		}
		return printRuns(env, kinds, runs)
	})
}

func printRuns(env environment, kinds []migrations.Info, runs []migrations.Run) error {
	if len(runs) > 0 {
		rows := make([][]string, len(runs))
		for i, r := range runs {
			rows[i] = []string{
				digits(r.ID), r.Name, stateOf(r), views.Thousands(r.Progress.Done()), views.Thousands(int64(r.Total)),
				views.Thousands(r.Progress.Failed), stamp(r.StateSince), r.Actor, paramsOf(r),
			}
		}
		if err := table(env, "RUN MIGRATION STATE DONE TASKS FAILED SINCE BY PARAMETERS", rows); err != nil {
			return err
		}
		fmt.Fprintln(env.stdout)
	} else {
		fmt.Fprint(env.stdout, "No run is active or needs attention.\n\n")
	}
	rows := make([][]string, len(kinds))
	for i, kind := range kinds {
		var params []string
		for _, p := range kind.Params {
			params = append(params, paramUsage(p))
		}
		if kind.Upload != "" {
			params = append(params, "--file FILE")
		}
		rows[i] = []string{kind.Name, kind.Title, strings.Join(params, " ")}
	}
	return table(env, "MIGRATION TITLE TAKES", rows)
}

// paramUsage is a parameter in the notation of command lines.
func paramUsage(p migrations.ParamInfo) string {
	text := p.Name + "=" + strings.ToUpper(string(p.Kind))
	if p.Kind == migrations.Flag {
		text = p.Name + "=true"
	}
	if !p.Required {
		return "[" + text + "]"
	}
	return text
}

func paramsOf(r migrations.Run) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Values)) {
		if r.Values[name] != "" {
			parts = append(parts, name+"="+r.Values[name])
		}
	}
	if r.Upload != "" {
		parts = append(parts, "file="+r.Upload)
	}
	return strings.Join(parts, " ")
}
