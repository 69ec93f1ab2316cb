package migrations

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// MaxSameErrors is how many equal errors in a row may be asked for: the breaker reads so many at a look.
const MaxSameErrors = 1000

// KnobKind says how the value of a knob is written: 4, 2.5, 25 %, 30s, true.
type KnobKind int

// The kinds of knobs. A KnobChange has a span in seconds, a share as 0 to 1, and a switch as 0 or 1.
const (
	WholeKnob KnobKind = iota
	NumberKnob
	ShareKnob
	SpanKnob
	SwitchKnob
)

// Knob describes a setting of a run: forms, API, command line, docs, bounds, messages and log go by it.
type Knob struct {
	Name     string // in the API and on the command line
	Label    string // everywhere that a user reads
	Unit     string // of a number in forms
	Kind     KnobKind
	Min, Max float64 // as in a KnobChange
	field    func(*Knobs) any
}

// KnobTable has every setting of a run, in the order of Knobs.
var KnobTable = []Knob{
	{"concurrency", "Concurrency", "tasks at a time, each worker", WholeKnob, 1, 1000,
		func(k *Knobs) any { return &k.Concurrency }},
	{"block", "Block", "tasks in a claim", WholeKnob, 1, 1000, func(k *Knobs) any { return &k.Block }},
	{"attempts", "Attempts", "of a task", WholeKnob, 1, 100, func(k *Knobs) any { return &k.Attempts }},
	{"backoff", "Backoff", "s, doubles", SpanKnob, 0.01, 3600, func(k *Knobs) any { return &k.Backoff }},
	{"timeout", "Timeout", "s, an attempt", SpanKnob, 0.1, 86_400, func(k *Knobs) any { return &k.Timeout }},
	{"lease", "Lease", "s", SpanKnob, 1, 3600, func(k *Knobs) any { return &k.Lease }},
	{"rate", "Rate", "tasks/s, all workers", NumberKnob, 0, 1_000_000, func(k *Knobs) any { return &k.Rate }},
	{"per_host", "Rate per host", "requests/s", NumberKnob, 0, 100_000, func(k *Knobs) any { return &k.PerHost }},
	{"max_threads", "Threads running", "at most", WholeKnob, 0, 100_000, func(k *Knobs) any { return &k.MaxThreads }},
	{"max_history", "History list", "at most", WholeKnob, 0, 1e12, func(k *Knobs) any { return &k.MaxHistory }},
	{"max_lag", "Replica lag", "s, at most", SpanKnob, 0, 86_400, func(k *Knobs) any { return &k.MaxLag }},
	{"error_share", "Error share", "% of 100 attempts", ShareKnob, 0, 1, func(k *Knobs) any { return &k.ErrorShare }},
	{"same_error", "Same error", "times in a row", WholeKnob, 0, MaxSameErrors,
		func(k *Knobs) any { return &k.SameError }},
	{"throttled", "Throttle manually", "", SwitchKnob, 0, 1, func(k *Knobs) any { return &k.Throttled }},
}

// KnobByName returns the knob with a name; ok is false if there is none.
func KnobByName(name string) (knob Knob, ok bool) {
	i := slices.IndexFunc(KnobTable, func(k Knob) bool { return k.Name == name })
	if i < 0 {
		return Knob{}, false
	}
	return KnobTable[i], true
}

// Unlimited reports whether 0 turns the limit off that the knob sets.
func (k Knob) Unlimited() bool { return k.Min == 0 && k.Kind != SwitchKnob }

// Hint describes the knob's number below a field.
func (k Knob) Hint() string {
	hint := k.Unit
	if k.Kind == SpanKnob {
		hint = "seconds" + strings.TrimPrefix(hint, "s")
	}
	hint = strings.ToUpper(hint[:1]) + hint[1:]
	if k.Unlimited() {
		hint += "; 0 is no limit"
	}
	return hint + "."
}

// Value returns the knob's value in the unit of a KnobChange.
func (k Knob) Value(of Knobs) float64 {
	switch field := k.field(&of).(type) {
	case *int:
		return float64(*field)
	case *int64:
		return float64(*field)
	case *float64:
		return *field
	case *time.Duration:
		return field.Seconds()
	case *bool:
		if *field {
			return 1
		}
	}
	return 0
}

func (k Knob) set(of *Knobs, value float64) {
	switch field := k.field(of).(type) {
	case *int:
		*field = int(value)
	case *int64:
		*field = int64(value)
	case *float64:
		*field = value
	case *time.Duration:
		*field = time.Duration(math.Round(value * float64(time.Second)))
	case *bool:
		*field = value != 0
	}
}

// text is a value as the log and messages have it: 4, 2.5, 1m30s, true.
func (k Knob) text(value float64) string {
	switch k.Kind {
	case SpanKnob:
		return span(time.Duration(math.Round(value * float64(time.Second))))
	case SwitchKnob:
		return strconv.FormatBool(value != 0)
	default:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
}

// check returns BadKnob for a value out of bounds.
func (k Knob) check(value float64) error {
	broken := k.Kind == WholeKnob || k.Kind == SwitchKnob
	if math.IsNaN(value) || value < k.Min || value > k.Max || broken && value != math.Trunc(value) {
		return BadKnob(k.Name, fmt.Sprintf("%s must be from %s to %s.", k.Label, k.text(k.Min), k.text(k.Max)))
	}
	return nil
}

// KnobChange has new values of knobs by name: a span in seconds, a share as 0 to 1, a switch as 0 or 1. A knob that
// is not in it stays as it is.
type KnobChange map[string]float64

// CodeBadKnob: a setting of a run is out of bounds. Send a value in the bounds that the message names.
const CodeBadKnob fault.Code = "Run.BadSetting"

func BadKnob(name, why string) error {
	return fault.Invalid.New(CodeBadKnob, name, why)
}

func readKnobs(text string) (Knobs, error) {
	var k Knobs
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return k, fmt.Errorf("read knobs: %w", err)
	}
	return k, nil
}

// OrDefaults takes what is zero from DefaultKnobs.
func (k Knobs) OrDefaults() Knobs {
	for _, knob := range KnobTable {
		if knob.Value(k) == 0 {
			knob.set(&k, knob.Value(DefaultKnobs))
		}
	}
	return k
}

// knobEvent is a change of a knob, for the log.
type knobEvent struct{ label, old, new string }

// Check returns fault.Several with a BadKnob for each setting that the change would put out of bounds.
func (k Knobs) Check(change KnobChange) error {
	_, _, err := k.with(change)
	return err
}

// with returns the knobs after the change, and what is different. It returns fault.Several with a BadKnob
// for each that is out of its range or unknown.
func (k Knobs) with(change KnobChange) (Knobs, []knobEvent, error) {
	var events []knobEvent
	var bad fault.Several
	for name := range change {
		if _, ok := KnobByName(name); !ok {
			bad = append(bad, BadKnob(name, fmt.Sprintf("There is no setting %q.", name)))
		}
	}
	for _, knob := range KnobTable {
		from := knob.Value(k)
		to, ok := change[knob.Name]
		if !ok || to == from {
			continue
		}
		if err := knob.check(to); err != nil {
			bad = append(bad, err)
			continue
		}
		events = append(events, knobEvent{knob.Label, knob.text(from), knob.text(to)})
		knob.set(&k, to)
	}
	if len(bad) > 0 {
		return Knobs{}, nil, bad
	}
	return k, events, nil
}

// span is a duration without zero parts: 2h, not 2h0m0s.
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
