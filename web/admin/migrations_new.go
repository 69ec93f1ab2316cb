package admin

import (
	"maps"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// newRunProps is the form of a new run of the migration in the path, with the values of another run if one is named.
func (h *Handlers) newRunProps(c echo.Context, from string) (admin.NewRunProps, error) {
	ctx := c.Request().Context()
	kind, err := h.console.Migration(ctx, c.Param("name"))
	if err != nil {
		return admin.NewRunProps{}, err
	}
	props := admin.NewRunProps{Migration: kind, Values: migrations.Values{}, Where: h.where(),
		MaxUpload: h.respond.MaxUpload}
	if from == "" {
		return props, nil
	}
	run, err := respond.RowID[id.Run](from, echo.ErrBadRequest)
	if err != nil {
		return props, err
	}
	earlier, err := h.console.Run(ctx, run)
	if err != nil {
		return props, err
	}
	if earlier.Name != kind.Name {
		return props, echo.ErrNotFound
	}
	props.From = &earlier
	maps.Copy(props.Values, earlier.Values)
	return props, nil
}

func (h *Handlers) NewRun(c echo.Context) error {
	props, err := h.newRunProps(c, c.QueryParam("from"))
	if err != nil {
		return err
	}
	if props.Migration.First != nil && props.From != nil {
		return c.Redirect(http.StatusSeeOther, views.RunMappingPath(props.From.ID))
	}
	props.Typed = c.QueryParam("typed") != ""
	if props.From == nil {
		err = h.fillIn(c.Request().Context(), &props, c.QueryParam, respond.User(c).Email)
	} else {
		err = h.addChoices(c.Request().Context(), &props)
	}
	if err != nil {
		return err
	}
	return h.showNewRun(c, http.StatusOK, props)
}

func (h *Handlers) showNewRun(c echo.Context, code int, props admin.NewRunProps) error {
	if respond.Target(c) == views.RunChoicesID {
		return respond.Render(c, code, admin.RunChoices(props))
	}
	props.Page = h.controlRoom(c, props.Migration.Title)
	return respond.Render(c, code, admin.NewRunPage(props))
}

// OpenRun opens a run, which workers then fill. A form with a file is read while it arrives.
func (h *Handlers) OpenRun(c echo.Context) error {
	form := &respond.Upload{Context: c.Request().Context()}
	var problem error
	if respond.HasFile(c) {
		form = h.respond.Upload(c)
		defer form.Close()
		problem = form.Receive()
	} else if form.Fields, problem = c.FormParams(); problem != nil {
		return echo.ErrBadRequest
	}
	props, err := h.newRunProps(c, form.Fields.Get("from"))
	if err != nil {
		return err
	}
	props.Values, props.Dry = typedValues(props.Migration, form.Fields.Get), form.Fields.Get("dry") == "true"
	props.Typed = form.Fields.Get("typed") != ""
	if err := h.addChoices(c.Request().Context(), &props); err != nil {
		return err
	}
	if problem != nil {
		return h.rejectRun(c, props, problem)
	}
	if form.Fields.Get(admin.ImportAgain) != "" {
		return h.showAgain(c, props)
	}
	if props.Migration.First != nil && props.From == nil {
		return h.keepFile(c, form, props)
	}
	draft := migrations.Draft{Dry: props.Dry, Upload: form.File, UploadName: form.Name}
	if props.From != nil {
		draft.From = props.From.ID
	}
	run, err := respond.OnceWithFile(c, form, func(once *workflows.Once[migrations.Run]) (migrations.Run, error) {
		return h.console.OpenRun(form.Context, props.Migration.Name, props.Values, draft, once)
	})
	if err = form.Why(err); err != nil {
		return h.rejectRun(c, props, err)
	}
	return h.respond.SeeOther(c, views.RunPath(run.ID), "")
}

// typedValues are the parameters in a form. A flag that is not ticked is not sent at all.
func typedValues(kind migrations.Info, get func(string) string) migrations.Values {
	values := migrations.Values{}
	for _, param := range kind.Params {
		value := get(admin.ParamField(param.Name))
		if param.Kind == migrations.Flag && value == "" {
			value = "false"
		}
		values[param.Name] = value
	}
	return values
}

// rejectRun shows the form again with all errors, beside its fields. Secrets are not sent back.
func (h *Handlers) rejectRun(c echo.Context, props admin.NewRunProps, err error) error {
	code, _ := respond.Status(err)
	if _, _, ok := respond.Rejected(err); !ok && fault.KindOf(err) != fault.Invalid {
		return err
	}
	fields := map[string]string{"upload": "file", "file": "file", "dry": "dry"}
	for _, param := range props.Migration.Params {
		fields[param.Name] = admin.ParamField(param.Name)
		if param.Kind == migrations.Secret {
			delete(props.Values, param.Name)
		}
	}
	props.Errors = respond.FieldErrors(err, func(one error) string { return fields[fault.Field(one)] })
	return h.showNewRun(c, code, props)
}

// showAgain shows the form with the boards of the company that was chosen. Secrets are not sent back.
func (h *Handlers) showAgain(c echo.Context, props admin.NewRunProps) error {
	for _, param := range props.Migration.Params {
		if param.Kind == migrations.Secret {
			delete(props.Values, param.Name)
		}
	}
	given := func(field string) string {
		for _, param := range props.Migration.Params {
			if admin.ParamField(param.Name) == field {
				return props.Values[param.Name]
			}
		}
		return ""
	}
	if err := h.fillIn(c.Request().Context(), &props, given, respond.User(c).Email); err != nil {
		return err
	}
	return h.showNewRun(c, http.StatusOK, props)
}
