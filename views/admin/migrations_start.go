package admin

import (
	"strconv"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// StartKnob is a setting in the form that starts a run, as text in the unit of its label.
type StartKnob struct{ Name, Label, Hint string }

// StartKnobs are the settings that throttle a run.
var StartKnobs = []StartKnob{
	{"concurrency", "Tasks at a time", "Per worker, at least one."},
	{"rate", "Tasks per second", "All workers together; 0 is no limit."},
	{"per_host", "Requests per second", "To one host; 0 is no limit."},
	{"max_threads", "Database threads", "Throttled above this; 0 is no limit."},
	{"max_history", "History list length", "Throttled above this; 0 is no limit."},
	{"max_lag", "Replica lag, seconds", "Throttled above this; 0 is no limit."},
}

// Of is the setting as text.
func (s StartKnob) Of(k migrations.Knobs) string {
	knob, _ := migrations.KnobByName(s.Name)
	return decimal(knob.Value(k))
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func startKnobNames() (names []string) {
	for _, knob := range StartKnobs {
		names = append(names, knob.Name)
	}
	return names
}

// NewStartForm is the form before any input.
func NewStartForm(r migrations.Run) StartRunForm {
	form := StartRunForm{Knobs: map[string]string{}}
	for _, knob := range StartKnobs {
		form.Knobs[knob.Name] = knob.Of(r.Knobs)
	}
	return form
}

// startWords is the question before a run starts.
func startWords(props StartRunProps) string {
	return "Start " + views.Counted(int64(props.Run.Total), "task", "tasks") + " on db host " + props.Where.Host +
		", database " + props.Where.Database + "?"
}
