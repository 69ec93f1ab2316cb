package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/private"
	"github.com/counterfoil/counterfoil/ops/seed"
)

// onDatabase calls use with the app's database.
func onDatabase(ctx context.Context, use func(*db.DB) error) (err error) {
	url := os.Getenv("DATABASE_URL")
	if url == "" {
		log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		server, err := private.Open(ctx, private.Options{Dir: cmp.Or(os.Getenv("COUNTERFOIL_DATA"), "./data"), Log: log})
		if err != nil {
			return err
		}
		defer func() { _ = server.Close(context.WithoutCancel(ctx)) }()
		url = server.URL("counterfoil")
	}
	d, err := db.Open(url, db.AnswerWithin(0))
	if err != nil {
		return err
	}
	defer d.Close()
	if _, err := d.Check(ctx); err != nil {
		return err
	}
	if err := db.SchemaUp(url); err != nil {
		return err
	}
	if err = use(d); seed.IsTaken(err) {
		return fmt.Errorf("%w Nothing was changed. To make another company, say: make seed COMPANY=name", err)
	}
	return err
}

// small makes a company with the members of the story, and its boards.
func small(ctx context.Context, slug, name string) error {
	c := seed.Company{Slug: cmp.Or(slug, "ninja"), Name: cmp.Or(name, "Ninja Rockets"), Password: rand.Text()}
	for i, name := range cast {
		c.People = append(c.People, seed.Person{Name: name, Role: []string{"owner", "member"}[min(i, 1)]})
	}
	return onDatabase(ctx, func(d *db.DB) error {
		_, members, err := seed.Create(ctx, d, c)
		if err != nil {
			return err
		}
		s := seeder{token: members[0].Token, people: map[string]string{}}
		for _, m := range members {
			s.people[m.Handle] = m.Token
		}
		return s.onServer(ctx, func() error {
			if err := s.fillAll(); err != nil {
				return err
			}
			welcome(c, members)
			return nil
		})
	})
}

// onServer starts the app, on a port of its own, while use runs.
func (s *seeder) onServer(ctx context.Context, use func() error) error {
	serve := exec.CommandContext(ctx, "bin/counterfoil", "serve")
	serve.Cancel = func() error { return serve.Process.Signal(syscall.SIGTERM) }
	serve.Env = append(os.Environ(), "COUNTERFOIL_ADDR=127.0.0.1:0", "COUNTERFOIL_URL=", "COUNTERFOIL_API_RATE=off",
		"COUNTERFOIL_METRICS_ADDR=off")
	var log strings.Builder
	serve.Stderr = &log
	out, err := serve.StdoutPipe()
	if err != nil {
		return err
	}
	if err := serve.Start(); err != nil {
		return fmt.Errorf("start the app (make build makes it): %w", err)
	}
	defer func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		_ = serve.Wait()
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ready := strings.CutPrefix(lines.Text(), "Counterfoil is ready at "); ready {
			s.url = url
			return use()
		}
	}
	return fmt.Errorf("the app did not start: %s", log.String())
}

// large makes a company with five years of tickets.
func large(ctx context.Context, slug, name string) error {
	c := seed.Company{Slug: cmp.Or(slug, "fjord"), Name: cmp.Or(name, "Fjord Instruments"), Password: rand.Text()}
	size, start := seed.Large(time.Now()), time.Now()
	return onDatabase(ctx, func(d *db.DB) error {
		members, err := seed.Fill(ctx, d, c, size, func(tickets int) {
			if tickets%20_000 == 0 {
				fmt.Printf("%d of %d tickets, after %s\n", tickets, size.Tickets, time.Since(start).Round(time.Second))
			}
		})
		if err != nil {
			return err
		}
		fmt.Printf("%s has %d boards with %d tickets and %d comments. A running app publishes them in its feeds.\n", c.Name,
			size.Boards, size.Tickets, size.Comments)
		welcome(c, members)
		return nil
	})
}

// welcome prints how to sign in.
func welcome(c seed.Company, members []seed.Member) {
	fmt.Printf("It is at /%s. Everyone has the password %s, which is shown only now:\n", c.Slug, c.Password)
	for _, m := range members[:min(len(members), 4)] {
		fmt.Printf("  %s (%s, %s)\n", m.Email, m.Name, m.Role)
	}
	fmt.Println("The operator of the database, if there was one, is an owner, too.")
}
