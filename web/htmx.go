package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// The only place that reads or writes HX-* headers.

// isFragment reports whether htmx asks, so that a fragment is wanted and not a page.
func isFragment(c echo.Context) bool { return c.Request().Header.Get("HX-Request") == "true" }

// target is the id of the element that the answer goes to; "" for a whole page.
func target(c echo.Context) string {
	if !isFragment(c) {
		return ""
	}
	return c.Request().Header.Get("HX-Target")
}

// leave makes the browser go to path: a redirect, or where htmx asked, a word to it. A redirect
// would put that page into a corner of this one.
func leave(c echo.Context, path string) error {
	if !isFragment(c) {
		return c.Redirect(http.StatusSeeOther, path)
	}
	c.Response().Header().Set("HX-Redirect", path)
	return c.NoContent(http.StatusUnauthorized)
}
