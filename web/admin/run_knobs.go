package admin

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// TurnKnobs changes those settings of a run that were changed in the form, and no others: someone else
// may have set them meanwhile.
func (h *Handlers) TurnKnobs(c echo.Context) error {
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	now := admin.KnobsFormOf(run.Knobs).Values
	form, err := typedKnobs(c, now)
	if err != nil {
		return err
	}
	change, wrong := readKnobs(form)
	if len(wrong) > 0 {
		respond.AddErrors(wrong, run.Knobs.Check(change))
	}
	code := http.StatusUnprocessableEntity
	if len(wrong) == 0 {
		if wrong = overtaken(form, now); len(wrong) > 0 {
			code = http.StatusConflict
			form.Was = now // saved again, it holds
		}
	}
	if len(wrong) == 0 {
		_, err = h.console.TurnKnobs(c.Request().Context(), run.ID, change)
		if wrong = knobErrors(err); len(wrong) == 0 {
			return h.answerKnobs(c, run, err)
		}
	}
	form.Errors = wrong
	if !respond.IsFragment(c) {
		return h.showRun(c, code, run, admin.RunLive{Knobs: form})
	}
	pieces, err := admin.DrawRun(c.Request().Context(), admin.RunLive{Run: run, Knobs: form})
	if err != nil {
		return fmt.Errorf("draw knobs: %w", err)
	}
	return respond.Render(c, code, admin.RunPieceOOB(pieces[views.RunKnobsID]))
}

func (h *Handlers) answerKnobs(c echo.Context, run migrations.Run, err error) error {
	if err != nil || !respond.IsFragment(c) {
		return h.answerRun(c, run.ID, "The settings are saved.", err)
	}
	if run, err = h.console.Run(c.Request().Context(), run.ID); err != nil {
		return err
	}
	return h.renderRun(c, http.StatusOK, run, "", "The settings are saved.", views.RunTasksID)
}

// typedKnobs is the form as it was sent. What it does not have stays as it is now.
func typedKnobs(c echo.Context, now map[string]string) (admin.KnobsForm, error) {
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

// overtaken are the settings that someone else changed since the form was drawn.
func overtaken(form admin.KnobsForm, now map[string]string) views.Errors {
	wrong := views.Errors{}
	for name, value := range form.Values {
		if value != form.Was[name] && form.Was[name] != now[name] && value != now[name] {
			wrong[name] = fmt.Sprintf("Someone else changed this to %s meanwhile. Save again to set your value all the same.", orNone(now[name]))
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

// readKnobs reads what was changed in the form.
func readKnobs(form admin.KnobsForm) (change migrations.KnobChange, wrong views.Errors) {
	k := knobReader{form: form, wrong: views.Errors{}}
	change = migrations.KnobChange{
		Concurrency: k.whole("concurrency"), Block: k.whole("block"), Attempts: k.whole("attempts"),
		Backoff: k.span("backoff"), Timeout: k.span("timeout"), Lease: k.span("lease"),
		Rate: k.part("rate"), PerHost: k.part("per_host"), MaxThreads: k.whole("max_threads"),
		MaxHistory: k.long("max_history"), MaxLag: k.span("max_lag"), SameError: k.whole("same_error"),
	}
	if share := k.part("error_share"); share != nil {
		if of := *share / 100; of < 0 || of > 1 {
			k.wrong["error_share"] = "Error share must be from 0 to 100 %."
		} else {
			change.ErrorShare = &of
		}
	}
	if form.Values["throttled"] != form.Was["throttled"] {
		on := form.Values["throttled"] != ""
		change.Throttled = &on
	}
	return change, maps.Clone(k.wrong)
}

type knobReader struct {
	form  admin.KnobsForm
	wrong views.Errors
}

// part reads a number, 0 where nothing stands there; nil where it was not changed.
func (k knobReader) part(name string) *float64 {
	text := k.form.Values[name]
	if text == k.form.Was[name] {
		return nil
	}
	n := 0.0
	if text != "" {
		var err error
		if n, err = strconv.ParseFloat(text, 64); err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			k.wrong[name] = "Type a number, such as 10 or 2.5."
			return nil
		}
	}
	return &n
}

func (k knobReader) long(name string) *int64 {
	n := k.part(name)
	if n == nil {
		return nil
	}
	if *n != math.Trunc(*n) || math.Abs(*n) > 1e15 {
		k.wrong[name] = "Type a whole number."
		return nil
	}
	whole := int64(*n)
	return &whole
}

func (k knobReader) whole(name string) *int {
	n := k.long(name)
	if n == nil {
		return nil
	}
	if *n > math.MaxInt32 || *n < math.MinInt32 {
		k.wrong[name] = "That is too large."
		return nil
	}
	whole := int(*n)
	return &whole
}

func (k knobReader) span(name string) *time.Duration {
	n := k.part(name)
	if n == nil {
		return nil
	}
	if math.Abs(*n) > 1e9 {
		k.wrong[name] = "That is too long."
		return nil
	}
	d := time.Duration(*n * float64(time.Second))
	return &d
}
