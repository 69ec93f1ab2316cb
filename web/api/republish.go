package api

import (
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

// republishResource is the number of rows republished at once, or the run that republishes more.
type republishResource struct {
	Rows int64            `json:"rows"`
	Run  *runLinkResource `json:"run"` // null if all is done
}

type runLinkResource struct {
	ID  id.Run `json:"id"`
	URL string `json:"url"` // of the page for operators
}

// rowName is a row's id, a number, or a ticket's key, a text.
type rowName string

// UnmarshalJSON takes any JSON; feeds.Which validates it.
func (n *rowName) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, (*string)(n)) != nil {
		*n = rowName(text)
	}
	return nil
}

func (h *Handlers) Republish(c echo.Context) error {
	var in struct {
		IDs   []rowName `json:"ids"`
		Board string    `json:"board"`
		All   bool      `json:"all"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	which := feeds.Selection{Board: in.Board, All: in.All}
	for _, row := range in.IDs {
		if err := which.Add(string(row)); err != nil {
			return err
		}
	}
	rows, run, err := h.workflows.RepublishRows(c.Request().Context(), c.Param("feed"), which)
	if err != nil {
		return err
	}
	if run == nil {
		return answer(c, http.StatusOK, republishResource{Rows: rows})
	}
	return answer(c, http.StatusAccepted, republishResource{Rows: rows,
		Run: &runLinkResource{run.ID, h.respond.Base(c) + views.RunPath(run.ID)}})
}
