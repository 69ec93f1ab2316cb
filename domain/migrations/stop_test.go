package migrations_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

func TestStopAll(t *testing.T) {
	t.Parallel()
	t.Run("it says who did it and why, to each run that is not over; to repeat it changes nothing", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Running(3)
		bob := migrations.Actor{Name: "Bob"}
		for _, by := range []migrations.Actor{d.Ana, bob} {
			stop := domaintest.OK(d.StopAll(d.Ctx, by, "  The disk\nis full. "))(t)
			if stop.Actor != "Ana" || stop.Reason != "The disk is full." || stop.At.IsZero() {
				t.Errorf("%+v", stop)
			}
		}
		for range 2 {
			domaintest.Must(t, d.Release(d.Ctx, bob))
		}
		if _, is, err := d.Stopped(d.Ctx); is || err != nil {
			t.Errorf("it is stopped after the release: %v", err)
		}
		log := d.Log(run.ID)
		if got := log[len(log)-2:]; !slices.Equal(got, []string{"Ana stop-all The disk is full.", "Bob release "}) {
			t.Errorf("%q", got)
		}
		if now := d.Now(run.ID); now.State != migrations.Running {
			t.Errorf("the run is %s", now.State)
		}
	})
	t.Run("a reason is asked for", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		for _, bad := range []string{"", " \n", strings.Repeat("x", migrations.MaxReason+1), "\xff", "a\x00b", "a\u202eb"} {
			domaintest.Fails(d.StopAll(d.Ctx, d.Ana, bad))(t, migrations.CodeBadStopReason)
		}
	})
	t.Run("meanwhile nothing starts, resumes or is retried; pausing and cancelling go", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		ready, paused, running := d.Ready(1), d.Running(2), d.Running(4)
		d.Put(paused.ID, migrations.Paused)
		d.Fail(running.ID, d.Ids(running.ID)[:1])
		domaintest.OK(d.StopAll(d.Ctx, d.Ana, "why"))(t)
		domaintest.Fails(d.StartRun(d.Ctx, d.Ana, ready.ID, 0, nil))(t, migrations.CodeAllStopped)
		domaintest.Fails(d.ResumeRun(d.Ctx, d.Ana, paused.ID))(t, migrations.CodeAllStopped)
		domaintest.Fails(d.RetryTasks(d.Ctx, d.Ana, running.ID, migrations.Selection{All: true}))(t, migrations.CodeAllStopped)
		d.Must(d.PauseRun(d.Ctx, d.Ana, running.ID))
		d.Must(d.CancelRun(d.Ctx, d.Ana, ready.ID))
		d.Opened(5) // it waits
		domaintest.Must(t, d.Release(d.Ctx, d.Ana))
		d.Must(d.ResumeRun(d.Ctx, d.Ana, paused.ID))
	})
	t.Run("workers cannot renew their leases, what they claimed is open again at no cost, fillings are refused",
		func(t *testing.T) {
			t.Parallel()
			d := newEnv(t)
			d.Worker() // 1, which Does names
			run := d.Running(4)
			d.Must(d.PauseRun(d.Ctx, d.Ana, run.ID)) // pausing: the worker has one in hand
			ids := d.Ids(run.ID)
			d.Does(run.ID, ids[0], migrations.TaskOpen, migrations.TaskProcessing)
			domaintest.Exec(t, d.DB, "UPDATE migration_task SET claimed_at = NOW(6) WHERE id = ?", ids[0])
			domaintest.Exec(t, d.DB, "UPDATE migration_run SET canary_left = 1 WHERE id = ?", run.ID)
			filling := d.Opened(9)
			d.Put(filling.ID, migrations.Filling)
			domaintest.Exec(t, d.DB, "UPDATE migration_run SET fill_worker = 1, fill_fence = 7 WHERE id = ?", filling.ID)
			domaintest.OK(d.StopAll(d.Ctx, d.Ana, "why"))(t)
			domaintest.Counts(t, d.DB, 0, "SELECT COUNT(*) FROM migration_worker WHERE state <> 'stopped' OR epoch = 1 OR NOT halted")
			domaintest.Counts(t, d.DB, 1,
				"SELECT COUNT(*) FROM migration_task WHERE id = ? AND state = 'open' AND attempt = 0", ids[0])
			domaintest.Counts(t, d.DB, 2, "SELECT canary_left FROM migration_run WHERE id = ?", run.ID)
			domaintest.Counts(t, d.DB, 8, "SELECT fill_fence FROM migration_run WHERE id = ? AND fill_worker = 0", filling.ID)
			d.CheckCounts(run.ID)
		})
	t.Run("a run that a transaction has locked keeps the stop from nothing", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		locked := d.Running(3)
		tx := domaintest.OK(d.DB.SQL.Begin())(t)
		defer func() { _ = tx.Rollback() }()
		domaintest.OK(tx.Exec("SELECT 1 FROM migration_run WHERE id = ? FOR UPDATE", locked.ID))(t)
		domaintest.OK(d.StopAll(d.Ctx, d.Ana, "why"))(t)
		if _, is, err := d.Stopped(d.Ctx); !is || err != nil {
			t.Errorf("it is not stopped: %v", err)
		}
	})
	t.Run("a run that is locked for a moment has the stop in its log", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Running(3)
		tx := domaintest.OK(d.DB.SQL.Begin())(t)
		domaintest.OK(tx.Exec("SELECT 1 FROM migration_run WHERE id = ? FOR UPDATE", run.ID))(t)
		stopped := make(chan error, 1)
		go func() {
			_, err := d.StopAll(d.Ctx, d.Ana, "why")
			stopped <- err
		}()
		domaintest.Until(t, "the stop is in force", func() bool {
			_, is, err := d.Stopped(d.Ctx)
			return is && err == nil
		})
		domaintest.Must(t, tx.Rollback())
		domaintest.Must(t, <-stopped)
		domaintest.Counts(t, d.DB, 1, "SELECT COUNT(*) FROM migration_event WHERE run_id = ? AND kind = 'stop-all'", run.ID)
	})
}
