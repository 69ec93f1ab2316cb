package migrations

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// calm is how long all figures must be within their limits before a throttled run goes on.
const calm = 3 * time.Second

// byHand is the reason of a run that an operator throttled.
const byHand = "An operator throttled it: the knob “throttled” is on. It goes on when that is turned off."

// throttling is what is remembered between two looks at a run.
type throttling struct {
	within time.Time // since when all figures are within their limits; zero while one is over
	hand   bool      // nothing but an operator throttled it
}

// throttle stops claims while a figure is over its limit, and lets them go on by itself. It never ends
// a run. A figure that cannot be read limits nothing; but a replica that stops to answer is taken to
// fall behind from then on, for what it still gets nobody knows.
func (e *Engine) throttle(ctx context.Context, run Run, m *throttling, at time.Time) error {
	if run.State != Running && run.State != Throttled {
		*m = throttling{}
		return nil
	}
	reasons, err := e.excesses(ctx, run.Knobs, at)
	if err != nil {
		return err
	}
	reason := cut(strings.Join(reasons, " "), 1000)
	switch m.step(run.State, reasons, run.Knobs.Throttled, at) {
	case enter:
		return e.move(ctx, run, move{Action: "be throttled", From: []State{Running}, To: Throttled, Reason: reason, Actor: Keeper})
	case leave:
		return e.move(ctx, run, move{Action: "go on", From: []State{Throttled}, To: Running, Actor: Keeper})
	case tell:
		if reason == run.Reason {
			return nil
		}
		_, err := db.Read(e.db.SetThrottleReason(ctx, reason, run.ID))
		return err
	}
	return nil
}

// excesses says what is over a limit.
func (e *Engine) excesses(ctx context.Context, knobs Knobs, at time.Time) ([]string, error) {
	var reasons []string
	if knobs.Throttled {
		reasons = append(reasons, byHand)
	}
	if knobs.MaxThreads <= 0 && knobs.MaxHistory <= 0 && knobs.MaxLag <= 0 {
		return reasons, nil
	}
	l, err := e.lookAt(ctx, time.Second/2, at)
	if err != nil {
		return nil, err
	}
	return append(reasons, l.over(knobs)...), nil
}

// over says which figures are over their limits.
func (l load) over(knobs Knobs) (reasons []string) {
	say := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	if knobs.MaxThreads > 0 && l.Threads > int64(knobs.MaxThreads) {
		say("%s threads run in the database; the limit is %s.", grouped(l.Threads), grouped(int64(knobs.MaxThreads)))
	}
	if knobs.MaxHistory > 0 && l.History.Known && l.History.Value > knobs.MaxHistory {
		say("%s old row versions wait for purge (the history list); the limit is %s.", grouped(l.History.Value), grouped(knobs.MaxHistory))
	}
	if knobs.MaxLag <= 0 {
		return reasons
	}
	for _, r := range l.replicas {
		switch behind := r.behind(l.at); {
		case behind <= knobs.MaxLag:
		case r.why == "":
			say("Replica %s is %s behind; the limit is %s.", r.name, seconds(behind), seconds(knobs.MaxLag))
		case r.said.IsZero():
			say("Replica %s %s, so how far it is behind is not known. Mend it, or turn the limit off: 0 for the lag.", r.name, strings.TrimSuffix(r.why, "."))
		default:
			say("Replica %s %s; %s ago it was %s behind, and the limit is %s.", r.name, strings.TrimSuffix(r.why, "."), seconds(l.at.Sub(r.said)), seconds(r.lag), seconds(knobs.MaxLag))
		}
	}
	return reasons
}

// What throttle does after a look.
type step int

const (
	stay step = iota
	enter
	leave
	tell // the reason with its present figures
)

// step decides. A run is throttled at once and goes on after a calm while, so that it does not come
// and go with every look; what an operator turned off is off at once.
func (m *throttling) step(state State, reasons []string, hand bool, at time.Time) step {
	if len(reasons) > 0 {
		m.within, m.hand = time.Time{}, hand && len(reasons) == 1
		if state == Running {
			return enter
		}
		return tell
	}
	if state == Running {
		*m = throttling{}
		return stay
	}
	if m.within.IsZero() {
		m.within = at
	}
	if m.hand || at.Sub(m.within) >= calm {
		*m = throttling{}
		return leave
	}
	return stay
}

// move makes a transition of the keeper's. Where the run is elsewhere by now, an operator was faster.
func (e *Engine) move(ctx context.Context, run Run, m move) error {
	err := e.db.InTx(ctx, func(tx *db.Tx) error {
		return transit(ctx, tx, run.ID, m, nil)
	})
	if errors.As(err, new(WrongState)) || errors.As(err, new(RunNotFound)) {
		return nil
	}
	if err == nil {
		e.wake.Wake()
	}
	return err
}

// grouped writes a whole number with commas: 2,340,000.
func grouped(n int64) string {
	if n < 0 {
		return "-" + grouped(-n)
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
