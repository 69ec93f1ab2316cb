package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// trouble is how many things go wrong during a run: few in `make test`, many in `make soak`.
func trouble() int {
	if os.Getenv("COUNTERFOIL_SOAK") != "" {
		return 200
	}
	return 20
}

// ledger writes, for each task, a row whose key is the task's into a table of its own, in the
// transaction that completes it: a task that counted twice would be refused there. Each task takes a
// moment, and some fail at first, or for good.
func ledger() *migrations.Migration {
	return &migrations.Migration{
		Name: "ledger", Title: "Ledger", Description: "For tests.",
		Params: []migrations.Param{{Name: "tasks", Label: "Tasks", Kind: migrations.Number, Required: true, Min: 1, Max: 1_000_000}},
		Fill: func(ctx context.Context, into migrations.Filler) error {
			tasks, err := strconv.Atoi(into.Values()["tasks"])
			if err != nil {
				return err
			}
			first, _ := strconv.Atoi(into.Cursor())
			for n := first + 1; n <= tasks; n++ {
				if err := into.Add(ctx, migrations.NewTask{Payload: strconv.Itoa(n), Cursor: strconv.Itoa(n)}); err != nil {
					return err
				}
			}
			return nil
		},
		Process: func(ctx context.Context, work *migrations.Work) error {
			n, err := strconv.Atoi(work.Task.Payload)
			if err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(50*time.Millisecond + rand.N(200*time.Millisecond)):
			}
			switch {
			case n%50 == 7:
				return migrations.Permanent{Err: fmt.Errorf("number %d is never right", n)}
			case n%10 == 3 && work.Task.Attempt == 1:
				return fmt.Errorf("number %d is not right at first", n)
			}
			work.Commit(func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.SQL.ExecContext(ctx, "INSERT INTO ledger (task_id, number) VALUES (?, ?)", uint64(work.Task.ID), n)
				return err
			})
			return nil
		},
		Knobs: migrations.Knobs{Concurrency: 8, Block: 20, Attempts: 50, Backoff: 100 * time.Millisecond, Lease: 3 * time.Second, ErrorShare: 1, SameError: 1_000_000},
	}
}

// TestChaos has three workers do a run while they are killed, frozen and stopped, and their database is
// killed. Whatever happens, each task is done once, or failed with its reason, and the books balance.
func TestChaos(t *testing.T) {
	const perTrouble = 450 // tasks: at least two and a half seconds of work
	tasks := trouble() * perTrouble
	i := onPrivate(t)
	owner := i.serve(t)
	workers := []*process{i.work(t), i.work(t), i.work(t)}
	operator, w, d := i.operator(t)
	if _, err := d.SQL.Exec("CREATE TABLE ledger (task_id BIGINT UNSIGNED NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (task_id), UNIQUE KEY (number)) ENGINE=InnoDB"); err != nil {
		t.Fatal(err)
	}
	run, err := w.OpenRun(operator, "ledger", migrations.Values{"tasks": strconv.Itoa(tasks)}, migrations.Draft{})
	if err != nil {
		t.Fatal(err)
	}
	until(t, w, operator, run.ID, "is filled", func(r migrations.Run) bool { return r.State == migrations.Ready })
	if run, err = w.StartRun(operator, run.ID, 0); err != nil {
		t.Fatal(err)
	}
	dice := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	for n := range trouble() {
		until(t, w, operator, run.ID, fmt.Sprintf("gets on before trouble %d", n), func(r migrations.Run) bool {
			return r.Progress.Done() >= int64(n*perTrouble/2) || !r.State.IsActive()
		})
		if now, err := w.Run(operator, run.ID); err == nil && !now.State.IsActive() {
			t.Fatalf("the run was over before trouble %d of %d", n, trouble())
		}
		victim := dice.IntN(len(workers))
		switch what := dice.IntN(6); what {
		case 0, 1:
			t.Logf("%d: worker %d is killed", n, victim)
			workers[victim].kill(t)
			workers[victim] = i.work(t)
		case 2, 3:
			t.Logf("%d: worker %d stands still for longer than its lease", n, victim)
			pid := workers[victim].cmd.Process.Pid
			freeze(t, pid)
			time.Sleep(4 * time.Second)
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
		case 4:
			t.Logf("%d: worker %d is stopped and started", n, victim)
			if err := workers[victim].stop(t); err != nil {
				t.Errorf("a worker that was asked to stop ended with %v\n%s", err, workers[victim].logged())
			}
			workers[victim] = i.work(t)
		case 5:
			t.Logf("%d: the database is killed", n)
			if err := syscall.Kill(databasePID(t, i), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		for k, p := range workers { // one that lost its database for long may have ended, as it should
			select {
			case err := <-p.exited:
				t.Errorf("worker %d ended by itself: %v\n%s", k, err, p.logged())
				workers[k] = i.work(t)
			default:
			}
		}
	}
	done := until(t, w, operator, run.ID, "is complete", func(r migrations.Run) bool { return r.State == migrations.Complete })

	var written, numbers int64
	err = d.SQL.QueryRow("SELECT COUNT(*), COUNT(DISTINCT number) FROM ledger").Scan(&written, &numbers)
	if err != nil {
		t.Fatal(err)
	}
	failed := int64(tasks / 50)
	if p := done.Progress; written != int64(tasks)-failed || p.Complete != written || p.Failed != failed || p.Done() != int64(tasks) || numbers != written {
		t.Errorf("of %d tasks %d are written; the run says %+v", tasks, written, p)
	}
	if done.Progress.Reclaimed == 0 {
		t.Error("no task was ever taken back: then nothing was tried")
	}
	t.Logf("%d completions came late and were refused, %d tasks were taken back from workers that were gone", done.Progress.Refused, done.Progress.Reclaimed)
	i.verified(t)
	for k, p := range append(workers, owner) {
		if err := p.stop(t); err != nil {
			t.Errorf("process %d ended with %v\n%s", k, err, p.logged())
		}
	}
}

// until reads the run until it is as wanted. While the database is away it waits.
func until(t *testing.T, w *workflows.Workflows, ctx context.Context, run id.Run, what string, wanted func(migrations.Run) bool) migrations.Run {
	t.Helper()
	var last migrations.Run
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		now, err := w.Run(ctx, run)
		if errors.As(err, new(db.Unavailable)) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if now.Progress.Done() != last.Progress.Done() || now.Total != last.Total {
			deadline = time.Now().Add(patience) // a long run is none that stands still
		}
		if last = now; wanted(now) {
			return now
		}
		if now.State == migrations.Paused && now.Reason != "" {
			t.Fatalf("the run is paused: %s", now.Reason)
		}
	}
	t.Fatalf("waited in vain until the run %s: it is %s (%s), %+v", what, last.State, last.Reason, last.Progress)
	return last
}
