package respond

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/static"
	"github.com/counterfoil/counterfoil/views"
)

// Render responds with components one after the other. They are rendered before the first byte is sent, so a failure
// can still be an error.
func Render(c echo.Context, status int, components ...templ.Component) error {
	return RenderKept(c, status, "private, no-store", components...)
}

// RenderKept is Render for a page that browsers keep as Cache-Control says.
func RenderKept(c echo.Context, status int, cacheControl string, components ...templ.Component) error {
	body := templ.GetBuffer()
	defer templ.ReleaseBuffer(body)
	ctx := c.Request().Context()
	if who, ok := c.Get(personKey).(accounts.Account); ok {
		ctx = views.WithDisplay(ctx, who.Display, time.Now())
	}
	for _, component := range components {
		if err := component.Render(ctx, body); err != nil {
			return fmt.Errorf("render: %w", err)
		}
	}
	head := c.Response().Header()
	head.Set("Cache-Control", cacheControl)
	head.Add("Vary", "HX-Request, HX-Target")
	return c.HTMLBlob(status, body.Bytes())
}

// Page is the frame of a page for the user. It takes the messages out of the session.
func (r *Responder) Page(c echo.Context, title string) views.Page {
	p := views.Page{Title: title, Now: time.Now(), Styles: static.Path("css/app.css"), Script: static.Path("js/app.js")}
	p.Board, p.Nonce = boardOf(c), Nonce(c)
	p.Place = c.Request().URL.Path
	if actor, ok := Member(c); ok {
		p.Actor, p.Unread = &actor, actor.Unread
		p.At, _ = c.Get(atKey).(string)
		r.rememberCompany(c, actor.Company.Slug)
	} else if came, ok := c.Get(cameKey).(accounts.Actor); ok {
		p.Came, p.Unread = &came, came.Unread
	}
	if c.Request().Method == http.MethodGet {
		p.Path, p.From = c.Request().URL.RequestURI(), CameFrom(c)
	}
	p.Pins, _ = c.Get(pinsKey).([]savedviews.View)
	if who, ok := c.Get(personKey).(accounts.Account); ok {
		p.User = &who
	}
	if stop, is := c.Get(stopKey).(migrations.Stop); is {
		p.Stop = &stop
	}
	if !IsFragment(c) {
		p.Flash = r.takeFlash(c)
	}
	return p
}

// pinsKey is under what a request has the views that its user has pinned.
const pinsKey = "pins"

// SetPins has the page show the views that its user has pinned.
func SetPins(c echo.Context, pins []savedviews.View) { c.Set(pinsKey, pins) }

// stopKey is under what a request has the stop of all runs.
const stopKey = "stop"

// SetStop has the page of an operator say that all runs are stopped.
func SetStop(c echo.Context, stop migrations.Stop) { c.Set(stopKey, stop) }

// Room is the style sheet of operators' pages; a page with it has their navigation.
func Room() string { return static.Path("css/migrations.css") }

// CameFrom is the path of the page of ours that a request says that it comes from, or "".
func CameFrom(c echo.Context) string {
	page, err := url.Parse(c.Request().Referer())
	if err != nil || page.Host != c.Request().Host {
		return ""
	}
	return OwnPath(page.RequestURI())
}

// boardOf is the slug of the board in the path, "" for none.
func boardOf(c echo.Context) string {
	if board, err := boards.ParseSlug(c.Param("board")); err == nil {
		return board
	}
	if k, err := PathKey(c); err == nil {
		return k.Board
	}
	return ""
}

// SeeOther redirects to a page of ours after an accepted form, with a message for it.
func (r *Responder) SeeOther(c echo.Context, path, message string) error {
	if message != "" {
		if err := r.Flash(c, views.Flash{Text: message}); err != nil {
			return err
		}
	}
	return c.Redirect(http.StatusSeeOther, path)
}
