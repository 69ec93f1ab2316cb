package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
)

func TestClaim(t *testing.T) {
	t.Parallel()
	t.Run("no task is claimed by two of many at once, and none is left out", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(500, migrations.Knobs{})
		var mu sync.Mutex
		var ids []id.Task
		var all sync.WaitGroup
		for range 8 {
			h := b.manualWorker(run)
			all.Go(func() {
				for empty := 0; empty < 3; {
					claimed, err := h.exchange(nil, 7)
					if err != nil {
						t.Error(err)
						return
					}
					if len(claimed) == 0 {
						empty++ // locked tasks are skipped
					}
					mu.Lock()
					for _, c := range claimed {
						ids = append(ids, c.work.Task.ID)
					}
					mu.Unlock()
				}
			})
		}
		all.Wait()
		slices.Sort(ids)
		if n := len(ids); n != 500 || len(slices.Compact(ids)) != 500 {
			t.Errorf("%d tasks were claimed, %d of them different", n, len(slices.Compact(ids)))
		}
		b.adds(run)
	})
	t.Run("the plan is good on a table that is mostly complete, and a claim reads only the rows that it takes", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(5000, migrations.Knobs{})
		b.exec("UPDATE migration_task SET state = 'complete' ORDER BY id LIMIT 4950")
		b.exec("ANALYZE TABLE migration_task")
		if plan, _ := monitor.PlanOf(t.Context(), b.d, run); !plan.Good || !plan.Known {
			t.Errorf("%+v", plan)
		}
		if claimed := b.manualWorker(run).claims(100); len(claimed) != 50 {
			t.Errorf("%d tasks claimed", len(claimed))
		}
	})
	t.Run("a claim comes too late if the process was suspended after it read the run", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(5, migrations.Knobs{})
		h := b.manualWorker(run)
		h.w.lastRead.Store(&readTimes{time.Now(), time.Now().Add(-time.Hour)}) // its own clock stopped with it
		if claimed := h.claims(5); len(claimed) != 0 || b.tasksIn(run, migrations.TaskOpen) != 5 {
			t.Errorf("%d tasks claimed, %d are open", len(claimed), b.tasksIn(run, migrations.TaskOpen))
		}
		b.adds(run)
	})
	t.Run("tasks that are begun at once after a claim are no reason to claim more ahead", func(t *testing.T) {
		t.Parallel()
		var begun atomic.Int64
		release := make(chan struct{})
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(context.Context, *migrations.Work) error {
			if begun.Add(1) > 2 {
				<-release
			}
			return nil
		}})
		h := b.manualWorker(b.running(30, migrations.Knobs{Concurrency: 2, Block: 4}))
		h.queue = make(chan *attempt) // so the two slots have begun the first two when the last are queued
		h.resize()
		h.flushAndClaim(time.Now())
		if h.claimed != 4 || h.ahead > 0 {
			t.Errorf("%d tasks are claimed, %d more are wanted ahead", h.claimed, h.ahead)
		}
		close(release)
		h.shrink(0)
	})
	t.Run("a claim that is under way when the run is found stopped takes nothing", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(5, migrations.Knobs{})
		h := b.manualWorker(run)
		b.exec("UPDATE migration_run SET state = 'pausing', version = version + 1 WHERE id = ?", uint64(run))
		h.update(b.row(run))
		if claimed := h.claims(5); len(claimed) != 0 || b.tasksIn(run, migrations.TaskOpen) != 5 {
			t.Errorf("%d tasks claimed, %d are open", len(claimed), b.tasksIn(run, migrations.TaskOpen))
		}
		b.adds(run)
	})
}

