package main

import (
	"context"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/ops/verify"
)

func verifyCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "Check the stored data; exit code 1 on any finding",
		Flags:  []cli.Flag{jsonOption("print one line of JSON")},
		Action: func(ctx context.Context, c *cli.Command) error { return verifyData(ctx, env, c.Bool("json")) },
	}
}

// verifyData verifies the stored data. It changes nothing, not even the schema.
func verifyData(ctx context.Context, env environment, asJSON bool) error {
	d, err := env.openToLook(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	bar := newProgress(env)
	report, err := verify.Run(ctx, d.DB, env.keys(), env.blobs, bar.at)
	bar.end()
	if err != nil {
		return err
	}
	return show(env, report, asJSON)
}

// report is a command's result.
type report interface {
	Text(io.Writer) error
	JSON(io.Writer) error
	OK() bool
}

// show writes a report; one that is not OK makes the exit code 1.
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
