package main

import (
	"context"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// uncancellable has tasks that take some milliseconds, also if their context has ended, and write nothing.
func uncancellable() *migrations.Migration {
	return &migrations.Migration{
		Name: "uncancellable", Title: "Uncancellable", Description: "For tests.",
		Params: []migrations.Param{
			{Name: "tasks", Label: "Tasks", Kind: migrations.Number, Required: true, Min: 1, Max: 10_000_000},
			{Name: "ms", Label: "Milliseconds", Kind: migrations.Number, Required: true, Min: 0, Max: 10_000},
		},
		Fill: ledger().Fill,
		Process: func(_ context.Context, work *migrations.Work) error {
			ms, err := strconv.Atoi(work.Values["ms"])
			_ = wait.Sleep(context.Background(), time.Duration(ms)*time.Millisecond)
			return err
		},
		Knobs: migrations.Knobs{Concurrency: 8, Block: 10, Attempts: 50, Backoff: 100 * time.Millisecond,
			Lease: 3 * time.Second},
	}
}

// clock is the database's time.
func clock(t *testing.T, d *db.DB) (now time.Time) {
	t.Helper()
	domaintest.Must(t, d.SQL.QueryRow("SELECT NOW(6)").Scan(&now))
	return now
}

// keeperGetsTo waits until the keeper, which runs once a second, renewed its lease more than so many seconds after a
// time: until then the workers have run, too.
func keeperGetsTo(t *testing.T, d *db.DB, after time.Time, seconds int) {
	t.Helper()
	domaintest.Until(t, "the keeper renews its lease", func() bool {
		return domaintest.Number(t, d,
			"SELECT COUNT(*) FROM migration_lease WHERE name = 'keeper' AND renewed_at > ? + INTERVAL ? SECOND", after,
			seconds) > 0
	})
}

// freezeHolding freezes a worker with claimed tasks, and returns its id and theirs.
func freezeHolding(t *testing.T, d *db.DB, p *process) (worker uint64, held []uint64) {
	t.Helper()
	pid := p.cmd.Process.Pid
	domaintest.Until(t, "the worker holds a task", func() bool {
		worker = uint64(domaintest.Number(t, d,
			"SELECT COALESCE(MAX(id), 0) FROM migration_worker WHERE pid = ? AND state = 'active'", pid))
		freeze(t, pid)
		if held = heldBy(t, d, worker); len(held) > 0 {
			return true
		}
		domaintest.Must(t, syscall.Kill(pid, syscall.SIGCONT))
		return false
	})
	return worker, held
}

// heldBy returns the tasks that a worker has claimed, none while a transaction of its own may still complete some.
func heldBy(t *testing.T, d *db.DB, worker uint64) (list []uint64) {
	t.Helper()
	tx, err := d.SQL.Begin()
	domaintest.Must(t, err)
	defer func() { _ = tx.Rollback() }()
	rows, err := tx.Query("SELECT id FROM migration_task WHERE worker_id = ? AND state = 'processing' FOR UPDATE NOWAIT",
		worker)
	if err != nil {
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var n uint64
		domaintest.Must(t, rows.Scan(&n))
		list = append(list, n)
	}
	if rows.Err() != nil { // it is locked
		return nil
	}
	return list
}

// TestNothingIsClaimedAfterAStop pauses a run that three workers claim as fast as they can. Two seconds later, by the
// database's clock, nothing is claimed, not even by a worker that was frozen anywhere in its claim when the run was
// paused.
func TestNothingIsClaimedAfterAStop(t *testing.T) {
	t.Parallel()
	rounds := 4
	if soak {
		rounds = 50
	}
	i := onPrivate(t)
	operator, w, d := i.operator(t)
	workers := []*process{i.work(t), i.work(t), i.work(t)}
	run := domaintest.OK(w.Console.OpenRun(operator, "uncancellable",
		migrations.Values{"tasks": strconv.Itoa(rounds * 10_000), "ms": "20"}, migrations.Draft{}, nil))(t)
	until(t, w, operator, run.ID, "is filled", func(r migrations.Run) bool { return r.State == migrations.Ready })
	change := migrations.KnobChange{"lease": 60} // a frozen worker keeps its tasks
	domaintest.OK(w.Console.ChangeKnobs(operator, run.ID, change))(t)
	domaintest.OK(w.Console.StartRun(operator, run.ID, 0, nil))(t)
	for round := range rounds {
		before := int64(domaintest.Number(t, d, "SELECT COALESCE(SUM(complete), 0) FROM migration_counter WHERE run_id = ?",
			uint64(run.ID)))
		until(t, w, operator, run.ID, "gets on", func(r migrations.Run) bool { return r.Progress.Complete > before+200 })
		frozen := workers[round%len(workers)].cmd.Process.Pid
		still := round%2 == 1
		if still {
			freeze(t, frozen)
		}
		domaintest.OK(w.Console.PauseRun(operator, run.ID))(t)
		stopped := clock(t, d)
		if still {
			domaintest.Until(t, "the stop is past",
				func() bool { return clock(t, d).After(stopped.Add(2500 * time.Millisecond)) })
			domaintest.Must(t, syscall.Kill(frozen, syscall.SIGCONT))
		}
		until(t, w, operator, run.ID, "is paused", func(r migrations.Run) bool { return r.State == migrations.Paused })
		keeperGetsTo(t, d, stopped, 4)
		late := domaintest.Number(t, d,
			"SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND claimed_at > ? + INTERVAL 2 SECOND", uint64(run.ID),
			stopped)
		held := domaintest.Number(t, d, "SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND state = 'processing'",
			uint64(run.ID))
		if late != 0 || held != 0 {
			t.Errorf("round %d, one stood still: %t: %d tasks were claimed two seconds after the run was paused, %d are under way", round, still, late, held)
		}
		domaintest.OK(w.Console.ResumeRun(operator, run.ID))(t)
	}
	domaintest.OK(w.Console.CancelRun(operator, run.ID))(t)
	until(t, w, operator, run.ID, "is cancelled", func(r migrations.Run) bool { return r.State == migrations.Cancelled })
	i.verified(t)
}

// TestAWorkerThatComesLate freezes a worker with claimed tasks for longer than its lease. Its completions are refused
// afterwards, and each of the tasks, done by another, counts once.
func TestAWorkerThatComesLate(t *testing.T) {
	t.Parallel()
	const tasks = 300
	i := onPrivate(t)
	operator, w, d := i.operator(t)
	slow := i.work(t)
	run := domaintest.OK(w.Console.OpenRun(operator, "uncancellable",
		migrations.Values{"tasks": strconv.Itoa(tasks), "ms": "500"}, migrations.Draft{}, nil))(t)
	until(t, w, operator, run.ID, "is filled", func(r migrations.Run) bool { return r.State == migrations.Ready })
	domaintest.OK(w.Console.StartRun(operator, run.ID, 0, nil))(t)
	until(t, w, operator, run.ID, "begins", func(r migrations.Run) bool { return r.Progress.Complete > 0 })
	worker, held := freezeHolding(t, d, slow)
	others := []*process{i.work(t), i.work(t)}
	until(t, w, operator, run.ID, "takes back what it held",
		func(r migrations.Run) bool { return r.Progress.Reclaimed >= int64(len(held)) })
	domaintest.Must(t, syscall.Kill(slow.cmd.Process.Pid, syscall.SIGCONT))
	until(t, w, operator, run.ID, "is complete", func(r migrations.Run) bool { return r.State == migrations.Complete })
	done := until(t, w, operator, run.ID, "refuses what came late",
		func(r migrations.Run) bool { return r.Progress.Refused > 0 })
	if p := done.Progress; p.Complete != tasks || p.Done() != tasks || p.Processing != 0 || p.Open != 0 {
		t.Errorf("%d tasks: %+v", tasks, p)
	}
	domaintest.Counts(t, d, tasks, "SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND state = 'complete'",
		uint64(run.ID))
	for _, task := range held {
		if n := domaintest.Number(t, d,
			"SELECT COUNT(*) FROM migration_task WHERE id = ? AND state = 'complete' AND worker_id <> ?", task, worker); n != 1 {
			t.Errorf("task %d is not done by another", task)
		}
	}
	t.Logf("it held %d tasks, and %d that it finished late were refused", len(held), done.Progress.Refused)
	i.verified(t)
	for k, p := range append(others, slow) {
		if err := p.stop(t); err != nil {
			t.Errorf("worker %d ended with %v\n%s", k, err, p.logged())
		}
	}
}

// logTasks logs how tasks are that a frozen worker had claimed before a stop.
func logTasks(t *testing.T, d *db.DB, tasks []uint64, frozen uint64, stopped time.Time) {
	t.Helper()
	t.Logf("worker %d was frozen, the stop came at %s", frozen, stopped)
	for _, task := range tasks {
		var state, claimed, finished string
		var worker, attempt uint64
		err := d.SQL.QueryRow(`SELECT state, COALESCE(worker_id, 0), attempt, COALESCE(claimed_at, '-'), COALESCE(finished_at, '-')
			FROM migration_task WHERE id = ?`, task).Scan(&state, &worker, &attempt, &claimed, &finished)
		t.Logf("task %d is %s: worker %d, attempt %d, claimed at %s, finished at %s (%v)", task, state, worker, attempt, claimed, finished, err)
	}
}

// TestStopAll stops all runs of three processes, one of which stands still with claimed tasks. Within two seconds, by the
// database's clock, nothing is claimed or done any more, not when that one goes on, nor by a process that starts
// meanwhile. After the release all goes on as it was, and no task lost an attempt.
func TestStopAll(t *testing.T) {
	t.Parallel()
	i := onURL(t, dbtest.Empty(t))
	operator, w, d := i.operator(t)
	workers := []*process{i.work(t), i.work(t), i.work(t)}
	const tasks = 6000
	values := func(tasks int) migrations.Values {
		return migrations.Values{"tasks": strconv.Itoa(tasks), "ms": "60"}
	}
	open := func(tasks int) id.Run {
		run := domaintest.OK(w.Console.OpenRun(operator, "uncancellable", values(tasks), migrations.Draft{}, nil))(t)
		until(t, w, operator, run.ID, "is filled", func(r migrations.Run) bool { return r.State == migrations.Ready })
		domaintest.OK(w.Console.ChangeKnobs(operator, run.ID, migrations.KnobChange{"lease": 60, "attempts": 1}))(t)
		domaintest.OK(w.Console.StartRun(operator, run.ID, 0, nil))(t)
		return run.ID
	}
	paused, run := open(1000), open(tasks)
	domaintest.OK(w.Console.PauseRun(operator, paused))(t)
	until(t, w, operator, paused, "is paused", func(r migrations.Run) bool { return r.State == migrations.Paused })
	until(t, w, operator, run, "begins", func(r migrations.Run) bool { return r.Progress.Complete > 50 })
	frozen, held := freezeHolding(t, d, workers[0])

	if code, out := i.command(t, "migrations", "stop-all", "The images host complains."); code != 0 {
		t.Fatalf("stop-all: exit code %d\n%s", code, out)
	}
	var stopped time.Time
	domaintest.Must(t, d.SQL.QueryRow("SELECT stopped_at FROM migration_stop").Scan(&stopped))
	domaintest.Must(t, workers[1].cmd.Process.Kill()) // a stop survives restarts
	late := i.work(t)
	domaintest.Until(t, "the stop is past",
		func() bool { return clock(t, d).After(stopped.Add(2500 * time.Millisecond)) })
	t.Cleanup(func() {
		if t.Failed() {
			logTasks(t, d, held, frozen, stopped)
		}
	})
	for _, task := range held { // by the stop or, if it was too slow, by the keeper
		domaintest.Until(t, "what the one that stands still had claimed is open again, or was done before the stop", func() bool {
			return domaintest.Number(t, d, `SELECT COUNT(*) FROM migration_task WHERE id = ? AND (state = 'open' OR
				state = 'complete' AND finished_at <= ?)`, task, stopped) == 1
		})
	}
	done := domaintest.Number(t, d, "SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND state = 'complete'",
		uint64(run))
	domaintest.Must(t, syscall.Kill(workers[0].cmd.Process.Pid, syscall.SIGCONT))
	domaintest.Until(t, "the one that stood still begins anew", func() bool {
		return domaintest.Number(t, d,
			"SELECT COUNT(*) FROM migration_worker WHERE pid = ? AND id > ? AND beat_at > ? + INTERVAL 2 SECOND",
			workers[0].cmd.Process.Pid, frozen, stopped) > 0
	})
	domaintest.Until(t, "nothing is claimed", func() bool {
		return domaintest.Number(t, d, "SELECT COUNT(*) FROM migration_task WHERE state = 'processing'") == 0
	})
	keeperGetsTo(t, d, clock(t, d), 2)
	domaintest.Counts(t, d, done, "SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND state = 'complete'",
		uint64(run))
	domaintest.Counts(t, d, 0, `SELECT COUNT(*) FROM migration_task
		WHERE claimed_at > ? + INTERVAL 2 SECOND OR finished_at > ? + INTERVAL 2 SECOND`, stopped, stopped)
	last := domaintest.Number(t, d, `SELECT GREATEST(TIMESTAMPDIFF(MICROSECOND, ?, MAX(claimed_at)),
		COALESCE(TIMESTAMPDIFF(MICROSECOND, ?, MAX(finished_at)), 0)) FROM migration_task`, stopped, stopped)
	t.Logf("the last task was claimed or done %d ms after the stop; the one that stood still held %d", last/1000, len(held))
	_, err := w.Console.ResumeRun(operator, paused)
	domaintest.Is(t, err, migrations.CodeAllStopped)

	if code, out := i.command(t, "migrations", "release"); code != 0 {
		t.Fatalf("release: exit code %d\n%s", code, out)
	}
	r := until(t, w, operator, run, "is complete", func(r migrations.Run) bool { return r.State == migrations.Complete })
	if r.Progress.Complete != tasks || r.Progress.Errors != 0 {
		t.Errorf("after the release: %+v", r.Progress)
	}
	domaintest.Counts(t, d, 0, "SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND attempt <> 1", uint64(run))
	if r := domaintest.OK(w.Console.Run(operator, paused))(t); r.State != migrations.Paused {
		t.Errorf("the paused run is %s after the release", r.State)
	}
	i.verified(t)
	for _, p := range []*process{workers[0], workers[2], late} {
		if err := p.stop(t); err != nil {
			t.Errorf("a worker ended with %v\n%s", err, p.logged())
		}
	}
}
