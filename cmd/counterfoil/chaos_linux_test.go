package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// trouble is the number of mishaps in a run: few in `make test`, many in `make soak`.
func trouble() int {
	if soak {
		return 200
	}
	return 10
}

// ledger has each task write a row with the task's key into a table of its own, in the transaction that completes it: a
// task that counted twice would be refused there. Each task takes a moment, and some fail at first, or for good.
func ledger() *migrations.Migration {
	return &migrations.Migration{
		Name: "ledger", Title: "Ledger", Description: "For tests.",
		Params: []migrations.Param{{Name: "tasks", Label: "Tasks", Kind: migrations.Number, Required: true, Min: 1,
			Max: 1_000_000}},
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
		Knobs: migrations.Knobs{Concurrency: 8, Block: 20, Attempts: 50, Backoff: 100 * time.Millisecond,
			Lease: 3 * time.Second, ErrorShare: 1, SameError: 1_000_000},
	}
}

// The kinds of mishaps.
const (
	killed         = "is killed"
	frozen         = "stands still for longer than its lease"
	stopped        = "is stopped and started"
	databaseKilled = "loses its database, as all do"
)

// mishap is what happens to one of n processes.
type mishap struct {
	what   string
	victim int
}

// mishaps draws the mishaps: first each kind that must happen, a kill of every process, a freeze and a kill of the
// database, then random ones.
func mishaps(dice *rand.Rand, processes, n int) (list []mishap) {
	for victim := range processes {
		list = append(list, mishap{killed, victim})
	}
	list = append(list, mishap{frozen, dice.IntN(processes)}, mishap{what: databaseKilled})
	for len(list) < n {
		list = append(list, mishap{[]string{killed, killed, frozen, frozen, stopped, databaseKilled}[dice.IntN(6)],
			dice.IntN(processes)})
	}
	return list
}

// chaosSeed is random, or COUNTERFOIL_CHAOS_SEED's.
func chaosSeed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("COUNTERFOIL_CHAOS_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("COUNTERFOIL_CHAOS_SEED is %q: %v", text, err)
		}
	}
	t.Logf("COUNTERFOIL_CHAOS_SEED=%d has the same happen again", seed)
	return seed
}

// TestChaos has three workers and a server do a run while they are killed, frozen and stopped, and their database is
// killed. Each task is done once, or failed with its reason, and the counters add up.
func TestChaos(t *testing.T) {
	t.Parallel()
	const perTrouble = 450 // tasks: about two seconds of work
	tasks := trouble() * perTrouble
	dice := rand.New(rand.NewPCG(1, chaosSeed(t)))
	i := onPrivate(t)
	processes := []*process{i.serve(t), i.work(t), i.work(t), i.work(t)}
	again := func(victim int) {
		t.Helper()
		if victim == 0 {
			processes[victim] = i.serve(t)
		} else {
			processes[victim] = i.work(t)
		}
	}
	operator, w, d := i.operator(t)
	domaintest.Exec(t, d,
		"CREATE TABLE ledger (task_id BIGINT UNSIGNED NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (task_id), UNIQUE KEY (number)) ENGINE=InnoDB")
	run, err := w.Console.OpenRun(operator, "ledger", migrations.Values{"tasks": strconv.Itoa(tasks)}, migrations.Draft{},
		nil)
	domaintest.Must(t, err)
	until(t, w, operator, run.ID, "is filled", func(r migrations.Run) bool { return r.State == migrations.Ready })
	if run, err = w.Console.StartRun(operator, run.ID, 0, nil); err != nil {
		t.Fatal(err)
	}
	happened, dead := map[string]int{}, map[int]int{}
	for n, m := range mishaps(dice, len(processes), trouble()) {
		until(t, w, operator, run.ID, fmt.Sprintf("gets on before trouble %d", n), func(r migrations.Run) bool {
			return r.Progress.Done() >= int64(n*perTrouble/2) || !r.State.IsActive()
		})
		if now, err := w.Console.Run(operator, run.ID); err == nil && !now.State.IsActive() {
			t.Fatalf("the run was over before trouble %d of %d", n, trouble())
		}
		t.Logf("%d: process %d %s", n, m.victim, m.what)
		victim := processes[m.victim]
		switch m.what {
		case killed:
			dead[m.victim]++
			victim.kill(t)
			again(m.victim)
		case frozen:
			freezeBeyondLease(t, w, operator, victim.cmd.Process.Pid, run.Knobs.Lease)
		case stopped:
			if err := victim.stop(t); err != nil {
				t.Errorf("a process that was asked to stop ended with %v\n%s", err, victim.logged())
			}
			again(m.victim)
		case databaseKilled:
			was := databasePID(t, i)
			domaintest.Must(t, syscall.Kill(was, syscall.SIGKILL))
			startsAnew(t, i, was)
		}
		happened[m.what]++
		for k, p := range processes { // a process that was without its database for long may have ended, as it should
			select {
			case err := <-p.exited:
				t.Errorf("process %d ended by itself: %v\n%s", k, err, p.logged())
				again(k)
			default:
			}
		}
	}
	if t.Logf("this happened: %v; processes were killed: %v", happened, dead); len(dead) < len(processes) ||
		happened[frozen] == 0 || happened[databaseKilled] == 0 {
		t.Error("not everything was tried")
	}
	done := until(t, w, operator, run.ID, "is complete",
		func(r migrations.Run) bool { return r.State == migrations.Complete })

	var written, numbers int64
	domaintest.Must(t, d.SQL.QueryRow("SELECT COUNT(*), COUNT(DISTINCT number) FROM ledger").Scan(&written, &numbers))
	failed := int64(tasks / 50)
	if p := done.Progress; written != int64(tasks)-failed || p.Complete != written || p.Failed != failed ||
		p.Done() != int64(tasks) || numbers != written {
		t.Errorf("of %d tasks %d are written; the run says %+v", tasks, written, p)
	}
	if done.Progress.Reclaimed == 0 {
		t.Error("no task was ever taken back: then nothing was tried")
	}
	t.Logf("%d completions came late and were refused, %d tasks were taken back from workers that were gone",
		done.Progress.Refused, done.Progress.Reclaimed)
	i.verified(t)
	for k, p := range processes {
		if err := p.stop(t); err != nil {
			t.Errorf("process %d ended with %v\n%s", k, err, p.logged())
		}
	}
}

