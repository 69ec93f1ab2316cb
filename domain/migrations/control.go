package migrations

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// CodeBadCanary: the canary is no number of tasks. Send one from 1 on, or leave it out.
const CodeBadCanary fault.Code = "Run.BadCanary"

func BadCanary() error {
	return fault.Invalid.New(CodeBadCanary, "canary",
		"A canary is a number of tasks, from 1 on. Leave it empty to start with all.")
}

// maxCanary is what its column holds.
const maxCanary = 1<<32 - 1

// StartRun lets workers claim the tasks of a ready run: of a canary above 0 that many, and then it pauses and asks. The
// change of settings is part of the start: of two operators that start a run, the first one's settings count. To start
// a run again alike does nothing. It returns RunNotFound, Removed, BadCanary, WrongState, AllStopped or
// what ChangeKnobs does.
func (e *Engine) StartRun(ctx context.Context, actor Actor, run id.Run, canary int, change KnobChange) (Run, error) {
	if canary < 0 || canary > maxCanary {
		return Run{}, BadCanary()
	}
	m := Move{Action: "start", From: []State{Ready}, To: Running, Actor: actor}
	var left *uint32
	if canary > 0 {
		n := uint32(canary)
		left, m.Reason = &n, fmt.Sprintf("Canary: %d tasks, then it pauses and asks.", canary)
	}
	return e.act(ctx, run, m, func(row db.MigrationRun) bool {
		return State(row.State) == Running && (row.CanaryLeft != nil) == (left != nil) && alreadySet(row, change)
	}, func(ctx context.Context, tx *db.Tx, row db.MigrationRun) error {
		return changeKnobs(ctx, tx, row, actor, change)
	}, func(row *db.MigrationRun) { row.CanaryLeft = left })
}

// alreadySet reports whether the knobs of a run are as the change would have them.
func alreadySet(row db.MigrationRun, change KnobChange) bool {
	knobs, err := readKnobs(row.Knobs)
	if err != nil {
		return false
	}
	_, done, err := knobs.with(change)
	return err == nil && len(done) == 0
}

// PauseRun stops workers from claiming its tasks; once what is under way is finished, the run is
// paused. To pause it again does nothing. It returns RunNotFound or WrongState.
func (e *Engine) PauseRun(ctx context.Context, actor Actor, run id.Run) (Run, error) {
	return e.act(ctx, run, Move{Action: "pause", From: []State{Running, Throttled}, To: Pausing, Actor: actor},
		in(Pausing, Paused), nil, nil)
}

// ResumeRun resumes a run that is paused, pausing or throttled; it ends a manual throttle and a used-up canary. To
// resume a running run does nothing. It returns RunNotFound, Removed, WrongState or AllStopped.
func (e *Engine) ResumeRun(ctx context.Context, actor Actor, run id.Run) (Run, error) {
	return e.act(ctx, run, Move{Action: "resume", From: []State{Paused, Pausing, Throttled}, To: Running, Actor: actor}, in(Running), func(ctx context.Context, tx *db.Tx, row db.MigrationRun) error {
		return endThrottle(ctx, tx, row, actor)
	}, func(row *db.MigrationRun) {
		if row.CanaryLeft != nil && *row.CanaryLeft == 0 {
			row.CanaryLeft = nil
		}
	})
}

// CancelRun ends a run for good: at once, or once its tasks in flight are finished. Completed work stays. To cancel it
// again does nothing. It returns RunNotFound or WrongState.
func (e *Engine) CancelRun(ctx context.Context, actor Actor, run id.Run) (Run, error) {
	return e.act(ctx, run, Move{Action: "cancel", From: []State{Open, Filling, Ready, Running, Pausing, Paused, Throttled},
		To: Cancelled, Actor: actor}, in(Cancelling, Cancelled), nil, nil)
}

func in(states ...State) func(db.MigrationRun) bool {
	return func(row db.MigrationRun) bool { return slices.Contains(states, State(row.State)) }
}

