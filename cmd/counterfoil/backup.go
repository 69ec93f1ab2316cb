package main

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/counterfoil/counterfoil/ops/backup"
)

// makeBackup writes everything into a file, also while others work.
func makeBackup(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("backup", flag.ContinueOnError)
	if err := parse(env, flags, args, "FILE"); err != nil {
		return err
	}
	d, err := env.openExisting(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	began := time.Now()
	summary, err := backup.Make(ctx, backup.Home{URL: d.url, Blobs: env.blobs}, programVersion(), flags.Arg(0))
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "%s holds %s, %.1f MiB; written in %s.\n", flags.Arg(0), told(summary), float64(summary.Bytes)/(1<<20), since(began))
	if summary.Gone > 0 {
		fmt.Fprintf(env.stdout, "%d stored files were removed meanwhile and are not in it.\n", summary.Gone)
	}
	return nil
}

// restore loads a backup into an empty database and proves it; with --check it only reads the file.
func restore(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("restore", flag.ContinueOnError)
	check := flags.Bool("check", false, "only check the file")
	if err := parse(env, flags, args, "FILE"); err != nil {
		return err
	}
	file := flags.Arg(0)
	if *check {
		summary, err := backup.Check(ctx, file)
		if err != nil {
			return err
		}
		m := summary.Manifest
		fmt.Fprintf(env.stdout, "%s is whole. It holds %s as of %s, schema version %d, from %s.\n", file, told(summary), m.CreatedAt.Format(time.RFC3339), m.Schema, m.Engine)
		return nil
	}
	d, err := env.openDatabase(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	began := time.Now()
	summary, report, err := backup.Restore(ctx, backup.Home{URL: d.url, Blobs: env.blobs}, file)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "Restored %s as of %s in %s.\n", told(summary), summary.Manifest.CreatedAt.Format(time.RFC3339), since(began))
	if !report.OK() {
		return show(env, report, false)
	}
	fmt.Fprintln(env.stdout, report.Verdict())
	return nil
}

func told(s backup.Summary) string {
	return fmt.Sprintf("%d rows of %d tables and %d stored files", s.Rows, len(s.Manifest.Tables), s.Blobs)
}

func since(began time.Time) time.Duration { return time.Since(began).Round(10 * time.Millisecond) }

// programVersion is the module's version, or the commit it was built from.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}