func TestClaimInTrouble(t *testing.T) {
	t.Parallel()
	t.Run("without its index nothing is claimed, and the run says why", func(t *testing.T) {
		t.Parallel()
		d, watch := dbtest.NewWatched(t)
		b := newEnv(t, d, &migrations.Migration{Process: func(context.Context, *migrations.Work) error {
			t.Error("a task was processed")
			return nil
		}})
		run := b.running(10, migrations.Knobs{})
		b.exec("ALTER TABLE migration_task ADD KEY ix_other (run_id, id)")
		b.exec("ALTER TABLE migration_task DROP KEY ix_claim, ADD KEY ix_claim (state, run_id, id)")
		if plan, _ := monitor.PlanOf(t.Context(), b.d, run); !plan.Good {
			t.Errorf("an index that serves as well is refused: %+v", plan)
		}
		b.exec("ALTER TABLE migration_task DROP KEY ix_claim, ADD KEY ix_claim (run_id, payload(10), state)")
		if plan, _ := monitor.PlanOf(t.Context(), b.d, run); plan.Good || !plan.Known {
			t.Errorf("%+v", plan)
		}
		h := b.manualWorker(run)
		watch.Before(func(ctx context.Context, statement string) error {
			if _, ends := ctx.Deadline(); !ends {
				t.Errorf("it would wait for ever for %s", statement)
			}
			return nil
		})
		if h.checkPlan() {
			t.Error("it claims")
		}
		watch.Before(nil)
		if row := b.row(run); row.State != migrations.Pausing || row.Reason == "" {
			t.Errorf("%s: %s", row.State, row.Reason)
		}
	})
	t.Run("a database that does not say how it would claim is asked again, with an end to the patience", func(t *testing.T) {
		t.Parallel()
		d, watch := dbtest.NewWatched(t)
		b := newEnv(t, d, &migrations.Migration{Process: noop})
		run := b.running(10, migrations.Knobs{})
		h := b.manualWorker(run)
		for _, answer := range []error{context.DeadlineExceeded, context.Canceled, mysql.ErrInvalidConn} {
			watch.Before(func(ctx context.Context, statement string) error {
				if _, ends := ctx.Deadline(); !ends {
					t.Errorf("it would wait for ever for %s", statement)
				}
				if strings.HasPrefix(statement, "EXPLAIN") {
					return answer
				}
				return nil
			})
			for range 3 {
				if h.checkPlan() {
					t.Errorf("after %v it claims", answer)
				}
			}
			watch.Before(nil)
			if row := b.row(run); row.State != migrations.Running {
				t.Errorf("after %v it is %s: %s", answer, row.State, row.Reason)
			}
		}
		if !h.checkPlan() {
			t.Error("it is not asked again")
		}
	})
	t.Run("a commit with a lost answer counts nothing twice, and its claims are returned", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(30, migrations.Knobs{})
		h := b.manualWorker(run)
		done, bad := h.claims(10), h.claims(10)
		for range 2 {
			h.ends(done, complete, nil)
			h.ends(bad, failed, errors.New("no"))
		}
		lost := h.claims(10)
		h.postponeFlush(time.Now(), nil, lost, db.Unavailable{Why: "it does not answer"})
		h.ends(h.results, returned, nil)
		h.ends(h.results, returned, nil)
		p := b.progress(run)
		if p.Complete != 10 || p.Waiting != 10 || p.Open != 10 || p.Refused != 0 || p.Errors != 10 {
			t.Errorf("%+v", p)
		}
		b.adds(run)
	})
	t.Run("a deadlock is tried again, and the outcomes are written once", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(20, migrations.Knobs{})
		h := b.manualWorker(run)
		list := h.claims(20)
		other, err := b.d.SQL.BeginTx(t.Context(), nil)
		domaintest.Must(t, err)
		defer other.Rollback()
		domaintest.OK(other.Exec("SELECT * FROM migration_counter WHERE run_id = ? FOR UPDATE", uint64(run)))(t)
		finished := make(chan struct{})
		go func() { defer close(finished); h.ends(list, complete, nil) }()
		b.waits("(INTO|UPDATE) migration_counter")
		_, err = other.Exec("UPDATE migration_task SET note = 'x' WHERE run_id = ?", uint64(run))
		if err != nil && !db.IsDeadlock(err) {
			t.Fatal(err)
		}
		other.Rollback()
		<-finished
		if p := b.progress(run); p.Complete != 20 || p.Refused != 0 {
			t.Errorf("%+v", p)
		}
		b.adds(run)
	})
}

