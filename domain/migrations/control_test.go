package migrations

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Every action in every state: what comes of it, "" where it is refused.
func TestEveryActionInEveryState(t *testing.T) {
	t.Parallel()
	states := []State{Open, Filling, Ready, Running, Pausing, Paused, Throttled, Cancelling, Cancelled, Complete}
	type act func(d *desk, e *Engine, run id.Run) error
	control := func(fn func(e *Engine, ctx context.Context, actor Actor, run id.Run) (Run, error)) act {
		return func(d *desk, e *Engine, run id.Run) error { _, err := fn(e, d.ctx, d.ana, run); return err }
	}
	knob := func(d *desk, e *Engine, run id.Run) error {
		_, err := e.TurnKnobs(d.ctx, d.ana, run, KnobChange{"block": 77})
		return err
	}
	all := map[string]struct {
		act  act
		want map[State]State
	}{
		"start":  {func(d *desk, e *Engine, run id.Run) error { _, err := e.StartRun(d.ctx, d.ana, run, 0); return err }, map[State]State{Ready: Running, Running: Running}},
		"canary": {func(d *desk, e *Engine, run id.Run) error { _, err := e.StartRun(d.ctx, d.ana, run, 2); return err }, map[State]State{Ready: Running}},
		"pause":  {control((*Engine).PauseRun), map[State]State{Running: Pausing, Throttled: Pausing, Pausing: Pausing, Paused: Paused}},
		"resume": {control((*Engine).ResumeRun), map[State]State{Running: Running, Pausing: Running, Paused: Running, Throttled: Running}},
		"cancel": {control((*Engine).CancelRun), map[State]State{
			Open: Cancelled, Filling: Cancelled, Ready: Cancelled, Paused: Cancelled, Running: Cancelling, Pausing: Cancelling, Throttled: Cancelling, Cancelling: Cancelling, Cancelled: Cancelled,
		}},
		"dismiss": {control((*Engine).DismissRun), map[State]State{Cancelled: Cancelled, Complete: Complete}},
		"knob": {knob, map[State]State{
			Open: Open, Filling: Filling, Ready: Ready, Running: Running, Pausing: Pausing, Paused: Paused, Throttled: Throttled, Cancelling: Cancelling,
		}},
		"retry": {func(d *desk, e *Engine, run id.Run) error {
			_, err := e.RetryTasks(d.ctx, d.ana, run, Which{All: true})
			return err
		}, map[State]State{
			Running: Running, Pausing: Pausing, Paused: Paused, Throttled: Throttled, Complete: Running,
		}},
		"skip": {func(d *desk, e *Engine, run id.Run) error {
			_, err := e.SkipTasks(d.ctx, d.ana, run, Which{All: true})
			return err
		}, map[State]State{
			Ready: Ready, Running: Running, Pausing: Pausing, Paused: Paused, Throttled: Throttled, Complete: Complete,
		}},
	}
	d := newDesk(t)
	run := d.ready(3)
	task := d.ids(run.ID)[0]
	gone := New(d.db, nil, Options{}) // without the migration
	for action, c := range all {
		for _, from := range states {
			for _, known := range []bool{true, false} {
				name := fmt.Sprintf("%s, %s, known %v", action, from, known)
				execute(t, d.db, "UPDATE migration_task SET state = 'failed', fingerprint = UNHEX('0000000000000001') WHERE id = ?", task)
				execute(t, d.db, "UPDATE migration_counter SET failed = 0, skipped = 0 WHERE run_id = ?", run.ID)
				execute(t, d.db, "INSERT INTO migration_counter (run_id, worker_id, failed) VALUES (?, 1, 1) ON DUPLICATE KEY UPDATE failed = 1", run.ID)
				execute(t, d.db, "UPDATE migration_run SET state = ?, canary_left = NULL, active_key = IF(?, same_key, NULL), knobs = ? WHERE id = ?", string(from), from.IsActive(), must[string](t)(knobsText(DefaultKnobs)), run.ID)
				before := d.run(run.ID)
				e := d.Engine
				if !known {
					e = gone
				}
				err := c.act(d, e, run.ID)
				after := d.run(run.ID)
				want, allowed := c.want[from]
				if begins := want == Running && from != Running && !known; begins {
					refusesAs(t, err, CodeRemoved, fault.Conflict)
					want = from
				} else if !allowed {
					refusesAs(t, err, CodeWrongState, fault.Conflict)
					want = from
				} else if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if after.State != want {
					t.Errorf("%s: it is %s; want %s", name, after.State, want)
				}
				if moved := after.State != from; moved != (after.Version > before.Version) && action != "knob" {
					t.Errorf("%s: version %d, then %d", name, before.Version, after.Version)
				}
				if err != nil && after.Progress != before.Progress {
					t.Errorf("%s: refused, and yet it did something", name)
				}
			}
		}
	}
	for name, err := range map[string]error{
		"start": func() error { _, err := d.StartRun(d.ctx, d.ana, 99, 0); return err }(),
		"pause": func() error { _, err := d.PauseRun(d.ctx, d.ana, 99); return err }(),
		"knob":  knob(d, d.Engine, 99),
		"retry": func() error { _, err := d.RetryTasks(d.ctx, d.ana, 99, Which{All: true}); return err }(),
	} {
		t.Run(name+" of a run that is not there", func(t *testing.T) { refusesAs(t, err, CodeRunNotFound, fault.NotFound) })
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	t.Run("of two at once each finds it running, and the log has one", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.ready(3)
		var wait sync.WaitGroup
		for range 6 {
			wait.Go(func() {
				if run, err := d.StartRun(d.ctx, d.ana, run.ID, 0); err != nil || run.State != Running {
					t.Error(run.State, err)
				}
			})
		}
		wait.Wait()
		starts := slices.DeleteFunc(d.log(run.ID), func(entry string) bool { return !strings.HasPrefix(entry, "Ana running") })
		if len(starts) != 1 {
			t.Error(starts)
		}
	})
	t.Run("a canary counts down, asks when it is used up, and resuming ends it", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := must[Run](t)(d.StartRun(d.ctx, d.ana, d.ready(9).ID, 5))
		if run.CanaryLeft == nil || *run.CanaryLeft != 5 || run.Reason != "Canary: 5 tasks, then it pauses and asks." {
			t.Errorf("%+v", run)
		}
		_, err := d.StartRun(d.ctx, d.ana, run.ID, 0)
		refusesAs(t, err, CodeWrongState, fault.Conflict) // who wants all is not told that all is running
		execute(t, d.db, "UPDATE migration_run SET canary_left = 3 WHERE id = ?", run.ID)
		must[Run](t)(d.PauseRun(d.ctx, d.ana, run.ID))
		if run := must[Run](t)(d.ResumeRun(d.ctx, d.ana, run.ID)); run.CanaryLeft == nil || *run.CanaryLeft != 3 {
			t.Error("a pause ended the canary")
		}
		execute(t, d.db, "UPDATE migration_run SET canary_left = 0, state = 'paused' WHERE id = ?", run.ID)
		if run := must[Run](t)(d.ResumeRun(d.ctx, d.ana, run.ID)); run.CanaryLeft != nil {
			t.Error("the canary goes on")
		}
	})
	t.Run("a canary of no size is refused", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		for _, canary := range []int{-1, 1 << 32} {
			_, err := d.StartRun(d.ctx, d.ana, 1, canary)
			refusesAs(t, err, CodeBadCanary, fault.Invalid)
		}
	})
}

