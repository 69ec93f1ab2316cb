package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/respond"
)

// label is a label as JSON.
type label struct {
	ID      id.Label   `json:"id"`
	Name    string     `json:"name"`
	Color   string     `json:"color"`
	Board   *string    `json:"board"`    // null for all boards
	EndedAt *time.Time `json:"ended_at"` // when it was deleted or merged; null for a live one
	Into    *id.Label  `json:"merged_into"`
}

func labelOf(l labels.Label) label {
	one := label{ID: l.ID, Name: l.Name, Color: l.Color.String(), EndedAt: l.Ended}
	if l.Slug != "" {
		one.Board = &l.Slug
	}
	if l.LeadsTo != 0 {
		one.Into = &l.LeadsTo
	}
	return one
}

func pathLabel(c echo.Context) (id.Label, error) {
	return respond.RowID[id.Label](c.Param("label"), labels.NotFound())
}

// Labels are all live labels, by name: a company has at most labels.MaxLabels.
func (h *Handlers) Labels(c echo.Context) error {
	list, err := h.workflows.Labels(c.Request().Context())
	if err != nil {
		return err
	}
	page := listResource[label]{Items: make([]label, len(list))}
	for i, l := range list {
		page.Items[i] = labelOf(l)
	}
	return answer(c, http.StatusOK, page)
}

func (h *Handlers) Label(c echo.Context) error {
	of, err := pathLabel(c)
	if err != nil {
		return err
	}
	found, err := h.workflows.Label(c.Request().Context(), of)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, labelOf(found))
}

func (h *Handlers) OpenLabel(c echo.Context) error {
	var in struct {
		Name  string `json:"name"`
		Color string `json:"color"`
		Board string `json:"board"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	key, err := once(c, body, func(l labels.Label) any { return labelOf(l) })
	if err != nil {
		return err
	}
	made, err := h.workflows.OpenLabel(c.Request().Context(),
		workflows.LabelDraft{Name: in.Name, Color: in.Color, Board: in.Board}, key)
	return created(c, labelOf(made), err)
}

func (h *Handlers) EditLabel(c echo.Context) error {
	var in struct {
		Name  *string `json:"name"`
		Color *string `json:"color"`
	}
	return h.changeLabel(c, &in, func(of id.Label) (labels.Label, error) {
		return h.workflows.EditLabel(c.Request().Context(), of, workflows.LabelEdit{Name: in.Name, Color: in.Color})
	})
}

func (h *Handlers) MergeLabel(c echo.Context) error {
	var in struct {
		Into id.Label `json:"into"`
	}
	return h.changeLabel(c, &in, func(of id.Label) (labels.Label, error) {
		return h.workflows.MergeLabel(c.Request().Context(), of, in.Into)
	})
}

func (h *Handlers) RestoreLabel(c echo.Context) error {
	return h.changeLabel(c, nil, func(of id.Label) (labels.Label, error) {
		return h.workflows.RestoreLabel(c.Request().Context(), of)
	})
}

// changeLabel changes the label of the path, after it read the body into in, if that is not nil.
func (h *Handlers) changeLabel(c echo.Context, in any, change func(of id.Label) (labels.Label, error)) error {
	of, err := pathLabel(c)
	if err != nil {
		return err
	}
	if in != nil {
		if _, err := bindJSON(c, in); err != nil {
			return err
		}
	}
	now, err := change(of)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, labelOf(now))
}

func (h *Handlers) DeleteLabel(c echo.Context) error {
	of, err := pathLabel(c)
	if err != nil {
		return err
	}
	if _, err := h.workflows.DeleteLabel(c.Request().Context(), of); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

var noLabels = badJSON("labels is missing: send the names of all labels, or an empty list", "labels")

func (h *Handlers) SetLabels(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	var in struct {
		Labels []string `json:"labels"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	if in.Labels == nil {
		return noLabels
	}
	ticket, _, err := h.workflows.SetLabels(c.Request().Context(), k, in.Labels)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Ticket(ticket))
}