func TestFence(t *testing.T) {
	t.Parallel()
	t.Run("a worker whose tasks were taken cannot complete, fail, put off or return them", func(t *testing.T) {
		t.Parallel()
		for _, came := range []outcome{complete, failed, postponed, returned} {
			b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
			run := b.running(10, migrations.Knobs{})
			late, heir := b.manualWorker(run), b.manualWorker(run)
			old := late.claims(10)
			late.dies(run, heir)
			if p := b.progress(run); p.Open != 10 || p.Reclaimed != 10 {
				t.Fatalf("%+v", p)
			}
			// Open again: a late worker's outcome counts for nothing, also once they are claimed.
			late.ends(old[:5], came, migrations.Later{Reason: "no"})
			mine := heir.claims(10)
			late.ends(old[5:], came, migrations.Later{Reason: "no"})
			if n := b.tasksIn(run, migrations.TaskProcessing); n != 10 {
				t.Errorf("%d of its heir's tasks are left after it said %d", n, came)
			}
			want := int64(10)
			if came == returned {
				want = 0 // nothing came of them
			}
			if p := b.progress(run); p.Refused != want {
				t.Errorf("%d were refused after it said %d", p.Refused, came)
			}
			heir.ends(mine, complete, nil)
			if p := b.progress(run); p.Complete != 10 {
				t.Errorf("%+v", p)
			}
			b.adds(run)
			b.counts(0, "SELECT COUNT(*) FROM migration_task WHERE attempt <> 2")
		}
	})
	t.Run("a late worker's commit does not run", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(2, migrations.Knobs{})
		late, heir := b.manualWorker(run), b.manualWorker(run)
		list := late.claims(2)
		late.dies(run, heir)
		mine := heir.claims(2)
		ran := 0
		for _, h := range append(list, mine...) {
			h.outcome = complete
			h.work.Commit(func(ctx context.Context, tx *db.Tx) error {
				ran++
				_, err := tx.SQL.Exec("UPDATE migration_run SET rejected = rejected + 1 WHERE id = ?", uint64(run))
				return err
			})
		}
		late.commit(list)
		if ran != 0 {
			t.Errorf("%d ran", ran)
		}
		heir.commit(mine)
		if n := b.number("SELECT rejected FROM migration_run"); n != 2 || ran != 2 {
			t.Errorf("%d were committed", n)
		}
		if p := b.progress(run); p.Complete != 2 || p.Refused != 2 {
			t.Errorf("%+v", p)
		}
	})
	t.Run("the keeper does not touch a task that was completed since it looked", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(3, migrations.Knobs{})
		slow, keeper := b.manualWorker(run), b.manualWorker(run)
		list := slow.claims(3)
		b.exec("UPDATE migration_worker SET state = 'stopped' WHERE id = ?", uint64(slow.w.id))
		lost, err := b.d.LostTasks(t.Context(), db.LostTasksParams{RunID: run, Limit: 10})
		if err != nil || len(lost) != 3 {
			t.Fatal(lost, err)
		}
		slow.ends(list[:1], complete, nil)
		slow.ends(list[1:2], returned, nil)
		again := keeper.claims(1)
		domaintest.Must(t, keeper.k.reapPage(t.Context(), b.row(run), lost))
		if again[0].work.Task.ID != list[1].work.Task.ID {
			t.Fatal("another task was claimed")
		}
		if p := b.progress(run); p.Complete != 1 || p.Processing != 1 || p.Open != 1 || p.Reclaimed != 1 {
			t.Errorf("%+v", p)
		}
		b.adds(run)
	})
	t.Run("a worker whose lease was over does not renew it, though no keeper has noticed", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		h := b.manualWorker(b.running(1, migrations.Knobs{}))
		domaintest.Must(t, h.w.renew(t.Context()))
		h.w.lease.Begin(time.Now().Add(-time.Hour), time.Hour) // as of a suspended process: it has given up its tasks
		if err := h.w.renew(t.Context()); !errors.As(err, new(errLeaseLost)) || h.w.lease.Valid() {
			t.Errorf("it lives on: %v", err)
		}
	})
}

