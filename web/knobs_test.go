package web_test

import (
	"net/http"
	"testing"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
)

// A setting has the same label in each form, and in its messages.
func TestKnobsHaveOneLabelOnPages(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	run := e.readyRun(500)
	ana := e.ana()
	start, page := ana.get(views.RunStartPath(run)).is(t, http.StatusOK), ana.get(views.RunPath(run)).is(t, http.StatusOK)
	for _, knob := range migrations.KnobTable {
		field := "#knob-" + knob.Name
		if knob.Kind == migrations.SwitchKnob {
			page.textHas(t, "label:has("+field+")", knob.Label)
			continue
		}
		page.textHas(t, "label[for='knob-"+knob.Name+"']", knob.Label)
		wrong := ana.post(views.RunKnobsPath(run), knob.Name, "x", "was_"+knob.Name, "").is(t, http.StatusUnprocessableEntity)
		wrong.textHas(t, field+"-error", knob.Label+" must be")
	}
	for _, knob := range admin.StartKnobs {
		of, _ := migrations.KnobByName(knob.Name)
		start.textIs(t, "label[for='start-"+knob.Name+"']", of.Label)
		wrong := ana.post(views.RunStartPath(run), knob.Name, "x", "was-"+knob.Name, "").is(t, http.StatusUnprocessableEntity)
		wrong.textHas(t, "#start-"+knob.Name+"-error", of.Label+" must be")
	}
}
