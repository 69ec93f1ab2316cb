package admin

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// An import is opened in two steps. The first form takes the file: it opens a dry run, which is cancelled at once and
// keeps the file. The second one maps its columns, and opens the run from it.

// keepFile opens a run that only keeps a file, and redirects to the page that maps its columns.
func (h *Handlers) keepFile(c echo.Context, form *respond.Upload, props admin.NewRunProps) error {
	values := migrations.Values{}
	for _, name := range props.Migration.First {
		values[name] = props.Values[name]
	}
	draft := migrations.Draft{Dry: true, Upload: form.File, UploadName: form.Name}
	run, err := respond.OnceWithFile(c, form, func(once *workflows.Once[migrations.Run]) (migrations.Run, error) {
		return h.console.OpenRun(form.Context, props.Migration.Name, values, draft, once)
	})
	if err = form.Why(err); err != nil {
		return h.rejectRun(c, props, err)
	}
	ctx := c.Request().Context()
	if _, err := h.console.CancelRun(ctx, run.ID); err != nil && !errors.Is(err, fault.Conflict) {
		return err
	}
	if _, err := h.console.DismissRun(ctx, run.ID); err != nil && !errors.Is(err, fault.Conflict) {
		return err
	}
	return h.respond.SeeOther(c, views.RunMappingPath(run.ID), "")
}

// importProps is the page of a run's file. values are the choices.
func (h *Handlers) importProps(c echo.Context,
	choose func(kind migrations.Info, earlier migrations.Run) migrations.Values) (admin.ImportProps, error) {
	ctx := c.Request().Context()
	run, err := respond.RowID[id.Run](c.Param("run"), echo.ErrNotFound)
	if err != nil {
		return admin.ImportProps{}, err
	}
	earlier, err := h.console.Run(ctx, run)
	if err != nil {
		return admin.ImportProps{}, err
	}
	if earlier.Name != workflows.ImportName {
		return admin.ImportProps{}, echo.ErrNotFound
	}
	kind, err := h.console.Migration(ctx, earlier.Name)
	if err != nil {
		return admin.ImportProps{}, err
	}
	values := choose(kind, earlier)
	props := admin.ImportProps{
		NewRunProps: admin.NewRunProps{Migration: kind, Values: values, From: &earlier, Where: h.where(),
			MaxUpload: h.respond.MaxUpload, Mapping: true}, Run: earlier,
	}
	if err := h.addChoices(ctx, &props.NewRunProps); err != nil {
		return admin.ImportProps{}, err
	}
	file, err := h.workflows.ImportFile(ctx, run, values)
	props.Jira, props.Kept, props.Board, props.Places = file.Jira, file.Kept, file.Board, file.BoardColumns
	props.Rows, props.Whole, props.Rejected = file.Rows, file.Whole, file.Rejected
	if props.Values["relations"] == "" {
		props.Values["relations"] = strings.Join(file.Relations, "\n")
	}
	for _, column := range file.Columns {
		props.Columns = append(props.Columns, admin.ImportColumn(column))
	}
	for _, role := range file.Roles {
		props.Roles = append(props.Roles, admin.ImportRole(role))
	}
	for _, status := range file.Statuses {
		props.Statuses = append(props.Statuses, admin.ImportStatus(status))
	}
	return props, err
}

// ImportMapping shows the columns of a run's file.
func (h *Handlers) ImportMapping(c echo.Context) error {
	props, err := h.importProps(c, func(_ migrations.Info, earlier migrations.Run) migrations.Values {
		return maps.Clone(earlier.Values)
	})
	if err != nil {
		return h.rejectImport(c, props, err)
	}
	if props.Jira && props.Values["title"] == "" { // nothing was chosen yet
		props.Values["names"] = "true"
	}
	props.Dry = !props.Tried()
	return h.showImport(c, http.StatusOK, props)
}

// OpenImport opens a run from the file with these choices, or shows the page again.
func (h *Handlers) OpenImport(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return echo.ErrBadRequest
	}
	props, err := h.importProps(c, func(kind migrations.Info, earlier migrations.Run) migrations.Values {
		values := typedValues(kind, form.Get)
		values["statuses"] = statusColumns(earlier.Values["statuses"], form[admin.ImportStatusName],
			form[admin.ImportStatusColumn])
		if kept := form[admin.ImportKeep]; len(kept) > 0 {
			values["keep"] = strings.Join(kept, "\n")
		} else if form.Has(admin.ParamField("title")) {
			values["keep"] = admin.ImportNone
		}
		return values
	})
	props.Dry = form.Get("dry") == "true"
	if err != nil {
		return h.rejectImport(c, props, err)
	}
	if form.Get(admin.ImportAgain) != "" {
		return h.showImport(c, http.StatusOK, props)
	}
	draft := migrations.Draft{Dry: props.Dry, From: props.Run.ID}
	run, err := respond.Once(c, func(once *workflows.Once[migrations.Run]) (migrations.Run, error) {
		return h.console.OpenRun(c.Request().Context(), props.Migration.Name, props.Values, draft, once)
	})
	if err != nil {
		return h.rejectImport(c, props, err)
	}
	if !run.Dry {
		return h.respond.SeeOther(c, views.RunStartPath(run.ID), "") // its rows are counted, and it asks
	}
	return h.respond.SeeOther(c, views.RunPath(run.ID), "")
}

// statusColumns returns the columns of the statuses on the page, and those that were set before for others.
func statusColumns(before string, names, columns []string) string {
	shown := map[string]bool{}
	var lines []string
	for i, name := range names {
		if shown[strings.ToLower(name)] = true; i < len(columns) && columns[i] != "" {
			lines = append(lines, name+" = "+columns[i])
		}
	}
	for line := range strings.Lines(before) {
		name, _, _ := strings.Cut(line, "=")
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" && !shown[name] {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "\n")
}

func (h *Handlers) showImport(c echo.Context, code int, props admin.ImportProps) error {
	props.Page = h.controlRoom(c, "Import tickets")
	return respond.Render(c, code, admin.ImportPage(props))
}

// rejectImport shows the page again with its errors.
func (h *Handlers) rejectImport(c echo.Context, props admin.ImportProps, err error) error {
	code, _ := respond.Status(err)
	if _, _, ok := respond.Rejected(err); props.Migration.Name == "" || !ok && fault.KindOf(err) != fault.Invalid {
		return err
	}
	props.Errors = respond.FieldErrors(err, func(one error) string {
		for _, param := range props.Migration.Params {
			if fault.Field(one) == param.Name {
				return admin.ParamField(param.Name)
			}
		}
		return ""
	})
	return h.showImport(c, code, props)
}

// importBoard is the board that a run imports into, nil for other runs.
func (h *Handlers) importBoard(ctx context.Context, run migrations.Run) (*admin.RunBoard, error) {
	if run.Name != workflows.ImportName {
		return nil, nil
	}
	board, company, ok, err := h.console.BoardOfRun(ctx, run)
	if err != nil {
		return nil, err
	}
	if !ok {
		return &admin.RunBoard{Title: run.Values["board"]}, nil
	}
	return &admin.RunBoard{Title: board.Title, Path: views.BoardPath(company, board.Slug)}, nil
}
