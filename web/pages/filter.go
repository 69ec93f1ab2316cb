package pages

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/respond"
)

// filterOf is the filter of the board that a request comes from. A form sent by a script may be older than the filter;
// then the page's address has it. Other forms have it in fields of their own.
func filterOf(c echo.Context) views.Filter {
	if c.Request().Method != http.MethodPost {
		return views.FilterFrom(c.QueryParam)
	}
	if respond.IsFragment(c) {
		if page, err := url.Parse(respond.CurrentPath(c)); err == nil {
			return views.FilterFrom(page.Query().Get)
		}
	}
	return typedFilter(c)
}

// typedFilter is the filter in the fields of a form, which has others beside it.
func typedFilter(c echo.Context) views.Filter {
	return views.FilterFrom(func(name string) string {
		if !slices.Contains([]string{"q", "lanes", "group", "fields"}, name) {
			return ""
		}
		return c.FormValue(name)
	})
}

func filterParams(c echo.Context) workflows.BoardFilter {
	f := filterOf(c)
	return workflows.BoardFilter{Query: f.Query, Parents: f.Lanes == views.LanesByParent}
}
