package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/private"
	"github.com/counterfoil/counterfoil/ops/bench"
)

// measurement is one subcommand of bench.
type measurement interface {
	options() []cli.Flag
	check() error                                                        // of the options
	run(ctx context.Context, d *db.DB, url string) (bench.Report, error) // url is d's
}

// benchServer is the server to measure on.
type benchServer struct {
	engine, url string
	buffer      uint
}

func benchCommand(env environment) *cli.Command {
	c := &cli.Command{Name: "bench",
		Usage: "Compare with other designs on a private scratch server; never touches your data", Action: group}
	for _, one := range []struct {
		name, usage string
		measurement
	}{
		{"tickets", "Measure tickets created per second", &ticketBench{}},
		{"migrations", "Measure tasks per second", &taskBench{}},
		{"feed", "Measure publishing, reading and following the feed", &feedBench{}},
		{"refs", "Measure reference codes popped per second", &refBench{}},
	} {
		c.Commands = append(c.Commands, &cli.Command{
			Name: one.name, Usage: one.usage,
			Flags: append(
				one.options(),
				jsonOption("end with one line of JSON"),
				&cli.StringFlag{Name: "engine", Value: "mariadb", Usage: "mariadb or mysql, for the scratch server"},
				&cli.UintFlag{Name: "buffer-pool", Usage: "MB of the scratch server's buffer pool; 0 for what serve would give it"},
				&cli.StringFlag{Name: "on-url", Usage: "measure on the empty database at this URL instead of a scratch server"},
			),
			Action: func(ctx context.Context, c *cli.Command) error {
				return benchmark(ctx, env, one.measurement, benchServer{c.String("engine"), c.String("on-url"),
					c.Uint("buffer-pool")}, c.Bool("json"))
			},
		})
	}
	return c
}

type ticketBench struct{ load bench.TicketLoad }

func (b *ticketBench) options() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "boards", Destination: &b.load.Boards, Value: 2, Usage: "boards"},
		&cli.IntFlag{Name: "writers", Destination: &b.load.Writers, Value: 10, Usage: "writers at once on each board"},
		&cli.IntFlag{Name: "each", Destination: &b.load.Each, Value: 1000, Usage: "tickets of each writer"},
	}
}

func (b *ticketBench) check() error {
	if l := b.load; l.Boards < 1 || l.Writers < 1 || l.Boards*l.Writers > 400 || l.Each < 1 || l.Each > 1_000_000 {
		return usageError{"--boards times --writers is 1 to 400, --each 1 to 1000000."}
	}
	return nil
}

func (b *ticketBench) run(ctx context.Context, d *db.DB, _ string) (bench.Report, error) {
	return bench.Tickets(ctx, d, b.load)
}

type taskBench struct {
	load            bench.TaskLoad
	workers, blocks string
}

func (b *taskBench) options() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "tasks", Destination: &b.load.Tasks, Value: 50_000, Usage: "tasks, which do nothing"},
		&cli.StringFlag{Name: "workers", Destination: &b.workers, Value: "3,10",
			Usage: "numbers of workers, separated by commas"},
		&cli.StringFlag{Name: "blocks", Destination: &b.blocks, Value: "10,100",
			Usage: "tasks in one claim, separated by commas; the original is compared with its first"},
		&cli.DurationFlag{Name: "patience", Destination: &b.load.Patience, Value: 10 * time.Second,
			Usage: "how long a slower strategy may take; 0 lets each finish, which takes the original minutes"},
	}
}

func (b *taskBench) check() (err error) {
	if b.load.Workers, err = numbersIn("--workers", b.workers, 100); err != nil {
		return err
	}
	if b.load.Blocks, err = numbersIn("--blocks", b.blocks, 1000); err != nil {
		return err
	}
	if b.load.Tasks < 1 || b.load.Tasks > 10_000_000 || b.load.Patience < time.Second && b.load.Patience != 0 {
		return usageError{"--tasks is 1 to 10000000, --patience at least 1s, or 0."}
	}
	return nil
}

func (b *taskBench) run(ctx context.Context, d *db.DB, _ string) (bench.Report, error) {
	return bench.Migrations(ctx, d, b.load)
}

// numbersIn reads numbers from 1 to most with commas between.
func numbersIn(option, list string, most int) (numbers []int, err error) {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > most {
			return nil, usageError{fmt.Sprintf("%s is a list of numbers from 1 to %d, such as 3,10.", option, most)}
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// benchmark measures on a scratch server with durable settings, and removes it afterwards.
func benchmark(ctx context.Context, env environment, m measurement, on benchServer, asJSON bool) error {
	if on.engine != "mariadb" && on.engine != "mysql" {
		return usageError{"--engine is mariadb or mysql."}
	}
	if err := m.check(); err != nil {
		return err
	}
	target, url, remove, err := scratch(ctx, env, on)
	if err != nil {
		return err
	}
	report, err := m.run(ctx, target, url)
	if err = errors.Join(err, remove()); err != nil {
		return err
	}
	write := report.Table
	if asJSON {
		write = report.JSON
	}
	return errors.Join(write(env.stdout), report.Uneven())
}

// scratch opens an empty database on a private server, or on the named one, and returns a description of it.
func scratch(
	ctx context.Context, env environment, on benchServer,
) (d *db.DB, url string, remove func() error, err error) {
	end := func() error { return nil }
	if url = on.url; url == "" {
		if url, end, err = scratchServer(ctx, env, on.engine, on.buffer); err != nil {
			return nil, "", nil, err
		}
	}
	if err := db.SchemaUp(url); err != nil {
		return nil, "", nil, errors.Join(err, end())
	}
	if d, err = db.Open(url, db.AnswerWithin(0)); err != nil {
		return nil, "", nil, errors.Join(err, end())
	}
	return d, url, func() error { return errors.Join(d.Close(), end()) }, nil
}

// binlog is MySQL's default, but not our private server's.
var binlog = map[string]string{"log-bin": "binlog", "sync-binlog": "1"}

// scratchServer starts a server with the durable defaults of its make.
func scratchServer(
	ctx context.Context, env environment, engine string, buffer uint,
) (url string, remove func() error, err error) {
	dir, err := os.MkdirTemp("", "counterfoil-bench-")
	if err != nil {
		return "", nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	options := private.Options{Dir: dir, Engine: engine, Log: env.logger(), Settings: map[string]string{}}
	if engine == "mysql" {
		options.Settings = maps.Clone(binlog)
	}
	if buffer > 0 {
		options.Settings["innodb-buffer-pool-size"] = strconv.FormatUint(uint64(buffer)<<20, 10)
	}
	server, err := private.Open(ctx, options)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return server.URL("counterfoil"), func() error {
		return errors.Join(server.Close(context.WithoutCancel(ctx)), os.RemoveAll(dir))
	}, nil
}
