package worker

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// Whole runs, with workers that work.

func TestARunInWhichAllFailsPausesByItself(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	broken.Store(true)
	b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(context.Context, *migrations.Work) error {
		if broken.Load() {
			return errors.New("the disk is full")
		}
		return nil
	}})
	run := b.running(500, migrations.Knobs{Rate: 25, Attempts: 3, Backoff: time.Second})
	b.works()
	b.waitFor(run, migrations.Paused)
	paused := domaintest.OK(b.Run(t.Context(), run))(t)
	if !strings.Contains(paused.Reason, "“the disk is full”") && !strings.Contains(paused.Reason, "attempts failed") {
		t.Errorf("reason %q", paused.Reason)
	}
	if paused.Progress.Open == 0 {
		t.Errorf("it went on until the end: %+v", paused.Progress)
	}
	broken.Store(false)
	domaintest.OK(b.ResumeRun(t.Context(), migrations.Actor{Name: "Ann"}, run))(t)
	domaintest.OK(b.ChangeKnobs(t.Context(), migrations.Actor{Name: "Ann"}, run, migrations.KnobChange{"rate": 0}))(t)
	b.waitFor(run, migrations.Complete)
	b.adds(run)
}

func TestNoRequestsToABlockedHost(t *testing.T) {
	t.Parallel()
	var sent, cancelled atomic.Int64
	b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(ctx context.Context, w *migrations.Work) error {
		if err := w.Await(ctx, "images.example"); err != nil {
			return err
		}
		if sent.Add(1) == 20 {
			cancelled.Add(1)
			return migrations.Later{After: time.Hour, Host: "images.example", Reason: "429 Too Many Requests"}
		}
		return nil
	}})
	run := b.running(1000, migrations.Knobs{Rate: 100, Attempts: 1})
	b.works()
	b.another().works()
	b.until("all that is left waits", func() bool {
		p := b.progress(run)
		return cancelled.Load() == 1 && p.Open+p.Processing == 0
	})
	p := b.progress(run)
	if p.Errors != 0 || p.Failed != 0 {
		t.Errorf("to be put off cost attempts: %+v", p)
	}
	// Two workers at a hundred a second together learn of it within about a second.
	if n := sent.Load(); n > 500 {
		t.Errorf("%d requests were sent", n)
	}
	b.adds(run)
}

func TestAThrottledRunClaimsNothingAndResumes(t *testing.T) {
	t.Parallel()
	b := newEnv(t, dbtest.Open(t),
		&migrations.Migration{Process: func(context.Context, *migrations.Work) error { return nil }})
	run := b.running(1000, migrations.Knobs{Rate: 50, Throttled: true})
	b.works()
	b.waitFor(run, migrations.Throttled)
	b.until("the worker has seen it", func() bool {
		return b.number("SELECT COUNT(*) FROM migration_counter JOIN migration_run ON id = run_id WHERE worker_id > 0 AND seen = version") > 0
	})
	b.until("nothing is under way", func() bool { return b.progress(run).Processing == 0 })
	before := b.progress(run)
	lap := b.number("SELECT MAX(version) FROM migration_run")
	b.until("the keeper looked once more", func() bool {
		return b.number("SELECT renewed_at > state_since + INTERVAL 3 SECOND FROM migration_lease, migration_run WHERE migration_lease.name = 'keeper'") == 1
	})
	if after := b.progress(run); after != before || lap != b.number("SELECT MAX(version) FROM migration_run") {
		t.Errorf("it goes on: %+v, then %+v", before, after)
	}
	stats, err := b.p.monitor.Statistics(t.Context(), run)
	if err != nil || stats.ETA.Known || stats.Living != 1 || len(stats.Samples) == 0 {
		t.Errorf("%+v, %v", stats, err)
	}
	domaintest.OK(b.ChangeKnobs(t.Context(), migrations.Actor{Name: "Ann"}, run,
		migrations.KnobChange{"throttled": 0, "rate": 0}))(t)
	b.waitFor(run, migrations.Complete)
}
