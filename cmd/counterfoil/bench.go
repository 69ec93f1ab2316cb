package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/private"
	"github.com/counterfoil/counterfoil/ops/bench"
)

// measurement is one of the things that bench measures.
type measurement interface {
	options(flags *flag.FlagSet)
	check() error                                                        // of the options
	run(ctx context.Context, d *db.DB, url string) (bench.Report, error) // url is d's
}

var measurements = map[string]measurement{"tickets": &ticketBench{}, "migrations": &taskBench{}, "feed": &feedBench{}, "refs": &refBench{}}

type ticketBench struct{ load bench.TicketLoad }

func (b *ticketBench) options(flags *flag.FlagSet) {
	flags.IntVar(&b.load.Boards, "boards", 2, "boards")
	flags.IntVar(&b.load.Writers, "writers", 10, "writers at once on each board")
	flags.IntVar(&b.load.Each, "each", 1000, "tickets of each writer")
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

func (b *taskBench) options(flags *flag.FlagSet) {
	flags.IntVar(&b.load.Tasks, "tasks", 50_000, "tasks, which do nothing")
	flags.StringVar(&b.workers, "workers", "3,10", "numbers of workers, with commas between")
	flags.StringVar(&b.blocks, "blocks", "10,100", "tasks in one claim, with commas between; the original is compared with its first")
	flags.DurationVar(&b.load.Patience, "patience", 10*time.Second, "how long a slower strategy may take; 0 has each do all, which takes the original minutes")
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

// benchmark measures on a scratch server of its own, with durable settings, and removes it afterwards.
func benchmark(ctx context.Context, env environment, args []string) error {
	var m measurement
	if len(args) > 0 {
		m = measurements[args[0]]
	}
	if m == nil {
		return usageError{"say what to measure: tickets, migrations, feed or refs."}
	}
	flags := flag.NewFlagSet("bench "+args[0], flag.ContinueOnError)
	m.options(flags)
	asJSON := flags.Bool("json", false, "end with one line of JSON")
	engine := flags.String("engine", "mariadb", "mariadb or mysql, for the scratch server")
	buffer := flags.Uint("buffer-pool", 0, "MB of the scratch server's buffer pool; 0 for what serve would give it")
	url := flags.String("on-url", "", "measure on this empty database instead of a scratch server")
	if err := parse(env, flags, args[1:]); err != nil {
		return err
	}
	if *engine != "mariadb" && *engine != "mysql" {
		return usageError{"--engine is mariadb or mysql."}
	}
	if err := m.check(); err != nil {
		return err
	}
	target, on, remove, err := scratch(ctx, env, *engine, *buffer, *url)
	if err != nil {
		return err
	}
	report, err := m.run(ctx, target, on)
	if err = errors.Join(err, remove()); err != nil {
		return err
	}
	write := report.Table
	if *asJSON {
		write = report.JSON
	}
	return errors.Join(write(env.stdout), report.Uneven())
}

// scratch opens an empty database on url, or on a private server of its own, and says where it is.
func scratch(ctx context.Context, env environment, engine string, buffer uint, url string) (d *db.DB, on string, remove func() error, err error) {
	end := func() error { return nil }
	if on = url; url == "" {
		if on, end, err = scratchServer(ctx, env, engine, buffer); err != nil {
			return nil, "", nil, err
		}
	}
	if err := db.SchemaUp(on); err != nil {
		return nil, "", nil, errors.Join(err, end())
	}
	if d, err = db.Open(on); err != nil {
		return nil, "", nil, errors.Join(err, end())
	}
	return d, on, func() error { return errors.Join(d.Close(), end()) }, nil
}

// binlog is how MySQL runs unless told otherwise, and how our private one does not.
var binlog = map[string]string{"log-bin": "binlog", "sync-binlog": "1"}

// scratchServer starts a server with its make's own durable defaults.
func scratchServer(ctx context.Context, env environment, engine string, buffer uint) (url string, remove func() error, err error) {
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
