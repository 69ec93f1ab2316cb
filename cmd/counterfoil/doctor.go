package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/ops/doctor"
	"github.com/counterfoil/counterfoil/views/admin"
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
	report, err := env.diagnose(ctx, d)
	if err != nil {
		return err
	}
	return show(env, report, asJSON)
}

// diagnose examines a database's server, and the disks of this machine that Counterfoil uses.
func (e environment) diagnose(ctx context.Context, d *database) (doctor.Report, error) {
	var folders []string
	if d.private != nil {
		folders = append(folders, d.private.Dir())
	}
	if !blobs.Remote(e.blobs) {
		folders = append(folders, e.blobs)
	}
	return doctor.Run(ctx, d.DB, e.keys(), folders...)
}

// findings are those of doctor, for the pages of operators.
func (e environment) findings(d *database) func(context.Context) ([]admin.Finding, error) {
	return func(ctx context.Context) (list []admin.Finding, err error) {
		report, err := e.diagnose(ctx, d)
		for _, c := range report.Checks {
			list = append(list, admin.Finding(c))
		}
		return list, err
	}
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
