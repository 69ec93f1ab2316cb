package admin

import (
	"slices"
	"strconv"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// KnobsForm are the settings of a run as submitted. Was are those before.
type KnobsForm struct {
	Values, Was map[string]string
	Errors      views.Errors
}

// KnobsFormOf is the form with the present settings.
func KnobsFormOf(k migrations.Knobs) KnobsForm {
	values := map[string]string{}
	for _, knob := range migrations.KnobTable {
		values[knob.Name] = knobText(knob, k)
	}
	return KnobsForm{Values: values, Was: values}
}

// knobText is a setting as text: a span in seconds, a share in percent, nothing if it sets no limit.
func knobText(knob migrations.Knob, of migrations.Knobs) string {
	value := knob.Value(of)
	switch {
	case value == 0:
		return ""
	case knob.Kind == migrations.ShareKnob:
		return strconv.FormatFloat(value*100, 'g', 6, 64)
	default:
		return decimal(value)
	}
}

// KnobNames are the fields of the form, from top to bottom.
func KnobNames() (names []string) {
	for _, k := range migrations.KnobTable {
		names = append(names, k.Name)
	}
	return names
}

func throttledLabel() string {
	knob, _ := migrations.KnobByName("throttled")
	return knob.Label
}

// numberKnobs are the settings that are numbers: all but switches.
func numberKnobs() []migrations.Knob {
	return slices.DeleteFunc(slices.Clone(migrations.KnobTable),
		func(k migrations.Knob) bool { return k.Kind == migrations.SwitchKnob })
}
