// Seed fills the app's database with a demo company:
//
//	go run ./scripts/seed [--size large] [--company SLUG] [--name NAME]
//
// The database is the one that bin/counterfoil uses: the private one in COUNTERFOIL_DATA, or DATABASE_URL. The
// company is a new one; if there is no other, the database is set up with it. A small one has the boards and
// members of story.md; a large one has five years of tickets (ops/seed).
//
//	go run ./scripts/seed URL TOKEN [EMAIL PASSWORD]
//
// fills the boards of the story into an existing company, through the API of a running app. With the address and
// password of the token's owner, the members of the story join by invitation; all have that password. Without, the
// owner does everything.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

const usage = `usage: seed [--size small|large] [--company SLUG] [--name NAME]
       seed URL TOKEN [EMAIL PASSWORD]   (counterfoil setup prints a token)
`

func main() {
	size := flag.String("size", "small", "small or large")
	company := flag.String("company", "", "the short name of the new company (ninja, or fjord for a large one)")
	name := flag.String("name", "", "its name")
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	args, sizes := flag.Args(), map[string]func(context.Context, string, string) error{"small": small, "large": large}
	var err error
	switch make := sizes[*size]; {
	case len(args) == 0 && make != nil:
		err = make(ctx, *company, *name)
	case len(args) == 2 || len(args) == 4:
		s := seeder{url: strings.TrimSuffix(args[0], "/"), token: args[1], people: map[string]string{}}
		err = s.run(args[2:])
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "seed:", err)
		os.Exit(1)
	}
}
