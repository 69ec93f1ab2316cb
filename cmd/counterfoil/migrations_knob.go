package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/web/api"
)

func knobCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "knob", ArgsUsage: "RUN NAME=VALUE …", Usage: "Change settings of a run, named as in the API; prints all as JSON",
		Description: "Settings: " + strings.Join(slices.Sorted(maps.Keys(knobReaders(new(migrations.KnobChange)))), ", ") + ".\nNumbers are written as 4 or 2.5, time spans as 30s, truths as true.",
		Action:      func(ctx context.Context, c *cli.Command) error { return turnKnobs(ctx, env, c.Args().Slice()) },
	}
}

// turnKnobs changes settings of a run, whose number is the first word.
func turnKnobs(ctx context.Context, env environment, words []string) error {
	run, err := runNumber(words[0])
	if err != nil {
		return err
	}
	values, err := keyValues(words[1:])
	if err != nil {
		return err
	}
	change, err := knobChange(values)
	if err != nil {
		return err
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		r, err := w.Console.TurnKnobs(ctx, run, change)
		if err != nil {
			return err
		}
		return json.NewEncoder(env.stdout).Encode(api.KnobsJSON(r.Knobs))
	})
}

// knobReaders read settings as people write them: 4, 2.5, 30s, true.
func knobReaders(c *migrations.KnobChange) map[string]func(string) error {
	return map[string]func(string) error{
		"concurrency": reads(&c.Concurrency, strconv.Atoi), "block": reads(&c.Block, strconv.Atoi), "attempts": reads(&c.Attempts, strconv.Atoi),
		"backoff": reads(&c.Backoff, time.ParseDuration), "timeout": reads(&c.Timeout, time.ParseDuration), "lease": reads(&c.Lease, time.ParseDuration),
		"rate": reads(&c.Rate, parseFloat), "per_host": reads(&c.PerHost, parseFloat), "max_threads": reads(&c.MaxThreads, strconv.Atoi),
		"max_history": reads(&c.MaxHistory, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }), "max_lag": reads(&c.MaxLag, time.ParseDuration),
		"error_share": reads(&c.ErrorShare, parseFloat), "same_error": reads(&c.SameError, strconv.Atoi), "throttled": reads(&c.Throttled, strconv.ParseBool),
	}
}

func knobChange(values migrations.Values) (c migrations.KnobChange, err error) {
	knobs := knobReaders(&c)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		read, ok := knobs[name]
		if !ok {
			return c, usageError{fmt.Sprintf("there is no setting %q; there are %s.", name, strings.Join(slices.Sorted(maps.Keys(knobs)), ", "))}
		}
		if err := read(values[name]); err != nil {
			return c, usageError{fmt.Sprintf("%s cannot be %q; write numbers as 4 or 2.5, time spans as 30s, truths as true.", name, values[name])}
		}
	}
	return c, nil
}

func parseFloat(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

func reads[T any](to **T, parse func(string) (T, error)) func(string) error {
	return func(text string) error {
		value, err := parse(text)
		*to = &value
		return err
	}
}
