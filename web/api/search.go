package api

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/workflows"
)

// searchResource is a page of what a search finds.
type searchResource struct {
	Items []workflows.FoundResource `json:"items"`
	Total int                       `json:"total"` // tickets that match
	Above bool                      `json:"above"` // there are more than total
	Index string                    `json:"index"` // ready, behind, building or off: whether results may be missing
	Next  *int                      `json:"next"`  // the next page; null on the last
}

// Search finds tickets by their texts, the best first.
func (h *Handlers) Search(c echo.Context) error {
	page := 1
	if text := c.QueryParam("page"); text != "" {
		var err error
		if page, err = strconv.Atoi(text); err != nil || page < 1 || page > 1000 {
			return badQuery("page", "a number from 1 on")
		}
	}
	found, err := h.workflows.Search(c.Request().Context(), c.QueryParam("q"), page)
	if err != nil {
		return err
	}
	if !found.Words {
		return badQuery("q", "words to search for, and conditions of a query beside them if you like")
	}
	r := searchResource{Items: make([]workflows.FoundResource, len(found.Hits)), Total: found.Total, Above: found.Above,
		Index: found.State.String()}
	for i, hit := range found.Hits {
		r.Items[i] = h.respond.Links(c).Found(hit)
	}
	if found.Next > 0 {
		r.Next = &found.Next
	}
	return answer(c, http.StatusOK, r)
}
