package web_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// runSize is how many tasks the run of TestALargeRun has.
func runSize(t *testing.T) int {
	t.Helper()
	if !soak {
		return 20_000
	}
	n := 5_000_000
	if text := os.Getenv("COUNTERFOIL_SOAK_TASKS"); text != "" {
		if _, err := fmt.Sscan(text, &n); err != nil || n < 100_000 {
			t.Fatalf("COUNTERFOIL_SOAK_TASKS is %q; a number from 100000", text)
		}
	}
	return n
}

// tasksAtOnce is how many rows a statement writes that makes a run large.
const tasksAtOnce = 50_000

// largeRun is a run with so many open tasks that is paused.
func (e *env) largeRun(tasks int) id.Run {
	e.t.Helper()
	run := e.readyRun(tasks)
	const digits = "(SELECT 0 n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
	fill := fmt.Sprintf("INSERT INTO migration_task (run_id, line, payload) SELECT ?, a.n, "+
		"CONCAT('https://images.example.com/', a.n, b.n, c.n, d.n, e.n, '.png') FROM %[1]s a, %[1]s b, %[1]s c, %[1]s d, "+
		"%[1]s e LIMIT ?", digits)
	for done := 0; done < tasks; done += tasksAtOnce {
		e.exec(fill, run, min(tasksAtOnce, tasks-done))
	}
	e.exec("ANALYZE TABLE migration_task")
	e.exec("UPDATE migration_run SET state = 'paused', started_at = NOW(6) WHERE id = ?", run)
	return run
}

// completeTasks completes the run's tasks up to so many, but every hundredth, which failed.
func (e *env) completeTasks(run id.Run, upto int) {
	e.t.Helper()
	first := e.count("SELECT MIN(id) FROM migration_task WHERE run_id = ?", run)
	worker := e.exec("INSERT INTO migration_worker (host, pid, version, state, started_at, beat_at, lease_until) VALUES " +
		"('app-1', 4242, 'v1', 'stopped', NOW(6), NOW(6), NOW(6))")
	last := first + e.count("SELECT MAX(id) - MIN(id) + 1 FROM migration_task WHERE run_id = ?",
		run)*int64(upto)/e.count("SELECT total FROM migration_run WHERE id = ?", run)
	for from := first; from < last; from += tasksAtOnce {
		e.exec(`UPDATE migration_task SET state = IF(id % 100 = 0, 'failed', 'complete'), fingerprint = IF(id % 100 = 0, UNHEX(?), NULL),
			fence = 1, worker_id = ?, attempt = 1, claimed_at = NOW(6), finished_at = NOW(6)
			WHERE run_id = ? AND state = 'open' AND id >= ? AND id < ?`, fingerprint, worker, run, from,
			min(from+tasksAtOnce, last))
	}
	e.exec("DELETE FROM migration_counter WHERE run_id = ?", run)
	e.exec(`INSERT INTO migration_counter (run_id, worker_id, complete, failed, errors)
		SELECT run_id, 0, SUM(state = 'complete'), SUM(state = 'failed'), SUM(state = 'failed') FROM migration_task WHERE run_id = ? GROUP BY run_id`, run)
	e.exec(`INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at)
		SELECT run_id, fingerprint, 'It answers 503.', MIN(id), COUNT(*), COUNT(*), NOW(6), NOW(6) FROM migration_task WHERE run_id = ? AND state = 'failed' GROUP BY run_id, fingerprint`, run)
	e.exec("ANALYZE TABLE migration_task")
}

// claims has a worker do some more of the run's tasks in several rounds, and returns what 99 of 100 claims took at
// most in the middle one of them: a stall of the disk in one or two does not count.
func (e *env) claims(run id.Run, rounds int, tasks int64) time.Duration {
	e.t.Helper()
	var took []time.Duration
	for range rounds {
		took = append(took, e.claim(run, tasks))
	}
	slices.Sort(took)
	e.t.Logf("99 of 100 claims took at most %s in each round", took)
	return took[rounds/2]
}

// claim has a worker do some more of the run's tasks, ten in a block, and returns what 99 of 100 of its
// last claims took at most, each with its commit: 512 of them at most.
func (e *env) claim(run id.Run, tasks int64) time.Duration {
	e.t.Helper()
	operator := console.AsCommandLine(context.Background())
	w := e.workflows
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Worker.Work(ctx) }()
	before := e.tally(run)
	domaintest.OK(w.Console.ResumeRun(operator, run))(e.t)
	domaintest.Until(e.t, "the tasks are done", func() bool { return e.tally(run) >= before+tasks })
	domaintest.OK(w.Console.PauseRun(operator, run))(e.t)
	domaintest.Until(e.t, "the run is paused", func() bool {
		now := domaintest.OK(w.Console.Run(operator, run))(e.t)
		return now.State == migrations.Paused
	})
	stop()
	domaintest.Must(e.t, <-ended)
	times := w.Worker.ClaimTimes()
	slices.Sort(times)
	return times[len(times)*99/100]
}

func (e *env) tally(run id.Run) int64 {
	e.t.Helper()
	return e.count("SELECT COALESCE(SUM(complete + failed), 0) FROM migration_counter WHERE run_id = ?", run)
}

