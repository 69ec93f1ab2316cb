package main

import (
	"context"
	"flag"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/ops/bench"
)

type refBench struct {
	load    bench.RefLoad
	callers string
	serve   bool
}

func (b *refBench) options(flags *flag.FlagSet) {
	flags.Uint64Var(&b.load.Pool, "pool", 1_000_000, "codes that are minted")
	flags.IntVar(&b.load.Pops, "pops", 20_000, "codes that the callers of each strategy take together")
	flags.StringVar(&b.callers, "callers", "20,100", "numbers of callers at once, with commas between")
	flags.IntVar(&b.load.Held, "held", 0, "codes that are popped while a transaction keeps the server from removing what was deleted; 0 leaves that out")
	flags.BoolVar(&b.load.Rivals, "rivals", true, "also measure other ways")
	flags.IntVar(&b.load.Clients, "clients", 50, "clients at once over HTTP")
	flags.BoolVar(&b.serve, "http", true, "also measure over HTTP, on a server that is started for it")
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
		b.load.Start = func(ctx context.Context) (bench.Server, error) { return startServer(ctx, url) }
	}
	return bench.Refs(ctx, d, b.load)
}
