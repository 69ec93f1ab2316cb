package migrations

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/id"
)

// bench is an engine on a database of its own, with one migration called "try".
type workbench struct {
	*Engine
	t testing.TB
	d *db.DB
}

func noFill(context.Context, Filler) error { return nil }

func newBench(t testing.TB, d *db.DB, m *Migration) workbench {
	t.Helper()
	m.Name = "try"
	if m.Fill == nil {
		m.Fill = noFill
	}
	options := Options{Version: "test"}
	if os.Getenv("COUNTERFOIL_TEST_LOG") != "" {
		options.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return workbench{Engine: New(d, nil, options, m), t: t, d: d}
}

// another is the same engine as another process has it.
func (b workbench) another() workbench {
	return newBench(b.t, b.d, b.registry["try"])
}

// running adds a run with so many open tasks, whose payloads are their numbers from 0 on.
func (b workbench) running(tasks int, knobs Knobs) id.Run {
	b.t.Helper()
	text, err := json.Marshal(knobs.orDefaults())
	if err != nil {
		b.t.Fatal(err)
	}
	result := b.exec(`INSERT INTO migration_run (name, params, same_key, state, state_since, knobs, actor, created_at, started_at)
		VALUES ('try', '{}', '', 'running', NOW(6), ?, 'test', NOW(6), NOW(6))`, string(text))
	run := id.Run(result)
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

func (b workbench) exec(query string, args ...any) int64 {
	b.t.Helper()
	result, err := b.d.SQL.Exec(query, args...)
	if err != nil {
		b.t.Fatal(err)
	}
	last, err := result.LastInsertId()
	if err != nil {
		b.t.Fatal(err)
	}
	return last
}

func (b workbench) number(query string, args ...any) (n int64) {
	b.t.Helper()
	if err := b.d.SQL.QueryRow(query, args...).Scan(&n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

// works has the engine work until the test ends, or stop is called.
func (b workbench) works() (stop func()) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := b.Work(ctx); err != nil {
			b.t.Error(err)
		}
	}()
	stop = func() { cancel(); <-done }
	b.t.Cleanup(stop)
	return stop
}

// until waits for a condition.
func (b workbench) until(what string, holds func() bool) {
	b.t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	b.t.Fatalf("it never came to pass: %s", what)
}

func (b workbench) state(run id.Run) State {
	b.t.Helper()
	row, err := b.d.RunByID(b.t.Context(), run)
	if err != nil {
		b.t.Fatal(err)
	}
	return State(row.State)
}

func (b workbench) comesTo(run id.Run, state State) {
	b.t.Helper()
	b.until(string("the run is "+state), func() bool { return b.state(run) == state })
}

func (b workbench) progress(run id.Run) Progress {
	b.t.Helper()
	row, err := b.d.RunByID(b.t.Context(), run)
	if err != nil {
		b.t.Fatal(err)
	}
	p, err := b.d.ProgressOf(b.t.Context(), run)
	if err != nil {
		b.t.Fatal(err)
	}
	return progressOf(row.Total, p)
}

// adds compares what the counters of a run say with its tasks.
func (b workbench) adds(run id.Run) {
	b.t.Helper()
	p := b.progress(run)
	for state, n := range map[string]int64{
		TaskOpen: p.Open, TaskProcessing: p.Processing, TaskWaiting: p.Waiting, TaskComplete: p.Complete, TaskFailed: p.Failed, TaskSkipped: p.Skipped,
	} {
		if there := b.number("SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND state = ?", uint64(run), state); there != n {
			b.t.Errorf("%d tasks are %s; the counters say %d", there, state, n)
		}
	}
	if there := b.number("SELECT COUNT(*) FROM migration_attempt WHERE run_id = ?", uint64(run)); there != p.Errors {
		b.t.Errorf("%d attempts are written down; the counters say %d", there, p.Errors)
	}
}

func TestWork(t *testing.T) {
	t.Parallel()
	t.Run("every task of a run is processed once, by several workers", func(t *testing.T) {
		t.Parallel()
		var done [1000]atomic.Int64
		b := newBench(t, dbtest.Open(t), &Migration{Process: func(_ context.Context, w *Work) error {
			var n int
			if _, err := fmt.Sscan(w.Task.Payload, &n); err != nil {
				return err
			}
			done[n].Add(1)
			w.Note("did " + w.Task.Payload)
			return nil
		}})
		run := b.running(len(done), Knobs{})
		for range 3 {
			b.another().works()
		}
		b.comesTo(run, Complete)
		for n := range done {
			if times := done[n].Load(); times != 1 {
				t.Errorf("task %d was processed %d times", n, times)
			}
		}
		b.adds(run)
		if n := b.number("SELECT COUNT(*) FROM migration_task WHERE note = CONCAT('did ', payload)"); n != int64(len(done)) {
			t.Errorf("%d notes", n)
		}
	})
}
