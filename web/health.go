package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/static"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (s *server) healthz(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// readyz reports whether requests can be served: the database answers.
func (s *server) readyz(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 3*time.Second)
	defer cancel()
	if err := s.workflows.Ready(ctx); err != nil {
		c.Response().Header().Set("Retry-After", strconv.Itoa(respond.RetryAfter))
		s.log.Debug("not ready", "error", err)
		return c.String(http.StatusServiceUnavailable, "the database does not answer\n")
	}
	return c.String(http.StatusOK, "ready\n")
}

func (s *server) favicon(c echo.Context) error {
	return c.Redirect(http.StatusFound, static.Path("img/icon.svg"))
}

func (s *server) robots(c echo.Context) error {
	return c.String(http.StatusOK, "User-agent: *\nDisallow: /\n")
}
