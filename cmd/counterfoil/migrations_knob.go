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
		Name: "knob", ArgsUsage: "RUN NAME=VALUE …",
		Usage: "Change settings of a run, named as in the API; prints all as JSON",
		Description: "Settings:\n" + knobHelp() +
			"Numbers are written as 4 or 2.5, time spans as 30s, booleans as true.",
		Action: func(ctx context.Context, c *cli.Command) error { return setKnobs(ctx, env, c.Args().Slice()) },
	}
}

// setKnobs changes settings of the run whose number is the first word.
func setKnobs(ctx context.Context, env environment, words []string) error {
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
		r, err := w.Console.ChangeKnobs(ctx, run, change)
		if err != nil {
			return err
		}
		return json.NewEncoder(env.stdout).Encode(api.KnobsJSON(r.Knobs))
	})
}

func knobChange(values migrations.Values) (migrations.KnobChange, error) {
	change := migrations.KnobChange{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		knob, ok := migrations.KnobByName(name)
		if !ok {
			return nil, usageError{fmt.Sprintf("there is no setting %q; there are %s.", name, strings.Join(knobNames(), ", "))}
		}
		value, err := parseKnob(knob, values[name])
		if err != nil {
			return nil, usageError{fmt.Sprintf("%s cannot be %q; write numbers as 4 or 2.5, time spans as 30s, booleans as true.",
				name, values[name])}
		}
		change[name] = value
	}
	return change, nil
}

// knobHelp is a line for each setting, with the label that it has on pages.
func knobHelp() string {
	var help strings.Builder
	for _, knob := range migrations.KnobTable {
		fmt.Fprintf(&help, "  %-12s %s%s\n", knob.Name, knob.Label, knobUnit(knob))
	}
	return help.String()
}

func knobUnit(knob migrations.Knob) string {
	unit := knob.Unit
	switch knob.Kind {
	case migrations.SpanKnob: // written with its unit
		unit = strings.TrimPrefix(strings.TrimPrefix(unit, "s"), ", ")
	case migrations.ShareKnob:
		unit = "0 to 1, of the last 100 attempts"
	}
	if unit == "" {
		return ""
	}
	return ", " + unit
}

func knobNames() (names []string) {
	for _, knob := range migrations.KnobTable {
		names = append(names, knob.Name)
	}
	slices.Sort(names)
	return names
}

// parseKnob reads a setting: 4, 2.5, 30s, true.
func parseKnob(knob migrations.Knob, text string) (float64, error) {
	switch knob.Kind {
	case migrations.WholeKnob:
		n, err := strconv.ParseInt(text, 10, 64)
		return float64(n), err
	case migrations.SpanKnob:
		d, err := time.ParseDuration(text)
		return d.Seconds(), err
	case migrations.SwitchKnob:
		on, err := strconv.ParseBool(text)
		if on {
			return 1, err
		}
		return 0, err
	default:
		return strconv.ParseFloat(text, 64)
	}
}