func TestResumeEndsTheThrottleByHand(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	run := d.running(3)
	must[Run](t)(d.TurnKnobs(d.ctx, d.ana, run.ID, KnobChange{"throttled": 1}))
	d.moved(run.ID, Running, Throttled, Keeper)
	if run := must[Run](t)(d.ResumeRun(d.ctx, d.ana, run.ID)); run.State != Running || run.Knobs.Throttled {
		t.Errorf("%+v", run)
	}
	if log := d.log(run.ID); !slices.Contains(log, "Ana knob throttled true → false") {
		t.Error(log)
	}
}

func TestKnobs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	run := d.running(3)
	run, before := must[Run](t)(d.TurnKnobs(d.ctx, d.ana, run.ID, KnobChange{"block": 100, "rate": 12.5, "lease": 90, "error_share": 0.25})), run
	want := DefaultKnobs
	want.Block, want.Rate, want.Lease, want.ErrorShare = 100, 12.5, 90*time.Second, 0.25
	if run.Knobs != want || run.Version != before.Version+1 {
		t.Errorf("%+v, version %d after %d", run.Knobs, run.Version, before.Version)
	}
	for _, entry := range []string{"Ana knob block 10 → 100", "Ana knob rate 0 → 12.5", "Ana knob lease 30s → 1m30s", "Ana knob error_share 0.5 → 0.25"} {
		if !slices.Contains(d.log(run.ID), entry) {
			t.Error("the log lacks", entry, d.log(run.ID))
		}
	}
	if again := must[Run](t)(d.TurnKnobs(d.ctx, d.ana, run.ID, KnobChange{"block": 100})); again.Version != run.Version {
		t.Error("a knob that was not turned counts")
	}
	if off := must[Run](t)(d.TurnKnobs(d.ctx, d.ana, run.ID, KnobChange{"error_share": 0})); off.Knobs.ErrorShare != 0 {
		t.Error("a limit cannot be taken away")
	}
	const long = 25 * 3600.0
	_, err := d.TurnKnobs(d.ctx, d.ana, run.ID, KnobChange{
		"concurrency": 0, "block": 1001, "attempts": 2.5, "timeout": long, "rate": math.NaN(), "max_history": -1, "max_lag": long, "error_share": 12.5,
		"same_error": -1,
	})
	var fields []string
	for _, one := range refuses[fault.Several](t, err, fault.Invalid) {
		fields = append(fields, fault.Field(one))
	}
	if fmt.Sprint(fields) != "[concurrency block attempts timeout rate max_history max_lag error_share same_error]" {
		t.Error(fields)
	}
	if got := fault.Message(err); got != "Concurrency must be from 1 to 1000." {
		t.Error(got)
	}
	if run := must[Run](t)(d.TurnKnobs(d.ctx, d.ana, run.ID, KnobChange{"same_error": mostSameErrors})); run.Knobs.SameError != mostSameErrors {
		t.Error(run.Knobs.SameError)
	}
	_, err = d.TurnKnobs(d.ctx, d.ana, run.ID, KnobChange{"same_error": mostSameErrors + 1}) // more than is looked at
	if refuses[fault.Several](t, err, fault.Invalid); fault.Message(err) != "Same error must be from 0 to 1000." {
		t.Error(fault.Message(err))
	}
	for d, text := range map[time.Duration]string{time.Hour: "1h", 90 * time.Minute: "1h30m", 10 * time.Minute: "10m", 0: "0s", 1500 * time.Millisecond: "1.5s", 10 * time.Second: "10s", 24 * time.Hour: "24h"} {
		if span(d) != text {
			t.Error(span(d), text)
		}
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	run, worker := d.running(3), d.worker()
	state := func() string {
		t.Helper()
		list := must[[]Worker](t)(d.Workers(d.ctx))
		for _, w := range list {
			if w.ID == worker {
				if w.Left <= 0 || w.Host != "here" || w.PID != 7 {
					t.Errorf("%+v", w)
				}
				return w.State
			}
		}
		return "gone"
	}
	paused, over := d.ready(4), d.ready(5)
	d.put(paused.ID, Paused)
	d.put(over.ID, Cancelled)
	for range 2 { // a double click
		if err := d.DrainWorker(d.ctx, d.ana, worker, true); err != nil || state() != WorkerDraining {
			t.Fatal(err, state())
		}
	}
	if err := d.DrainWorker(d.ctx, d.ana, worker, false); err != nil || state() != WorkerActive {
		t.Fatal(err, state())
	}
	for _, active := range []id.Run{run.ID, paused.ID} {
		log := d.log(active)
		if got := log[len(log)-2:]; got[0] != fmt.Sprintf("Ana drain worker %d, here:7", worker) || got[1] != fmt.Sprintf("Ana undrain worker %d, here:7", worker) {
			t.Error(got)
		}
	}
	if log := d.log(over.ID); strings.Contains(log[len(log)-1], "drain") {
		t.Error("a run that is over says so, too:", log)
	}
	refusesAs(t, d.DrainWorker(d.ctx, d.ana, 999, true), CodeWorkerNotFound, fault.NotFound)
	execute(t, d.db, "UPDATE migration_worker SET state = 'stopped' WHERE id = ?", worker)
	refusesAs(t, d.DrainWorker(d.ctx, d.ana, worker, false), CodeWorkerNotFound, fault.NotFound)
}

