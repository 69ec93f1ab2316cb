package web

import (
	"maps"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// newRunProps is the form of a new run of the migration in the path, of the values of another run
// where that is named.
func (s *server) newRunProps(c echo.Context, from string) (views.NewRunProps, error) {
	ctx := c.Request().Context()
	kind, err := s.console.Migration(ctx, c.Param("name"))
	if err != nil {
		return views.NewRunProps{}, err
	}
	props := views.NewRunProps{Migration: kind, Values: migrations.Values{}, Where: s.where(), MaxUpload: s.maxUpload}
	if from == "" {
		return props, nil
	}
	run, err := rowID[id.Run](from, echo.ErrBadRequest)
	if err != nil {
		return props, err
	}
	earlier, err := s.console.Run(ctx, run)
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

func (s *server) where() views.Where {
	host, database := s.console.Where()
	return views.Where{Host: host, Database: database}
}

func (s *server) newRun(c echo.Context) error {
	props, err := s.newRunProps(c, c.QueryParam("from"))
	if err != nil {
		return err
	}
	if props.Migration.First != nil && props.From != nil {
		return c.Redirect(http.StatusSeeOther, views.RunMappingPath(props.From.ID))
	}
	return s.showNewRun(c, http.StatusOK, props)
}

func (s *server) showNewRun(c echo.Context, code int, props views.NewRunProps) error {
	props.Page = s.controlRoom(c, props.Migration.Title)
	return render(c, code, views.NewRunPage(props))
}

// openRun opens a run, which workers fill then. It reads the form while it comes in, where that has a file.
func (s *server) openRun(c echo.Context) error {
	form := &sent{ctx: c.Request().Context()}
	var problem error
	if hasFile(c) {
		form, problem = receive(c, s.maxUpload, views.Bytes(s.maxUpload))
		defer form.end()
	} else if form.fields, problem = c.FormParams(); problem != nil {
		return echo.ErrBadRequest
	}
	props, err := s.newRunProps(c, form.fields.Get("from"))
	if err != nil {
		return err
	}
	props.Values, props.Dry = typedValues(props.Migration, form.fields.Get), form.fields.Get("dry") == "true"
	if problem != nil {
		return s.rejectRun(c, props, problem)
	}
	if props.Migration.First != nil && props.From == nil {
		return s.keepFile(c, form, props)
	}
	draft := migrations.Draft{Dry: props.Dry, Upload: form.file, UploadName: form.name}
	if props.From != nil {
		draft.From = props.From.ID
	}
	run, err := s.console.OpenRun(form.ctx, props.Migration.Name, props.Values, draft)
	if err = form.why(err); err != nil {
		return s.rejectRun(c, props, err)
	}
	return s.see(c, views.RunPath(run.ID), "")
}

// typedValues are the parameters in a form. A flag that is not ticked is not sent at all.
func typedValues(kind migrations.Info, get func(string) string) migrations.Values {
	values := migrations.Values{}
	for _, param := range kind.Params {
		value := get(views.ParamField(param.Name))
		if param.Kind == migrations.Flag && value == "" {
			value = "false"
		}
		values[param.Name] = value
	}
	return values
}

// rejectRun shows the form again with all that is wrong, beside its fields. Secrets are not sent back.
func (s *server) rejectRun(c echo.Context, props views.NewRunProps, err error) error {
	code, _ := status(err)
	if _, _, ok := rejected(err); !ok && fault.KindOf(err) != fault.Invalid {
		return err
	}
	fields := map[string]string{"upload": "file", "file": "file", "dry": "dry"}
	for _, param := range props.Migration.Params {
		fields[param.Name] = views.ParamField(param.Name)
		if param.Kind == migrations.Secret {
			delete(props.Values, param.Name)
		}
	}
	props.Errors = fieldErrors(err, func(one error) string { return fields[fault.Field(one)] })
	return s.showNewRun(c, code, props)
}
