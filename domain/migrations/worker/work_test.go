package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
)

func TestEveryTaskIsProcessedOnce(t *testing.T) {
	t.Parallel()
	t.Run("every task of a run is processed once, by several workers", func(t *testing.T) {
		t.Parallel()
		var done [1000]atomic.Int64
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(_ context.Context, w *migrations.Work) error {
			var n int
			if _, err := fmt.Sscan(w.Task.Payload, &n); err != nil {
				return err
			}
			done[n].Add(1)
			w.Note("did " + w.Task.Payload)
			return nil
		}})
		run := b.running(len(done), migrations.Knobs{})
		for range 3 {
			b.another().works()
		}
		b.waitFor(run, migrations.Complete)
		for n := range done {
			if times := done[n].Load(); times != 1 {
				t.Errorf("task %d was processed %d times", n, times)
			}
		}
		b.adds(run)
		b.counts(len(done), "SELECT COUNT(*) FROM migration_task WHERE note = CONCAT('did ', payload)")
	})
	t.Run("a process whose clock is hours off works like others", func(t *testing.T) {
		t.Parallel()
		url := dbtest.URL(t)
		d := domaintest.OK(db.Open(url))(t)
		t.Cleanup(func() { d.Close() })
		var mu sync.Mutex
		did := map[time.Duration]int{}
		b := newEnv(t, d, &migrations.Migration{Process: noop})
		run := b.running(600, migrations.Knobs{Backoff: 10 * time.Millisecond, ErrorShare: 1, SameError: 1000}) // of which no 1000 fail
		for _, off := range []time.Duration{-5 * time.Hour, 0, 5 * time.Hour} {
			other := domaintest.OK(db.Open(url))(t)
			t.Cleanup(func() { other.Close() })
			other.SetClock(func() time.Time { return time.Now().Add(off) })
			newEnv(t, other, &migrations.Migration{Process: func(_ context.Context, w *migrations.Work) error {
				mu.Lock()
				defer mu.Unlock()
				did[off]++
				if w.Task.Attempt == 1 {
					return errors.New("once more")
				}
				return nil
			}, Knobs: migrations.Knobs{}}).works()
		}
		b.waitFor(run, migrations.Complete)
		if p := b.progress(run); p.Complete != 600 || p.Errors != 600 || p.Refused != 0 || p.Reclaimed != 0 {
			t.Errorf("%+v", p)
		}
	})
	t.Run("a dry run previews, and does nothing", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{
			Process: func(context.Context, *migrations.Work) error { t.Error("it was done"); return nil },
			Preview: func(_ context.Context, w *migrations.Work) (string, error) { return "would do " + w.Task.Payload, nil },
		})
		run := b.running(10, migrations.Knobs{})
		b.exec("UPDATE migration_run SET dry = TRUE")
		b.works()
		b.waitFor(run, migrations.Complete)
		b.counts(10, "SELECT COUNT(*) FROM migration_task WHERE note = CONCAT('would do ', payload)")
	})
}

