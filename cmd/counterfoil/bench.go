package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/private"
	"github.com/counterfoil/counterfoil/ops/bench"
)

// benchmark measures on a scratch server of its own, with durable settings, and removes it afterwards.
func benchmark(ctx context.Context, env environment, args []string) error {
	if len(args) == 0 || args[0] != "tickets" {
		return usageError{"say what to measure: tickets."}
	}
	flags := flag.NewFlagSet("bench tickets", flag.ContinueOnError)
	var load bench.TicketLoad
	flags.IntVar(&load.Boards, "boards", 2, "boards")
	flags.IntVar(&load.Writers, "writers", 10, "writers at once on each board")
	flags.IntVar(&load.Each, "each", 1000, "tickets of each writer")
	asJSON := flags.Bool("json", false, "end with one line of JSON")
	engine := flags.String("engine", "mariadb", "mariadb or mysql, for the scratch server")
	url := flags.String("on-url", "", "measure on this empty database instead of a scratch server")
	if err := parse(env, flags, args[1:]); err != nil {
		return err
	}
	if load.Boards < 1 || load.Writers < 1 || load.Boards*load.Writers > 400 || load.Each < 1 || load.Each > 1_000_000 {
		return usageError{"--boards times --writers is 1 to 400, --each 1 to 1000000."}
	}
	if *engine != "mariadb" && *engine != "mysql" {
		return usageError{"--engine is mariadb or mysql."}
	}
	target, remove, err := scratch(ctx, env, *engine, *url)
	if err != nil {
		return err
	}
	report, err := bench.Tickets(ctx, target, load)
	if err = errors.Join(err, remove()); err != nil {
		return err
	}
	if *asJSON {
		return report.JSON(env.stdout)
	}
	return report.Table(env.stdout)
}

// scratch opens an empty database on url, or on a private server of its own.
func scratch(ctx context.Context, env environment, engine, url string) (*db.DB, func() error, error) {
	end := func() error { return nil }
	if url == "" {
		var err error
		if url, end, err = scratchServer(ctx, env, engine); err != nil {
			return nil, nil, err
		}
	}
	if err := db.SchemaUp(url); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	d, err := db.Open(url)
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return d, func() error { return errors.Join(d.Close(), end()) }, nil
}

// binlog is how MySQL runs unless told otherwise, and how our private one does not.
var binlog = map[string]string{"log-bin": "binlog", "sync-binlog": "1"}

// scratchServer starts a server with its make's own durable defaults.
func scratchServer(ctx context.Context, env environment, engine string) (url string, remove func() error, err error) {
	dir, err := os.MkdirTemp("", "counterfoil-bench-")
	if err != nil {
		return "", nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	options := private.Options{Dir: dir, Engine: engine, Log: env.logger()}
	if engine == "mysql" {
		options.Settings = binlog
	}
	server, err := private.Open(ctx, options)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return server.URL("counterfoil"), func() error {
		return errors.Join(server.Close(context.WithoutCancel(ctx)), os.RemoveAll(dir))
	}, nil
}
