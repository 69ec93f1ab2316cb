package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/migrationstest"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// From opening to the end with a real worker: filled, started with a canary, resumed, failed, retried.
func TestARunFromEndToEnd(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	broken.Store(true)
	whole := *migrationstest.Numbers
	whole.Knobs = migrations.Knobs{Attempts: 1, ErrorShare: 1, SameError: 1000}
	whole.Process = func(_ context.Context, work *migrations.Work) error {
		if broken.Load() && work.Task.Payload[len(work.Task.Payload)-1] == '7' {
			return migrations.Permanent{Err: fmt.Errorf("GET https://x:%s@example.com/%s: refused", work.Values["password"],
				work.Task.Payload)}
		}
		work.Note("with " + work.Values["password"])
		return nil
	}
	d := newFillEnv(t, &whole)
	run := d.Must(d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "200", "password": migrationstest.Hunter2},
		migrations.Draft{}))
	works(t, d.p)
	if run = d.waitFor(run.ID, migrations.Ready); run.Total != 200 {
		t.Fatal(run.Total)
	}
	d.Must(d.StartRun(d.Ctx, d.Ana, run.ID, 30, nil))
	run = d.waitFor(run.ID, migrations.Paused)
	if p := run.Progress; p.Done() != 30 || run.Listed != migrations.ListAttention || run.Reason == "" {
		t.Errorf("after the canary: %+v, %s, %q", p, run.Listed, run.Reason)
	}
	d.Must(d.ResumeRun(d.Ctx, d.Ana, run.ID))
	run = d.waitFor(run.ID, migrations.Complete)
	if run.Progress.Failed != 20 || run.Listed != migrations.ListAttention {
		t.Errorf("%+v, %s", run.Progress, run.Listed)
	}
	d.CheckCounts(run.ID)
	groups, err := d.Failures(d.Ctx, run.ID)
	if err != nil || len(groups) != 1 || groups[0].Failed != 20 ||
		strings.Contains(groups[0].Message, migrationstest.Hunter2) ||
		!strings.Contains(groups[0].Message, migrations.Masked) {
		t.Fatalf("%+v", groups)
	}
	task, attempts, err := d.Task(d.Ctx, db.SightOfAll(0), run.ID, groups[0].Task)
	if err != nil || len(attempts) != 1 || strings.Contains(fmt.Sprintf("%+v %+v", task, attempts),
		migrationstest.Hunter2) {
		t.Errorf("%+v %+v %v", task, attempts, err)
	}
	page, err := d.Tasks(d.Ctx, db.SightOfAll(0), run.ID, migrations.TaskFilter{State: migrations.TaskComplete})
	if err != nil || page.Tasks[0].Note != "with "+migrations.Masked {
		t.Errorf("%q, %v", page.Tasks[0].Note, err)
	}
	broken.Store(false)
	if n, err := d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Fingerprint: groups[0].Fingerprint}); n != 20 ||
		err != nil {
		t.Fatal(n, err)
	}
	run = d.waitFor(run.ID, migrations.Complete)
	if run.Progress.Complete != 200 || run.Listed != migrations.ListFinished {
		t.Errorf("%+v, %s", run.Progress, run.Listed)
	}
	d.CheckCounts(run.ID)
}

// Operators pause, resume, retry and skip while workers work: at the end every task has ended, and the
// counters say so.
func TestOperatorsAndWorkersAtOnce(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	shaky := *migrationstest.Numbers
	shaky.Knobs = migrations.Knobs{Attempts: 2, Backoff: 10 * time.Millisecond, ErrorShare: 1, SameError: 1000}
	shaky.Process = func(context.Context, *migrations.Work) error {
		if calls.Add(1)%3 == 0 {
			return errors.New("it shakes")
		}
		return nil
	}
	d := newFillEnv(t, &shaky)
	run := d.Running(600)
	works(t, d.p)
	works(t, d.p)
	for n := 0; ; n++ {
		now := d.Now(run.ID)
		var err error
		switch n % 5 {
		case 0:
			_, err = d.PauseRun(d.Ctx, d.Ana, run.ID)
		case 1:
			_, err = d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{All: true})
		case 2, 4:
			_, err = d.ResumeRun(d.Ctx, d.Ana, run.ID)
		case 3:
			_, err = d.SkipTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Task: d.Ids(run.ID)[n%600]})
		}
		if err != nil && !errors.Is(err, migrations.CodeWrongState) && !errors.Is(err, migrations.CodeWrongTaskState) {
			t.Fatal(err)
		}
		if now.State == migrations.Complete && now.Progress.Failed == 0 || n > 400 {
			break
		}
		_ = wait.Sleep(d.Ctx, 30*time.Millisecond) // operators are no faster
	}
	if run := d.Now(run.ID); run.State == migrations.Pausing || run.State == migrations.Paused {
		d.Must(d.ResumeRun(d.Ctx, d.Ana, run.ID))
	}
	end := d.waitFor(run.ID, migrations.Complete)
	d.CheckCounts(run.ID)
	if end.Progress.Done() != 600 {
		t.Errorf("%+v", end.Progress)
	}
}
