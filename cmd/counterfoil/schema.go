package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/db"
)

func schemaCommand(env environment) *cli.Command {
	asJSON := jsonOption("print one line of JSON")
	return &cli.Command{
		Name: "schema", Usage: "Bring the database's schema up, take it down, or show its version", Action: group,
		// Accepted before the subcommand as well as after it.
		Flags: []cli.Flag{&cli.BoolFlag{Name: "delete-rows", Usage: "with down: delete the rows in what the change created"}},
		Commands: []*cli.Command{
			{
				Name: "up", Usage: "Bring the schema to the newest version", Flags: []cli.Flag{asJSON},
				Action: func(ctx context.Context, c *cli.Command) error {
					return schema(ctx, env, env.openDatabase, func(url string) error { return schemaUp(env, url) }, c.Bool("json"))
				},
			},
			{
				Name: "down", Usage: "Revert the newest change, with its rows; requires --delete-rows", Flags: []cli.Flag{asJSON},
				Action: func(ctx context.Context, c *cli.Command) error {
					if !c.Bool("delete-rows") {
						return usageError{"down deletes the tables of the newest change with all that is in them. Make a backup, stop serve, then add --delete-rows."}
					}
					return schema(ctx, env, env.openExisting, db.SchemaDown, c.Bool("json"))
				},
			},
			{
				Name: "status", Usage: "Show the version of the schema", Flags: []cli.Flag{asJSON},
				Action: func(ctx context.Context, c *cli.Command) error {
					return schema(ctx, env, env.openExisting, func(string) error { return nil }, c.Bool("json"))
				},
			},
		},
	}
}

// schema changes the schema of the database that open returns, and shows its version.
func schema(
	ctx context.Context, env environment, open func(context.Context) (*database, error), change func(string) error,
	asJSON bool,
) error {
	d, err := open(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	if err := change(d.url); err != nil {
		return err
	}
	status, err := db.Schema(d.url)
	if err != nil {
		return err
	}
	if err := printSchema(env, status, asJSON); err != nil {
		return err
	}
	if status.Dirty {
		return errFindings
	}
	return nil
}

// schemaUp brings the schema to the newest version, and shows its progress.
func schemaUp(env environment, url string) error {
	bar := newProgress(env)
	defer bar.end()
	return db.SchemaUp(url, db.SchemaWatch{
		Reached: func(version, latest uint) { bar.at("schema", int64(version), int64(latest)) },
		Waits:   func(why string) { fmt.Fprintln(env.stderr, why) },
	})
}

func printSchema(env environment, status db.SchemaStatus, asJSON bool) (err error) {
	if asJSON {
		return json.NewEncoder(env.stdout).Encode(struct {
			Version uint `json:"version"`
			Latest  uint `json:"latest"`
			Dirty   bool `json:"dirty"`
		}{status.Version, status.Latest, status.Dirty})
	}
	fmt.Fprintf(env.stdout, "schema version %d of %d\n", status.Version, status.Latest)
	if status.Dirty {
		_, err = fmt.Fprintln(env.stdout, "dirty: a change stopped halfway; restore a backup")
	}
	return err
}