// act moves a run, unless it was moved already. If its state allows the move, also runs first, and change alters more
// of the row; both may be nil.
func (e *Engine) act(ctx context.Context, run id.Run, m Move, already func(row db.MigrationRun) bool,
	also func(ctx context.Context, tx *db.Tx, row db.MigrationRun) error, change func(row *db.MigrationRun)) (Run, error) {
	err := e.db.InTx(ctx, func(tx *db.Tx) error {
		row, err := LockRun(ctx, tx, run)
		if err != nil {
			return err
		}
		if already(row) {
			return nil
		}
		m := m
		switch m.To {
		case Running:
			if err := notStopped(ctx, tx); err != nil {
				return err
			}
			if e.registry[row.Name] == nil && slices.Contains(m.From, State(row.State)) {
				return Removed(run, row.Name)
			}
		case Cancelled:
			if slices.Contains([]State{Running, Pausing, Throttled}, State(row.State)) {
				m.To = Cancelling
			}
		}
		if also != nil && slices.Contains(m.From, State(row.State)) { // else transit refuses
			if err := also(ctx, tx, row); err != nil {
				return err
			}
		}
		if err := Transit(ctx, tx, run, m, change); err != nil {
			return err
		}
		return e.recordControl(ctx, tx, m.Actor, m.Action, row, m.Reason)
	})
	if err != nil {
		return Run{}, fmt.Errorf("%s run: %w", m.Action, err)
	}
	e.Changes.Wake()
	return e.Run(ctx, run)
}

// endThrottle releases the throttle by hand, which would hold the run again at once.
func endThrottle(ctx context.Context, tx *db.Tx, row db.MigrationRun, actor Actor) error {
	return changeKnobs(ctx, tx, row, actor, KnobChange{"throttled": 0})
}

// LockRun locks a run's row, or returns RunNotFound. It writes the row, so that it holds on each server of a cluster.
func LockRun(ctx context.Context, tx *db.Tx, run id.Run) (db.MigrationRun, error) {
	if err := tx.CountRunLock(ctx, run); err != nil {
		return db.MigrationRun{}, err
	}
	row, err := tx.LockRun(ctx, run)
	if db.IsNotFound(err) {
		return row, RunNotFound(run)
	}
	return row, err
}

// ChangeKnobs changes settings of a run that is not over; workers follow within a second or so. It returns
// RunNotFound, fault.Several with a BadKnob for each, or WrongState.
func (e *Engine) ChangeKnobs(ctx context.Context, actor Actor, run id.Run, change KnobChange) (Run, error) {
	err := e.db.InTx(ctx, func(tx *db.Tx) error {
		row, err := LockRun(ctx, tx, run)
		if err != nil {
			return err
		}
		if !State(row.State).IsActive() {
			return WrongState(run, State(row.State), "be adjusted")
		}
		note, err := knobNote(row, change)
		if err != nil {
			return err
		}
		if err := changeKnobs(ctx, tx, row, actor, change); err != nil || note == "" {
			return err
		}
		return e.recordControl(ctx, tx, actor, "adjust", row, note)
	})
	if err != nil {
		return Run{}, fmt.Errorf("turn knobs: %w", err)
	}
	e.Changes.Wake()
	return e.Run(ctx, run)
}

// changeKnobs changes knobs of a run whose row is locked, and logs each.
func changeKnobs(ctx context.Context, tx *db.Tx, row db.MigrationRun, actor Actor, change KnobChange) error {
	knobs, err := readKnobs(row.Knobs)
	if err != nil {
		return err
	}
	knobs, done, err := knobs.with(change)
	if err != nil || len(done) == 0 {
		return err
	}
	text, err := json.Marshal(knobs)
	if err != nil {
		return err
	}
	if err := tx.SetRunKnobs(ctx, string(text), row.ID); err != nil {
		return err
	}
	for _, t := range done {
		if err := LogEvent(ctx, tx, row.ID, actor, "knob", fmt.Sprintf("%s %s → %s", t.label, t.old, t.new)); err != nil {
			return err
		}
	}
	return nil
}

// knobNote says what a change of knobs does, "" if it does nothing.
func knobNote(row db.MigrationRun, change KnobChange) (string, error) {
	knobs, err := readKnobs(row.Knobs)
	if err != nil {
		return "", err
	}
	_, done, err := knobs.with(change)
	notes := make([]string, len(done))
	for i, t := range done {
		notes[i] = fmt.Sprintf("%s %s → %s", t.label, t.old, t.new)
	}
	return strings.Join(notes, ", "), err
}

// DismissRun takes a run that is over from the list of those that need attention. To dismiss it again does nothing. It
// returns RunNotFound or WrongState.
func (e *Engine) DismissRun(ctx context.Context, actor Actor, run id.Run) (Run, error) {
	err := e.db.InTx(ctx, func(tx *db.Tx) error {
		row, err := LockRun(ctx, tx, run)
		if err != nil {
			return err
		}
		if State(row.State).IsActive() {
			return WrongState(run, State(row.State), "be dismissed")
		}
		if row.Listed == ListFinished {
			return nil
		}
		if err := tx.SetRunListed(ctx, ListFinished, run); err != nil {
			return err
		}
		if err := LogEvent(ctx, tx, run, actor, "dismiss", ""); err != nil {
			return err
		}
		return e.recordControl(ctx, tx, actor, "dismiss", row, "")
	})
	if err != nil {
		return Run{}, fmt.Errorf("dismiss run: %w", err)
	}
	e.Changes.Wake()
	return e.Run(ctx, run)
}

