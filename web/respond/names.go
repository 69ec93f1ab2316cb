package respond

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// Slugs and keys name their boards and tickets for ever. A GET of an old name redirects to the current one; a POST to
// an old name is done.

// renamedError reports a path with an old name; path is the current one.
type renamedError struct{ path string }

func (e renamedError) Error() string { return "it is at " + e.path }

// CheckName returns renamedError if a GET's parameter is not the current name. A page has one address; programs may
// write names in lower case.
func CheckName(c echo.Context, parameter, current string) error {
	given := c.Param(parameter)
	if c.Request().Method != http.MethodGet || given == current || isCall(c) && strings.EqualFold(given, current) {
		return nil
	}
	at := slices.Index(strings.Split(c.Path(), "/"), ":"+parameter)
	path := strings.Split(c.Request().URL.EscapedPath(), "/")
	path[at] = current
	there := strings.Join(path, "/")
	if query := c.Request().URL.RawQuery; query != "" {
		there += "?" + query
	}
	return renamedError{there}
}
