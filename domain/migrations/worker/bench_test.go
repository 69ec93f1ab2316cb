package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/migrationstest"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
)

// env is an engine and a process of it on a database, with one migration called "try".
type env struct {
	*migrations.Engine
	t testing.TB
	d *db.DB
	m *migrations.Migration
	p *Process
}

func newEnv(t testing.TB, d *db.DB, m *migrations.Migration) env {
	t.Helper()
	m.Name = "try"
	if m.Fill == nil {
		m.Fill = func(context.Context, migrations.Filler) error { return nil }
	}
	engine := migrations.New(d, nil, testLog(), m)
	return env{Engine: engine, t: t, d: d, m: m, p: newProcess(d, engine)}
}

func newProcess(d *db.DB, engine *migrations.Engine) *Process {
	return New(d, engine, monitor.New(d, engine), "test", testLog())
}

func testLog() *slog.Logger {
	if os.Getenv("COUNTERFOIL_TEST_LOG") == "" {
		return nil
	}
	return slog.New(slog.NewTextHandler(os.Stderr, nil))
}

// another is the same engine as another process has it.
func (b env) another() env { return newEnv(b.t, b.d, b.m) }

// running adds a run with so many open tasks, whose payloads are their numbers from 0 on.
func (b env) running(tasks int, knobs migrations.Knobs) id.Run {
	b.t.Helper()
	text := domaintest.OK(json.Marshal(knobs.OrDefaults()))(b.t)
	run := id.Run(b.exec(`INSERT INTO migration_run (name, params, same_key, state, state_since, knobs, actor, created_at, started_at)
		VALUES ('try', '{}', '', 'running', NOW(6), ?, 'test', NOW(6), NOW(6))`, string(text)))
	for from := 0; from < tasks; from += 1000 {
		n := min(1000, tasks-from)
		args := make([]any, 0, 2*n)
		for i := range n {
			args = append(args, uint64(run), fmt.Sprint(from+i))
		}
		b.exec(`INSERT INTO migration_task (run_id, payload) VALUES `+strings.Repeat("(?,?),", n-1)+"(?,?)", args...)
	}
	b.exec(`UPDATE migration_run SET total = ? WHERE id = ?`, tasks, uint64(run))
	return run
}

func (b env) exec(query string, args ...any) int64 {
	b.t.Helper()
	return domaintest.Exec(b.t, b.d, query, args...)
}

func (b env) number(query string, args ...any) int {
	b.t.Helper()
	return domaintest.Number(b.t, b.d, query, args...)
}

func (b env) counts(want int, query string, args ...any) {
	b.t.Helper()
	domaintest.Counts(b.t, b.d, want, query, args...)
}

// works has the process work until the test ends, or stop is called.
func (b env) works() (stop func()) {
	b.t.Helper()
	return works(b.t, b.p)
}

func works(t testing.TB, p *Process) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := p.Work(ctx); err != nil {
			t.Error(err)
		}
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// until waits for a condition.
func (b env) until(what string, holds func() bool) {
	b.t.Helper()
	domaintest.Until(b.t, what, holds)
}

// waits waits until another connection executes a statement with a regular expression, which waits for a lock.
func (b env) waits(expression string) {
	b.t.Helper()
	b.until("a statement waits", func() bool {
		return dbtest.Others(b.t, b.d.SQL, dbtest.Running(expression)) > 0
	})
}

func (b env) state(run id.Run) migrations.State { return b.row(run).State }

func (b env) waitFor(run id.Run, state migrations.State) {
	b.t.Helper()
	b.until(string("the run is "+state), func() bool { return b.state(run) == state })
}

func (b env) progress(run id.Run) migrations.Progress {
	b.t.Helper()
	now := domaintest.OK(b.Run(b.t.Context(), run))(b.t)
	return now.Progress
}

// adds compares what the counters of a run say with its tasks.
func (b env) adds(run id.Run) {
	b.t.Helper()
	p := b.progress(run)
	for state, n := range map[string]int64{
		migrations.TaskOpen: p.Open, migrations.TaskProcessing: p.Processing, migrations.TaskWaiting: p.Waiting,
		migrations.TaskComplete: p.Complete, migrations.TaskFailed: p.Failed, migrations.TaskSkipped: p.Skipped,
	} {
		if there := b.tasksIn(run, state); there != n {
			b.t.Errorf("%d tasks are %s; the counters say %d", there, state, n)
		}
	}
	if there := b.number("SELECT COUNT(*) FROM migration_attempt WHERE run_id = ?",
		uint64(run)); int64(there) != p.Errors {
		b.t.Errorf("%d attempts are written down; the counters say %d", there, p.Errors)
	}
}

// manualWorker is a worker whose steps the test calls.
type manualWorker struct {
	*dispatcher
	b env
	k *keeper
}

func (b env) manualWorker(run id.Run) manualWorker {
	b.t.Helper()
	w := domaintest.OK(b.p.signOn(b.t.Context(), migrations.WorkerActive))(b.t)
	w.active.Store(1)
	w.lastRead.Store(&readTimes{time.Now().Add(time.Hour), time.Now().Add(time.Hour)})
	return manualWorker{w.dispatcher(b.row(run), b.m), b, &keeper{w: w}}
}

func (b env) row(run id.Run) migrations.Run {
	b.t.Helper()
	row := domaintest.OK(b.d.RunByID(b.t.Context(), run))(b.t)
	return domaintest.OK(b.WorkingRun(row))(b.t)
}

// claims claims n tasks.
func (h manualWorker) claims(n int) []*attempt {
	h.b.t.Helper()
	return domaintest.OK(h.exchange(nil, n))(h.b.t)
}

// ends writes that the tasks came to this.
func (h manualWorker) ends(list []*attempt, came outcome, err error) {
	h.b.t.Helper()
	for _, task := range list {
		task.outcome, task.err, task.began = came, err, time.Now()
	}
	domaintest.OK(h.exchange(list, 0))(h.b.t)
}

// dies has the worker's lease end, and does what the keeper does then.
func (h manualWorker) dies(run id.Run, keeper manualWorker) {
	h.b.t.Helper()
	h.b.exec("UPDATE migration_worker SET lease_until = NOW(6) - INTERVAL 1 SECOND WHERE id = ?", uint64(h.w.id))
	if died, err := keeper.k.declareDead(h.b.t.Context()); err != nil || !died {
		h.b.t.Fatal(died, err)
	}
	domaintest.Must(h.b.t, keeper.k.reap(h.b.t.Context(), h.b.row(run)))
}

func (b env) tasksIn(run id.Run, state string) int64 {
	b.t.Helper()
	return int64(b.number("SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND state = ?", uint64(run), state))
}

func noop(context.Context, *migrations.Work) error { return nil }

// fillEnv is an operator before an engine, and a process that fills its runs.
type fillEnv struct {
	*migrationstest.Env
	p *Process
}

func newFillEnv(t testing.TB, list ...*migrations.Migration) *fillEnv {
	t.Helper()
	d := migrationstest.New(t, list...)
	p := newProcess(d.DB, d.Engine)
	d.Fill = p.Fill
	return &fillEnv{d, p}
}

// waitFor waits until the run is in the state.
func (d *fillEnv) waitFor(run id.Run, state migrations.State) migrations.Run {
	d.T.Helper()
	domaintest.Until(d.T, string("the run is "+state), func() bool { return d.Now(run).State == state })
	return d.Now(run)
}
