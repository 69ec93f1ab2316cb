package migrations

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// works has a worker work until the test ends.
func (d *desk) works() {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := d.Work(ctx); err != nil && !errors.Is(err, context.Canceled) {
			d.t.Error(err)
		}
	}()
	d.t.Cleanup(func() { stop(); <-done })
}

// comes waits until the run is in the state.
func (d *desk) comes(run id.Run, state State) Run {
	d.t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if now := d.run(run); now.State == state {
			return now
		}
	}
	now := d.run(run)
	d.t.Fatalf("run %d is %s (%s); want %s", run, now.State, now.Reason, state)
	return Run{}
}

// From opening to the end with a real worker: filled, started with a canary, resumed, failed, retried.
func TestARunFromEndToEnd(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	broken.Store(true)
	whole := *numbers
	whole.Knobs = Knobs{Attempts: 1, ErrorShare: 1, SameError: 1000}
	whole.Process = func(_ context.Context, work *Work) error {
		if broken.Load() && work.Task.Payload[len(work.Task.Payload)-1] == '7' {
			return Permanent{fmt.Errorf("GET https://x:%s@example.com/%s: refused", work.Values["password"], work.Task.Payload)}
		}
		work.Note("with " + work.Values["password"])
		return nil
	}
	d := newDesk(t, &whole)
	run := must[Run](t)(d.OpenRun(d.ctx, d.ana, "numbers", Values{"upto": "200", "password": hunter2}, Draft{}))
	d.works()
	if run = d.comes(run.ID, Ready); run.Total != 200 {
		t.Fatal(run.Total)
	}
	must[Run](t)(d.StartRun(d.ctx, d.ana, run.ID, 30))
	run = d.comes(run.ID, Paused)
	if p := run.Progress; p.Done() != 30 || run.Listed != ListAttention || run.Reason == "" {
		t.Errorf("after the canary: %+v, %s, %q", p, run.Listed, run.Reason)
	}
	must[Run](t)(d.ResumeRun(d.ctx, d.ana, run.ID))
	run = d.comes(run.ID, Complete)
	if run.Progress.Failed != 20 || run.Listed != ListAttention {
		t.Errorf("%+v, %s", run.Progress, run.Listed)
	}
	d.counted(run.ID)
	groups := must[[]Failure](t)(d.Failures(d.ctx, run.ID))
	if len(groups) != 1 || groups[0].Failed != 20 || strings.Contains(groups[0].Message, hunter2) || !strings.Contains(groups[0].Message, Masked) {
		t.Fatalf("%+v", groups)
	}
	task, attempts, err := d.Task(d.ctx, run.ID, groups[0].Task)
	if err != nil || len(attempts) != 1 || strings.Contains(fmt.Sprintf("%+v %+v", task, attempts), hunter2) {
		t.Errorf("%+v %+v %v", task, attempts, err)
	}
	page, err := d.Tasks(d.ctx, run.ID, TaskFilter{State: TaskComplete})
	if err != nil || page.Tasks[0].Note != "with "+Masked {
		t.Errorf("%q, %v", page.Tasks[0].Note, err)
	}
	broken.Store(false)
	if n, err := d.RetryTasks(d.ctx, d.ana, run.ID, Which{Fingerprint: groups[0].Fingerprint}); n != 20 || err != nil {
		t.Fatal(n, err)
	}
	run = d.comes(run.ID, Complete)
	if run.Progress.Complete != 200 || run.Listed != ListFinished {
		t.Errorf("%+v, %s", run.Progress, run.Listed)
	}
	d.counted(run.ID)
}

// Operators pause, resume, retry and skip while workers work: at the end every task has ended, and the
// counters say so.
func TestOperatorsAndWorkersAtOnce(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	shaky := *numbers
	shaky.Knobs = Knobs{Attempts: 2, Backoff: 10 * time.Millisecond, ErrorShare: 1, SameError: 1000}
	shaky.Process = func(context.Context, *Work) error {
		if calls.Add(1)%3 == 0 {
			return errors.New("it shakes")
		}
		return nil
	}
	d := newDesk(t, &shaky)
	run := d.running(600)
	d.works()
	d.works()
	for n := 0; ; n++ {
		now := d.run(run.ID)
		var err error
		switch n % 5 {
		case 0:
			_, err = d.PauseRun(d.ctx, d.ana, run.ID)
		case 1:
			_, err = d.RetryTasks(d.ctx, d.ana, run.ID, Which{All: true})
		case 2, 4:
			_, err = d.ResumeRun(d.ctx, d.ana, run.ID)
		case 3:
			_, err = d.SkipTasks(d.ctx, d.ana, run.ID, Which{Task: d.ids(run.ID)[n%600]})
		}
		if err != nil && !errors.Is(err, CodeWrongState) && !errors.Is(err, CodeWrongTaskState) {
			t.Fatal(err)
		}
		if now.State == Complete && now.Progress.Failed == 0 || n > 400 {
			break
		}
		time.Sleep(30 * time.Millisecond)
	}
	if run := d.run(run.ID); run.State == Pausing || run.State == Paused {
		must[Run](t)(d.ResumeRun(d.ctx, d.ana, run.ID))
	}
	end := d.comes(run.ID, Complete)
	d.counted(run.ID)
	if end.Progress.Done() != 600 {
		t.Errorf("%+v", end.Progress)
	}
}
