package main

import (
	"context"
	"errors"
	"flag"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/ops/doctor"
)

// examine looks at the database's server. It also looks at one that Counterfoil refuses.
func examine(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "one line of JSON")
	if err := parse(env, flags, args); err != nil {
		return err
	}
	d, err := env.openAnyDatabase(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	dataDir := ""
	if d.private != nil {
		dataDir = d.private.Dir()
	}
	report, err := doctor.Run(ctx, d.DB, dataDir)
	if err != nil {
		return err
	}
	return show(env, report, *asJSON)
}

// openAnyDatabase is openDatabase without its refusal of a server that is not fit.
func (e environment) openAnyDatabase(ctx context.Context) (*database, error) {
	d, err := e.openExisting(ctx)
	if err == nil || e.databaseURL == "" || !errors.Is(err, db.CodeUnfit) {
		return d, err
	}
	d = &database{url: e.databaseURL}
	d.DB, err = db.Open(d.url)
	return d, err
}
