//go:build soak

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/feedclient"
)

// busy is an install with a server and workers that do a run, writers that open tickets, and a reader of the feed.
type busy struct {
	*install
	t        *testing.T
	server   *process
	workers  []*process
	operator context.Context
	app      *app.App
	db       *db.DB
	run      id.Run
	tasks    int
	api      *client
	reader   *replica
	done     load
	stop     func()
}

// newBusy begins with a run of the ledger, whose lease is three seconds unless knobs say otherwise.
func newBusy(t *testing.T, i *install, api *client, tasks int, knobs migrations.KnobChange) *busy {
	t.Helper()
	b := &busy{install: i, t: t, tasks: tasks, api: api, reader: newReplica(),
		done: load{keys: map[string]string{}}}
	b.server, b.workers = i.serve(t), []*process{i.work(t), i.work(t)}
	b.operator, b.app, b.db = i.operator(t)
	b.api.board(t, b.server.url, "NINJA")
	domaintest.Exec(t, b.db, `CREATE TABLE ledger (task_id BIGINT UNSIGNED NOT NULL, number BIGINT NOT NULL,
		PRIMARY KEY (task_id), UNIQUE KEY (number)) ENGINE=InnoDB`)
	run := domaintest.OK(b.app.Console.OpenRun(b.operator, "ledger",
		migrations.Values{"tasks": strconv.Itoa(tasks)}, migrations.Draft{}, nil))(t)
	b.run = run.ID
	b.until("is filled", func(r migrations.Run) bool { return r.State == migrations.Ready })
	if len(knobs) > 0 {
		domaintest.OK(b.app.Console.ChangeKnobs(b.operator, b.run, knobs))(t)
	}
	domaintest.OK(b.app.Console.StartRun(b.operator, b.run, 0, nil))(t)
	b.until("begins", func(r migrations.Run) bool { return r.Progress.Done() > 0 })
	url := b.server.url
	followed(t, &feedclient.Client{URL: url, Token: i.token},
		feedclient.Options{Feed: "tickets", Board: "NINJA", Mode: feedclient.Stream}, b.reader)
	b.write(url)
	return b
}

// write has four writers open tickets until stop is called: each is opened once, however often it is asked for.
func (b *busy) write(url string) {
	ctx, cancel := context.WithCancel(b.t.Context())
	var writing sync.WaitGroup
	for n := range 4 {
		writing.Go(func() {
			for k := 0; ctx.Err() == nil; k++ {
				title := fmt.Sprintf("Ticket %d of writer %d", k, n)
				began := time.Now()
				ticket, err := b.api.open(func() string { return url }, "NINJA", title, patience)
				if err != nil {
					b.t.Errorf("%s: %v", title, err)
					return
				}
				b.done.add(b.t, ticket, title, time.Since(began))
			}
		})
	}
	b.stop = sync.OnceFunc(func() { cancel(); writing.Wait() })
	b.t.Cleanup(b.stop)
}

func (b *busy) opened() int {
	b.done.mu.Lock()
	defer b.done.mu.Unlock()
	return len(b.done.keys)
}

func (b *busy) until(what string, wanted func(migrations.Run) bool) migrations.Run {
	b.t.Helper()
	return until(b.t, b.app, b.operator, b.run, what, wanted)
}

// goesOn waits until tickets are opened, the reader has one that was opened now, and tasks are done.
func (b *busy) goesOn(what string) {
	b.t.Helper()
	opened, read := b.opened(), b.read()
	done := domaintest.OK(b.app.Console.Run(b.operator, b.run))(b.t).Progress.Done()
	domaintest.Until(b.t, what+": tickets are opened and read", func() bool {
		return b.t.Failed() || b.opened() > opened+4 && b.read() > read+4
	}, b.server.logged)
	b.until(what+": gets on", func(r migrations.Run) bool { return !r.State.IsActive() || r.Progress.Done() > done+20 })
}

func (b *busy) read() int {
	b.reader.mu.Lock()
	defer b.reader.mu.Unlock()
	return len(b.reader.rows)
}

// alive are the ids of the processes' workers that count as alive, 0 for none.
func (b *busy) alive() (ids []int) {
	b.t.Helper()
	for _, p := range b.all() {
		ids = append(ids, domaintest.Number(b.t, b.db,
			"SELECT COALESCE(MAX(id), 0) FROM migration_worker WHERE pid = ? AND state = 'active'", p.cmd.Process.Pid))
	}
	return ids
}

// allAlive waits until each process has a worker, and returns the workers' ids.
func (b *busy) allAlive() (ids []int) {
	b.t.Helper()
	domaintest.Until(b.t, "each process has a worker", func() bool {
		ids = b.alive()
		return !slices.Contains(ids, 0)
	})
	return ids
}

func (b *busy) all() []*process { return append(slices.Clone(b.workers), b.server) }

// logs are those of all processes.
func (b *busy) logs() string {
	text := new(strings.Builder)
	for _, p := range b.all() {
		fmt.Fprintf(text, "process %d:\n%s", p.cmd.Process.Pid, p.logged())
	}
	return text.String()
}

// ends waits for the end of the run and fails the test unless each task is written once, each acknowledged ticket is
// there once and was read, and verify is clean.
func (b *busy) ends() migrations.Run {
	b.t.Helper()
	b.stop()
	done := b.until("is complete", func(r migrations.Run) bool { return r.State == migrations.Complete })
	failed := b.tasks / 50
	domaintest.Counts(b.t, b.db, b.tasks-failed, "SELECT COUNT(*) FROM ledger")
	if p := done.Progress; int(p.Complete) != b.tasks-failed || int(p.Failed) != failed {
		b.t.Errorf("%d tasks, %d of which fail: %+v", b.tasks, failed, p)
	}
	stored, titles := b.api.list(b.t, b.server.url, "NINJA"), map[string]bool{}
	for key, title := range stored {
		if titles[title] {
			b.t.Errorf("%s: %q is there twice", key, title)
		}
		titles[title] = true
	}
	for key, title := range b.done.keys {
		if stored[key] != title {
			b.t.Errorf("%s was acknowledged as %q and is %q", key, title, stored[key])
		}
	}
	b.reader.becomes(b.t, "the reader has all tickets", func() bool { return len(b.reader.rows) == len(stored) })
	b.verified(b.t)
	b.t.Logf("%d tickets acknowledged, %d stored; %+v", len(b.done.keys), len(stored), done.Progress)
	return done
}
