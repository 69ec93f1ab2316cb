package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/web/respond"
)

// paths are the routes by their path, each with its methods.
type paths map[string][]string

func pathsOf(routes []*echo.Route) paths {
	found := paths{}
	for _, route := range routes {
		if route.Method == echo.RouteNotFound || strings.HasSuffix(route.Path, "*") {
			continue
		}
		found[route.Path] = append(found[route.Path], route.Method)
		if route.Method == http.MethodGet {
			found[route.Path] = append(found[route.Path], http.MethodHead)
		}
	}
	return found
}

// at returns the route's path that serves an address, of several the one with the fewest :names; "" for none.
func (p paths) at(address string) (best string) {
	for path := range p {
		if serves(path, address) && (best == "" || strings.Count(path, ":") < strings.Count(best, ":")) {
			best = path
		}
	}
	return best
}

// serves is asked for each path by each request of a member, so it makes no slices of them.
func serves(path, address string) bool {
	for {
		want, pathRest, more := strings.Cut(path, "/")
		got, addressRest, left := strings.Cut(address, "/")
		if more != left || want != got && (got == "" || !strings.HasPrefix(want, ":")) {
			return false
		}
		if !more {
			return true
		}
		path, address = pathRest, addressRest
	}
}

// notFound responds to a request that no route serves: with the path's methods if only the method is wrong. Paths of a
// company are shown to its members only.
func (s *server) notFound(c echo.Context) error {
	path := s.paths.at(echo.GetPath(c.Request()))
	if _, inside := respond.Member(c); ofCompany(path) && !inside {
		return echo.ErrNotFound
	}
	return s.wrongMethod(c, path)
}

// noBoard is notFound below the public links of boards: a path that is none is an unknown link.
func (s *server) noBoard(c echo.Context) error {
	if err := s.notFound(c); !errors.Is(err, echo.ErrNotFound) {
		return err
	}
	return boards.UnknownLink()
}

func ofCompany(path string) bool { return strings.HasPrefix(path, "/:company") }

// wrongMethod returns 405 if a path has other methods, else 404.
func (s *server) wrongMethod(c echo.Context, path string) error {
	methods := s.paths[path]
	if path == "" || slices.Contains(methods, c.Request().Method) {
		return echo.ErrNotFound
	}
	c.Response().Header().Set("Allow", strings.Join(slices.Sorted(slices.Values(methods)), ", "))
	return echo.ErrMethodNotAllowed
}
