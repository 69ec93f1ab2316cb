package respond

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"
)

// The only place that reads or writes HX-* headers.

// IsFragment reports whether htmx asks, so that the response is a fragment and not a page.
func IsFragment(c echo.Context) bool { return c.Request().Header.Get("HX-Request") == "true" }

// Target is the id of the element that the response goes to; "" for a whole page.
func Target(c echo.Context) string {
	if !IsFragment(c) {
		return ""
	}
	return c.Request().Header.Get("HX-Target")
}

// CurrentPath is the path of the page that htmx sends from, "" if unknown.
func CurrentPath(c echo.Context) string {
	page, err := url.Parse(c.Request().Header.Get("HX-Current-URL"))
	if err != nil {
		return ""
	}
	return page.RequestURI()
}

// ReplaceURL makes the browser show path as the address of the page that a fragment turned it into.
func ReplaceURL(c echo.Context, path string) { c.Response().Header().Set("HX-Replace-Url", path) }

// Redirect makes the browser load path, a page of ours, also if htmx sent the request.
func Redirect(c echo.Context, path string) error {
	if !IsFragment(c) {
		return c.Redirect(http.StatusSeeOther, path)
	}
	c.Response().Header().Set("HX-Redirect", path)
	return c.NoContent(http.StatusNoContent)
}

// leave makes the browser go to path: a redirect, or for htmx a header. A redirect would put that page into a corner of
// this one.
func redirectAway(c echo.Context, path string) error {
	if !IsFragment(c) {
		return c.Redirect(http.StatusSeeOther, path)
	}
	c.Response().Header().Set("HX-Redirect", path)
	return c.NoContent(http.StatusUnauthorized)
}

// Retarget has the response go to another element than the form said: a selector.
func Retarget(c echo.Context, selector string) { c.Response().Header().Set("HX-Retarget", selector) }
