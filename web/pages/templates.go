package pages

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Templates(c echo.Context) error {
	board, err := h.boardOfPath(c)
	if err != nil {
		return err
	}
	return h.showTemplates(c, http.StatusOK, board, "")
}

func (h *Handlers) showTemplates(c echo.Context, code int, board boards.Board, alert string) (err error) {
	ctx := c.Request().Context()
	props := pages.TemplatesProps{Page: h.respond.Page(c, "Templates of "+board.Title), Board: board,
		Write: changeable(c, board) == nil, Alert: alert}
	if props.List, err = h.workflows.Templates(ctx, board); err != nil {
		return err
	}
	if props.Write {
		if props.Deleted, err = h.workflows.DeletedTemplates(ctx, board); err != nil {
			return err
		}
	}
	return respond.Render(c, code, pages.TemplatesPage(props))
}

func (h *Handlers) NewTemplate(c echo.Context) error {
	board, err := h.boardToChange(c)
	if err != nil {
		return err
	}
	return h.showTemplate(c, http.StatusOK, board, pages.TemplateForm{})
}

func (h *Handlers) showTemplate(c echo.Context, code int, board boards.Board, form pages.TemplateForm) error {
	title := cmp.Or(form.Name, "New template")
	return respond.Render(c, code, pages.TemplatePage(pages.TemplateProps{Page: h.respond.Page(c, title), Board: board,
		Form: form}))
}

func (h *Handlers) Template(c echo.Context) error {
	board, t, err := h.templateToChange(c)
	if err != nil {
		return err
	}
	return h.showTemplate(c, http.StatusOK, board, templateForm(t))
}

// templateToChange returns the template of the path, and its board, for a form that changes it.
func (h *Handlers) templateToChange(c echo.Context) (board boards.Board, t tickets.Template, err error) {
	if board, err = h.boardToChange(c); err != nil {
		return board, t, err
	}
	template, err := respond.PathTemplate(c)
	if err != nil {
		return board, t, err
	}
	t, err = h.workflows.Template(c.Request().Context(), board, template)
	return board, t, err
}

func templateForm(t tickets.Template) pages.TemplateForm {
	form := pages.TemplateForm{ID: t.ID, Name: t.Name, Public: t.Public, TicketForm: draftForm(t.Draft)}
	form.Version = t.Version
	return form
}

// draftForm returns a draft as a form has it.
func draftForm(draft tickets.Draft) pages.TicketForm {
	form := pages.TicketForm{Title: draft.Title, Description: draft.Description, Column: draft.Column,
		Priority: draft.Priority.String(), Labels: strings.Join(draft.Labels, ", ")}
	for _, handle := range draft.Assignees {
		form.Assignees = strings.TrimSpace(form.Assignees + " @" + handle)
	}
	return form
}

// beginWith returns the form of a new ticket as a template begins it. A column that the form has stays.
func (h *Handlers) beginWith(c echo.Context, board boards.Board, template string,
	form pages.TicketForm) (pages.TicketForm, error) {
	chosen, err := respond.RowID[id.Template](template, tickets.TemplateNotFound())
	if err != nil {
		return form, err
	}
	t, err := h.workflows.Template(c.Request().Context(), board, chosen)
	if err != nil {
		return form, err
	}
	begun := draftForm(t.Draft)
	begun.Column = cmp.Or(begun.Column, form.Column)
	begun.Template, begun.Created, begun.Hidden = t.ID, form.Created, form.Hidden
	return begun, nil
}

func (h *Handlers) OpenTemplate(c echo.Context) error {
	form, template, err := readTemplate(c)
	if err == nil {
		_, err = respond.Once(c, func(once *workflows.Once[tickets.Template]) (tickets.Template, error) {
			return h.workflows.SaveTemplate(c.Request().Context(), c.Param("board"), template, once)
		})
	}
	return h.templateSaved(c, form, err)
}

func (h *Handlers) SaveTemplate(c echo.Context) error {
	form, template, err := readTemplate(c)
	if template.ID, _ = respond.PathTemplate(c); template.ID == 0 {
		return tickets.TemplateNotFound()
	}
	form.ID = template.ID
	var badVersion error
	form.Version, badVersion = respond.Version(c)
	template.Version = form.Version
	if err = fault.Join(err, badVersion); err == nil {
		_, err = h.workflows.SaveTemplate(c.Request().Context(), c.Param("board"), template, nil)
	}
	return h.templateSaved(c, form, err)
}

// readTemplate reads the form of a template. The error is about what has no text of its own.
func readTemplate(c echo.Context) (form pages.TemplateForm, t tickets.Template, err error) {
	form = pages.TemplateForm{Name: c.FormValue("name"), Public: c.FormValue("public") != ""}
	t = tickets.Template{Name: form.Name, Public: form.Public}
	form.TicketForm, t.Draft = readDraft(c)
	var badColumn, badPriority error
	form.Column, badColumn = respond.ParseColumn(c.FormValue("column"))
	t.Draft.Column = form.Column
	t.Draft.Priority, badPriority = tickets.ParsePriority(form.Priority)
	if err = fault.Join(badColumn, badPriority); err != nil {
		_, others := t.Parse()
		err = fault.Join(err, others)
	}
	return form, t, err
}

// templateSaved leads to the list, or shows the form again with what is wrong with it.
func (h *Handlers) templateSaved(c echo.Context, form pages.TemplateForm, err error) error {
	if err == nil {
		return h.respond.SeeOther(c, views.TemplatesPath(respond.Company(c).Slug, c.Param("board")),
			"The template is saved.")
	}
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	var stale tickets.TemplateStale
	if errors.As(err, &stale) {
		form.Version, form.Stale = stale.Current.Version, true // the user has been told, and may save again
	}
	form.Errors = messages
	board, err := h.boardToChange(c)
	if err != nil {
		return err
	}
	return h.showTemplate(c, code, board, form)
}

func (h *Handlers) TemplateDeletionForm(c echo.Context) error {
	board, t, err := h.templateToChange(c)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.TemplateDeletionPage(pages.TemplateProps{
		Page: h.respond.Page(c, "Delete "+t.Name), Board: board, Form: templateForm(t)}))
}

func (h *Handlers) DeleteTemplate(c echo.Context) error {
	template, err := respond.PathTemplate(c)
	if err != nil {
		return err
	}
	if err := h.workflows.DeleteTemplate(c.Request().Context(), c.Param("board"), template); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.TemplatesPath(respond.Company(c).Slug, c.Param("board")),
		"The template is deleted.")
}

// RestoreTemplate reverts a deletion. What is in its way is said on the list.
func (h *Handlers) RestoreTemplate(c echo.Context) error {
	template, err := respond.PathTemplate(c)
	if err != nil {
		return err
	}
	now, err := h.workflows.RestoreTemplate(c.Request().Context(), c.Param("board"), template)
	if err == nil {
		return h.respond.SeeOther(c, views.TemplatesPath(respond.Company(c).Slug, c.Param("board")),
			"The template "+now.Name+" is restored.")
	}
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	board, err := h.boardToChange(c)
	if err != nil {
		return err
	}
	return h.showTemplates(c, code, board, messages[""]+messages["name"])
}
