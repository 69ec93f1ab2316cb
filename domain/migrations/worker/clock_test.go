package worker

import (
	"errors"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
)

func TestDBClock(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for name, c := range map[string]struct {
		took  time.Duration // by the answers
		later time.Duration // the second look
		shown time.Duration // by the database's clock since the first
		want  time.Duration
	}{
		"a clock that goes on":                      {0, 10 * second, 10 * second, 0},
		"one that drifts":                           {0, 10 * second, 11 * second, 0},
		"one that answers late":                     {30 * second, 40 * second, 12 * second, 0},
		"one that is set back":                      {0, 10 * second, 10*second - time.Hour, -time.Hour},
		"one that is set ahead":                     {0, 10 * second, 10*second + time.Hour, time.Hour},
		"one that is set back during a long answer": {5 * second, 15 * second, -time.Hour, -time.Hour - 10*second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := newDBClock()
			began, theirs := clock.start.Add(time.Minute), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
			if step := clock.observe(began, began, theirs); step != 0 {
				t.Errorf("the first look finds a step by %v", step)
			}
			after := began.Add(c.later)
			if step := clock.observe(after.Add(-c.took), after, theirs.Add(c.shown)); (step - c.want).Abs() > 6*second {
				t.Errorf("it was set by %v, not %v", step, c.want)
			}
			if c.want == 0 && clock.announced() != 0 || c.want != 0 && clock.announced() == 0 {
				t.Error("what is announced is not what was found")
			}
		})
	}
}

func TestClockOfTheDatabaseIsSet(t *testing.T) {
	t.Parallel()
	t.Run("back: a dead worker's tasks come back after its lease all the same", func(t *testing.T) {
		t.Parallel()
		d, set := dbtest.NewClocked(t)
		b := newEnv(t, d, &migrations.Migration{Process: noop})
		run := b.running(2, migrations.Knobs{})
		dead, keeper := b.manualWorker(run), b.manualWorker(run)
		dead.claims(2)
		declares := func(want bool) {
			t.Helper()
			domaintest.Must(t, keeper.w.renew(t.Context()))
			if died, err := keeper.k.declareDead(t.Context()); err != nil || died != want {
				t.Fatalf("%t, %v", died, err)
			}
		}
		declares(false)
		set(-time.Hour)
		declares(false)
		seen := keeper.k.renewals[dead.w.id]
		seen.seen = seen.seen.Add(-dead.w.length()) // for so long
		keeper.k.renewals[dead.w.id] = seen
		declares(true)
		domaintest.Must(t, keeper.k.reap(t.Context(), b.row(run)))
		if n := b.tasksIn(run, migrations.TaskOpen); n != 2 {
			t.Errorf("%d tasks are open", n)
		}
	})
	t.Run("ahead: no task is taken from a worker that lives", func(t *testing.T) {
		t.Parallel()
		d, set := dbtest.NewClocked(t)
		b := newEnv(t, d, &migrations.Migration{Process: noop})
		run := b.running(2, migrations.Knobs{})
		lives, keeper := b.manualWorker(run), b.manualWorker(run)
		list := lives.claims(2)
		for _, ahead := range []time.Duration{0, time.Hour} {
			set(ahead)
			died, err := keeper.k.declareDead(t.Context())
			domaintest.Must(t, err)
			domaintest.Must(t, keeper.k.reap(t.Context(), b.row(run)))
			if died || b.tasksIn(run, migrations.TaskProcessing) != 2 {
				t.Fatalf("it died: %t; %d tasks are processing", died, b.tasksIn(run, migrations.TaskProcessing))
			}
		}
		domaintest.Must(t, lives.w.renew(t.Context()))
		lives.ends(list, complete, nil)
		if p := b.progress(run); p.Complete != 2 || p.Refused != 0 {
			t.Errorf("%+v", p)
		}
	})
	t.Run("back: a worker that lives keeps its tasks, also what it claims since", func(t *testing.T) {
		t.Parallel()
		d, set := dbtest.NewClocked(t)
		b := newEnv(t, d, &migrations.Migration{Process: noop})
		run := b.running(2, migrations.Knobs{})
		lives, keeper := b.manualWorker(run), b.manualWorker(run)
		domaintest.OK(keeper.k.declareDead(t.Context()))(t)
		set(-time.Hour)
		lives.claims(2)
		domaintest.Must(t, keeper.k.reap(t.Context(), b.row(run)))
		if n := b.tasksIn(run, migrations.TaskProcessing); n != 2 {
			t.Errorf("%d tasks are processing", n)
		}
	})
	t.Run("back: another worker takes the place of a keeper that is gone", func(t *testing.T) {
		t.Parallel()
		d, set := dbtest.NewClocked(t)
		b := newEnv(t, d, &migrations.Migration{Process: noop})
		run := b.running(0, migrations.Knobs{})
		gone, other := b.manualWorker(run), b.manualWorker(run)
		domaintest.Must(t, b.d.AddLease(t.Context(), monitor.KeeperLease))
		set(time.Second) // the lease is over by then
		takes := func(h manualWorker, want bool) {
			t.Helper()
			if is, err := h.k.take(t.Context()); err != nil || is != want {
				t.Fatalf("%t, %v", is, err)
			}
		}
		takes(gone, true)
		set(-time.Hour)
		takes(other, false)
		other.k.rival.seen = other.k.rival.seen.Add(-keepsFor) // it was seen for so long
		takes(other, true)
		takes(gone, false)
	})
	t.Run("back: a task waits no longer for its next attempt", func(t *testing.T) {
		t.Parallel()
		d, set := dbtest.NewClocked(t)
		b := newEnv(t, d, &migrations.Migration{Process: noop})
		run := b.running(2, migrations.Knobs{})
		h := b.manualWorker(run)
		domaintest.Must(t, b.d.AddLease(t.Context(), monitor.KeeperLease))
		set(time.Second)
		domaintest.Must(t, h.k.round(t.Context()))
		h.ends(h.claims(2), failed, errors.New("not at first"))
		b.counts(2, "SELECT COUNT(*) FROM migration_task WHERE state = 'waiting'")
		set(-time.Hour)
		domaintest.Must(t, h.k.round(t.Context()))
		b.counts(0, "SELECT COUNT(*) FROM migration_task WHERE due_at > NOW(6) + INTERVAL 1 MINUTE")
	})
	t.Run("the log of each run says so", func(t *testing.T) {
		t.Parallel()
		d, set := dbtest.NewClocked(t)
		b := newEnv(t, d, &migrations.Migration{Process: noop})
		b.running(2, migrations.Knobs{})
		k := b.manualWorker(b.running(2, migrations.Knobs{})).k
		domaintest.Must(t, b.d.AddLease(t.Context(), monitor.KeeperLease))
		set(time.Second)
		domaintest.Must(t, k.round(t.Context()))
		set(time.Hour)
		for range 2 {
			domaintest.Must(t, k.round(t.Context()))
		}
		b.counts(2, "SELECT COUNT(*) FROM migration_event WHERE kind = 'clock' AND detail LIKE '%set ahead by 1h0m0s%' OR detail LIKE '%set ahead by 59m59s%'")
	})
}
