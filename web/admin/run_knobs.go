package admin

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// TurnKnobs changes only the settings that differ from the form's first values: another operator may have changed the
// rest.
func (h *Handlers) TurnKnobs(c echo.Context) error {
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	now := admin.KnobsFormOf(run.Knobs).Values
	form, err := submittedKnobs(c, now)
	if err != nil {
		return err
	}
	change, wrong := readKnobs(form)
	if len(wrong) > 0 {
		respond.AddErrors(wrong, run.Knobs.Check(change))
	}
	code := http.StatusUnprocessableEntity
	if len(wrong) == 0 {
		if wrong = changedMeanwhile(form, now); len(wrong) > 0 {
			code = http.StatusConflict
			form.Was = now // the second time, it holds
		}
	}
	if len(wrong) == 0 {
		_, err = h.console.ChangeKnobs(c.Request().Context(), run.ID, change)
		if wrong = knobErrors(err); len(wrong) == 0 {
			return h.answerKnobs(c, run, err)
		}
	}
	form.Errors = wrong
	if !respond.IsFragment(c) {
		return h.showRun(c, code, run, "", form)
	}
	return respond.Render(c, code, admin.RunKnobs(run, form, true))
}

func (h *Handlers) answerKnobs(c echo.Context, run migrations.Run, err error) error {
	if err != nil || !respond.IsFragment(c) {
		return h.answerRun(c, run.ID, "The settings are saved.", err)
	}
	if run, err = h.console.Run(c.Request().Context(), run.ID); err != nil {
		return err
	}
	knobs := admin.KnobsFormOf(run.Knobs)
	return h.renderRun(c, http.StatusOK, run, "", "The settings are saved.", &knobs)
}

// submittedKnobs reads the form; a setting that it does not have stays as it is.
func submittedKnobs(c echo.Context, now map[string]string) (admin.KnobsForm, error) {
	sent, err := c.FormParams()
	if err != nil {
		return admin.KnobsForm{}, echo.ErrBadRequest
	}
	form := admin.KnobsForm{Values: map[string]string{}, Was: map[string]string{}}
	for _, name := range admin.KnobNames() {
		form.Values[name], form.Was[name] = strings.TrimSpace(sent.Get(name)), sent.Get("was_"+name)
		if !sent.Has(name) && (name != "throttled" || !sent.Has("was_throttled")) { // a box that is off is not sent
			form.Values[name], form.Was[name] = now[name], now[name]
		}
	}
	return form, nil
}

// changedMeanwhile returns an error for each setting that another operator changed since the form was rendered.
func changedMeanwhile(form admin.KnobsForm, now map[string]string) views.Errors {
	wrong := views.Errors{}
	for name, value := range form.Values {
		if value != form.Was[name] && form.Was[name] != now[name] && value != now[name] {
			wrong[name] = fmt.Sprintf("Another operator changed this to %s. Save again to overwrite it.", orNone(now[name]))
		}
	}
	return wrong
}

func orNone(value string) string {
	if value == "" {
		return "nothing"
	}
	return "“" + value + "”"
}

// knobErrors are the messages about settings that were refused, by field; nil for any other error.
func knobErrors(err error) views.Errors {
	if form, code, ok := respond.Rejected(err); ok && code == http.StatusUnprocessableEntity {
		return form
	}
	return nil
}

// readKnobs reads the changed settings of the form.
func readKnobs(form admin.KnobsForm) (change migrations.KnobChange, wrong views.Errors) {
	change, wrong = migrations.KnobChange{}, views.Errors{}
	for _, knob := range migrations.KnobTable {
		text := form.Values[knob.Name]
		if text == form.Was[knob.Name] {
			continue
		}
		value, problem := readKnob(knob, text)
		if problem != "" {
			wrong[knob.Name] = problem
			continue
		}
		change[knob.Name] = value
	}
	return change, wrong
}

// readKnob parses a setting: a span in seconds, a share in percent, nothing for no limit.
func readKnob(knob migrations.Knob, text string) (value float64, problem string) {
	if knob.Kind == migrations.SwitchKnob {
		if text != "" {
			return 1, ""
		}
		return 0, ""
	}
	if text == "" {
		return 0, ""
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsInf(n, 0) || math.IsNaN(n):
		return 0, knob.Label + " must be a number, such as 10 or 2.5."
	case knob.Kind == migrations.WholeKnob && n != math.Trunc(n):
		return 0, knob.Label + " must be a whole number."
	case knob.Kind == migrations.ShareKnob && (n < 100*knob.Min || n > 100*knob.Max):
		return 0, fmt.Sprintf("%s must be from %g to %g %%.", knob.Label, 100*knob.Min, 100*knob.Max)
	case knob.Kind == migrations.ShareKnob:
		return n / 100, ""
	}
	return n, ""
}