func TestTasksOfDeadWorkers(t *testing.T) {
	t.Parallel()
	t.Run("the keeper continues behind locked tasks", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(migrations.MaxPerStatement+100, migrations.Knobs{})
		absent, keeper := b.manualWorker(run), b.manualWorker(run)
		list := append(absent.claims(migrations.MaxPerStatement), absent.claims(100)...)
		other := domaintest.OK(b.d.SQL.BeginTx(t.Context(), nil))(t)
		defer other.Rollback()
		domaintest.OK(other.Exec("SELECT id FROM migration_task FORCE INDEX (PRIMARY) WHERE id <= ? FOR UPDATE",
			uint64(list[migrations.MaxPerStatement-1].work.Task.ID)))(t)
		absent.dies(run, keeper)
		if n := b.tasksIn(run, migrations.TaskOpen); n != 100 {
			t.Errorf("%d tasks were taken back, not the 100 that nobody has locked", n)
		}
		b.adds(run)
	})
	t.Run("tasks are returned also if the worker's row is gone, or is that of a later worker", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(4, migrations.Knobs{})
		absent, later, keeper := b.manualWorker(run), b.manualWorker(run), b.manualWorker(run)
		absent.claims(2)
		later.claims(2)
		b.exec("DELETE FROM migration_worker WHERE id = ?", uint64(absent.w.id))
		b.exec("UPDATE migration_task SET claimed_at = NOW(6) - INTERVAL 1 HOUR WHERE worker_id = ?", uint64(later.w.id))
		domaintest.Must(t, keeper.k.reap(t.Context(), b.row(run)))
		if n := b.tasksIn(run, migrations.TaskOpen); n != 4 {
			t.Errorf("%d went back", n)
		}
	})
	t.Run("a task whose workers keep dying fails", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(1, migrations.Knobs{Attempts: 2})
		keeper := b.manualWorker(run)
		for range 2 {
			h := b.manualWorker(run)
			h.claims(1)
			h.dies(run, keeper)
		}
		if p := b.progress(run); p.Failed != 1 || p.Reclaimed != 2 || p.Errors != 2 {
			t.Errorf("%+v", p)
		}
		b.adds(run)
		b.counts(2, "SELECT COUNT(*) FROM migration_attempt WHERE outcome = 'lost'")
		b.counts(1, "SELECT SUM(failed) FROM migration_failure")
	})
}

