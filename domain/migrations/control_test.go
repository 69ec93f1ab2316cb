package migrations_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// Every action in every state: its result, "" if it is refused.
func TestEveryActionInEveryState(t *testing.T) {
	t.Parallel()
	states := []migrations.State{migrations.Open, migrations.Filling, migrations.Ready, migrations.Running,
		migrations.Pausing, migrations.Paused, migrations.Throttled, migrations.Cancelling, migrations.Cancelled,
		migrations.Complete}
	type act func(d *env, e *migrations.Engine, run id.Run) error
	control := func(fn func(e *migrations.Engine, ctx context.Context, actor migrations.Actor, run id.Run) (migrations.Run, error)) act {
		return func(d *env, e *migrations.Engine, run id.Run) error { _, err := fn(e, d.Ctx, d.Ana, run); return err }
	}
	knob := func(d *env, e *migrations.Engine, run id.Run) error {
		_, err := e.ChangeKnobs(d.Ctx, d.Ana, run, migrations.KnobChange{"block": 77})
		return err
	}
	all := map[string]struct {
		act  act
		want map[migrations.State]migrations.State
	}{
		"start": {func(d *env, e *migrations.Engine, run id.Run) error {
			_, err := e.StartRun(d.Ctx, d.Ana, run, 0, nil)
			return err
		}, map[migrations.State]migrations.State{migrations.Ready: migrations.Running,
			migrations.Running: migrations.Running}},
		"canary": {func(d *env, e *migrations.Engine, run id.Run) error {
			_, err := e.StartRun(d.Ctx, d.Ana, run, 2, nil)
			return err
		}, map[migrations.State]migrations.State{migrations.Ready: migrations.Running}},
		"pause":  {control((*migrations.Engine).PauseRun), map[migrations.State]migrations.State{migrations.Running: migrations.Pausing, migrations.Throttled: migrations.Pausing, migrations.Pausing: migrations.Pausing, migrations.Paused: migrations.Paused}},
		"resume": {control((*migrations.Engine).ResumeRun), map[migrations.State]migrations.State{migrations.Running: migrations.Running, migrations.Pausing: migrations.Running, migrations.Paused: migrations.Running, migrations.Throttled: migrations.Running}},
		"cancel": {control((*migrations.Engine).CancelRun), map[migrations.State]migrations.State{
			migrations.Open: migrations.Cancelled, migrations.Filling: migrations.Cancelled,
			migrations.Ready: migrations.Cancelled, migrations.Paused: migrations.Cancelled,
			migrations.Running: migrations.Cancelling, migrations.Pausing: migrations.Cancelling,
			migrations.Throttled: migrations.Cancelling, migrations.Cancelling: migrations.Cancelling,
			migrations.Cancelled: migrations.Cancelled,
		}},
		"dismiss": {control((*migrations.Engine).DismissRun), map[migrations.State]migrations.State{migrations.Cancelled: migrations.Cancelled, migrations.Complete: migrations.Complete}},
		"knob": {knob, map[migrations.State]migrations.State{
			migrations.Open: migrations.Open, migrations.Filling: migrations.Filling, migrations.Ready: migrations.Ready,
			migrations.Running: migrations.Running, migrations.Pausing: migrations.Pausing,
			migrations.Paused: migrations.Paused, migrations.Throttled: migrations.Throttled,
			migrations.Cancelling: migrations.Cancelling,
		}},
		"retry": {func(d *env, e *migrations.Engine, run id.Run) error {
			_, err := e.RetryTasks(d.Ctx, d.Ana, run, migrations.Selection{All: true})
			return err
		}, map[migrations.State]migrations.State{
			migrations.Running: migrations.Running, migrations.Pausing: migrations.Pausing, migrations.Paused: migrations.Paused,
			migrations.Throttled: migrations.Throttled, migrations.Complete: migrations.Running,
		}},
		"skip": {func(d *env, e *migrations.Engine, run id.Run) error {
			_, err := e.SkipTasks(d.Ctx, d.Ana, run, migrations.Selection{All: true})
			return err
		}, map[migrations.State]migrations.State{
			migrations.Ready: migrations.Ready, migrations.Running: migrations.Running, migrations.Pausing: migrations.Pausing,
			migrations.Paused: migrations.Paused, migrations.Throttled: migrations.Throttled,
			migrations.Complete: migrations.Complete,
		}},
	}
	d := newEnv(t)
	run := d.Ready(3)
	task := d.Ids(run.ID)[0]
	missing := migrations.New(d.DB, nil, nil) // without the migration
	for action, c := range all {
		for _, from := range states {
			for _, known := range []bool{true, false} {
				name := fmt.Sprintf("%s, %s, known %v", action, from, known)
				domaintest.Exec(t, d.DB,
					"UPDATE migration_task SET state = 'failed', fingerprint = UNHEX('0000000000000001') WHERE id = ?", task)
				domaintest.Exec(t, d.DB, "UPDATE migration_counter SET failed = 0, skipped = 0 WHERE run_id = ?", run.ID)
				domaintest.Exec(t, d.DB,
					"INSERT INTO migration_counter (run_id, worker_id, failed) VALUES (?, 1, 1) ON DUPLICATE KEY UPDATE failed = 1",
					run.ID)
				domaintest.Exec(t, d.DB,
					"UPDATE migration_run SET state = ?, canary_left = NULL, active_key = IF(?, same_key, NULL), knobs = ? WHERE id = ?", string(from), from.IsActive(), domaintest.OK(knobsText(migrations.DefaultKnobs))(t), run.ID)
				before := d.Now(run.ID)
				e := d.Engine
				if !known {
					e = missing
				}
				err := c.act(d, e, run.ID)
				after := d.Now(run.ID)
				want, allowed := c.want[from]
				if begins := want == migrations.Running && from != migrations.Running && !known; begins {
					refusesAs(t, err, migrations.CodeRemoved, fault.Conflict)
					want = from
				} else if !allowed {
					refusesAs(t, err, migrations.CodeWrongState, fault.Conflict)
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
		"start": func() error { _, err := d.StartRun(d.Ctx, d.Ana, 99, 0, nil); return err }(),
		"pause": func() error { _, err := d.PauseRun(d.Ctx, d.Ana, 99); return err }(),
		"knob":  knob(d, d.Engine, 99),
		"retry": func() error { _, err := d.RetryTasks(d.Ctx, d.Ana, 99, migrations.Selection{All: true}); return err }(),
	} {
		t.Run(name+" of a run that is not there",
			func(t *testing.T) { refusesAs(t, err, migrations.CodeRunNotFound, fault.NotFound) })
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	t.Run("of two at once each finds it running, and the log has one", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Ready(3)
		var wait sync.WaitGroup
		for range 6 {
			wait.Go(func() {
				if run, err := d.StartRun(d.Ctx, d.Ana, run.ID, 0, nil); err != nil || run.State != migrations.Running {
					t.Error(run.State, err)
				}
			})
		}
		wait.Wait()
		starts := slices.DeleteFunc(d.Log(run.ID),
			func(entry string) bool { return !strings.HasPrefix(entry, "Ana running") })
		if len(starts) != 1 {
			t.Error(starts)
		}
	})
	t.Run("a canary counts down, asks when it is used up, and resuming ends it", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Must(d.StartRun(d.Ctx, d.Ana, d.Ready(9).ID, 5, nil))
		if run.CanaryLeft == nil || *run.CanaryLeft != 5 || run.Reason != "Canary: 5 tasks, then it pauses and asks." {
			t.Errorf("%+v", run)
		}
		_, err := d.StartRun(d.Ctx, d.Ana, run.ID, 0, nil)
		refusesAs(t, err, migrations.CodeWrongState, fault.Conflict) // a start without a canary differs from the running one
		domaintest.Exec(t, d.DB, "UPDATE migration_run SET canary_left = 3 WHERE id = ?", run.ID)
		d.Must(d.PauseRun(d.Ctx, d.Ana, run.ID))
		if run := d.Must(d.ResumeRun(d.Ctx, d.Ana, run.ID)); run.CanaryLeft == nil || *run.CanaryLeft != 3 {
			t.Error("a pause ended the canary")
		}
		domaintest.Exec(t, d.DB, "UPDATE migration_run SET canary_left = 0, state = 'paused' WHERE id = ?", run.ID)
		if run := d.Must(d.ResumeRun(d.Ctx, d.Ana, run.ID)); run.CanaryLeft != nil {
			t.Error("the canary goes on")
		}
	})
	t.Run("a canary of no size is refused", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		for _, canary := range []int{-1, 1 << 32} {
			_, err := d.StartRun(d.Ctx, d.Ana, 1, canary, nil)
			refusesAs(t, err, migrations.CodeBadCanary, fault.Invalid)
		}
	})
}

func TestResumeEndsTheThrottleByHand(t *testing.T) {
	t.Parallel()
	d := newEnv(t)
	run := d.Running(3)
	d.Must(d.ChangeKnobs(d.Ctx, d.Ana, run.ID, migrations.KnobChange{"throttled": 1}))
	d.MustMove(run.ID, migrations.Running, migrations.Throttled, migrations.Keeper)
	if run := d.Must(d.ResumeRun(d.Ctx, d.Ana, run.ID)); run.State != migrations.Running || run.Knobs.Throttled {
		t.Errorf("%+v", run)
	}
	if log := d.Log(run.ID); !slices.Contains(log, "Ana knob Throttle manually true → false") {
		t.Error(log)
	}
}

func TestKnobs(t *testing.T) {
	t.Parallel()
	d := newEnv(t)
	run := d.Running(3)
	run, before := d.Must(d.ChangeKnobs(d.Ctx, d.Ana, run.ID, migrations.KnobChange{"block": 100, "rate": 12.5,
		"lease": 90, "error_share": 0.25})), run
	want := migrations.DefaultKnobs
	want.Block, want.Rate, want.Lease, want.ErrorShare = 100, 12.5, 90*time.Second, 0.25
	if run.Knobs != want || run.Version != before.Version+1 {
		t.Errorf("%+v, version %d after %d", run.Knobs, run.Version, before.Version)
	}
	for _, entry := range []string{"Ana knob Block 10 → 100", "Ana knob Rate 0 → 12.5", "Ana knob Lease 30s → 1m30s",
		"Ana knob Error share 0.5 → 0.25"} {
		if !slices.Contains(d.Log(run.ID), entry) {
			t.Error("the log lacks", entry, d.Log(run.ID))
		}
	}
	if again := d.Must(d.ChangeKnobs(d.Ctx, d.Ana, run.ID,
		migrations.KnobChange{"block": 100})); again.Version != run.Version {
		t.Error("a knob that was not turned counts")
	}
	if off := d.Must(d.ChangeKnobs(d.Ctx, d.Ana, run.ID,
		migrations.KnobChange{"error_share": 0})); off.Knobs.ErrorShare != 0 {
		t.Error("a limit cannot be taken away")
	}
	const long = 25 * 3600.0
	_, err := d.ChangeKnobs(d.Ctx, d.Ana, run.ID, migrations.KnobChange{
		"concurrency": 0, "block": 1001, "attempts": 2.5, "timeout": long, "rate": math.NaN(), "max_history": -1,
		"max_lag": long, "error_share": 12.5,
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
	if run := d.Must(d.ChangeKnobs(d.Ctx, d.Ana, run.ID,
		migrations.KnobChange{"same_error": migrations.MaxSameErrors})); run.Knobs.SameError != migrations.MaxSameErrors {
		t.Error(run.Knobs.SameError)
	}
	_, err = d.ChangeKnobs(d.Ctx, d.Ana, run.ID, migrations.KnobChange{"same_error": migrations.MaxSameErrors + 1}) // more than is looked at
	if refuses[fault.Several](t, err, fault.Invalid); fault.Message(err) != "Same error must be from 0 to 1000." {
		t.Error(fault.Message(err))
	}
	for d, text := range map[time.Duration]string{time.Hour: "1h", 90 * time.Minute: "1h30m", 10 * time.Minute: "10m",
		0: "0s", 1500 * time.Millisecond: "1.5s", 10 * time.Second: "10s", 24 * time.Hour: "24h"} {
		if migrations.Span(d) != text {
			t.Error(migrations.Span(d), text)
		}
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	d := newEnv(t)
	run, worker := d.Running(3), d.Worker()
	state := func() string {
		t.Helper()
		list := domaintest.OK(d.Workers(d.Ctx))(t)
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
	paused, over := d.Ready(4), d.Ready(5)
	d.Put(paused.ID, migrations.Paused)
	d.Put(over.ID, migrations.Cancelled)
	for range 2 { // a double click
		if err := d.DrainWorker(d.Ctx, d.Ana, worker, true); err != nil || state() != migrations.WorkerDraining {
			t.Fatal(err, state())
		}
	}
	if err := d.DrainWorker(d.Ctx, d.Ana, worker, false); err != nil || state() != migrations.WorkerActive {
		t.Fatal(err, state())
	}
	for _, active := range []id.Run{run.ID, paused.ID} {
		log := d.Log(active)
		if got := log[len(log)-2:]; got[0] != fmt.Sprintf("Ana drain worker %d, here:7", worker) ||
			got[1] != fmt.Sprintf("Ana undrain worker %d, here:7", worker) {
			t.Error(got)
		}
	}
	if log := d.Log(over.ID); strings.Contains(log[len(log)-1], "drain") {
		t.Error("a run that is over says so, too:", log)
	}
	refusesAs(t, d.DrainWorker(d.Ctx, d.Ana, 999, true), migrations.CodeWorkerNotFound, fault.NotFound)
	domaintest.Exec(t, d.DB, "UPDATE migration_worker SET state = 'stopped' WHERE id = ?", worker)
	refusesAs(t, d.DrainWorker(d.Ctx, d.Ana, worker, false), migrations.CodeWorkerNotFound, fault.NotFound)
}

func TestNothingStartsByItselfAfterARestore(t *testing.T) {
	t.Parallel()
	d := newEnv(t)
	want := map[migrations.State]migrations.State{
		migrations.Open: migrations.Open, migrations.Filling: migrations.Filling, migrations.Ready: migrations.Ready,
		migrations.Running: migrations.Paused, migrations.Pausing: migrations.Paused, migrations.Paused: migrations.Paused,
		migrations.Throttled: migrations.Paused, migrations.Cancelling: migrations.Cancelling,
		migrations.Cancelled: migrations.Cancelled, migrations.Complete: migrations.Complete,
	}
	runs, n := map[migrations.State]id.Run{}, 10
	for state := range want {
		n++
		runs[state] = d.Ready(n).ID
		d.Put(runs[state], state)
	}
	busy := d.Running(3)
	d.Does(busy.ID, d.Ids(busy.ID)[0], migrations.TaskOpen, migrations.TaskProcessing) // by a worker who is not in the backup
	for range 2 {
		domaintest.Must(t, migrations.PauseAll(d.Ctx, d.DB, "Restored from a backup."))
		for from, to := range want {
			run := d.Now(runs[from])
			if run.State != to {
				t.Errorf("%s became %s; want %s", from, run.State, to)
			}
			if to == migrations.Paused && from != migrations.Paused && (run.Reason != "Restored from a backup." ||
				run.Listed == migrations.ListFinished) {
				t.Errorf("%s: %q, %s", from, run.Reason, run.Listed)
			}
		}
		if run := d.Now(busy.ID); run.State != migrations.Pausing || run.Listed != migrations.ListAttention ||
			run.Reason != "Restored from a backup." {
			t.Error(run.State, run.Listed, run.Reason)
		}
	}
}

func TestStartWithSettings(t *testing.T) {
	t.Parallel()
	d := newEnv(t)
	ready := d.Ready(3)
	mine, theirs := migrations.KnobChange{"concurrency": 8}, migrations.KnobChange{"concurrency": 2}
	if _, err := d.StartRun(d.Ctx, d.Ana, ready.ID, 0, migrations.KnobChange{"concurrency": 100_000}); !errors.As(err,
		new(fault.Several)) {
		t.Error(err)
	}
	if run := d.Now(ready.ID); run.State != migrations.Ready {
		t.Errorf("with a setting out of its range it is %s", run.State)
	}
	if run, err := d.StartRun(d.Ctx, d.Ana, ready.ID, 0, mine); err != nil || run.State != migrations.Running ||
		run.Knobs.Concurrency != 8 {
		t.Fatalf("%+v, %v", run, err)
	}
	log := len(d.Log(ready.ID))
	t.Run("the second operator changes nothing, and gets an error", func(t *testing.T) {
		_, err := d.StartRun(d.Ctx, migrations.Actor{Name: "Bob"}, ready.ID, 0, theirs)
		refusesAs(t, err, migrations.CodeWrongState, fault.Conflict)
		if run := d.Now(ready.ID); run.Knobs.Concurrency != 8 || len(d.Log(ready.ID)) != log {
			t.Errorf("%+v, %q", run.Knobs, d.Log(ready.ID))
		}
	})
	t.Run("the same again is no error", func(t *testing.T) {
		if _, err := d.StartRun(d.Ctx, d.Ana, ready.ID, 0, mine); err != nil || len(d.Log(ready.ID)) != log {
			t.Errorf("%v, %q", err, d.Log(ready.ID))
		}
	})
	t.Run("of many at once one has its settings", func(t *testing.T) {
		ready := d.Must(d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "4"}, migrations.Draft{}))
		d.FilledBy(d.Worker(), ready)
		var wait sync.WaitGroup
		for n := 10; n < 20; n++ {
			wait.Go(func() {
				_, _ = d.StartRun(context.WithoutCancel(d.Ctx), migrations.Actor{Name: fmt.Sprint(n)}, ready.ID, 0,
					migrations.KnobChange{"concurrency": float64(n)})
			})
		}
		wait.Wait()
		run, changed := d.Now(ready.ID), 0
		for _, line := range d.Log(ready.ID) {
			if strings.Contains(line, " knob ") {
				changed++
			}
		}
		if run.State != migrations.Running || changed != 1 {
			t.Errorf("%s, %q", run.State, d.Log(ready.ID))
		}
	})
}

func knobsText(k migrations.Knobs) (string, error) {
	text, err := json.Marshal(k)
	return string(text), err
}