func TestStop(t *testing.T) {
	t.Parallel()
	t.Run("a stopped worker finishes its tasks in flight and returns the rest, at no cost", func(t *testing.T) {
		t.Parallel()
		begun, release := make(chan struct{}, 100), make(chan struct{})
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(context.Context, *migrations.Work) error {
			begun <- struct{}{}
			<-release
			return nil
		}})
		run := b.running(30, migrations.Knobs{Concurrency: 2, Block: 10})
		stop := b.works()
		<-begun
		<-begun
		stopped := make(chan struct{})
		go func() { defer close(stopped); stop() }()
		b.until("what was not begun is given back", func() bool { return b.tasksIn(run, migrations.TaskProcessing) == 2 })
		close(release)
		<-stopped
		if p := b.progress(run); p.Complete != 2 || p.Open != 28 || p.Errors != 0 {
			t.Errorf("%+v", p)
		}
		b.counts(0, "SELECT COUNT(*) FROM migration_task WHERE state = 'open' AND attempt > 0")
		if n := b.number("SELECT COUNT(*) FROM migration_worker WHERE state <> 'stopped' OR lease_until > NOW(6)"); n != 0 {
			t.Error("the worker did not sign off")
		}
		b.adds(run)
	})
	t.Run("a worker that is cut off begins no task that it has queued, until it is reached again", func(t *testing.T) {
		t.Parallel()
		var h manualWorker
		var begun, late atomic.Int64
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(context.Context, *migrations.Work) error {
			begun.Add(1)
			if !h.w.isFresh() {
				late.Add(1)
			}
			return nil
		}})
		h = b.manualWorker(b.running(2, migrations.Knobs{}))
		list := h.claims(2)
		fresh := h.w.lastRead.Load()
		whileCutOff := func(one *attempt, end func()) {
			h.w.lastRead.Store(&readTimes{time.Now().Add(-stale), fresh.theirs})
			begins, ends := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ends)
				close(begins)
				h.process(one, nil)
			}()
			<-begins
			for range 1000 {
				runtime.Gosched()
			}
			end()
			<-ends
		}
		whileCutOff(list[0], func() { h.w.lastRead.Store(fresh) })
		whileCutOff(list[1], func() { h.end(0) })
		if begun.Load() != 1 || late.Load() != 0 || list[0].outcome != complete || list[1].outcome != returned {
			t.Errorf("%d tasks were begun, %d of them by an old look; the last came to %d", begun.Load(), late.Load(),
				list[1].outcome)
		}
	})
	t.Run("a drained worker claims nothing, another continues", func(t *testing.T) {
		t.Parallel()
		begun, release := make(chan id.Worker, 1000), make(chan struct{})
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(_ context.Context, w *migrations.Work) error {
			begun <- w.Worker
			<-release
			return nil
		}})
		run := b.running(40, migrations.Knobs{Concurrency: 1})
		b.works()
		drained := <-begun
		domaintest.Must(t, b.DrainWorker(t.Context(), migrations.Keeper, drained, true))
		b.until("it gave back what it had not begun", func() bool { return b.progress(run).Processing == 1 })
		close(release)
		b.another().works()
		b.waitFor(run, migrations.Complete)
		close(begun)
		for w := range begun {
			if w == drained {
				t.Error("it began another task")
			}
		}
	})
}

func TestLostLease(t *testing.T) {
	t.Parallel()
	t.Run("a worker whose lease was taken stops its work, and begins anew", func(t *testing.T) {
		t.Parallel()
		var mu sync.Mutex
		workers := map[id.Worker]int{}
		begun := make(chan struct{}, 100)
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(ctx context.Context, w *migrations.Work) error {
			mu.Lock()
			defer mu.Unlock()
			workers[w.Worker]++
			if len(workers) > 1 {
				return nil
			}
			mu.Unlock()
			begun <- struct{}{}
			<-ctx.Done()
			mu.Lock()
			return ctx.Err()
		}})
		run := b.running(20, migrations.Knobs{Concurrency: 3})
		b.works()
		<-begun
		b.exec("UPDATE migration_worker SET epoch = epoch + 1, state = 'stopped', lease_until = NOW(6) - INTERVAL 1 SECOND")
		b.waitFor(run, migrations.Complete)
		b.adds(run)
		mu.Lock()
		defer mu.Unlock()
		if len(workers) != 2 {
			t.Errorf("%d workers", len(workers))
		}
		if first := slices.Min(slices.Collect(maps.Keys(workers))); workers[first] > 3 {
			t.Errorf("the first began %d tasks", workers[first])
		}
	})
	t.Run("a worker that cannot renew its lease begins no task", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(context.Context, *migrations.Work) error {
			t.Error("a task was begun")
			return nil
		}})
		run := b.running(20, migrations.Knobs{})
		h := b.manualWorker(run)
		list := h.claims(1)
		h.w.lease.Begin(time.Now().Add(-time.Hour), time.Hour)
		h.process(list[0], nil)
		if got := <-h.outcomes; got.outcome != returned {
			t.Errorf("it came to %d", got.outcome)
		}
		if got := h.claims(1); len(got) != 0 {
			t.Error("it claims")
		}
	})
}