func TestKeeper(t *testing.T) {
	t.Parallel()
	t.Run("a run is not complete while one of its requests is not through", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(3, migrations.Knobs{})
		b.exec("UPDATE migration_task SET state = 'failed'")
		b.exec("INSERT INTO migration_counter (run_id, worker_id, failed) VALUES (?, 0, 3)", uint64(run))
		b.exec("INSERT INTO migration_request (run_id, kind, after_id, actor) VALUES (?, 'skip', 0, 'Ana')", uint64(run))
		k := b.manualWorker(run).k
		settled := func() migrations.State {
			t.Helper()
			now := domaintest.OK(b.Run(t.Context(), run))(t)
			domaintest.Must(t, k.settle(t.Context(), now))
			return b.state(run)
		}
		if got := settled(); got != migrations.Running {
			t.Errorf("before its request is through it is %s", got)
		}
		domaintest.Must(t, b.FinishRequests(t.Context()))
		if got := settled(); got != migrations.Complete {
			t.Errorf("then it is %s", got)
		}
	})
	t.Run("it asks for the progress of all runs at once, and leaves out one that it cannot read", func(t *testing.T) {
		t.Parallel()
		d, watch := dbtest.NewWatched(t)
		b := newEnv(t, d, &migrations.Migration{Process: noop})
		var all []id.Run
		for range 4 {
			all = append(all, b.running(3, migrations.Knobs{}))
		}
		h := b.manualWorker(all[0])
		h.ends(h.claims(2), complete, nil)
		b.exec("UPDATE migration_run SET knobs = 'no' WHERE id = ?", uint64(all[2]))
		watch.Take()
		runs := domaintest.OK(h.k.runs(t.Context()))(t)
		if sent, _ := watch.Take(); len(sent) != 2 {
			t.Errorf("%d statements: %v", len(sent), sent)
		}
		if len(runs) != 3 || runs[0].Progress.Complete != 2 || runs[0].Progress.Open != 1 || runs[2].ID != all[3] ||
			runs[2].Progress.Open != 3 {
			t.Errorf("%+v", runs)
		}
	})
	t.Run("a task waits for its next attempt until the database's time has come", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(2, migrations.Knobs{Backoff: time.Hour})
		h := b.manualWorker(run)
		h.ends(h.claims(2), failed, errors.New("no"))
		promotes := func(want int64) {
			t.Helper()
			domaintest.Must(t, h.k.promote(t.Context(), b.row(run)))
			if n := b.tasksIn(run, migrations.TaskOpen); n != want {
				t.Errorf("%d are open, not %d", n, want)
			}
		}
		promotes(0)
		if got := h.claims(2); len(got) != 0 {
			t.Errorf("%d that wait were claimed", len(got))
		}
		b.exec("UPDATE migration_task SET due_at = NOW(6) ORDER BY id LIMIT 1")
		promotes(1)
		b.adds(run)
		if got := h.claims(2); len(got) != 1 || got[0].work.Task.Attempt != 2 {
			t.Errorf("%+v", got)
		}
	})
}

func TestKeeperOfWorkers(t *testing.T) {
	t.Parallel()
	t.Run("there are never two", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(0, migrations.Knobs{})
		one, two := b.manualWorker(run), b.manualWorker(run)
		domaintest.Must(t, b.d.AddLease(t.Context(), monitor.KeeperLease))
		b.exec("UPDATE migration_lease SET lease_until = NOW(6) - INTERVAL 1 SECOND")
		takes := func(h manualWorker, want bool) {
			t.Helper()
			if is, err := h.k.take(t.Context()); err != nil || is != want {
				t.Errorf("%v %v, not %v", is, err, want)
			}
		}
		takes(one, true)
		takes(two, false)
		takes(one, true)
		b.exec("UPDATE migration_lease SET lease_until = NOW(6) - INTERVAL 1 SECOND")
		takes(two, true)
		takes(one, false)
		var wins int
		b.exec("UPDATE migration_lease SET lease_until = NOW(6) - INTERVAL 1 SECOND")
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 8 {
			h := b.manualWorker(run)
			all.Go(func() {
				is, err := h.k.take(t.Context())
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if is {
					wins++
				}
			})
		}
		all.Wait()
		if wins != 1 {
			t.Errorf("%d became the keeper", wins)
		}
	})
	t.Run("a run is paused once every worker has said that it holds nothing", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(5, migrations.Knobs{})
		one, two := b.manualWorker(run), b.manualWorker(run)
		list := one.claims(2)
		domaintest.OK(b.PauseRun(t.Context(), migrations.Actor{Name: "Ana"}, run))(t)
		settles := func(h manualWorker, want migrations.State) {
			t.Helper()
			domaintest.Must(t, h.k.settle(t.Context(), b.row(run)))
			if state := b.state(run); state != want {
				t.Errorf("it is %s, not %s", state, want)
			}
		}
		acknowledges := func(h manualWorker) {
			t.Helper()
			domaintest.Must(t, h.w.acknowledge(t.Context(), b.row(run)))
		}
		settles(two, migrations.Pausing)
		acknowledges(two)
		settles(two, migrations.Pausing)
		acknowledges(one) // although it holds tasks: then the tasks say so
		settles(two, migrations.Pausing)
		one.ends(list, complete, nil)
		settles(two, migrations.Paused)
	})
	t.Run("a dead worker's counters go into row 0", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(5, migrations.Knobs{})
		absent, keeper := b.manualWorker(run), b.manualWorker(run)
		list := absent.claims(5)
		absent.ends(list[:3], complete, nil)
		absent.dies(run, keeper)
		domaintest.Must(t, keeper.k.takeIn(t.Context(), b.row(run)))
		if n := b.number("SELECT COUNT(*) FROM migration_counter WHERE worker_id = ?", uint64(absent.w.id)); n != 0 {
			t.Error("its row is there")
		}
		b.adds(run)
		absent.ends(list[3:], complete, nil)
		if p := b.progress(run); p.Refused != 2 || p.Complete != 3 || p.Open != 2 {
			t.Errorf("%+v", p)
		}
	})
}

