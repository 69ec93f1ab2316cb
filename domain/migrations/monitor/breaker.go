package monitor

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// breakerAttempts is how many of the last attempts the share of errors is of.
const breakerAttempts = 100

// breaker is what is remembered of the attempts of a run since it last began to run.
type breaker struct {
	counting bool
	state    migrations.State // that the last look found
	since    time.Time        // when it began
	// tallies are the readings of the counters, oldest first: the first is the latest with at least breakerAttempts
	// attempts after it, or the start of counting.
	tallies []tally
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

// checkBreaker pauses a run in which too much fails: of the last 100 attempts, or with one error in a row, over
// all workers.
//
// It looks once a second at counters and, where errors came, at the last rows of migration_attempt, so
// it costs the workers nothing. The last 100 attempts are therefore those since the latest look with at
// least 100 after it: exact for a slow run, those of about the last second for a fast one. Attempts that
// completed leave no row, so a row of equal errors is counted from the last look at which a completion
// was seen: it may be found a look late, never where there is none. What failed before a Resume, or
// before this keeper began, is not counted.
func (m *Monitor) checkBreaker(ctx context.Context, run migrations.Run, b *breaker) error {
	now := tally{complete: run.Progress.Complete, failed: run.Progress.Errors - run.Progress.Reclaimed}
	resumed := b.state == migrations.Running && run.State == migrations.Running && !run.StateSince.Equal(b.since) // between two looks
	b.state, b.since = run.State, run.StateSince
	if run.State != migrations.Running && run.State != migrations.Throttled || !b.counting || resumed {
		return m.countAnew(ctx, run, b, now)
	}
	last := b.tallies[len(b.tallies)-1]
	b.add(now)
	reason, err := m.breakReason(ctx, run, b, now, last)
	if err != nil || reason == "" {
		return err
	}
	b.counting = false
	return m.engine.Move(ctx, run,
		migrations.Move{Action: "pause", From: []migrations.State{migrations.Running, migrations.Throttled},
			To: migrations.Pausing, Reason: reason, Actor: migrations.Keeper})
}

// countAnew begins with the attempts that come after this look.
func (m *Monitor) countAnew(ctx context.Context, run migrations.Run, b *breaker, now tally) (err error) {
	if b.counting && len(b.tallies) == 1 && b.tallies[0] == now {
		return nil
	}
	last, err := m.lastAttempt(ctx, run)
	if err == nil {
		b.counting, b.tallies, b.streak = true, []tally{now}, last
	}
	return err
}

func (m *Monitor) lastAttempt(ctx context.Context, run migrations.Run) (uint64, error) {
	last, err := db.Read(m.db.LastAttempt(ctx, run.ID))
	if db.IsNotFound(err) {
		return 0, nil
	}
	return last, err
}

// add keeps as few looks as the share needs.
func (b *breaker) add(now tally) {
	if b.tallies[len(b.tallies)-1] != now {
		b.tallies = append(b.tallies, now)
	}
	for len(b.tallies) > 1 && now.minus(b.tallies[1]).attempts() >= breakerAttempts {
		b.tallies = b.tallies[1:]
	}
}

// breakReason says why the run is to pause, "" if it is not.
func (m *Monitor) breakReason(ctx context.Context, run migrations.Run, b *breaker, now, last tally) (string, error) {
	since := now.minus(b.tallies[0])
	if limit := run.Knobs.ErrorShare; limit > 0 && since.attempts() >= breakerAttempts &&
		float64(since.failed) > limit*float64(since.attempts()) {
		return fmt.Sprintf("%s of the last %s attempts failed; the limit is %.6g %%. See the failures, fix the cause, then resume: the count starts again.",
			migrations.Grouped(since.failed), migrations.Grouped(since.attempts()), limit*100), nil
	}
	step := now.minus(last)
	if step.complete != 0 { // below 0 if an operator retried tasks
		end, err := m.lastAttempt(ctx, run)
		b.streak = max(b.streak, end)
		return "", err
	}
	if run.Knobs.SameError <= 0 || step.failed == 0 {
		return "", nil
	}
	n := min(run.Knobs.SameError, migrations.MaxSameErrors) // a run of an earlier version may have more
	failures, err := db.Read(m.db.LastFailures(ctx, db.LastFailuresParams{RunID: run.ID, After: b.streak,
		Limit: int32(n)}))
	if err != nil || len(failures) < n {
		return "", err
	}
	for _, f := range failures {
		if string(f.Fingerprint) != string(failures[0].Fingerprint) {
			return "", nil
		}
	}
	return fmt.Sprintf("The same error came %s times in a row: “%s”. See the failures, fix the cause, then resume: the count starts again.",
		migrations.Grouped(int64(n)), migrations.Cut(failures[0].Message, 500)), nil
}