func TestNothingStartsByItselfAfterARestore(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	want := map[State]State{
		Open: Open, Filling: Filling, Ready: Ready, Running: Paused, Pausing: Paused, Paused: Paused, Throttled: Paused, Cancelling: Cancelling, Cancelled: Cancelled, Complete: Complete,
	}
	runs, n := map[State]id.Run{}, 10
	for state := range want {
		n++
		runs[state] = d.ready(n).ID
		d.put(runs[state], state)
	}
	busy := d.running(3)
	d.does(busy.ID, d.ids(busy.ID)[0], TaskOpen, TaskProcessing) // by a worker who is not in the backup
	for range 2 {
		if err := Restored(d.ctx, d.db); err != nil {
			t.Fatal(err)
		}
		for from, to := range want {
			run := d.run(runs[from])
			if run.State != to {
				t.Errorf("%s became %s; want %s", from, run.State, to)
			}
			if to == Paused && from != Paused && (run.Reason != "Restored from a backup." || run.Listed == ListFinished) {
				t.Errorf("%s: %q, %s", from, run.Reason, run.Listed)
			}
		}
		if run := d.run(busy.ID); run.State != Pausing || run.Listed != ListAttention || run.Reason != "Restored from a backup." {
			t.Error(run.State, run.Listed, run.Reason)
		}
	}
}

