package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/ops/bench"
)

type refBench struct {
	load    bench.RefLoad
	callers string
	serve   bool
}

func (b *refBench) options() []cli.Flag {
	return []cli.Flag{
		&cli.Uint64Flag{Name: "pool", Destination: &b.load.Pool, Value: 1_000_000, Usage: "codes that are minted"},
		&cli.IntFlag{Name: "pops", Destination: &b.load.Pops, Value: 20_000,
			Usage: "codes that the callers of each strategy pop together"},
		&cli.StringFlag{Name: "callers", Destination: &b.callers, Value: "20,100",
			Usage: "numbers of callers at once, separated by commas"},
		&cli.IntFlag{Name: "held", Destination: &b.load.Held, Value: 0,
			Usage: "codes that are popped while a transaction keeps the server from removing what was deleted; 0 leaves that out"},
		&cli.BoolFlag{Name: "rivals", Destination: &b.load.Rivals, Value: true,
			Usage: "also measure other ways; --rivals=false leaves that out"},
		&cli.IntFlag{Name: "clients", Destination: &b.load.Clients, Value: 50, Usage: "clients at once over HTTP"},
		&cli.BoolFlag{Name: "http", Destination: &b.serve, Value: true,
			Usage: "also measure over HTTP, on a server that is started for it; --http=false leaves that out"},
	}
}

func (b *refBench) check() (err error) {
	if b.load.Callers, err = numbersIn("--callers", b.callers, 400); err != nil {
		return err
	}
	l := b.load
	most := uint64(l.Held + 8*len(l.Callers)*l.Pops)
	switch {
	case l.Pool < 100_000 || l.Pool > 100_000_000:
		return usageError{"--pool is 100000 to 100000000."}
	case l.Pops < 1000 || l.Held < 0 || l.Clients < 1 || l.Clients > 400:
		return usageError{"--pops is 1000 or more, --held 0 or more, --clients 1 to 400."}
	case most > l.Pool/2:
		return usageError{"The pool is too small for so many pops: they would empty half of it."}
	}
	return nil
}

func (b *refBench) run(ctx context.Context, d *db.DB, url string) (bench.Report, error) {
	if b.serve {
		start, end, err := serverStarter(url)
		if err != nil {
			return bench.Report{}, err
		}
		defer end()
		b.load.Start = start
	}
	return bench.Refs(ctx, d, b.load)
}
