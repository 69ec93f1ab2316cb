package admin

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
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// The page of operators about reference codes.

func (h *Handlers) Refs(c echo.Context) error { return h.showRefs(c, http.StatusOK, nil, nil) }

// showRefs shows the page with the input of one of its forms, if any.
func (h *Handlers) showRefs(c echo.Context, code int, mint *admin.MintForm, policy *admin.RefPolicyForm) error {
	ctx := c.Request().Context()
	before, err := respond.Cursor[id.Lot](c, "before")
	if err != nil {
		return err
	}
	props := admin.RefsProps{Before: before, Mint: admin.NewMintForm()}
	if props.Standing, err = h.console.RefState(ctx); err != nil {
		return err
	}
	if props.Minutes, err = h.console.RefMinutes(ctx, time.Hour+time.Minute); err != nil {
		return err
	}
	if props.Lookups, err = h.workflows.LookupsSince(ctx, time.Now().Add(-24*time.Hour)); err != nil {
		return err
	}
	if props.Lots, props.More, err = h.console.RefLots(ctx, before); err != nil {
		return err
	}
	if props.Refill, err = h.optionalRun(ctx, props.Standing.Policy.Refill); err != nil {
		return err
	}
	if props.Standing.Guarded {
		if props.Sweep, err = h.optionalRun(ctx, props.Standing.Policy.Sweep); err != nil {
			return err
		}
	}
	props.Page = h.controlRoom(c, "Reference codes")
	if respond.Target(c) == views.RefsID {
		return respond.Render(c, code, admin.RefState(props))
	}
	props.Policy = admin.NewRefPolicyForm(props.Standing.Policy)
	if mint != nil {
		props.Mint = *mint
	}
	if policy != nil {
		props.Policy = *policy
	}
	return respond.Render(c, code, admin.RefsPage(props))
}

// optionalRun returns a run, or nil if there is none.
func (h *Handlers) optionalRun(ctx context.Context, run id.Run) (*migrations.Run, error) {
	if run == 0 {
		return nil, nil //nolint:nilnil // no run is no error here
	}
	r, err := h.console.Run(ctx, run)
	if errors.Is(err, fault.NotFound) {
		return nil, nil //nolint:nilnil
	}
	return &r, err
}

// mintOrder reads the form of a mint as the migration's values.
func (h *Handlers) mintOrder(c echo.Context) (migrations.Values, admin.MintForm, error) {
	form := admin.MintForm{Codes: c.FormValue("codes"), Length: c.FormValue("length")}
	if plainNumber(form.Codes) == "" {
		return nil, form, migrations.BadParam("codes", "Enter how many codes to mint.")
	}
	values, err := h.console.CheckRun(c.Request().Context(), workflows.MintName,
		migrations.Values{"codes": plainNumber(form.Codes), "length": form.Length})
	return values, form, err
}

// MintForm asks whether to mint codes.
func (h *Handlers) MintForm(c echo.Context) error {
	values, form, err := h.mintOrder(c)
	if err != nil {
		return h.rejectMint(c, form, err)
	}
	standing, err := h.console.RefState(c.Request().Context())
	if err != nil {
		return err
	}
	props := admin.MintProps{Where: h.where()}
	props.Codes, _ = strconv.ParseUint(values["codes"], 10, 63) // checked, as the next
	props.Length, _ = strconv.Atoi(values["length"])
	for _, l := range standing.ByLength {
		if l.Length == props.Length {
			props.Of = l
		}
	}
	props.Page = h.controlRoom(c, "Mint reference codes")
	return respond.Render(c, http.StatusOK, admin.MintPage(props))
}

func (h *Handlers) Mint(c echo.Context) error {
	values, form, err := h.mintOrder(c)
	if err != nil {
		return h.rejectMint(c, form, err)
	}
	run, err := respond.Once(c, func(once *workflows.Once[migrations.Run]) (migrations.Run, error) {
		return h.console.OpenRun(c.Request().Context(), workflows.MintName, values, migrations.Draft{}, once)
	})
	if err != nil {
		return h.rejectMint(c, form, err)
	}
	return h.respond.SeeOther(c, views.RunPath(run.ID), "")
}

func (h *Handlers) rejectMint(c echo.Context, form admin.MintForm, err error) error {
	code, _ := respond.Status(err)
	if _, _, ok := respond.Rejected(err); !ok && fault.KindOf(err) != fault.Invalid {
		return err
	}
	form.Errors = respond.FieldErrors(err, fault.Field)
	return h.showRefs(c, code, &form, nil)
}

func (h *Handlers) SetRefPolicy(c echo.Context) error {
	form := admin.RefPolicyForm{AtLeast: c.FormValue("at_least"), LowHours: c.FormValue("low_hours"),
		HighHours: c.FormValue("high_hours"), Errors: views.Errors{}}
	whole := func(name, text string) int {
		n, err := strconv.ParseUint(plainNumber(text), 10, 31)
		if err != nil {
			form.Errors[name] = "Enter a whole number."
		}
		return int(n)
	}
	policy := refs.Policy{
		AtLeast: uint64(whole("at_least", form.AtLeast)), LowHours: whole("low_hours", form.LowHours),
		HighHours: whole("high_hours", form.HighHours),
	}
	if len(form.Errors) > 0 {
		respond.AddErrors(form.Errors, policy.Check())
		return h.showRefs(c, http.StatusUnprocessableEntity, nil, &form)
	}
	if err := h.console.SetRefPolicy(c.Request().Context(), policy); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return h.showRefs(c, code, nil, &form)
	}
	return h.respond.SeeOther(c, views.RefsPath, "The refill policy is saved.")
}

func (h *Handlers) PauseRefills(c echo.Context) error {
	paused := c.FormValue("paused")
	if paused != "yes" && paused != "no" {
		return respond.BadSwitch()
	}
	if err := h.console.PauseRefills(c.Request().Context(), paused == "yes"); err != nil {
		return err
	}
	message := "Refills are resumed."
	if paused == "yes" {
		message = "Refills are paused."
	}
	return h.respond.SeeOther(c, views.RefsPath, message)
}

// lotOfPath returns the lot that the path names.
func (h *Handlers) lotOfPath(c echo.Context) (refs.Lot, error) {
	lot, err := respond.RowID[id.Lot](c.Param("lot"), refs.LotNotFound(0))
	if err != nil {
		return refs.Lot{}, err
	}
	return h.console.RefLot(c.Request().Context(), lot)
}

// QuarantineForm asks whether to put a lot in quarantine.
func (h *Handlers) QuarantineForm(c echo.Context) error {
	return h.showQuarantine(c, http.StatusOK, nil)
}

func (h *Handlers) showQuarantine(c echo.Context, code int, errs views.Errors) error {
	lot, err := h.lotOfPath(c)
	if err != nil {
		return err
	}
	props := admin.LotQuarantineProps{Page: h.controlRoom(c, "Put a lot in quarantine"), Lot: lot, Errors: errs}
	return respond.Render(c, code, admin.LotQuarantinePage(props))
}

func (h *Handlers) QuarantineLot(c echo.Context) error {
	lot, err := h.lotOfPath(c)
	if err != nil {
		return err
	}
	run, err := h.console.QuarantineRefs(c.Request().Context(), lot.ID)
	if errors.Is(err, refs.CodeInQuarantine) {
		messages, code, _ := respond.Rejected(err)
		return h.showQuarantine(c, code, messages)
	}
	if err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.RunPath(run.ID), "")
}