func TestBackoffDoubles(t *testing.T) {
	t.Parallel()
	for attempt, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second,
		12: 2048 * time.Second, 13: time.Hour, 100: time.Hour} {
		if got := backoff(time.Second, attempt); got < want*3/4 || got > want*5/4 {
			t.Error(fmt.Sprint(attempt), got, want)
		}
	}
}

// The reported times of claims include the commit, which is the main cost.
func TestAClaimLastsUntilItIsCommitted(t *testing.T) {
	t.Parallel()
	d, watch := dbtest.NewWatched(t)
	b := newEnv(t, d, &migrations.Migration{Process: func(context.Context, *migrations.Work) error { return nil }})
	h := b.manualWorker(b.running(10, migrations.Knobs{}))
	commits, before := 0, 0
	watch.BeforeCommit(func() { commits, before = commits+1, len(b.p.ClaimTimes()) })
	claimed := h.claims(5)
	if n := len(b.p.ClaimTimes()); commits != 1 || before != 0 || n != 1 {
		t.Errorf("%d commits: %d claims were timed before the last, %d after it", commits, before, n)
	}
	h.ends(claimed, complete, nil)
	if n := len(b.p.ClaimTimes()); n != 1 {
		t.Errorf("%d claims were timed: one without a claim among them", n)
	}
	watch.BeforeCommit(nil)
}

func TestLeaseOfAWorker(t *testing.T) {
	t.Parallel()
	b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
	h := b.manualWorker(b.running(1, migrations.Knobs{}))
	b.exec("DELETE FROM migration_task")
	b.exec("DELETE FROM migration_run")
	at := func(why string, want time.Duration) {
		t.Helper()
		domaintest.OK(h.w.readRuns(t.Context()))(t)
		domaintest.Must(t, h.w.renew(t.Context()))
		left := b.number("SELECT TIMESTAMPDIFF(MICROSECOND, beat_at, lease_until) FROM migration_worker WHERE id = ?",
			uint64(h.w.id))
		if got := time.Duration(left) * time.Microsecond; got != want {
			t.Errorf("%s: it has a lease of %s, not %s", why, got, want)
		}
	}
	at("without a run", migrations.DefaultKnobs.Lease)
	long := b.running(0, migrations.Knobs{Lease: 5 * time.Minute})
	b.exec("UPDATE migration_run SET state = 'throttled'")
	at("a run with a long one", 5*time.Minute)
	b.running(0, migrations.Knobs{Lease: time.Minute})
	b.exec("UPDATE migration_run SET state = 'throttled'")
	at("two, of which the shorter counts", time.Minute)
	b.exec("UPDATE migration_run SET state = 'cancelled' WHERE id <> ?", uint64(long))
	at("when that one is over", 5*time.Minute)
	b.exec("UPDATE migration_run SET state = 'paused'")
	at("when nothing is under way", migrations.DefaultKnobs.Lease)
}