// reads are how many rows and index entries the server read for an answer.
func (e *env) reads(ask func()) (n int64) {
	e.t.Helper()
	e.db.SQL.SetMaxOpenConns(1) // the server counts for each connection
	defer e.db.SQL.SetMaxOpenConns(0)
	before := e.touched()
	ask()
	return e.touched() - before
}

func (e *env) touched() (n int64) {
	e.t.Helper()
	rows := domaintest.OK(e.db.SQL.Query("SHOW SESSION STATUS LIKE 'Handler_read%'"))(e.t)
	defer rows.Close()
	for rows.Next() {
		var name string
		var reads int64
		domaintest.Must(e.t, rows.Scan(&name, &reads))
		if !strings.EqualFold(name, "Handler_read_rnd_deleted") && !strings.EqualFold(name, "Handler_read_retry") {
			n += reads
		}
	}
	domaintest.Must(e.t, rows.Err())
	return n
}

// rested waits until the server has forgotten what the tasks were before, and has written to disk what was done all
// at once: a run that came so far by itself leaves neither behind.
func (e *env) rested() {
	e.t.Helper()
	e.exec("SET GLOBAL innodb_max_dirty_pages_pct = 0")
	defer e.exec("SET GLOBAL innodb_max_dirty_pages_pct = 90")
	domaintest.Until(e.t, "the server comes to rest", func() bool {
		dirty, _ := e.status("Innodb_buffer_pool_pages_dirty")
		return dirty < 500 && e.history() < 1000
	})
}

// history is how much the server has yet to forget.
func (e *env) history() int64 {
	e.t.Helper()
	if n, ok := e.status("Innodb_history_list_length"); ok {
		return n
	}
	return e.count("SELECT `count` FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'") // MySQL
}

func (e *env) status(of string) (n int64, ok bool) {
	e.t.Helper()
	var name string
	err := e.db.SQL.QueryRow("SHOW GLOBAL STATUS LIKE '"+of+"'").Scan(&name, &n)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		e.t.Fatal(err)
	}
	return n, err == nil
}

// TestALargeRun has a run whose size must slow down neither claims when nearly all of it is done, nor its pages. `make
// soak` has one of five million tasks.
func TestALargeRun(t *testing.T) {
	const (
		most     = 2000 // rows and index entries that an answer may read
		fragment = "all that may change"
	)
	e := newEnv(t)
	size := runSize(t)
	rounds, worked := 1, size/200
	if soak {
		rounds, worked = 5, 6000 // enough for all claims that are remembered to be new ones
	}
	began := time.Now()
	run := e.largeRun(size)
	t.Logf("%d tasks filled in %s", size, time.Since(began).Round(time.Second))
	ana := e.operator()

	looks := func(when string) {
		live := ana.htmx(views.RunID)
		for what, ask := range map[string]func(){
			"the page": func() { ana.get(views.RunPath(run)).is(t, http.StatusOK) },
			fragment:   func() { live.get(views.RunLivePath(run)).is(t, http.StatusOK) },
		} {
			ask() // sessions and what is kept in memory are read
			if n := e.reads(ask); n > most {
				t.Errorf("%s, %s reads %d rows", when, what, n)
			} else {
				t.Logf("%s, %s reads %d rows", when, what, n)
			}
			var p50s, p95s []float64
			for range rounds {
				var times []time.Duration
				for range 100 {
					start := time.Now()
					ask()
					times = append(times, time.Since(start))
				}
				p50s, p95s = append(p50s, percentile(times, 50)), append(p95s, percentile(times, 95))
			}
			slices.Sort(p50s)
			slices.Sort(p95s)
			p95 := p95s[rounds/2]
			t.Logf("%s, %s takes %.1f ms (p50), %.1f ms (p95)", when, what, p50s[rounds/2], p95)
			if soak && what == fragment && p95 >= 30 {
				t.Errorf("%s, %s takes %.1f ms (p95), not less than 30", when, what, p95)
			}
		}
	}
	if soak {
		e.rested()
	}
	fresh := e.claims(run, rounds, int64(worked))
	looks("at 0 %")
	began = time.Now()
	e.completeTasks(run, size-max(size/100, (rounds+2)*worked)) // a round does a little more than it must
	t.Logf("99 %% done in %s", time.Since(began).Round(time.Second))
	if soak {
		e.rested()
	}
	late := e.claims(run, rounds, int64(worked))
	looks("at 99 %")
	t.Logf("99 of 100 claims took at most %s at 0 %%, %s at 99 %%", fresh, late)
	if soak && late > 2*fresh {
		t.Errorf("claims take longer when most is done: %s, not %s", late, fresh)
	}
	var bytes sql.NullInt64
	domaintest.Must(t, e.db.SQL.QueryRow(
		"SELECT SUM(data_length + index_length) FROM information_schema.tables WHERE table_schema "+
			"= "+
			"DATABASE() AND table_name = 'migration_task'").Scan(&bytes))
	t.Logf("the tasks take %d MiB", bytes.Int64>>20)
}
