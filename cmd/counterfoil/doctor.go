package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/ops/doctor"
)

func doctorCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "Check the database server for settings that cost safety or speed; exit code 1 on a problem",
		Flags:  []cli.Flag{jsonOption("print one line of JSON")},
		Action: func(ctx context.Context, c *cli.Command) error { return examine(ctx, env, c.Bool("json")) },
	}
}

// examine examines the database's server, even one that is not fit for Counterfoil.
func examine(ctx context.Context, env environment, asJSON bool) error {
	d, err := env.openAnyDatabase(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	dataDir := ""
	if d.private != nil {
		dataDir = d.private.Dir()
	}
	report, err := doctor.Run(ctx, d.DB, env.keys(), dataDir)
	if err != nil {
		return err
	}
	return show(env, report, asJSON)
}

// openAnyDatabase is openToLook for a server that may not be fit.
func (e environment) openAnyDatabase(ctx context.Context) (*database, error) {
	d, err := e.openToLook(ctx)
	if err == nil || e.databaseURL == "" || !errors.Is(err, db.CodeUnfit) {
		return d, err
	}
	d = &database{url: e.databaseURL}
	d.DB, err = db.OpenToLook(d.url)
	return d, err
}
