package migrations

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// Actor changes a run: an operator, or the engine itself.
type Actor struct {
	Account *id.Account // nil for the command line and the engine
	Name    string
}

// Keeper is the engine as an actor.
var Keeper = Actor{Name: "Counterfoil"}

func (a Actor) isEngine() bool { return a.Account == nil && a.Name == Keeper.Name }

// CodeWrongState: the state of the run does not allow this. Read the run again to see what can be done.
const CodeWrongState fault.Code = "Run.WrongState"

func WrongState(run id.Run, state State, action string) error {
	return fault.Conflict.New(CodeWrongState, "",
		fmt.Sprintf("Run %d is %s, so it cannot %s. Reload the page to see what can be done now.", run, state, action))
}

// CodeRunNotFound: there is no such run. See the list of runs.
const CodeRunNotFound fault.Code = "Run.NotFound"

func RunNotFound(run id.Run) error {
	return fault.NotFound.New(CodeRunNotFound, "", fmt.Sprintf("There is no run %d.", run))
}

// Move is a step from one state of a run to another.
type Move struct {
	Action string // for WrongState: "start"
	From   []State
	To     State
	Reason string // why it is in the new state, for its page
	Actor  Actor
}

// Transit locks the run's row, moves it if its state allows that, and logs it. Change may alter more of the row first;
// it may be nil.
func Transit(ctx context.Context, tx *db.Tx, run id.Run, m Move, change func(row *db.MigrationRun)) error {
	row, err := tx.LockRun(ctx, run)
	if db.IsNotFound(err) {
		return RunNotFound(run)
	}
	if err != nil {
		return err
	}
	if !slices.Contains(m.From, State(row.State)) {
		return WrongState(run, State(row.State), m.Action)
	}
	before := State(row.State)
	if row.Listed, err = listedAfter(ctx, tx, row, m); err != nil {
		return err
	}
	row.State, row.Reason = string(m.To), Cut(markup.Flat(m.Reason), MaxReason)
	row.ActiveKey = row.SameKey
	if !m.To.IsActive() {
		row.ActiveKey, row.CanaryLeft = nil, nil
	}
	if change != nil {
		change(&row)
	}
	err = tx.SetRunState(ctx, db.SetRunStateParams{
		ID: run, State: row.State, Reason: row.Reason, ActiveKey: row.ActiveKey, Listed: row.Listed,
		CanaryLeft: row.CanaryLeft,
		Started:    m.To == Running, Finished: !m.To.IsActive(),
	})
	if db.IsDuplicate(err, "uq_migration_run_active") { // it was over, and now there is another
		return anotherRun(ctx, tx.Queries, row.ActiveKey)
	}
	if err != nil {
		return err
	}
	if err := giveNotice(ctx, tx, row, before); err != nil {
		return err
	}
	return LogEvent(ctx, tx, run, m.Actor, string(m.To), m.Reason)
}

// Move makes a transition of the keeper's. It does nothing if an operator was faster.
func (e *Engine) Move(ctx context.Context, run Run, m Move) error {
	err := e.db.InTx(ctx, func(tx *db.Tx) error {
		return Transit(ctx, tx, run.ID, m, nil)
	})
	if errors.Is(err, CodeWrongState) || errors.Is(err, CodeRunNotFound) {
		return nil
	}
	if err == nil {
		e.Changes.Wake()
	}
	return err
}

// The lists of runs: each run is in one of them.
const (
	ListActive    = "active"    // it makes progress, or an operator paused it
	ListAttention = "attention" // an operator has to decide
	ListFinished  = "finished"
)

// Lists are the lists of runs.
var Lists = []string{ListAttention, ListActive, ListFinished}

// listedAfter says which list shows a run after the move. Attention: runs that wait for Start, that the engine paused
// or cancelled, or that are complete with failed tasks, until these are retried or skipped, or the run is dismissed.
func listedAfter(ctx context.Context, tx *db.Tx, row db.MigrationRun, m Move) (string, error) {
	from := State(row.State)
	switch {
	case m.To == Ready, m.Actor.isEngine() && m.To == Cancelled && from != Cancelling:
		return ListAttention, nil
	case m.To == Cancelled:
		return ListFinished, nil
	case m.To == Complete:
		return listedComplete(ctx, tx, row.ID)
	case m.To == Paused && from == Pausing:
		return row.Listed, nil // as whoever stopped it
	case m.Actor.isEngine() && (m.To == Pausing || m.To == Paused):
		return ListAttention, nil
	}
	return ListActive, nil
}

func listedComplete(ctx context.Context, tx *db.Tx, run id.Run) (string, error) {
	progress, err := tx.ProgressOf(ctx, run)
	if err != nil {
		return "", err
	}
	if progress.Failed > 0 {
		return ListAttention, nil
	}
	return ListFinished, nil
}

// MaxReason is what the columns of reasons and details hold, in characters.
const MaxReason = 1000

// EventClock is the kind of an entry about the database's clock.
const EventClock = "clock"

// LogEvent adds an entry to the run's log.
func LogEvent(ctx context.Context, tx *db.Tx, run id.Run, actor Actor, kind, detail string) error {
	return tx.AddRunEvent(ctx, db.AddRunEventParams{RunID: run, AccountID: actor.Account, Actor: actor.Name, Kind: kind,
		Detail: Cut(markup.Flat(detail), MaxReason)})
}
