package migrations

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Actor is who does something to a run: an operator, or the engine itself.
type Actor struct {
	Account *id.Account // nil for the command line and the engine
	Name    string
}

// Keeper is the engine where it acts by itself.
var Keeper = Actor{Name: "Counterfoil"}

// WrongState reports an action that a run's state does not allow.
type WrongState struct {
	Run    id.Run
	State  State
	Action string // such as "start"
}

func (e WrongState) Error() string {
	return fmt.Sprintf("Run %d is %s, so it cannot %s. Reload the page to see what can be done now.", e.Run, e.State, e.Action)
}
func (WrongState) Unwrap() error { return fault.Conflict }

// RunNotFound reports a run that is not there.
type RunNotFound struct{ Run id.Run }

func (e RunNotFound) Error() string { return fmt.Sprintf("There is no run %d.", e.Run) }
func (RunNotFound) Unwrap() error   { return fault.NotFound }

// move is a step from one state of a run to another.
type move struct {
	Action string // for WrongState: "start"
	From   []State
	To     State
	Reason string // why it is in the new state, for its page
	Actor  Actor
}

// transit takes the run's row, moves it where its state allows that, and logs it. Change may alter
// more of the row first; it may be nil.
func transit(ctx context.Context, tx *db.Tx, run id.Run, m move, change func(row *db.MigrationRun)) (db.MigrationRun, error) {
	row, err := tx.LockRun(ctx, run)
	if db.IsNotFound(err) {
		return row, RunNotFound{run}
	}
	if err != nil {
		return row, err
	}
	if !slices.Contains(m.From, State(row.State)) {
		return row, WrongState{Run: run, State: State(row.State), Action: m.Action}
	}
	row.State, row.Reason = string(m.To), m.Reason
	if !m.To.IsActive() {
		row.ActiveKey, row.CanaryLeft = nil, nil
	}
	if change != nil {
		change(&row)
	}
	err = tx.SetRunState(ctx, db.SetRunStateParams{
		ID: run, State: row.State, Reason: row.Reason, ActiveKey: row.ActiveKey, CanaryLeft: row.CanaryLeft,
		Started: m.To == Running, Finished: !m.To.IsActive(),
	})
	if err != nil {
		return row, err
	}
	row.Version++
	return row, logEvent(ctx, tx, run, m.Actor, string(m.To), m.Reason)
}

// logEvent adds an entry to the run's log.
func logEvent(ctx context.Context, tx *db.Tx, run id.Run, actor Actor, kind, detail string) error {
	return tx.AddRunEvent(ctx, db.AddRunEventParams{RunID: run, AccountID: actor.Account, Actor: actor.Name, Kind: kind, Detail: detail})
}
