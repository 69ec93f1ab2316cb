package admin

import (
	"strconv"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// StartKnob is a setting that is asked for before a run starts, as text in the unit of its label.
type StartKnob struct {
	Name, Label, Hint string
	Broken            bool // may have a fraction
	Least             float64
	Of                func(migrations.Knobs) string
}

// StartKnobs are what slows a run down.
var StartKnobs = []StartKnob{
	{"concurrency", "Tasks at a time", "In each worker, at least one.", false, 1, func(k migrations.Knobs) string { return strconv.Itoa(k.Concurrency) }},
	{"rate", "Tasks per second", "Of all workers together; 0 is no limit.", true, 0, func(k migrations.Knobs) string { return decimal(k.Rate) }},
	{"per_host", "Requests per second", "To one other host; 0 is no limit.", true, 0, func(k migrations.Knobs) string { return decimal(k.PerHost) }},
	{"max_threads", "Database threads", "It waits above that; 0 is no limit.", false, 0, func(k migrations.Knobs) string { return strconv.Itoa(k.MaxThreads) }},
	{"max_history", "History list length", "It waits above that; 0 is no limit.", false, 0, func(k migrations.Knobs) string { return strconv.FormatInt(k.MaxHistory, 10) }},
	{"max_lag", "Replica lag, seconds", "It waits above that; 0 is no limit.", true, 0, func(k migrations.Knobs) string { return decimal(k.MaxLag.Seconds()) }},
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func startKnobNames() (names []string) {
	for _, knob := range StartKnobs {
		names = append(names, knob.Name)
	}
	return names
}

// NewStartForm is the form as it begins.
func NewStartForm(r migrations.Run) StartRunForm {
	form := StartRunForm{Knobs: map[string]string{}}
	for _, knob := range StartKnobs {
		form.Knobs[knob.Name] = knob.Of(r.Knobs)
	}
	return form
}

// startWords is the question before a run starts.
func startWords(props StartRunProps) string {
	return "Start " + views.Counted(int64(props.Run.Total), "task", "tasks") + " on db host " + props.Where.Host + ", database " + props.Where.Database + "?"
}
