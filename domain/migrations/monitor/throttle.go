package monitor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// calm is how long all figures must be within their limits before a throttled run resumes.
const calm = 3 * time.Second

// manualReason is the reason of a run that an operator throttled.
const manualReason = "Throttled by an operator. It resumes when “Throttle manually” is turned off."

// throttle is what is remembered of a run between two checks.
type throttle struct {
	within time.Time // since when all figures are within their limits; zero while one is over
	manual bool      // nothing but an operator throttled it
}

// checkThrottle stops claims while a figure is over its limit, and then resumes them. It never ends a run. A figure
// that cannot be read limits nothing; but a replica that stops answering is taken to fall behind from then on.
func (m *Monitor) checkThrottle(ctx context.Context, run migrations.Run, t *throttle, at time.Time) error {
	if run.State != migrations.Running && run.State != migrations.Throttled {
		*t = throttle{}
		return nil
	}
	reasons, err := m.excesses(ctx, run.Knobs, at)
	if err != nil {
		return err
	}
	reason := migrations.Cut(strings.Join(reasons, " "), 1000)
	switch t.step(run.State, reasons, run.Knobs.Throttled, at) {
	case enter:
		return m.engine.Move(ctx, run, migrations.Move{Action: "be throttled", From: []migrations.State{migrations.Running},
			To: migrations.Throttled, Reason: reason, Actor: migrations.Keeper})
	case leave:
		return m.engine.Move(ctx, run, migrations.Move{Action: "go on", From: []migrations.State{migrations.Throttled},
			To: migrations.Running, Actor: migrations.Keeper})
	case updateReason:
		if reason == run.Reason {
			return nil
		}
		_, err := db.Read(m.db.SetThrottleReason(ctx, reason, run.ID))
		return err
	}
	return nil
}

// excesses says what is over a limit.
func (m *Monitor) excesses(ctx context.Context, knobs migrations.Knobs, at time.Time) ([]string, error) {
	var reasons []string
	if knobs.Throttled {
		reasons = append(reasons, manualReason)
	}
	if knobs.MaxThreads <= 0 && knobs.MaxHistory <= 0 && knobs.MaxLag <= 0 {
		return reasons, nil
	}
	l, err := m.loadAt(ctx, time.Second/2, at)
	if err != nil {
		return nil, err
	}
	return append(reasons, l.over(knobs)...), nil
}

// over says which figures are over their limits.
func (l load) over(knobs migrations.Knobs) (reasons []string) {
	say := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	if knobs.MaxThreads > 0 && l.Threads > int64(knobs.MaxThreads) {
		say("%s threads run in the database; the limit is %s.", migrations.Grouped(l.Threads),
			migrations.Grouped(int64(knobs.MaxThreads)))
	}
	if knobs.MaxHistory > 0 && l.History.Known && l.History.Value > knobs.MaxHistory {
		say("%s old row versions wait for purge (the history list); the limit is %s.", migrations.Grouped(l.History.Value),
			migrations.Grouped(knobs.MaxHistory))
	}
	if knobs.MaxLag <= 0 {
		return reasons
	}
	for _, r := range l.replicas {
		switch behind := r.behind(l.at); {
		case behind <= knobs.MaxLag:
		case r.why == "":
			say("Replica %s is %s behind; the limit is %s.", r.name, seconds(behind), seconds(knobs.MaxLag))
		case r.measuredAt.IsZero():
			say("Replica %s %s, so its lag is unknown. Fix it, or turn the limit off: 0 for the lag.", r.name,
				strings.TrimSuffix(r.why, "."))
		default:
			say("Replica %s %s; %s ago it was %s behind, and the limit is %s.", r.name, strings.TrimSuffix(r.why, "."),
				seconds(l.at.Sub(r.measuredAt)), seconds(r.lag), seconds(knobs.MaxLag))
		}
	}
	return reasons
}

// The decisions of checkThrottle.
type step int

const (
	stay step = iota
	enter
	leave
	updateReason // the reason with its present figures
)

// step decides. A run is throttled at once and resumes after a calm while, so that it does not flap; the end of a
// manual throttle counts at once.
func (t *throttle) step(state migrations.State, reasons []string, manual bool, at time.Time) step {
	if len(reasons) > 0 {
		t.within, t.manual = time.Time{}, manual && len(reasons) == 1
		if state == migrations.Running {
			return enter
		}
		return updateReason
	}
	if state == migrations.Running {
		*t = throttle{}
		return stay
	}
	if t.within.IsZero() {
		t.within = at
	}
	if t.manual || at.Sub(t.within) >= calm {
		*t = throttle{}
		return leave
	}
	return stay
}
