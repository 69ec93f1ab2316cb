package web

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

// lifetime is how long a browser stays signed in.
const lifetime = 30 * 24 * time.Hour

const (
	actorKey   = "actor"   // in echo's context
	atKey      = "at"      // there too: what had changed when the request came
	personKey  = "person"  // in echo's context: the account of the session
	sessionKey = "session" // in echo's context: there is one
	accountKey = "account" // in the session
	epochKey   = "epoch"   // in the session: the account's when it began
	flashKey   = "flash"   // in the session
	passedKey  = "passed"  // there too: actions that cannot be undone
	mostPassed = 50        // of those
)

func init() {
	gob.Register([]views.Flash{})
	gob.Register([]id.Activity{})
}

func newSessions(cfg Config, s *server) *scs.SessionManager {
	m := scs.New()
	m.Store = guardedStore{cfg.Sessions}
	m.HashTokenInStore = true
	m.Lifetime = lifetime
	m.Cookie.Name = "counterfoil"
	if s.https() {
		m.Cookie.Name = "__Host-counterfoil" // which no other host of the domain can set, nor plain HTTP
	}
	m.Cookie.HttpOnly = true
	m.Cookie.SameSite = http.SameSiteLaxMode
	m.Cookie.Secure = s.https()
	return m
}

// withSession loads the browser's session.
func (s *server) withSession(next echo.HandlerFunc) echo.HandlerFunc {
	next = readable(next)
	return func(c echo.Context) error {
		if err := s.loadSession(c); err != nil {
			return err
		}
		return next(c)
	}
}

// loadSession gives a request the browser's session. Whoever changes it saves it (commit), so that an answer
// never says more than what is stored.
func (s *server) loadSession(c echo.Context) error {
	ctx, err := s.session(c.Request().Context(), s.sessionCookie(c))
	if err != nil {
		return fmt.Errorf("load session: %w", err)
	}
	c.SetRequest(c.Request().WithContext(ctx))
	c.Set(sessionKey, true)
	c.Response().Header().Add("Vary", "Cookie")
	return nil
}

// sessionCookie is the value of the browser's session cookie, "" without one.
func (s *server) sessionCookie(c echo.Context) string {
	cookie, err := c.Request().Cookie(s.sessions.Cookie.Name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// session returns a context with the session of a cookie.
func (s *server) session(ctx context.Context, cookie string) (context.Context, error) {
	return s.sessions.Load(ctx, cookie)
}

// commit saves the session. One that was ended meanwhile stays so.
func (s *server) commit(c echo.Context) error {
	ctx := c.Request().Context()
	if s.sessions.Token(ctx) == "" {
		ctx = context.WithValue(ctx, newSession{}, true)
	}
	err := s.save(ctx, c)
	if errors.Is(err, errSessionGone) {
		return nil
	}
	return err
}

func (s *server) save(ctx context.Context, c echo.Context) error {
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

// refusedUndos are the actions that the session's user could not undo, the last of them.
func (s *server) refusedUndos(ctx context.Context) []id.Activity {
	list, _ := s.sessions.Get(ctx, passedKey).([]id.Activity)
	return list
}

// keepRefusedUndo adds an action to those that could not be undone.
func (s *server) keepRefusedUndo(c echo.Context, activity id.Activity) error {
	ctx := c.Request().Context()
	passed := s.refusedUndos(ctx)
	s.sessions.Put(ctx, passedKey, append(passed[max(0, len(passed)-mostPassed+1):], activity))
	return s.commit(c)
}

// signedIn returns the account of the session and the epoch that it began in, or 0.
func (s *server) signedIn(ctx context.Context) (accounts.ID, uint64) {
	account, _ := s.sessions.Get(ctx, accountKey).(uint64)
	epoch, _ := s.sessions.Get(ctx, epochKey).(uint64)
	return accounts.ID(account), epoch
}

// who returns the account of the session, or SignedOut where there is none or it has ended.
func (s *server) who(c echo.Context) (accounts.Account, error) {
	id, epoch := s.signedIn(c.Request().Context())
	if id == 0 {
		return accounts.Account{}, accounts.SignedOut()
	}
	account, err := s.workflows.Session(c.Request().Context(), id, epoch)
	if err == nil {
		c.Set(personKey, account)
	}
	return account, err
}

// signIn makes the session that of an account, under a new token.
func (s *server) signIn(c echo.Context, account accounts.Account) error {
	return s.renew(c, c.Request().Context(), account)
}

// staySignedIn gives the session a new token and the account's epoch, unless it was ended meanwhile.
func (s *server) staySignedIn(c echo.Context, account accounts.Account) error {
	return s.renew(c, context.WithValue(c.Request().Context(), heldSession{}, true), account)
}

func (s *server) renew(c echo.Context, ctx context.Context, account accounts.Account) error {
	if err := s.sessions.RenewToken(ctx); err != nil {
		if errors.Is(err, errSessionGone) {
			return accounts.SignedOut()
		}
		return fmt.Errorf("renew session: %w", err)
	}
	s.sessions.Put(ctx, accountKey, uint64(account.ID))
	s.sessions.Put(ctx, epochKey, account.Epoch)
	return s.save(context.WithValue(ctx, newSession{}, true), c)
}

// endSession signs this browser out.
func (s *server) endSession(c echo.Context) error {
	ctx := c.Request().Context()
	if err := s.sessions.Destroy(ctx); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	s.sessions.WriteSessionCookie(ctx, c.Response(), "", time.Time{})
	return c.Redirect(http.StatusSeeOther, views.LoginPath)
}

// person is who has signed in, on a route that asks for it.
func person(c echo.Context) accounts.Account { return c.Get(personKey).(accounts.Account) }

// asMember lets in those who belong to the company of the path. To others there is no such page.
func (s *server) asMember(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Param("company") == "api" { // a program that has the path wrong cannot sign in
			return echo.ErrNotFound
		}
		if path := s.paths.at(echo.GetPath(c.Request())); path != "" && !ofCompany(path) {
			return s.wrongMethod(c, path) // a path that is no company's
		}
		setPosition(c, s.hub.At().String()) // before anything is read
		ctx := c.Request().Context()
		account, epoch := s.signedIn(ctx)
		if account == 0 {
			return s.askToSignIn(c)
		}
		actor, err := s.workflows.Enter(ctx, c.Param("company"), account, epoch)
		if errors.Is(err, accounts.CodeSignedOut) {
			return s.askToSignIn(c)
		}
		if err != nil {
			return err
		}
		enter(c, actor)
		return next(c)
	}
}

// enter gives a request its member of the company.
func enter(c echo.Context, actor accounts.Actor) {
	c.Set(actorKey, actor)
	c.Set(personKey, actor.Account)
	c.SetRequest(c.Request().WithContext(accounts.WithActor(c.Request().Context(), actor)))
}

// member is the member of the company of the path; ok is false before one was let in.
func member(c echo.Context) (actor accounts.Actor, ok bool) {
	actor, ok = c.Get(actorKey).(accounts.Actor)
	return actor, ok
}

// setPosition keeps for the page up to where the feeds were known when the request came.
func setPosition(c echo.Context, at string) { c.Set(atKey, at) }

// asSomeone lets in whoever has signed in, wherever they belong.
func (s *server) asSomeone(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if _, err := s.who(c); err != nil {
			if errors.Is(err, accounts.CodeSignedOut) {
				return s.askToSignIn(c)
			}
			return err
		}
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
