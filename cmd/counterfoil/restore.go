package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/ops/backup"
)

func restoreCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "restore", ArgsUsage: "FILE", Usage: "Load a backup into an empty database and check it with verify",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "check", Usage: "only read the file and check that it is complete"}},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Bool("check") {
				return checkBackup(ctx, env, c.Args().First())
			}
			return restore(ctx, env, c.Args().First())
		},
	}
}

// checkBackup reads a whole backup and writes nothing.
func checkBackup(ctx context.Context, env environment, file string) error {
	bar := newProgress(env)
	summary, err := backup.Check(ctx, file, bar.at)
	bar.end()
	if err != nil {
		return err
	}
	m := summary.Manifest
	_, err = fmt.Fprintf(env.stdout, "%s is whole. It holds %s as of %s, schema version %d, from %s.\n", file,
		told(summary), m.CreatedAt.Format(time.RFC3339), m.Schema, m.Engine)
	return err
}

// restore loads a backup into an empty database and proves it.
func restore(ctx context.Context, env environment, file string) error {
	d, err := env.openMarked(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	bar := newProgress(env)
	began := time.Now()
	keys := env.keys()
	summary, report, err := backup.Restore(ctx,
		backup.Installation{URL: d.url, Blobs: env.blobs, Keys: keys, Progress: bar.at}, file)
	bar.end()
	if err != nil {
		return err
	}
	tellUnrecorded(env, recordFile(ctx, d, accounts.AuditRestored, file,
		"as of "+summary.Manifest.CreatedAt.Format(time.RFC3339)))
	if summary.Emptied {
		fmt.Fprintln(env.stdout, "A restore into this database had been cut off; what it left was removed first.")
	}
	fmt.Fprintf(env.stdout, "Restored %s as of %s in %s.\n", told(summary),
		summary.Manifest.CreatedAt.Format(time.RFC3339), since(began))
	if !summary.Lost.None() {
		if err := printLost(env, keys, summary.Lost); err != nil {
			return err
		}
		fmt.Fprintf(env.stdout, "To keep what is lost, copy the key file of the original to %s and restore into an empty database again.\n",
			keys.Path())
	}
	if !report.OK() {
		return show(env, report, false)
	}
	fmt.Fprintln(env.stdout, report.Verdict())
	return nil
}
