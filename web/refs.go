package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

// The page of operators about reference codes.

func (s *server) refs(c echo.Context) error { return s.showRefs(c, http.StatusOK, nil, nil) }

// showRefs shows the page with what was typed into one of its forms, if anything.
func (s *server) showRefs(c echo.Context, code int, mint *views.MintForm, policy *views.RefPolicyForm) error {
	ctx := c.Request().Context()
	before, err := goesOn[id.Lot](c, "before")
	if err != nil {
		return err
	}
	props := views.RefsProps{Before: before, Mint: views.NewMintForm()}
	if props.Standing, err = s.console.RefStanding(ctx); err != nil {
		return err
	}
	if props.Minutes, err = s.console.RefMinutes(ctx, time.Hour+time.Minute); err != nil {
		return err
	}
	if props.Lookups, err = s.workflows.LookupsSince(ctx, time.Now().Add(-24*time.Hour)); err != nil {
		return err
	}
	if props.Lots, props.More, err = s.console.RefLots(ctx, before); err != nil {
		return err
	}
	if props.Refill, err = s.runIfThere(ctx, props.Standing.Policy.Refill); err != nil {
		return err
	}
	if props.Standing.Guarded {
		if props.Sweep, err = s.runIfThere(ctx, props.Standing.Policy.Sweep); err != nil {
			return err
		}
	}
	props.Page = s.controlRoom(c, "Reference codes")
	if target(c) == views.RefsID {
		return render(c, code, views.RefState(props))
	}
	props.Policy = views.NewRefPolicyForm(props.Standing.Policy)
	if mint != nil {
		props.Mint = *mint
	}
	if policy != nil {
		props.Policy = *policy
	}
	return render(c, code, views.RefsPage(props))
}

// runIfThere is a run, or nil where there is none such.
func (s *server) runIfThere(ctx context.Context, run id.Run) (*migrations.Run, error) {
	if run == 0 {
		return nil, nil //nolint:nilnil // no run is no error here
	}
	r, err := s.console.Run(ctx, run)
	if errors.Is(err, fault.NotFound) {
		return nil, nil //nolint:nilnil
	}
	return &r, err
}

// mintOrder reads what the form of a mint says, as the migration takes it.
func (s *server) mintOrder(c echo.Context) (migrations.Values, views.MintForm, error) {
	form := views.MintForm{Codes: c.FormValue("codes"), Length: c.FormValue("length")}
	if plainNumber(form.Codes) == "" { // not the number that the migration takes by itself
		return nil, form, migrations.BadParam("codes", "Write how many codes to mint.")
	}
	values, err := s.console.CheckRun(c.Request().Context(), workflows.MintName, migrations.Values{"codes": plainNumber(form.Codes), "length": form.Length})
	return values, form, err
}

// mintForm asks whether to mint codes.
func (s *server) mintForm(c echo.Context) error {
	values, form, err := s.mintOrder(c)
	if err != nil {
		return s.rejectMint(c, form, err)
	}
	standing, err := s.console.RefStanding(c.Request().Context())
	if err != nil {
		return err
	}
	props := views.MintProps{Where: s.where()}
	props.Codes, _ = strconv.ParseUint(values["codes"], 10, 63) // checked, as the next
	props.Length, _ = strconv.Atoi(values["length"])
	for _, l := range standing.ByLength {
		if l.Length == props.Length {
			props.Of = l
		}
	}
	props.Page = s.controlRoom(c, "Mint reference codes")
	return render(c, http.StatusOK, views.MintPage(props))
}

func (s *server) mint(c echo.Context) error {
	values, form, err := s.mintOrder(c)
	if err != nil {
		return s.rejectMint(c, form, err)
	}
	run, err := s.console.OpenRun(c.Request().Context(), workflows.MintName, values, migrations.Draft{})
	if err != nil {
		return s.rejectMint(c, form, err)
	}
	return s.see(c, views.RunPath(run.ID), "")
}

func (s *server) rejectMint(c echo.Context, form views.MintForm, err error) error {
	code, _ := status(err)
	if _, _, ok := rejected(err); !ok && fault.KindOf(err) != fault.Invalid {
		return err
	}
	form.Errors = fieldErrors(err, fault.Field)
	return s.showRefs(c, code, &form, nil)
}

func (s *server) setRefPolicy(c echo.Context) error {
	form := views.RefPolicyForm{AtLeast: c.FormValue("at_least"), LowHours: c.FormValue("low_hours"), HighHours: c.FormValue("high_hours"), Errors: views.Errors{}}
	whole := func(name, text string) int {
		n, err := strconv.ParseUint(plainNumber(text), 10, 31)
		if err != nil {
			form.Errors[name] = "Write a whole number."
		}
		return int(n)
	}
	policy := refs.Policy{
		AtLeast: uint64(whole("at_least", form.AtLeast)), LowHours: whole("low_hours", form.LowHours), HighHours: whole("high_hours", form.HighHours),
	}
	if len(form.Errors) > 0 {
		addErrors(form.Errors, policy.Check())
		return s.showRefs(c, http.StatusUnprocessableEntity, nil, &form)
	}
	if err := s.console.SetRefPolicy(c.Request().Context(), policy); err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return s.showRefs(c, code, nil, &form)
	}
	return s.see(c, views.RefsPath, "The pool is kept filled by these numbers.")
}

func (s *server) pauseRefills(c echo.Context) error {
	paused := c.FormValue("paused")
	if paused != "yes" && paused != "no" {
		return badSwitch()
	}
	if err := s.console.PauseRefills(c.Request().Context(), paused == "yes"); err != nil {
		return err
	}
	message := "The pool is filled by itself again."
	if paused == "yes" {
		message = "The pool is not filled by itself any more."
	}
	return s.see(c, views.RefsPath, message)
}

// lotOfPath returns the lot that the path names.
func (s *server) lotOfPath(c echo.Context) (refs.Lot, error) {
	lot, err := rowID[id.Lot](c.Param("lot"), refs.LotNotFound(0))
	if err != nil {
		return refs.Lot{}, err
	}
	return s.console.RefLot(c.Request().Context(), lot)
}

// quarantineForm asks whether to put a lot in quarantine.
func (s *server) quarantineForm(c echo.Context) error { return s.showQuarantine(c, http.StatusOK, nil) }

func (s *server) showQuarantine(c echo.Context, code int, errs views.Errors) error {
	lot, err := s.lotOfPath(c)
	if err != nil {
		return err
	}
	props := views.LotQuarantineProps{Page: s.controlRoom(c, "Put a lot in quarantine"), Lot: lot, Errors: errs}
	return render(c, code, views.LotQuarantinePage(props))
}

func (s *server) quarantineLot(c echo.Context) error {
	lot, err := s.lotOfPath(c)
	if err != nil {
		return err
	}
	run, err := s.console.QuarantineRefs(c.Request().Context(), lot.ID)
	if errors.Is(err, refs.CodeInQuarantine) {
		messages, code, _ := rejected(err)
		return s.showQuarantine(c, code, messages)
	}
	if err != nil {
		return err
	}
	return s.see(c, views.RunPath(run.ID), "")
}
