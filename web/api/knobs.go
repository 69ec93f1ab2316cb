package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// knobsResource are the settings of a run: spans are texts such as "30s" or "1m30s", rates are per second.
type knobsResource migrations.Knobs

// KnobsJSON are settings of a run as the API shows them.
func KnobsJSON(k migrations.Knobs) json.Marshaler { return knobsResource(k) }

// MarshalJSON writes a member for each knob, in the order of their table.
func (r knobsResource) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, knob := range migrations.KnobTable {
		value, err := json.Marshal(knobJSON(knob, knob.Value(migrations.Knobs(r))))
		if err != nil {
			return nil, err
		}
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		b.WriteByte(separator)
		b.WriteString(`"` + knob.Name + `":`)
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func knobJSON(knob migrations.Knob, value float64) any {
	switch knob.Kind {
	case migrations.SpanKnob:
		return span(math.Round(value * float64(time.Second)))
	case migrations.SwitchKnob:
		return value != 0
	default:
		return value
	}
}

// TurnKnobs changes settings of a run.
func (h *Handlers) TurnKnobs(c echo.Context) error {
	var in map[string]json.RawMessage
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	change, err := readKnobs(in)
	if err != nil {
		return err
	}
	return h.changeRun(c, func(ctx context.Context, run id.Run) (migrations.Run, error) {
		return h.console.ChangeKnobs(ctx, run, change)
	})
}

// readKnobs reads new settings; one that is null stays as it is.
func readKnobs(in map[string]json.RawMessage) (migrations.KnobChange, error) {
	change := migrations.KnobChange{}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(in)) {
		knob, ok := migrations.KnobByName(strings.ToLower(name))
		if !ok {
			wrong = append(wrong, badJSON("there is no member "+name, name))
			continue
		}
		if string(in[name]) == "null" {
			continue
		}
		value, err := readKnob(knob, in[name])
		var wrongType *json.UnmarshalTypeError
		switch {
		case errors.As(err, &wrongType):
			wrongType.Field = knob.Name
			wrong = append(wrong, explain(wrongType))
		case err != nil:
			wrong = append(wrong, badJSON(knob.Name+` must be a text such as "30s", "1m30s" or "2h"`, knob.Name))
		default:
			change[knob.Name] = value
		}
	}
	return change, fault.Join(wrong...)
}

func readKnob(knob migrations.Knob, text json.RawMessage) (value float64, err error) {
	switch knob.Kind {
	case migrations.WholeKnob:
		var n int64
		err = json.Unmarshal(text, &n)
		value = float64(n)
	case migrations.SpanKnob:
		var span string
		if err = json.Unmarshal(text, &span); err != nil {
			return 0, errors.New("no text")
		}
		var d time.Duration
		d, err = time.ParseDuration(span)
		value = d.Seconds()
	case migrations.SwitchKnob:
		var on bool
		if err = json.Unmarshal(text, &on); on {
			value = 1
		}
	default:
		err = json.Unmarshal(text, &value)
	}
	return value, err
}
