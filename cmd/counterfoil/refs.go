package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web"
)

// references is what the command refs does: what the page and the API do, on the database itself.
func references(ctx context.Context, env environment, args []string) error {
	return runVerb(ctx, env, "refs", refCommands, args)
}

var refCommands = []command{
	{"mint", "mint N [--length 5|6]", mintRefs},
	{"status", "status [--json]", refStatus},
	{"pop", "pop [N]", popRefs},
	{"load", "load FILE [--length 5|6]", loadRefs},
	{"lots", "lots [--json]", listLots},
	{"quarantine", "quarantine LOT", quarantineRefs},
}

func mintRefs(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("refs mint", flag.ContinueOnError)
	length := flags.Int("length", refs.Short, "how many characters a code has: 5, or 6 for when those run out")
	found, err := words(env, flags, args)
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return usageError{fmt.Sprintf("%d words are given, but it takes how many codes to mint.", len(found))}
	}
	return openRefRun(ctx, env, workflows.MintName, migrations.Values{"codes": found[0], "length": strconv.Itoa(*length)}, migrations.Draft{})
}

func loadRefs(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("refs load", flag.ContinueOnError)
	length := flags.Int("length", refs.Short, "how many characters each code has: 5 or 6")
	found, err := words(env, flags, args)
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return usageError{fmt.Sprintf("%d words are given, but it takes a file with a code in each line.", len(found))}
	}
	file, err := os.Open(found[0])
	if err != nil {
		return err
	}
	defer file.Close()
	return openRefRun(ctx, env, workflows.LoadName, migrations.Values{"length": strconv.Itoa(*length), "encoding": "detect"}, migrations.Draft{Upload: file, UploadName: filepath.Base(found[0])})
}

// openRefRun opens a run that starts by itself.
func openRefRun(ctx context.Context, env environment, name string, values migrations.Values, draft migrations.Draft) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		run, err := w.OpenRun(ctx, name, values, draft)
		if err != nil {
			return err
		}
		return tellRun(env, run)
	})
}

func tellRun(env environment, run migrations.Run) error {
	_, err := fmt.Fprintf(env.stdout, "Run %d was opened; it starts by itself where “serve” or “work” runs. “migrations status %d” shows how far it is.\n", run.ID, run.ID)
	return err
}

func refStatus(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("refs status", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "one line of JSON")
	if err := parse(env, flags, args); err != nil {
		return err
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		standing, err := w.RefStanding(ctx)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(env.stdout).Encode(web.Refs(standing))
		}
		var rows [][]string
		for _, l := range standing.ByLength {
			rows = append(rows, []string{strconv.Itoa(l.Length), thousands(l.Available), thousands(l.Issued), thousands(l.Quarantined), thousands(l.Minted), fmt.Sprintf("%.2f %%", 100*l.Share())})
		}
		if err := table(env, "LENGTH AVAILABLE ISSUED QUARANTINED MINTED SHARE", rows); err != nil {
			return err
		}
		_, err = fmt.Fprintln(env.stdout, runway(standing)+"\n"+recounted(standing.Recount))
		return err
	})
}

// runway says how long the codes last.
func runway(s refs.Standing) string {
	if last, ok := s.Runway(); ok {
		return fmt.Sprintf("At %.0f codes an hour they last %.1f hours.", s.Rate, last.Hours())
	}
	return "None was given out in the last day."
}

// recounted says how the counters were held against the tables last.
func recounted(r refs.Recount) string {
	text := "Not counted yet."
	if r.At != nil {
		text = fmt.Sprintf("Counted %s: %s.", r.At.UTC().Format(time.RFC3339), views.RecountVerdict(r))
	}
	if r.GaveUp() {
		text += fmt.Sprintf(" The count that began %s took too long and was given up.", r.BeganAt.UTC().Format(time.RFC3339))
	}
	return text
}

func thousands(n uint64) string { return views.Thousands(int64(n)) }

func popRefs(ctx context.Context, env environment, args []string) error {
	found, err := words(env, flag.NewFlagSet("refs pop", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	n := 1
	if len(found) == 1 {
		n, err = strconv.Atoi(found[0])
	}
	if err != nil || len(found) > 1 {
		return usageError{"it takes how many codes to give out, or nothing for one."}
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		codes, err := w.PopRefs(ctx, n, nil)
		if err != nil {
			return err
		}
		for _, code := range codes {
			if _, err := fmt.Fprintln(env.stdout, code); err != nil {
				return err
			}
		}
		return w.TendRefs(ctx) // so that they count in the rate, and the pool is filled
	})
}

func listLots(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("refs lots", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "a line of JSON for each")
	if err := parse(env, flags, args); err != nil {
		return err
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		list, _, err := w.RefLots(ctx, 0)
		if err != nil {
			return err
		}
		var rows [][]string
		for _, l := range list {
			if *asJSON {
				if err := json.NewEncoder(env.stdout).Encode(web.Lot(l)); err != nil {
					return err
				}
				continue
			}
			rows = append(rows, []string{
				fmt.Sprint(l.ID), l.Source, strconv.Itoa(l.Length), thousands(l.Added), fmt.Sprintf("%d (expected %.0f)", l.Collided, l.Expected), thousands(l.Quarantined), fmt.Sprint(l.Run), l.CreatedAt.UTC().Format(time.RFC3339),
			})
		}
		if *asJSON {
			return nil
		}
		return table(env, "LOT FROM LENGTH CODES COLLIDED QUARANTINED RUN CREATED", rows)
	})
}

func quarantineRefs(ctx context.Context, env environment, args []string) error {
	found, err := words(env, flag.NewFlagSet("refs quarantine", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return usageError{fmt.Sprintf("%d words are given, but it takes the number of a lot.", len(found))}
	}
	lot, err := strconv.ParseUint(found[0], 10, 63)
	if err != nil {
		return usageError{fmt.Sprintf("%q is no number of a lot; “refs lots” shows them.", found[0])}
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		run, err := w.QuarantineRefs(ctx, id.Lot(lot))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(env.stdout, "No code of lot %d is given out any more.\n", lot); err != nil {
			return err
		}
		return tellRun(env, run)
	})
}