// freezeBeyondLease freezes a process once its worker has a lease as long as the run's, until that lease is over.
func freezeBeyondLease(t *testing.T, w *app.App, operator context.Context, pid int, lease time.Duration) {
	t.Helper()
	until := func(what string, holds func(left time.Duration) bool) {
		t.Helper()
		domaintest.Until(t, fmt.Sprintf("process %d %s", pid, what), func() bool {
			list, err := w.Console.Workers(operator)
			if errors.Is(err, db.CodeUnavailable) {
				return false
			}
			domaintest.Must(t, err)
			var left time.Duration // the newest worker's, if there was one before
			if k := slices.IndexFunc(list, func(worker migrations.Worker) bool {
				return worker.PID == pid && worker.State == migrations.WorkerActive
			}); k >= 0 {
				left = list[k].Left
			}
			return holds(left)
		})
	}
	until("has a worker", func(left time.Duration) bool { return left > 0 && left <= lease })
	freeze(t, pid)
	until("stands still, and its worker is dead", func(left time.Duration) bool { return left <= 0 })
	domaintest.Must(t, syscall.Kill(pid, syscall.SIGCONT))
}

// startsAnew waits until the install's database has another process.
func startsAnew(t *testing.T, i *install, was int) {
	t.Helper()
	domaintest.Until(t, "somebody starts the database anew", func() bool {
		now, err := i.database()
		return err == nil && now != was
	})
}

// until reads the run until it is as wanted, also while the database is away.
func until(
	t *testing.T, w *app.App, ctx context.Context, run id.Run, what string, wanted func(migrations.Run) bool,
) migrations.Run {
	t.Helper()
	var last migrations.Run
	for is := false; !is; {
		before := last
		domaintest.Until(t, "the run "+what+", or gets on", func() bool { // a long run that moves is not stuck
			now, err := w.Console.Run(ctx, run)
			if errors.Is(err, db.CodeUnavailable) {
				return false
			}
			domaintest.Must(t, err)
			last, is = now, wanted(now)
			if !is && now.State == migrations.Paused && now.Reason != "" {
				t.Fatalf("the run is paused: %s", now.Reason)
			}
			return is || now.Progress.Done() != before.Progress.Done() || now.Total != before.Total
		}, func() string { return fmt.Sprintf("it is %s (%s), %+v", last.State, last.Reason, last.Progress) })
	}
	return last
}
