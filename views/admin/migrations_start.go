package admin

import (
	"strconv"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// StartKnob is a setting in the form that starts a run, as text in the unit of its hint.
type StartKnob struct{ Name, Label, Hint string }

// StartKnobs are the settings that throttle a run.
var StartKnobs = startKnobs("concurrency", "rate", "per_host", "max_threads", "max_history", "max_lag")

func startKnobs(names ...string) (list []StartKnob) {
	for _, name := range names {
		knob, _ := migrations.KnobByName(name)
		list = append(list, StartKnob{knob.Name, knob.Label, knob.Hint()})
	}
	return list
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
	if props.Board != nil {
		return startButton(props) + "?"
	}
	return "Start " + views.Counted(int64(props.Run.Total), "task", "tasks") + " on db host " + props.Where.Host +
		", database " + props.Where.Database + "?"
}

// startButton names the effect of the form.
func startButton(props StartRunProps) string {
	if props.Board != nil {
		return "Import " + views.Counted(int64(props.Run.Total), "ticket", "tickets") + " into " + props.Board.Title
	}
	return "Start " + views.Counted(int64(props.Run.Total), "task", "tasks")
}
