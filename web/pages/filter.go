package pages

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/respond"
)

// filterOf is what the board is narrowed to from which a request comes. The request says it itself, but a form
// that a script sends may be older than the filter: the page's address is not.
func filterOf(c echo.Context) views.Filter {
	said := c.FormValue
	if c.Request().Method == http.MethodPost && respond.IsFragment(c) {
		if page, err := url.Parse(respond.CurrentPath(c)); err == nil {
			said = page.Query().Get
		}
	}
	return views.Filter{Text: said("q"), Who: said("who"), State: said("state")}
}

func narrowing(c echo.Context) workflows.Narrowing { return workflows.Narrowing(filterOf(c)) }
