package main

import (
	"context"
	"flag"
	"io"

	"github.com/counterfoil/counterfoil/ops/verify"
)

// verifyData proves the stored data. It changes nothing, the schema included.
func verifyData(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "one line of JSON")
	if err := parse(env, flags, args); err != nil {
		return err
	}
	d, err := env.openExisting(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	report, err := verify.Run(ctx, d.DB, env.blobs)
	if err != nil {
		return err
	}
	return show(env, report, *asJSON)
}

// report is what a command has found.
type report interface {
	Text(io.Writer) error
	JSON(io.Writer) error
	OK() bool
}

// show writes a report; one that is not OK ends the program with 1.
func show(env environment, r report, asJSON bool) error {
	write := r.Text
	if asJSON {
		write = r.JSON
	}
	if err := write(env.stdout); err != nil {
		return err
	}
	if !r.OK() {
		return errFindings
	}
	return nil
}
