package pages

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// mostPages is the last page of a search: an address may have any number.
const mostPages = 1000

// Search finds tickets by their texts.
func (h *Handlers) Search(c echo.Context) error {
	props := pages.SearchProps{Page: h.respond.Page(c, "Search"), Query: strings.TrimSpace(strings.ToValidUTF8(c.QueryParam("q"), "\ufffd"))}
	number, _ := strconv.Atoi(c.QueryParam("page")) // the first if it is none
	props.Number = min(max(number, 1), mostPages)
	if props.Query == "" {
		return respond.Render(c, http.StatusOK, pages.SearchPage(props))
	}
	found, err := h.workflows.Search(c.Request().Context(), props.Query, props.Number)
	if props.Problem = query.Problem(err); err != nil && props.Problem == nil {
		return err
	}
	props.Found = found
	return respond.Render(c, filterStatus(props.Problem), pages.SearchPage(props))
}
