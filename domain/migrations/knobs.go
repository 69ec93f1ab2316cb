package migrations

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// KnobChange says which knobs are turned, and to what; nil leaves one as it is.
type KnobChange struct {
	Concurrency *int
	Block       *int
	Attempts    *int
	Backoff     *time.Duration
	Timeout     *time.Duration
	Lease       *time.Duration
	Rate        *float64
	PerHost     *float64
	MaxThreads  *int
	MaxHistory  *int64
	MaxLag      *time.Duration
	ErrorShare  *float64
	SameError   *int
	Throttled   *bool
}

// CodeBadKnob: a setting of a run is out of bounds. Send a value in the bounds that the message names.
const CodeBadKnob fault.Code = "Run.BadSetting"

func BadKnob(name, why string) error {
	return fault.Error{Kind: fault.Invalid, Code: CodeBadKnob, Field: name, Message: why}
}

func readKnobs(text string) (Knobs, error) {
	var k Knobs
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return k, fmt.Errorf("read knobs: %w", err)
	}
	return k, nil
}

// orDefaults takes what is zero from DefaultKnobs.
func (k Knobs) orDefaults() Knobs {
	d := DefaultKnobs
	otherwise(&k.Concurrency, d.Concurrency)
	otherwise(&k.Block, d.Block)
	otherwise(&k.Attempts, d.Attempts)
	otherwise(&k.Backoff, d.Backoff)
	otherwise(&k.Timeout, d.Timeout)
	otherwise(&k.Lease, d.Lease)
	otherwise(&k.Rate, d.Rate)
	otherwise(&k.PerHost, d.PerHost)
	otherwise(&k.MaxThreads, d.MaxThreads)
	otherwise(&k.MaxHistory, d.MaxHistory)
	otherwise(&k.MaxLag, d.MaxLag)
	otherwise(&k.ErrorShare, d.ErrorShare)
	otherwise(&k.SameError, d.SameError)
	return k
}

func otherwise[T comparable](knob *T, value T) {
	var zero T
	if *knob == zero {
		*knob = value
	}
}

// turned is a knob that was turned, for the log.
type turned struct{ name, old, new string }

// Check returns fault.Several with a BadKnob for each setting that the change would put out of bounds.
func (k Knobs) Check(change KnobChange) error {
	_, _, err := k.turn(change)
	return err
}

// turn returns the knobs after the change, and what is different. It returns fault.Several with a BadKnob
// for each that is out of its range.
func (k Knobs) turn(c KnobChange) (Knobs, []turned, error) {
	t := turning{}
	turnTo(&t, "concurrency", &k.Concurrency, c.Concurrency, 1, 1000, whole)
	turnTo(&t, "block", &k.Block, c.Block, 1, 1000, whole)
	turnTo(&t, "attempts", &k.Attempts, c.Attempts, 1, 100, whole)
	turnTo(&t, "backoff", &k.Backoff, c.Backoff, 10*time.Millisecond, time.Hour, span)
	turnTo(&t, "timeout", &k.Timeout, c.Timeout, 100*time.Millisecond, 24*time.Hour, span)
	turnTo(&t, "lease", &k.Lease, c.Lease, time.Second, time.Hour, span)
	turnTo(&t, "rate", &k.Rate, c.Rate, 0, 1_000_000, number)
	turnTo(&t, "per_host", &k.PerHost, c.PerHost, 0, 100_000, number)
	turnTo(&t, "max_threads", &k.MaxThreads, c.MaxThreads, 0, 100_000, whole)
	turnTo(&t, "max_history", &k.MaxHistory, c.MaxHistory, 0, 1_000_000_000_000, func(n int64) string { return strconv.FormatInt(n, 10) })
	turnTo(&t, "max_lag", &k.MaxLag, c.MaxLag, 0, 24*time.Hour, span)
	turnTo(&t, "error_share", &k.ErrorShare, c.ErrorShare, 0, 1, number)
	turnTo(&t, "same_error", &k.SameError, c.SameError, 0, mostSameErrors, whole)
	if c.Throttled != nil && *c.Throttled != k.Throttled {
		t.done = append(t.done, turned{"throttled", strconv.FormatBool(k.Throttled), strconv.FormatBool(*c.Throttled)})
		k.Throttled = *c.Throttled
	}
	if len(t.bad) > 0 {
		return Knobs{}, nil, t.bad
	}
	return k, t.done, nil
}

type turning struct {
	done []turned
	bad  fault.Several
}

func turnTo[T int | int64 | float64 | time.Duration](t *turning, name string, knob, to *T, least, most T, show func(T) string) {
	if to == nil || *to == *knob {
		return
	}
	if math.IsNaN(float64(*to)) || *to < least || *to > most {
		t.bad = append(t.bad, BadKnob(name, fmt.Sprintf("%s must be from %s to %s.", title(name), show(least), show(most))))
		return
	}
	t.done = append(t.done, turned{name, show(*knob), show(*to)})
	*knob = *to
}

// title is a knob's name as a sentence begins with it.
func title(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

func whole(n int) string      { return strconv.Itoa(n) }
func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// span is a duration as people write it: 2h, not 2h0m0s.
func span(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
