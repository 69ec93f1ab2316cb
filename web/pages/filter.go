package pages

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/respond"
)

// filterOf is the filter of the board that a request comes from. A form sent by a script may be older than the filter;
// then the page's address has it.
func filterOf(c echo.Context) views.Filter {
	said := c.FormValue
	if c.Request().Method == http.MethodPost && respond.IsFragment(c) {
		if page, err := url.Parse(respond.CurrentPath(c)); err == nil {
			said = page.Query().Get
		}
	}
	return views.Filter{Text: said("q"), Assignee: said("who"), State: said("state"), Requests: said("requests") == "1",
		Label: said("label")}
}

func filterParams(c echo.Context) workflows.BoardFilter { return workflows.BoardFilter(filterOf(c)) }
