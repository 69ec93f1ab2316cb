package respond

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// Slugs and keys name their boards and tickets for ever. What is read under an old name is read
// again under the current one; what is sent to an old name is done.

// renamed reports a path with a name that is another by now; path is the one that it has.
type renamed struct{ path string }

func (e renamed) Error() string { return "it is at " + e.path }

// CheckName returns renamed where a GET's path has, for the parameter, another name than the current. A
// page has one address; programs may write names in lower case.
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
	return renamed{there}
}