func TestTasksOfACanaryThatAreLost(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		attempts int
		left     int64
	}{
		"those that are tried again are of the canary again": {5, 3},
		"those that failed with that are done":               {1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
			run := b.running(10, migrations.Knobs{Attempts: one.attempts})
			b.exec("UPDATE migration_run SET canary_left = 3")
			h, keeper := b.manualWorker(run), b.manualWorker(run)
			if n := len(h.claims(5)); n != 3 {
				t.Fatalf("%d tasks were claimed", n)
			}
			h.dies(run, keeper)
			if left := b.number("SELECT canary_left FROM migration_run"); int64(left) != one.left {
				t.Errorf("%d are left of the canary", left)
			}
			b.adds(run)
		})
	}
}

func TestGroupsOfErrors(t *testing.T) {
	t.Parallel()
	letters := func(n int) string { // numbers would be alike
		return strings.Map(func(r rune) rune { return r - '0' + 'g' }, fmt.Sprint(n))
	}
	t.Run("a run has at most so many, also if several workers find new ones at once", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(3*400, migrations.Knobs{Attempts: 1})
		var all sync.WaitGroup
		for worker := range 3 {
			h := b.manualWorker(run)
			all.Go(func() {
				for from := 0; from < 400; from += 50 {
					claimed, err := h.exchange(nil, 50)
					if err != nil {
						t.Error(err)
						return
					}
					for i, task := range claimed {
						task.outcome, task.began, task.err = failed, time.Now(), errors.New("kind "+letters(1000*worker+from+i))
					}
					if _, err := h.exchange(claimed, 0); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		list, err := b.Failures(t.Context(), run)
		if err != nil || len(list) != migrations.MaxFailures+1 || list[0].Message != othersMessage {
			t.Fatalf("%d groups, the first is %+v, %v", len(list), list[:1], err)
		}
		if p := b.progress(run); list[0].Failed != uint64(p.Failed)-migrations.MaxFailures {
			t.Errorf("%d of %d tasks are among the others", list[0].Failed, p.Failed)
		}
		b.adds(run)
	})
	t.Run("at the limit an existing group still counts, and the largest comes first", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(20, migrations.Knobs{Attempts: 1})
		first := b.number("SELECT MIN(id) FROM migration_task")
		for i := range migrations.MaxFailures {
			print := fingerprintOf("kind " + letters(i))
			b.exec("INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at) VALUES (?, ?, ?, ?, 0, 0, NOW(6), NOW(6))", uint64(run), print[:], "kind "+letters(i), first)
		}
		for _, h := range []manualWorker{b.manualWorker(run), b.manualWorker(run)} {
			list := h.claims(10)
			h.ends(list[:7], failed, errors.New("kind "+letters(migrations.MaxFailures-1)))
			h.ends(list[7:], failed, errors.New("one more kind"))
		}
		list, err := b.Failures(t.Context(), run)
		if err != nil || len(list) != migrations.MaxFailures+1 ||
			list[0].Message != "kind "+letters(migrations.MaxFailures-1) || list[0].Failed != 14 ||
			list[1].Message != othersMessage || list[1].Failed != 6 {
			t.Errorf("%d groups, the first are %+v, %v", len(list), list[:2], err)
		}
		page, err := b.FailedTasks(t.Context(), db.SightOfAll(0), run, list[1].Fingerprint, 0)
		if err != nil || len(page.Tasks) != 6 || page.Tasks[0].Error != "one more kind" {
			t.Errorf("%+v, %v", page, err)
		}
	})
}
