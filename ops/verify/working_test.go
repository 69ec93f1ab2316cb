package verify_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Invariants that must hold at every moment are checked while users work.
func TestWhileWorkersRun(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	for i := range 300 {
		ticket := domaintest.OK(env.Workflows.OpenTicket(env.ctx, "EMPTY", tickets.Draft{Title: fmt.Sprint("Ticket ", i)},
			nil))(t)
		if i%3 == 0 {
			domaintest.Must(t, env.Workflows.DeleteTicket(env.ctx, ticket.Key))
		}
	}
	env.corrupt(t, "UPDATE ticket SET deleted_at = deleted_at - INTERVAL 100 DAY WHERE deleted_at IS NOT NULL")
	domaintest.Must(t, env.Console.Release(env.ctx)) // the sample is stopped
	ctx, stop := context.WithTimeout(env.ctx, 15*time.Minute)
	for n := 1; n > 0; { // only what is published is purged
		var err error
		n, err = env.Feeds.RunOnce(ctx, "tickets")
		domaintest.Must(t, err)
	}
	defer stop()
	working, end := context.WithCancel(ctx)
	var workers sync.WaitGroup
	for range 2 {
		w := app.New(env.db, apptest.WithKeys)
		workers.Go(func() { _ = w.Worker.Work(working) })
		workers.Go(func() { w.Feeds.Run(working) })
	}
	defer workers.Wait()
	defer end()
	var open []id.Run
	for name, values := range map[string]migrations.Values{
		"rebalance-ranks": {"company": "acme", "board": "EMPTY"}, "purge-deleted": {}, "purge-runs": {},
		"re-render-markdown": {"company": "acme"},
	} {
		run := domaintest.OK(env.Console.OpenRun(ctx, name, values, migrations.Draft{}, nil))(t)
		open = append(open, run.ID)
	}
	looks := 0
	for over := 0; over < len(open); looks++ {
		domaintest.Must(t, ctx.Err())
		over = 0
		for _, one := range open {
			run := domaintest.OK(env.Console.Run(ctx, one))(t)
			switch run.State {
			case migrations.Ready:
				domaintest.OK(env.Console.StartRun(ctx, one, 0, nil))(t)
			case migrations.Complete:
				over++
			}
		}
		if report := env.verify(t); !report.OK() {
			report.Text(t.Output())
			t.Fatal("findings while workers run")
		}
	}
	t.Logf("looked %d times", looks)
	var left, purged int
	domaintest.Must(t, env.db.SQL.QueryRow(
		"SELECT (SELECT COUNT(*) FROM ticket WHERE deleted_at IS NOT NULL), (SELECT SUM(purged) FROM board_ticket_incrementer)").Scan(&left, &purged))
	if left != 0 || purged != 101 { // with NINJA-3
		t.Errorf("%d deleted tickets are left, %d were purged", left, purged)
	}
}
