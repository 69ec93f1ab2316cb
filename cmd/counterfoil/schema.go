package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// schema changes or shows the version of the database's schema.
func schema(ctx context.Context, env environment, args []string) (err error) {
	flags := flag.NewFlagSet("schema", flag.ContinueOnError)
	deleteRows := flags.Bool("delete-rows", false, "with down: delete the rows that the change made room for")
	if err := parse(env, flags, args, "up|down|status"); err != nil {
		return err
	}
	if flags.Arg(0) == "down" && !*deleteRows {
		return usageError{"down deletes the tables of the newest change with all that is in them. Make a backup, stop serve, then say --delete-rows as well."}
	}
	act := map[string]func(string) error{
		"up": db.SchemaUp, "down": db.SchemaDown, "status": func(string) error { return nil },
	}[flags.Arg(0)]
	if act == nil {
		return usageError{"say up, down or status."}
	}
	open := env.openExisting
	if flags.Arg(0) == "up" {
		open = env.openDatabase
	}
	d, err := open(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	if err := act(d.url); err != nil {
		return err
	}
	status, err := db.Schema(d.url)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "schema version %d of %d\n", status.Version, status.Latest)
	if status.Dirty {
		fmt.Fprintln(env.stdout, "dirty: a change broke off halfway; restore a backup")
		return errFindings
	}
	return nil
}
