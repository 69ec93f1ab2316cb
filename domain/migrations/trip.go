package migrations

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// window is how many of the last attempts the share of errors is of.
const window = 100

// mostSameErrors is how many equal errors in a row may be asked for: so many are read at a look.
const mostSameErrors = 1000

// tripping is what is remembered of the attempts of a run since it last began to run.
type tripping struct {
	counting bool
	state    State     // that the last look found
	since    time.Time // when it began
	// looks are what the counters showed, oldest first: the first is the latest that has at least window
	// attempts after it, or where the counting began.
	looks []tally
	// streak is the last attempt before the failures that may be in a row: each look that finds a task
	// completed moves it on.
	streak uint64
}

// tally is how many attempts ended, and how many of them failed; those that were lost with their
// worker are no attempts here, for they say nothing of the work.
type tally struct{ complete, failed int64 }

func (t tally) attempts() int64 { return t.complete + t.failed }

func (t tally) minus(before tally) tally {
	return tally{t.complete - before.complete, t.failed - before.failed}
}

// trip pauses a run in which too much fails: of the last 100 attempts, or with one error in a row, over
// all workers.
//
// It looks once a second at counters and, where errors came, at the last rows of migration_attempt, so
// it costs the workers nothing. The last 100 attempts are therefore those since the latest look with at
// least 100 after it: exact for a slow run, those of about the last second for a fast one. Attempts that
// completed leave no row, so a row of equal errors is counted from the last look at which a completion
// was seen: it may be found a look late, never where there is none. What failed before a Resume, or
// before this keeper began, is not counted.
func (e *Engine) trip(ctx context.Context, run Run, m *tripping) error {
	now := tally{complete: run.Progress.Complete, failed: run.Progress.Errors - run.Progress.Reclaimed}
	resumed := m.state == Running && run.State == Running && !run.StateSince.Equal(m.since) // between two looks
	m.state, m.since = run.State, run.StateSince
	if run.State != Running && run.State != Throttled || !m.counting || resumed {
		return e.countAnew(ctx, run, m, now)
	}
	last := m.looks[len(m.looks)-1]
	m.add(now)
	reason, err := e.tripReason(ctx, run, m, now, last)
	if err != nil || reason == "" {
		return err
	}
	m.counting = false
	return e.move(ctx, run, move{Action: "pause", From: []State{Running, Throttled}, To: Pausing, Reason: reason, Actor: Keeper})
}

// countAnew begins with the attempts that come after this look.
func (e *Engine) countAnew(ctx context.Context, run Run, m *tripping, now tally) (err error) {
	if m.counting && len(m.looks) == 1 && m.looks[0] == now {
		return nil
	}
	last, err := e.lastAttempt(ctx, run)
	if err == nil {
		m.counting, m.looks, m.streak = true, []tally{now}, last
	}
	return err
}

func (e *Engine) lastAttempt(ctx context.Context, run Run) (uint64, error) {
	last, err := db.Read(e.db.LastAttempt(ctx, run.ID))
	if db.IsNotFound(err) {
		return 0, nil
	}
	return last, err
}

// add keeps as few looks as the share needs.
func (m *tripping) add(now tally) {
	if m.looks[len(m.looks)-1] != now {
		m.looks = append(m.looks, now)
	}
	for len(m.looks) > 1 && now.minus(m.looks[1]).attempts() >= window {
		m.looks = m.looks[1:]
	}
}

// tripReason says why the run is to pause, "" where it is not.
func (e *Engine) tripReason(ctx context.Context, run Run, m *tripping, now, last tally) (string, error) {
	since := now.minus(m.looks[0])
	if limit := run.Knobs.ErrorShare; limit > 0 && since.attempts() >= window && float64(since.failed) > limit*float64(since.attempts()) {
		return fmt.Sprintf("%s of the last %s attempts failed; the limit is %s %%. See the failures, mend what is wrong, then resume: it counts anew from there.",
			grouped(since.failed), grouped(since.attempts()), decimal(limit*100)), nil
	}
	step := now.minus(last)
	if step.complete != 0 { // below 0 where an operator had tasks done again
		end, err := e.lastAttempt(ctx, run)
		m.streak = max(m.streak, end)
		return "", err
	}
	if run.Knobs.SameError <= 0 || step.failed == 0 {
		return "", nil
	}
	n := min(run.Knobs.SameError, mostSameErrors) // a run of an earlier version may have more
	failures, err := db.Read(e.db.LastFailures(ctx, db.LastFailuresParams{RunID: run.ID, After: m.streak, Limit: int32(n)}))
	if err != nil || len(failures) < n {
		return "", err
	}
	for _, f := range failures {
		if string(f.Fingerprint) != string(failures[0].Fingerprint) {
			return "", nil
		}
	}
	return fmt.Sprintf("The same error came %s times in a row: “%s”. See the failures, mend what is wrong, then resume: it counts anew from there.",
		grouped(int64(n)), cut(failures[0].Message, 500)), nil
}
