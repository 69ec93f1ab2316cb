package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/secrets"
	"github.com/counterfoil/counterfoil/ops/backup"
)

func backupCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "backup", ArgsUsage: "FILE", Usage: "Write all data into one file, also while serving",
		Action: func(ctx context.Context, c *cli.Command) error { return makeBackup(ctx, env, c.Args().First()) },
	}
}

// makeBackup writes all data into a file, also while serving.
func makeBackup(ctx context.Context, env environment, file string) error {
	d, err := env.openToRead(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	unrecorded := recordFile(ctx, d, accounts.AuditBackup, file, "")
	bar := newProgress(env)
	began := time.Now()
	summary, err := backup.Make(ctx, backup.Installation{URL: d.url, Blobs: env.blobs, Progress: bar.at}, programVersion(),
		file)
	bar.end()
	if err != nil {
		return err
	}
	tellUnrecorded(env, unrecorded)
	fmt.Fprintf(env.stdout, "%s holds %s, %.1f MiB; written in %s.\n", file, told(summary), float64(summary.Bytes)/(1<<20),
		since(began))
	if err := tellKey(ctx, env, d, summary); err != nil {
		return err
	}
	if summary.Gone > 0 {
		fmt.Fprintf(env.stdout, "%d stored files were removed meanwhile and are not in it.\n", summary.Gone)
	}
	return nil
}

// recordFile records in the audit log of the server what is done with a backup.
func recordFile(ctx context.Context, d *database, kind, file, note string) error {
	return d.InTx(ctx, func(tx *db.Tx) error {
		return accounts.RecordInstance(ctx, tx, 0, kind, accounts.AuditDetail{Name: filepath.Base(file), Note: note})
	})
}

// tellUnrecorded reports that the audit log lacks a command: a replica takes no entry, nor does an account that may only
// read.
func tellUnrecorded(env environment, err error) {
	if err != nil {
		fmt.Fprintf(env.stderr, "The audit log does not have this: %v\n", err)
	}
}

// tellKey says that the key is not in the backup.
func tellKey(ctx context.Context, env environment, d *database, s backup.Summary) error {
	if s.Manifest.Schema < firstWithSecrets {
		return nil
	}
	id, err := secrets.Current(ctx, d.Queries)
	if err != nil || id == "" {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "The key %s is not in it: keep a copy of %s elsewhere. Without it the secrets of webhooks are lost.\n",
		id, env.keyFile)
	return err
}

func told(s backup.Summary) string {
	return fmt.Sprintf("%d rows of %d tables and %d stored files", s.Rows, len(s.Manifest.Tables), s.Blobs)
}

func since(began time.Time) time.Duration { return time.Since(began).Round(10 * time.Millisecond) }