func TestPause(t *testing.T) {
	t.Parallel()
	t.Run("a pause waits for tasks in flight, and a resume continues", func(t *testing.T) {
		t.Parallel()
		begun, release := make(chan struct{}, 1000), make(chan struct{})
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(context.Context, *migrations.Work) error {
			begun <- struct{}{}
			<-release
			return nil
		}})
		run := b.running(40, migrations.Knobs{Concurrency: 2})
		b.works()
		b.another().works()
		for range 4 {
			<-begun
		}
		domaintest.OK(b.PauseRun(t.Context(), migrations.Keeper, run))(t)
		b.until("what was not begun is given back", func() bool { return b.progress(run).Processing == 4 })
		if state := b.state(run); state != migrations.Pausing {
			t.Errorf("it is %s while tasks are under way", state)
		}
		close(release)
		b.waitFor(run, migrations.Paused)
		if p := b.progress(run); p.Complete != 4 || p.Open != 36 {
			t.Errorf("%+v", p)
		}
		domaintest.OK(b.ResumeRun(t.Context(), migrations.Keeper, run))(t)
		b.waitFor(run, migrations.Complete)
		b.adds(run)
	})
	t.Run("a program that does not know a migration leaves its tasks alone, and does not keep a run from pausing", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(40, migrations.Knobs{})
		engine := migrations.New(b.d, nil, nil)
		older := env{Engine: engine, t: t, d: b.d, p: New(b.d, engine, monitor.New(b.d, engine), "older", nil)}
		older.works()
		older.until("it has signed on",
			func() bool { return b.number("SELECT COUNT(*) FROM migration_worker WHERE state = 'active'") == 1 })
		domaintest.OK(b.PauseRun(t.Context(), migrations.Keeper, run))(t)
		b.waitFor(run, migrations.Paused)
		b.counts(1, "SELECT COUNT(*) FROM migration_counter c JOIN migration_run r ON r.id = c.run_id WHERE c.seen > 0")
		b.counts(0, "SELECT COUNT(*) FROM migration_task WHERE state <> 'open' OR attempt > 0")
		domaintest.OK(b.ResumeRun(t.Context(), migrations.Keeper, run))(t)
		b.works()
		b.waitFor(run, migrations.Complete)
		b.counts(0, "SELECT COUNT(*) FROM migration_task t JOIN migration_worker w ON w.id = t.worker_id WHERE w.version <> 'test'")
		b.adds(run)
	})
}

func TestCanary(t *testing.T) {
	t.Parallel()
	t.Run("a canary is so many tasks, however many work, and then it asks", func(t *testing.T) {
		t.Parallel()
		var done atomic.Int64
		b := newEnv(t, dbtest.Open(t),
			&migrations.Migration{Process: func(context.Context, *migrations.Work) error { done.Add(1); return nil }})
		run := b.running(300, migrations.Knobs{Block: 3})
		b.exec("UPDATE migration_run SET canary_left = 7")
		for range 4 {
			b.another().works()
		}
		b.waitFor(run, migrations.Paused)
		if n, p := done.Load(), b.progress(run); n != 7 || p.Complete != 7 {
			t.Errorf("%d were processed: %+v", n, p)
		}
		if reason := b.row(run).Reason; !strings.Contains(reason, "canary") {
			t.Error(reason)
		}
		domaintest.OK(b.ResumeRun(t.Context(), migrations.Keeper, run))(t)
		b.waitFor(run, migrations.Complete)
	})
}