// CodeWorkerNotFound: the worker is gone. See the list of workers.
const CodeWorkerNotFound fault.Code = "Worker.NotFound"

func WorkerNotFound(worker id.Worker) error {
	return fault.NotFound.New(CodeWorkerNotFound, "",
		fmt.Sprintf("Worker %d is gone. The list of workers shows who works now.", worker))
}

// workersShown are so many of those that work, that drain, and that stopped.
const workersShown = 200

// Workers returns who works, then who drains, then the last that stopped, each the newest first.
func (e *Engine) Workers(ctx context.Context) ([]Worker, error) {
	var list []Worker
	for state, most := range []int32{workersShown, workersShown, 10} {
		rows, err := db.Read(e.db.WorkersIn(ctx, []string{WorkerActive, WorkerDraining, WorkerStopped}[state], most))
		if err != nil {
			return nil, fmt.Errorf("read workers: %w", err)
		}
		for _, row := range rows {
			list = append(list, WorkerFrom(row.MigrationWorker, row.LeftUs))
		}
	}
	return list, nil
}

// DrainWorker has a worker finish what it holds and claim nothing more, or claim again. The runs that
// are not over log it. It returns WorkerNotFound.
func (e *Engine) DrainWorker(ctx context.Context, actor Actor, worker id.Worker, drain bool) error {
	state, kind := WorkerActive, "undrain"
	if drain {
		state, kind = WorkerDraining, "drain"
	}
	err := e.db.InTx(ctx, func(tx *db.Tx) error {
		row, err := tx.LockWorker(ctx, worker)
		if db.IsNotFound(err) || err == nil && row.State == WorkerStopped {
			return WorkerNotFound(worker)
		}
		if err != nil || row.State == state {
			return err
		}
		if err := tx.DrainWorker(ctx, state, worker); err != nil {
			return err
		}
		name := fmt.Sprintf("worker %d, %s:%d", worker, row.Host, row.Pid)
		if e.record != nil {
			if err := e.record(ctx, tx, Control{Actor: actor, Action: kind, Title: name}); err != nil {
				return err
			}
		}
		return logActive(ctx, tx, actor, kind, name)
	})
	if err != nil {
		return fmt.Errorf("drain worker: %w", err)
	}
	return nil
}

// logActive adds an entry to the log of each run that is not over; of very many in a state, to the newest.
func logActive(ctx context.Context, tx *db.Tx, actor Actor, kind, detail string) error {
	for _, state := range Active {
		runs, err := tx.RunsIn(ctx, db.RunsInParams{State: string(state), Before: 1<<63 - 1, Limit: workersShown})
		if err != nil {
			return err
		}
		for _, run := range runs {
			if err := LogEvent(ctx, tx, run.ID, actor, kind, detail); err != nil {
				return err
			}
		}
	}
	return nil
}

// PauseAll pauses the runs of a database that was restored or promoted, so that operators decide about each. Ready and
// filled runs wait for Start anyway.
func PauseAll(ctx context.Context, d *db.DB, reason string) error {
	for _, state := range []State{Running, Pausing, Throttled} {
		if err := pauseIn(ctx, d, state, reason); err != nil {
			return err
		}
	}
	return nil
}

func pauseIn(ctx context.Context, d *db.DB, state State, reason string) error {
	const most = 100
	for before := id.Run(1<<63 - 1); ; {
		rows, err := db.Read(d.RunsIn(ctx, db.RunsInParams{State: string(state), Before: before, Limit: most}))
		if err != nil {
			return fmt.Errorf("read runs: %w", err)
		}
		for _, row := range rows {
			if err := pauseRun(ctx, d, row, reason); err != nil {
				return fmt.Errorf("hold run %d: %w", row.ID, err)
			}
			before = row.ID
		}
		if len(rows) < most {
			return nil
		}
	}
}

// pauseRun pauses a run. With tasks in flight it is pausing until the keeper has taken them back from
// the stopped workers.
func pauseRun(ctx context.Context, d *db.DB, row db.MigrationRun, reason string) error {
	return d.InTx(ctx, func(tx *db.Tx) error {
		progress, err := tx.ProgressOf(ctx, row.ID)
		if err != nil {
			return err
		}
		m := Move{Action: "be paused", From: []State{Running, Pausing, Throttled}, To: Paused,
			Reason: reason, Actor: Keeper}
		if progress.Processing != 0 {
			if State(row.State) == Pausing {
				return nil
			}
			m.To = Pausing
		}
		return Transit(ctx, tx, row.ID, m, nil)
	})
}
