package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/static"
	"github.com/counterfoil/counterfoil/views"
)

// render answers with components one after the other. They are drawn before the first byte is sent,
// so what fails in them can still be an error.
func render(c echo.Context, status int, components ...templ.Component) error {
	var body bytes.Buffer
	for _, component := range components {
		if err := component.Render(c.Request().Context(), &body); err != nil {
			return fmt.Errorf("render: %w", err)
		}
	}
	head := c.Response().Header()
	head.Set("Cache-Control", "private, no-store")
	head.Add("Vary", "HX-Request, HX-Target")
	return c.HTMLBlob(status, body.Bytes())
}

// page is the frame of a page for whoever asks. The messages of the session are taken out of it.
func (s *server) page(c echo.Context, title string) views.Page {
	p := views.Page{Title: title, Now: time.Now(), Styles: static.Path("css/app.css"), Script: static.Path("js/app.js")}
	p.Board = boardOf(c)
	if actor, ok := member(c); ok {
		p.Actor, p.Unread = &actor, actor.Unread
		p.At, _ = c.Get(atKey).(string)
	}
	if c.Request().Method == http.MethodGet {
		p.Path = c.Request().URL.RequestURI()
	}
	if who, ok := c.Get(personKey).(accounts.Account); ok {
		p.Person = &who
	}
	if !isFragment(c) {
		p.Flash = s.takeFlash(c)
	}
	return p
}

// controlRoom is the frame of a page about migrations, which have a style sheet of their own.
func (s *server) controlRoom(c echo.Context, title string) views.Page {
	p := s.page(c, title)
	p.Room = static.Path("css/migrations.css")
	return p
}

// boardOf is the slug of the board that the path is about, "" for none.
func boardOf(c echo.Context) string {
	if board, err := boards.ParseSlug(c.Param("board")); err == nil {
		return board
	}
	if k, err := key(c); err == nil {
		return k.Board
	}
	return ""
}

// see redirects to a page of ours after a form was taken, with a message for it.
func (s *server) see(c echo.Context, path, message string) error {
	if message != "" {
		if err := s.flash(c, views.Flash{Text: message}); err != nil {
			return err
		}
	}
	return c.Redirect(http.StatusSeeOther, path)
}

func (s *server) healthz(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// readyz says whether requests can be served: the database answers.
func (s *server) readyz(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 3*time.Second)
	defer cancel()
	if err := s.workflows.Ready(ctx); err != nil {
		c.Response().Header().Set("Retry-After", strconv.Itoa(retryAfter))
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
