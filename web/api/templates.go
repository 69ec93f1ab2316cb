package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/web/respond"
)

// listedTemplate is a template as JSON in a list.
type listedTemplate struct {
	ID      id.Template `json:"id"`
	Name    string      `json:"name"`
	Public  bool        `json:"public"` // the board's public form offers it
	Version uint64      `json:"version"`
}

// template is a template as JSON.
type template struct {
	ID          id.Template `json:"id"`
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Column      *id.Column  `json:"column"` // null for the board's first
	Priority    string      `json:"priority"`
	Labels      []string    `json:"labels"`    // names
	Assignees   []string    `json:"assignees"` // handles
	Public      bool        `json:"public"`
	Version     uint64      `json:"version"`
}

func templateOf(t tickets.Template) template {
	one := template{ID: t.ID, Name: t.Name, Title: t.Draft.Title, Description: t.Draft.Description,
		Priority: t.Draft.Priority.String(), Labels: append([]string{}, t.Draft.Labels...),
		Assignees: append([]string{}, t.Draft.Assignees...), Public: t.Public, Version: t.Version}
	if t.Draft.Column != 0 {
		one.Column = &t.Draft.Column
	}
	return one
}

// Templates are those of a board, by name: it has at most tickets.MaxTemplates.
func (h *Handlers) Templates(c echo.Context) error {
	board, err := h.workflows.Board(c.Request().Context(), c.Param("board"))
	if err != nil {
		return err
	}
	list, err := h.workflows.Templates(c.Request().Context(), board)
	if err != nil {
		return err
	}
	page := listResource[listedTemplate]{Items: make([]listedTemplate, len(list))}
	for i, t := range list {
		page.Items[i] = listedTemplate{ID: t.ID, Name: t.Name, Public: t.Public, Version: t.Version}
	}
	return answer(c, http.StatusOK, page)
}

func (h *Handlers) Template(c echo.Context) error {
	_, t, err := h.templateOfPath(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, templateOf(t))
}

func (h *Handlers) templateOfPath(c echo.Context) (board boards.Board, t tickets.Template, err error) {
	of, err := respond.PathTemplate(c)
	if err != nil {
		return board, t, err
	}
	if board, err = h.workflows.Board(c.Request().Context(), c.Param("board")); err != nil {
		return board, t, err
	}
	t, err = h.workflows.Template(c.Request().Context(), board, of)
	return board, t, err
}

func (h *Handlers) OpenTemplate(c echo.Context) error {
	var in struct {
		Name        string    `json:"name"`
		Title       string    `json:"title"`
		Description string    `json:"description"`
		Column      id.Column `json:"column"`
		Priority    nullable  `json:"priority"`
		Labels      []string  `json:"labels"`
		Assignees   []string  `json:"assignees"`
		Public      bool      `json:"public"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	t := tickets.Template{Name: in.Name, Public: in.Public, Draft: tickets.Draft{Title: in.Title, Description: in.Description,
		Column: in.Column, Labels: in.Labels, Assignees: in.Assignees}}
	if t.Draft.Priority, err = tickets.ParsePriority(in.Priority.Text); err != nil {
		_, others := t.Parse()
		return fault.Join(others, err)
	}
	key, err := once(c, body, func(t tickets.Template) any { return templateOf(t) })
	if err != nil {
		return err
	}
	saved, err := h.workflows.SaveTemplate(c.Request().Context(), c.Param("board"), t, key)
	return created(c, templateOf(saved), err)
}

func (h *Handlers) EditTemplate(c echo.Context) error {
	var in struct {
		Name        *string    `json:"name"`
		Title       *string    `json:"title"`
		Description *string    `json:"description"`
		Column      *id.Column `json:"column"`
		Priority    nullable   `json:"priority"`
		Labels      *[]string  `json:"labels"`
		Assignees   *[]string  `json:"assignees"`
		Public      *bool      `json:"public"`
		Version     *uint64    `json:"version"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	board, t, err := h.templateOfPath(c)
	if err != nil {
		return err
	}
	set(&t.Name, in.Name)
	set(&t.Draft.Title, in.Title)
	set(&t.Draft.Description, in.Description)
	set(&t.Draft.Column, in.Column)
	set(&t.Draft.Labels, in.Labels)
	set(&t.Draft.Assignees, in.Assignees)
	set(&t.Public, in.Public)
	set(&t.Version, in.Version)
	if in.Priority.Sent {
		t.Draft.Priority, err = tickets.ParsePriority(in.Priority.Text)
	}
	if in.Version == nil {
		err = fault.Join(noVersion, err)
	}
	if err != nil {
		_, others := t.Parse()
		return fault.Join(others, err)
	}
	saved, err := h.workflows.SaveTemplate(c.Request().Context(), board.Slug, t, nil)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, templateOf(saved))
}

// set changes a value to what was sent, if anything was.
func set[T any](value *T, sent *T) {
	if sent != nil {
		*value = *sent
	}
}

func (h *Handlers) DeleteTemplate(c echo.Context) error {
	of, err := respond.PathTemplate(c)
	if err != nil {
		return err
	}
	if err := h.workflows.DeleteTemplate(c.Request().Context(), c.Param("board"), of); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func (h *Handlers) RestoreTemplate(c echo.Context) error {
	of, err := respond.PathTemplate(c)
	if err != nil {
		return err
	}
	restored, err := h.workflows.RestoreTemplate(c.Request().Context(), c.Param("board"), of)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, templateOf(restored))
}