func TestFailure(t *testing.T) {
	t.Parallel()
	t.Run("failures are tried again; panics and poison fail alone", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(_ context.Context, w *migrations.Work) error {
			switch w.Task.Payload {
			case "1":
				panic("what now?")
			case "2":
				return migrations.Permanent{Err: errors.New("it is no good")}
			case "3":
				if w.Task.Attempt < 3 {
					return fmt.Errorf("try %d", w.Task.Attempt)
				}
			case "4":
				w.Commit(func(context.Context, *db.Tx) error { return errors.New("poison") })
			case "5":
				w.Commit(func(context.Context, *db.Tx) error { panic("poison") })
			default:
				w.Commit(func(_ context.Context, tx *db.Tx) error {
					_, err := tx.SQL.Exec("UPDATE migration_run SET rejected = rejected + 1")
					return err
				})
			}
			return nil
		}})
		run := b.running(50, migrations.Knobs{Attempts: 3, Backoff: 10 * time.Millisecond, SameError: 1000})
		b.works()
		b.waitFor(run, migrations.Complete)
		if p := b.progress(run); p.Complete != 46 || p.Failed != 4 || p.Errors != 3+1+2+3+3 {
			t.Errorf("%+v", p)
		}
		b.counts(45, "SELECT rejected FROM migration_run")
		b.counts(3, "SELECT COUNT(*) FROM migration_attempt WHERE message LIKE 'panic: what%' AND detail LIKE '%work_test.go%'")
		b.adds(run)
	})
	t.Run("poison in a block that is written together fails alone", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Write: func(_ context.Context, tx *db.Tx, works []*migrations.Work) error {
			for _, w := range works {
				if w.Task.Payload == "13" {
					return errors.New("poison")
				}
				if w.Task.Payload == "14" {
					w.Fail(migrations.Permanent{Err: errors.New("not this one")})
					continue
				}
				w.Note("written")
				if _, err := tx.SQL.Exec("UPDATE migration_run SET rejected = rejected + 1"); err != nil {
					return err
				}
			}
			return nil
		}})
		run := b.running(100, migrations.Knobs{Block: 20, Attempts: 1})
		b.works()
		b.another().works()
		b.waitFor(run, migrations.Complete)
		if p := b.progress(run); p.Complete != 98 || p.Failed != 2 {
			t.Errorf("%+v", p)
		}
		b.counts(98, "SELECT rejected FROM migration_run")
		b.adds(run)
	})
	t.Run("a task that takes too long fails, also if it ignores its context, and does not delay a stop", func(t *testing.T) {
		t.Parallel()
		never := make(chan struct{})
		t.Cleanup(func() { close(never) })
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(ctx context.Context, w *migrations.Work) error {
			switch w.Task.Payload {
			case "0":
				<-ctx.Done()
				return ctx.Err()
			case "1":
				<-never
			}
			return nil
		}})
		run := b.running(20, migrations.Knobs{Concurrency: 1, Attempts: 1, Timeout: 100 * time.Millisecond})
		stop := b.works()
		b.waitFor(run, migrations.Complete)
		stop()
		if p := b.progress(run); p.Complete != 18 || p.Failed != 2 {
			t.Errorf("%+v", p)
		}
		b.counts(2, "SELECT COUNT(*) FROM migration_attempt WHERE message LIKE 'took longer%'")
	})
	t.Run("a postponed task comes again, at no cost", func(t *testing.T) {
		t.Parallel()
		var first sync.Map
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(_ context.Context, w *migrations.Work) error {
			if w.Task.Attempt != 1 {
				t.Errorf("attempt %d", w.Task.Attempt)
			}
			if _, again := first.LoadOrStore(w.Task.ID, true); !again {
				return migrations.Later{After: time.Millisecond, Reason: "busy"}
			}
			return nil
		}})
		run := b.running(10, migrations.Knobs{Attempts: 1})
		b.works()
		b.waitFor(run, migrations.Complete)
		if p := b.progress(run); p.Complete != 10 || p.Errors != 0 {
			t.Errorf("%+v", p)
		}
	})
}

func TestFailureIsWritten(t *testing.T) {
	t.Parallel()
	t.Run("a failure that cannot be written in its own words is written without", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(_ context.Context, w *migrations.Work) error {
			if w.Task.Payload == "3" {
				return errors.New("poison")
			}
			return nil
		}})
		run := b.running(20, migrations.Knobs{Attempts: 1})
		b.exec("CREATE TRIGGER refuses BEFORE INSERT ON migration_attempt FOR EACH ROW IF NEW.message = 'poison' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'; END IF")
		b.works()
		b.waitFor(run, migrations.Complete)
		if p := b.progress(run); p.Complete != 19 || p.Failed != 1 {
			t.Errorf("%+v", p)
		}
		if list, err := b.Failures(t.Context(), run); err != nil || len(list) != 1 || list[0].Message != errWordless.Error() {
			t.Errorf("%+v, %v", list, err)
		}
		b.adds(run)
	})
	t.Run("a failure that cannot be written delays no other, and is written once that is repaired", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(2, migrations.Knobs{Attempts: 1})
		h := b.manualWorker(run)
		list := h.claims(2)
		h.claimed = 2
		list[0].outcome, list[0].err, list[0].began = failed, errors.New("poison"), time.Now()
		list[1].outcome, list[1].began = complete, time.Now()
		h.collect(list[0])
		h.collect(list[1])
		b.exec("CREATE TRIGGER refuses BEFORE UPDATE ON migration_task FOR EACH ROW IF NEW.state = 'failed' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'; END IF")
		reservation := func(at time.Time) {
			h.retryAt = time.Time{}
			h.unpark(at)
			h.flushAndClaim(at)
		}
		for tries := 0; len(h.results) > 0; tries++ {
			if reservation(time.Now()); tries > 20 {
				t.Fatalf("%d results are still tried", len(h.results))
			}
		}
		if p := b.progress(run); p.Complete != 1 || p.Processing != 1 || h.claimed != 1 {
			t.Errorf("%+v, it holds %d", p, h.claimed)
		}
		b.exec("DROP TRIGGER refuses")
		reservation(time.Now().Add(parkedFor))
		if p := b.progress(run); p.Failed != 1 || p.Processing != 0 || h.claimed != 0 {
			t.Errorf("%+v, it holds %d", p, h.claimed)
		}
		b.adds(run)
	})
}