func TestStartWithSettings(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ready := d.ready(3)
	mine, theirs := KnobChange{"concurrency": 8}, KnobChange{"concurrency": 2}
	if _, err := d.StartRunWith(d.ctx, d.ana, ready.ID, 0, KnobChange{"concurrency": 100_000}); !errors.As(err, new(fault.Several)) {
		t.Error(err)
	}
	if run := d.run(ready.ID); run.State != Ready {
		t.Errorf("with a setting out of its range it is %s", run.State)
	}
	if run, err := d.StartRunWith(d.ctx, d.ana, ready.ID, 0, mine); err != nil || run.State != Running || run.Knobs.Concurrency != 8 {
		t.Fatalf("%+v, %v", run, err)
	}
	log := len(d.log(ready.ID))
	t.Run("who comes second changes nothing, and is told", func(t *testing.T) {
		_, err := d.StartRunWith(d.ctx, Actor{Name: "Bob"}, ready.ID, 0, theirs)
		refusesAs(t, err, CodeWrongState, fault.Conflict)
		if run := d.run(ready.ID); run.Knobs.Concurrency != 8 || len(d.log(ready.ID)) != log {
			t.Errorf("%+v, %q", run.Knobs, d.log(ready.ID))
		}
	})
	t.Run("the same again is no error", func(t *testing.T) {
		if _, err := d.StartRunWith(d.ctx, d.ana, ready.ID, 0, mine); err != nil || len(d.log(ready.ID)) != log {
			t.Errorf("%v, %q", err, d.log(ready.ID))
		}
	})
	t.Run("of many at once one has its settings", func(t *testing.T) {
		ready := must[Run](t)(d.OpenRun(d.ctx, d.ana, "numbers", Values{"upto": "4"}, Draft{}))
		d.filledBy(d.worker(), ready)
		var wait sync.WaitGroup
		for n := 10; n < 20; n++ {
			wait.Go(func() {
				_, _ = d.StartRunWith(context.WithoutCancel(d.ctx), Actor{Name: fmt.Sprint(n)}, ready.ID, 0, KnobChange{"concurrency": float64(n)})
			})
		}
		wait.Wait()
		run, turned := d.run(ready.ID), 0
		for _, line := range d.log(ready.ID) {
			if strings.Contains(line, " knob ") {
				turned++
			}
		}
		if run.State != Running || turned != 1 {
			t.Errorf("%s, %q", run.State, d.log(ready.ID))
		}
	})
}
