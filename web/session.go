package web

import (
	"context"
	"encoding/gob"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
)

// lifetime is how long a browser stays signed in.
const lifetime = 30 * 24 * time.Hour

const (
	actorKey   = "actor"   // in echo's context
	sessionKey = "session" // in echo's context: there is one
	accountKey = "account" // in the session
	flashKey   = "flash"   // in the session
)

func init() { gob.Register([]views.Flash{}) }

func newSessions(cfg Config, s *server) *scs.SessionManager {
	m := scs.New()
	m.Store = cfg.Sessions
	m.HashTokenInStore = true
	m.Lifetime = lifetime
	m.Cookie.Name = "counterfoil"
	m.Cookie.HttpOnly = true
	m.Cookie.SameSite = http.SameSiteLaxMode
	m.Cookie.Secure = s.https()
	return m
}

// withSession loads the browser's session. Whoever changes it saves it (commit), so that an answer
// never says more than what is stored.
func (s *server) withSession(next echo.HandlerFunc) echo.HandlerFunc {
	next = readable(next)
	return func(c echo.Context) error {
		var token string
		if cookie, err := c.Request().Cookie(s.sessions.Cookie.Name); err == nil {
			token = cookie.Value
		}
		ctx, err := s.sessions.Load(c.Request().Context(), token)
		if err != nil {
			return fmt.Errorf("load session: %w", err)
		}
		c.SetRequest(c.Request().WithContext(ctx))
		c.Set(sessionKey, true)
		c.Response().Header().Add("Vary", "Cookie")
		return next(c)
	}
}

func (s *server) commit(c echo.Context) error {
	ctx := c.Request().Context()
	token, expiry, err := s.sessions.Commit(ctx)
	if err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	s.sessions.WriteSessionCookie(ctx, c.Response(), token, expiry)
	return nil
}

// flash keeps a message for the next page.
func (s *server) flash(c echo.Context, message views.Flash) error {
	ctx := c.Request().Context()
	list, _ := s.sessions.Get(ctx, flashKey).([]views.Flash)
	s.sessions.Put(ctx, flashKey, append(list, message))
	return s.commit(c)
}

// takeFlash returns the messages kept for this page. Where it cannot be saved that they were shown,
// they are shown once more.
func (s *server) takeFlash(c echo.Context) []views.Flash {
	ctx := c.Request().Context()
	if c.Get(sessionKey) == nil || !s.sessions.Exists(ctx, flashKey) {
		return nil
	}
	list, _ := s.sessions.Pop(ctx, flashKey).([]views.Flash)
	if err := s.commit(c); err != nil {
		s.log.Warn("forget messages", "error", err)
	}
	return list
}

// signedIn returns the account of the session, or 0.
func (s *server) signedIn(ctx context.Context) accounts.ID {
	n, _ := s.sessions.Get(ctx, accountKey).(uint64)
	return accounts.ID(n)
}

// signIn makes the session that of an account, under a new token.
func (s *server) signIn(c echo.Context, account accounts.ID) error {
	ctx := c.Request().Context()
	if err := s.sessions.RenewToken(ctx); err != nil {
		return fmt.Errorf("renew session: %w", err)
	}
	s.sessions.Put(ctx, accountKey, uint64(account))
	return s.commit(c)
}

// asMember lets in those who belong to the company of the path. To others there is no such page.
func (s *server) asMember(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Param("company") == "api" { // a program that has the path wrong cannot sign in
			return echo.ErrNotFound
		}
		ctx := c.Request().Context()
		account := s.signedIn(ctx)
		if account == 0 {
			return s.askToSignIn(c)
		}
		actor, err := s.Enter(ctx, c.Param("company"), account)
		if err != nil {
			return err
		}
		c.Set(actorKey, actor)
		c.SetRequest(c.Request().WithContext(accounts.WithActor(ctx, actor)))
		return next(c)
	}
}

func (s *server) askToSignIn(c echo.Context) error {
	if installed, err := s.isInstalled(c.Request().Context()); err != nil || !installed {
		if err != nil {
			return err
		}
		return leave(c, views.SetupPath)
	}
	if c.Request().Method == http.MethodGet && !isFragment(c) {
		return leave(c, views.LoginPath+"?next="+url.QueryEscape(c.Request().URL.RequestURI()))
	}
	if page := ownPath(from(c)); isFragment(c) && page != "" {
		return leave(c, views.LoginPath+"?next="+url.QueryEscape(page))
	}
	return leave(c, views.LoginPath)
}

// root leads to where someone belongs.
func (s *server) root(c echo.Context) error {
	ctx := c.Request().Context()
	account := s.signedIn(ctx)
	if account == 0 {
		return s.askToSignIn(c)
	}
	return s.goHome(c, account, "")
}

func (s *server) goHome(c echo.Context, account accounts.ID, next string) error {
	if next = ownPath(next); next != "" {
		return c.Redirect(http.StatusSeeOther, next)
	}
	companies, err := s.Companies(c.Request().Context(), account)
	if err != nil {
		return err
	}
	if len(companies) == 0 {
		return accounts.NotMember{}
	}
	return c.Redirect(http.StatusSeeOther, views.HomePath(companies[0].Company.Slug))
}

// ownPath returns next if it is a path of ours, else "". Browsers read a backslash as a slash and
// drop some control characters; a path that a browser asked for has neither.
func ownPath(next string) string {
	foreign := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.HasPrefix(next, "/login") || next == "/" || strings.ContainsFunc(next, foreign) {
		return ""
	}
	return next
}

func (s *server) loginForm(c echo.Context) error {
	installed, err := s.isInstalled(c.Request().Context())
	if err != nil {
		return err
	}
	if !installed {
		return c.Redirect(http.StatusSeeOther, views.SetupPath)
	}
	if account := s.signedIn(c.Request().Context()); account != 0 {
		return s.goHome(c, account, c.QueryParam("next"))
	}
	form := views.LoginForm{Next: ownPath(c.QueryParam("next"))}
	return render(c, http.StatusOK, views.LoginPage(s.page(c, "Sign in"), form))
}

func (s *server) logIn(c echo.Context) error {
	ctx := c.Request().Context()
	form := views.LoginForm{Email: c.FormValue("email"), Next: ownPath(c.FormValue("next"))}
	account, err := s.SignIn(ctx, form.Email, c.FormValue("password"))
	if err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return render(c, code, views.LoginPage(s.page(c, "Sign in"), form))
	}
	if err := s.signIn(c, account.ID); err != nil {
		return err
	}
	return s.goHome(c, account.ID, form.Next)
}

func (s *server) logOut(c echo.Context) error {
	ctx := c.Request().Context()
	if err := s.sessions.Destroy(ctx); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	s.sessions.WriteSessionCookie(ctx, c.Response(), "", time.Time{})
	return c.Redirect(http.StatusSeeOther, views.LoginPath)
}
