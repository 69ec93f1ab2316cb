package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/ops/bench"
	"github.com/counterfoil/counterfoil/web"
	"github.com/counterfoil/counterfoil/web/streams"
)

type feedBench struct {
	load bench.FeedLoad
	rows string
	live bool
}

func (b *feedBench) options() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "rows", Destination: &b.rows, Value: "100000",
			Usage: "tickets in the table; of several numbers, separated by commas, each size is measured, and compared with the first"},
		&cli.Float64Flag{Name: "flat", Destination: &b.load.Flat, Value: 2,
			Usage: "times as much as in the first table a row may cost in another, or the command fails"},
		&cli.IntFlag{Name: "changed", Destination: &b.load.Changed, Value: 20_000,
			Usage: "of them that are published and read in each round"},
		&cli.IntFlag{Name: "rounds", Destination: &b.load.Rounds, Value: 3,
			Usage: "rounds, in each of which every strategy has its turn"},
		&cli.BoolFlag{Name: "live", Destination: &b.live, Value: true,
			Usage: "also measure the way to readers, on servers that are started for it; --live=false leaves that out"},
		&cli.IntFlag{Name: "rate", Destination: &b.load.Rate, Value: 500, Usage: "changes a second"},
		&cli.IntFlag{Name: "seconds", Destination: &b.load.Seconds, Value: 10, Usage: "how long"},
		&cli.IntFlag{Name: "streams", Destination: &b.load.Streams, Value: 2000, Usage: "streams of events on one server"},
	}
}

func (b *feedBench) check() (err error) {
	if b.load.Rows, err = numbersIn("--rows", b.rows, 50_000_000); err != nil {
		return err
	}
	l := b.load
	switch {
	case !slices.IsSorted(l.Rows) || len(slices.Compact(slices.Clone(l.Rows))) < len(l.Rows):
		return usageError{"--rows grows from one size to the next, such as 10000,5000000: the same table is filled up."}
	case !(l.Flat > 0):
		return usageError{"--flat is more than 0."}
	case l.Changed < 1 || l.Changed > 1_000_000 || l.Rounds < 1 || l.Rounds > 1000:
		return usageError{"--changed 1 to 1000000, --rounds 1 to 1000."}
	case l.Rate < 1 || l.Rate > 10_000 || l.Seconds < 1 || l.Seconds > 3600 || l.Streams < 1 || l.Streams > 2500:
		return usageError{"--rate is 1 to 10000, --seconds 1 to 3600, --streams 1 to 2500."}
	}
	return nil
}

func (b *feedBench) run(ctx context.Context, d *db.DB, url string) (bench.Report, error) {
	if b.live {
		start, end, err := serverStarter(url)
		if err != nil {
			return bench.Report{}, err
		}
		defer end()
		b.load.Start = start
	}
	return bench.Feed(ctx, d, b.load)
}

// serverStarter returns a function that starts servers on the database at url. They share a key file until the end.
func serverStarter(url string) (start func(context.Context) (bench.Server, error), end func(), err error) {
	dir, err := os.MkdirTemp("", "counterfoil-bench-key-")
	if err != nil {
		return nil, nil, err
	}
	start = func(ctx context.Context) (bench.Server, error) {
		return startServer(ctx, url, filepath.Join(dir, "key"))
	}
	return start, func() { _ = os.RemoveAll(dir) }, nil
}

// startServer starts this program as a server in a process of its own, on the database at url, with a key file.
func startServer(ctx context.Context, url, keys string) (bench.Server, error) {
	program, err := os.Executable()
	if err != nil {
		return bench.Server{}, err
	}
	dir, err := os.MkdirTemp("", "counterfoil-bench-")
	if err != nil {
		return bench.Server{}, err
	}
	metrics, err := freeAddress()
	if err != nil {
		return bench.Server{}, errors.Join(err, os.RemoveAll(dir))
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), program, "serve")
	cmd.Env = append(os.Environ(), "DATABASE_URL="+url, "COUNTERFOIL_REPLICAS=", "COUNTERFOIL_ADDR=127.0.0.1:0",
		"COUNTERFOIL_URL=", "COUNTERFOIL_METRICS_ADDR="+metrics,
		"COUNTERFOIL_COMPANY_STREAMS="+strconv.Itoa(streams.DefaultMost),
		"COUNTERFOIL_DATA="+dir, "COUNTERFOIL_BLOBS=", "COUNTERFOIL_KEY_FILE="+keys, "COUNTERFOIL_LOG=text")
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return bench.Server{}, errors.Join(err, os.RemoveAll(dir))
	}
	stop := func() error {
		err := cmd.Process.Signal(syscall.SIGTERM)
		return errors.Join(err, cmd.Wait(), os.RemoveAll(dir))
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if at, ok := strings.CutPrefix(lines.Text(), "Counterfoil is ready at "); ok {
			return bench.Server{URL: at, Metrics: "http://" + metrics + web.MetricsPath, Stop: stop}, nil
		}
	}
	err = errors.Join(cmd.Wait(), os.RemoveAll(dir))
	return bench.Server{}, fmt.Errorf("a server for the measurement ended before it was ready: %w\n%s", err, &log)
}

// freeAddress is an address on this machine at which nothing listened a moment ago.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
