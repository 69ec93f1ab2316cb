package admin

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) StartForm(c echo.Context) error {
	props, err := h.startProps(c)
	if err != nil {
		return err
	}
	props.Form = admin.NewStartForm(props.Run)
	return h.showStart(c, http.StatusOK, props)
}

func (h *Handlers) startProps(c echo.Context) (admin.StartRunProps, error) {
	run, err := h.runOfPath(c)
	if err != nil {
		return admin.StartRunProps{}, err
	}
	ctx := c.Request().Context()
	info, err := h.console.Migration(ctx, run.Name)
	if err != nil && !errors.Is(err, fault.NotFound) {
		return admin.StartRunProps{}, err
	}
	workers, err := h.console.Workers(ctx)
	if err != nil {
		return admin.StartRunProps{}, err
	}
	board, err := h.importBoard(ctx, run)
	return admin.StartRunProps{Run: run, Params: admin.RunParams(run, info), Where: h.where(),
		Living: admin.Living(workers), Board: board}, err
}

func (h *Handlers) showStart(c echo.Context, code int, props admin.StartRunProps) error {
	props.Page = h.controlRoom(c, "Start run "+strconv.FormatUint(uint64(props.Run.ID), 10))
	if respond.Target(c) == views.StartID {
		return respond.Render(c, code, admin.StartRun(props))
	}
	return respond.Render(c, code, admin.StartRunPage(props))
}

// StartRun starts a run with the settings of the form.
func (h *Handlers) StartRun(c echo.Context) error {
	props, err := h.startProps(c)
	if err != nil {
		return err
	}
	canary, change, bad := readStart(c, props.Run, &props)
	if len(bad) > 0 {
		respond.AddErrors(bad, props.Run.Knobs.Check(change))
		props.Form.Errors = bad
		return h.showStart(c, http.StatusUnprocessableEntity, props)
	}
	if _, err := h.console.StartRun(c.Request().Context(), props.Run.ID, canary, change); err != nil {
		return h.rejectStart(c, props, err)
	}
	return h.respond.SeeOther(c, views.RunPath(props.Run.ID), "")
}

// rejectStart shows the question again: with its errors, or with the present run.
func (h *Handlers) rejectStart(c echo.Context, props admin.StartRunProps, err error) error {
	if messages := knobErrors(err); len(messages) > 0 {
		props.Form.Errors = messages
		return h.showStart(c, http.StatusUnprocessableEntity, props)
	}
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	if errors.Is(err, fault.Conflict) {
		if props.Run, err = h.console.Run(c.Request().Context(), props.Run.ID); err != nil {
			return err
		}
	}
	props.Form.Errors = messages
	return h.showStart(c, code, props)
}

// readStart reads the form. It leaves alone the settings that the user did not change: another may have changed them.
func readStart(
	c echo.Context, run migrations.Run, props *admin.StartRunProps,
) (canary int, change migrations.KnobChange, bad views.Errors) {
	bad = views.Errors{}
	props.Form.Canary = c.FormValue("canary")
	if text := plainNumber(props.Form.Canary); text != "" {
		n, err := strconv.ParseUint(text, 10, 31)
		switch {
		case err != nil || n == 0:
			bad["canary"] = "Enter how many tasks to do first as a whole number, or leave it empty."
		case n >= run.Total && run.State == migrations.Ready:
			bad["canary"] = "The run has " + views.Thousands(int64(run.Total)) +
				" tasks: a canary has fewer. Leave it empty to do all."
		}
		canary = int(n)
	}
	props.Form.Knobs, change = map[string]string{}, migrations.KnobChange{}
	for _, asked := range admin.StartKnobs {
		text := c.FormValue(asked.Name)
		props.Form.Knobs[asked.Name] = text
		if plainNumber(text) == plainNumber(c.FormValue("was-"+asked.Name)) {
			continue
		}
		knob, _ := migrations.KnobByName(asked.Name)
		n, err := strconv.ParseFloat(plainNumber(text), 64)
		whole := knob.Kind == migrations.WholeKnob
		if err != nil || math.IsNaN(n) || n < knob.Min || n > 1e12 || whole && n != math.Trunc(n) {
			kind := "number"
			if whole {
				kind = "whole number"
			}
			bad[asked.Name] = fmt.Sprintf("%s must be a %s from %g.", knob.Label, kind, knob.Min)
			continue
		}
		change[asked.Name] = n
	}
	return canary, change, bad
}

// plainNumber removes the separators of thousands.
func plainNumber(text string) string {
	return strings.NewReplacer(",", "", " ", "", "\u00a0", "", "\u202f", "", "\u2009", "").Replace(strings.TrimSpace(text))
}
