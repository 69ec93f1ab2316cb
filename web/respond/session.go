package respond

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

const (
	// DefaultIdle is how long a browser stays signed in without being used.
	DefaultIdle = 14 * 24 * time.Hour
	// noteUse is how often the use of a session is stored.
	noteUse = 5 * time.Minute
)

const (
	actorKey   = "actor"   // in echo's context
	atKey      = "at"      // there too: what had changed when the request came
	cameKey    = "came"    // there too: the user in the company that they came from
	personKey  = "person"  // in echo's context: the account of the session
	sessionKey = "session" // in echo's context: there is one
	accountKey = "account" // in the session
	epochKey   = "epoch"   // in the session: the account's when it began
	idKey      = "id"      // there too: the session's, which its ways have
	issuerKey  = "issuer"  // there too: the one that opened it, if one did
	flashKey   = "flash"   // in the session
	batchKey   = "batch"   // there too: actions that are undone together
	passedKey  = "passed"  // there too: actions that cannot be undone
	mostPassed = 50        // refused actions
)

func init() {
	gob.Register([]views.Flash{})
	gob.Register([]id.Activity{})
}

// newSessions does without scs.New, which starts a goroutine for a store in memory that nothing ends.
func newSessions(store sessionStore, https bool) *scs.SessionManager {
	name := "counterfoil"
	if https {
		name = "__Host-counterfoil" // which no other host of the domain can set, nor plain HTTP
	}
	return &scs.SessionManager{
		Store: store, HashTokenInStore: true, Codec: scs.GobCodec{}, Lifetime: accounts.SessionLife, IdleTimeout: store.idle,
		Cookie: scs.SessionCookie{Name: name, Path: "/", HttpOnly: true, Persist: true,
			SameSite: http.SameSiteLaxMode, Secure: https},
	}
}

// LoadSession gives a request the browser's session. A handler that changes it saves it (commit), so a response never
// says more than is stored.
func (r *Responder) LoadSession(c echo.Context) error {
	ctx, err := r.Session(c.Request().Context(), r.SessionCookie(c))
	if err != nil {
		return fmt.Errorf("load session: %w", err)
	}
	c.SetRequest(c.Request().WithContext(ctx))
	c.Set(sessionKey, true)
	c.Response().Header().Add("Vary", "Cookie")
	if err := r.use(c); err != nil {
		r.Log.Debug("note the use of a session", "error", err) // it ends sooner
	}
	return nil
}

// use stores that the session is used, once in a while: what it reads of the session, not what a request at the same
// time may change.
func (r *Responder) use(c echo.Context) error {
	ctx, now := c.Request().Context(), time.Now()
	session, since := CurrentSession(ctx), now.Add(-noteUse)
	account, epoch := r.SessionAccount(ctx)
	if account == 0 || session.UsedAt.After(since) {
		return nil
	}
	end := r.sessions.Deadline(ctx)
	if session.BeganAt.IsZero() {
		session.BeganAt = end.Add(-accounts.SessionLife)
	}
	if idle := now.Add(r.store.idle); idle.Before(end) {
		end = idle
	}
	return r.store.Use(ctx, r.stored(c, accounts.Account{ID: account, Epoch: epoch}, session, end), since)
}

// stored is a session of an account as this request uses it.
func (r *Responder) stored(
	c echo.Context, account accounts.Account, session accounts.Session, end time.Time,
) accounts.StoredSession {
	session.Device = accounts.Device(c.Request().UserAgent())
	session.Address = accounts.AddressFrom(c.Request().Context())
	session.UsedAt = time.Now()
	return accounts.StoredSession{Session: session, Account: account, Expiry: end}
}

// CurrentSession is the session that was found for the request, the zero Session if there was none.
func CurrentSession(ctx context.Context) accounts.Session {
	if found, ok := ctx.Value(foundSession{}).(*accounts.Session); ok {
		return *found
	}
	return accounts.Session{}
}

// SessionCookie is the value of the browser's session cookie, "" without one.
func (r *Responder) SessionCookie(c echo.Context) string {
	cookie, err := c.Request().Cookie(r.sessions.Cookie.Name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// Session returns a context with the session of a cookie.
func (r *Responder) Session(ctx context.Context, cookie string) (context.Context, error) {
	return r.sessions.Load(context.WithValue(ctx, foundSession{}, new(accounts.Session)), cookie)
}

// commit saves the session, unless it was ended meanwhile.
func (r *Responder) commit(c echo.Context) error {
	ctx := c.Request().Context()
	if r.sessions.Token(ctx) == "" {
		ctx = context.WithValue(ctx, newSession{}, accounts.StoredSession{})
	}
	err := r.save(ctx, c)
	if errors.Is(err, errSessionGone) {
		return nil
	}
	return err
}

func (r *Responder) save(ctx context.Context, c echo.Context) error {
	token, expiry, err := r.sessions.Commit(ctx)
	if err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	r.sessions.WriteSessionCookie(ctx, c.Response(), token, expiry)
	return nil
}

// Flash keeps a message for the next page.
func (r *Responder) Flash(c echo.Context, message views.Flash) error {
	ctx := c.Request().Context()
	list, _ := r.sessions.Get(ctx, flashKey).([]views.Flash)
	r.sessions.Put(ctx, flashKey, append(list, message))
	return r.commit(c)
}

// takeFlash returns the messages for this page. If their removal cannot be saved, they are shown again.
func (r *Responder) takeFlash(c echo.Context) []views.Flash {
	ctx := c.Request().Context()
	if c.Get(sessionKey) == nil || !r.sessions.Exists(ctx, flashKey) {
		return nil
	}
	list, _ := r.sessions.Pop(ctx, flashKey).([]views.Flash)
	if err := r.commit(c); err != nil {
		r.Log.Warn("forget messages", "error", err)
	}
	return list
}

// RefusedUndos are the last actions that the session's user could not undo.
func (r *Responder) RefusedUndos(ctx context.Context) []id.Activity {
	list, _ := r.sessions.Get(ctx, passedKey).([]id.Activity)
	return list
}

// KeepRefusedUndo adds an action to those that could not be undone.
func (r *Responder) KeepRefusedUndo(c echo.Context, activity id.Activity) error {
	ctx := c.Request().Context()
	passed := r.RefusedUndos(ctx)
	r.sessions.Put(ctx, passedKey, append(passed[max(0, len(passed)-mostPassed+1):], activity))
	return r.commit(c)
}

// Batch are the actions of the user's last change of several tickets.
func (r *Responder) Batch(ctx context.Context) []id.Activity {
	list, _ := r.sessions.Get(ctx, batchKey).([]id.Activity)
	return list
}

// KeepBatch keeps the actions of a change of several tickets, to be undone together; those before are forgotten.
func (r *Responder) KeepBatch(c echo.Context, activities []id.Activity) error {
	ctx := c.Request().Context()
	if len(activities) == 0 && r.Batch(ctx) == nil {
		return nil
	}
	r.sessions.Put(ctx, batchKey, activities)
	return r.commit(c)
}

// SessionAccount returns the account of the session and the epoch that it began in, or 0.
func (r *Responder) SessionAccount(ctx context.Context) (accounts.ID, uint64) {
	account, _ := r.sessions.Get(ctx, accountKey).(uint64)
	epoch, _ := r.sessions.Get(ctx, epochKey).(uint64)
	return accounts.ID(account), epoch
}

// SignedIn returns the account of the session, or SignedOut if there is none. A session that an issuer opened is not the
// account's: it opens companies alone (EnterCompany).
func (r *Responder) SignedIn(c echo.Context) (accounts.Account, error) {
	id, epoch := r.SessionAccount(c.Request().Context())
	if id == 0 || r.Issuer(c.Request().Context()) != 0 {
		return accounts.Account{}, accounts.SignedOut()
	}
	account, err := r.workflows.Session(c.Request().Context(), id, epoch)
	if err == nil {
		c.Set(personKey, account)
	}
	return account, err
}

// SignIn makes the session that of an account, under a new token. If the account has a second factor, it only keeps
// whose session it becomes, and second is true: SecondPath asks for the factor.
func (r *Responder) SignIn(c echo.Context, account accounts.Account, way accounts.Way) (second bool, err error) {
	session := accounts.NewSessionID()
	second, err = r.workflows.OpenSession(c.Request().Context(), account.ID, session, way)
	if err != nil {
		return false, err
	}
	if second {
		return true, r.awaitSecond(c, account, session)
	}
	return false, r.begin(c, c.Request().Context(), account, session)
}

// begin makes the session that of an account, with the ways that it has under an id.
func (r *Responder) begin(
	c echo.Context, ctx context.Context, account accounts.Account, session accounts.SessionID,
) error {
	r.sessions.Put(ctx, idKey, []byte(session))
	r.sessions.Remove(ctx, issuerKey)
	if err := r.renew(c, ctx, account, accounts.Session{BeganAt: time.Now(), ConfirmedAt: time.Now()}); err != nil {
		return err
	}
	return r.knowDevice(c, account)
}

// The ends of the names of the cookies of browsers that have signed in, for DeviceCookie and BrowserCookie.
const (
	deviceCookie  = "-device"
	browserCookie = "-browser"
)

// Device is the cookie of a browser that has signed in, or "".
func (r *Responder) Device(c echo.Context) string { return r.cookie(c, deviceCookie) }

// cookie is the value of the cookie with that end of its name, or "".
func (r *Responder) cookie(c echo.Context, end string) string {
	cookie, err := c.Request().Cookie(r.sessions.Cookie.Name + end)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// Browser is the browser of a request that signs in.
func (r *Responder) Browser(c echo.Context) workflows.Browser {
	return workflows.Browser{Cookie: r.Device(c), Device: accounts.Device(c.Request().UserAgent())}
}

// IssuerBrowser is Browser for a sign-in at an issuer.
func (r *Responder) IssuerBrowser(c echo.Context) workflows.Browser {
	return workflows.Browser{Cookie: r.cookie(c, browserCookie), Device: accounts.Device(c.Request().UserAgent())}
}

// knowDevice gives the browser a cookie by which its user is let in when the address is locked out. It stays after
// signing out.
func (r *Responder) knowDevice(c echo.Context, account accounts.Account) error {
	value, err := r.workflows.DeviceCookie(c.Request().Context(), account, r.Device(c))
	if err != nil {
		return err
	}
	r.setCookie(c, deviceCookie, value)
	return nil
}

// setCookie gives the browser a cookie with that end of its name for DeviceLife.
func (r *Responder) setCookie(c echo.Context, end, value string) {
	c.SetCookie(&http.Cookie{Name: r.sessions.Cookie.Name + end, Value: value, Path: "/", HttpOnly: true,
		MaxAge: int(workflows.DeviceLife.Seconds()), SameSite: http.SameSiteLaxMode, Secure: r.HTTPS()})
}

// StaySignedIn gives the session a new token and the account's epoch, unless it was ended meanwhile.
func (r *Responder) StaySignedIn(c echo.Context, account accounts.Account) error {
	ctx := c.Request().Context()
	return r.renew(c, context.WithValue(ctx, heldSession{}, true), account, CurrentSession(ctx))
}

func (r *Responder) renew(
	c echo.Context, ctx context.Context, account accounts.Account, session accounts.Session,
) error {
	if err := r.sessions.RenewToken(ctx); err != nil {
		if errors.Is(err, errSessionGone) {
			return accounts.SignedOut()
		}
		return fmt.Errorf("renew session: %w", err)
	}
	r.sessions.Put(ctx, accountKey, uint64(account.ID))
	r.sessions.Put(ctx, epochKey, account.Epoch)
	return r.save(context.WithValue(ctx, newSession{}, r.stored(c, account, session, time.Time{})), c)
}

// SignOut signs this browser out, and has it forget pictures and pages that it keeps. Its storage stays: it has
// drafts for the account's next sign-in. If an issuer opened the session, the next page leads to signing out there.
func (r *Responder) SignOut(c echo.Context) error {
	ctx := c.Request().Context()
	issuer := r.Issuer(ctx)
	if err := r.workflows.EndWays(ctx, r.SessionID(ctx)); err != nil {
		return err
	}
	if err := r.sessions.Destroy(ctx); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	r.sessions.WriteSessionCookie(ctx, c.Response(), "", time.Time{})
	r.forgetCompany(c)
	c.Response().Header().Set("Clear-Site-Data", `"cache"`)
	if issuer != 0 {
		return c.Redirect(http.StatusSeeOther, views.SignedOutPath(issuer))
	}
	return c.Redirect(http.StatusSeeOther, views.LoginPath)
}

// User is the signed-in user, on a route that requires one.
func User(c echo.Context) accounts.Account { return c.Get(personKey).(accounts.Account) }

// LocalNow is the present time in the zone of the user.
func LocalNow(c echo.Context) time.Time { return views.LocalTime(time.Now(), User(c).Display) }

// Enter gives a request its member of the company.
func Enter(c echo.Context, actor accounts.Actor) {
	c.Set(actorKey, actor)
	c.Set(personKey, actor.Account)
	c.SetRequest(c.Request().WithContext(accounts.WithActor(c.Request().Context(), actor)))
}

// Member is the member of the company of the path; ok is false before one was admitted.
func Member(c echo.Context) (actor accounts.Actor, ok bool) {
	actor, ok = c.Get(actorKey).(accounts.Actor)
	return actor, ok
}

// SetPosition keeps for the page the heads of the feeds known when the request came.
func SetPosition(c echo.Context, at string) { c.Set(atKey, at) }

// AskToSignIn redirects to the sign-in, which leads back to the page; before the first setup, to that.
func (r *Responder) AskToSignIn(c echo.Context) error {
	if installed, err := r.IsInstalled(c.Request().Context()); err != nil || !installed {
		if err != nil {
			return err
		}
		return redirectAway(c, views.SetupPath)
	}
	if c.Request().Method == http.MethodGet && !IsFragment(c) {
		return redirectAway(c, views.LoginPath+"?next="+url.QueryEscape(c.Request().URL.RequestURI()))
	}
	if page := OwnPath(CurrentPath(c)); IsFragment(c) && page != "" {
		return redirectAway(c, views.LoginPath+"?next="+url.QueryEscape(page))
	}
	return redirectAway(c, views.LoginPath)
}

// Company is the company of the path, or of the token.
func Company(c echo.Context) accounts.Company {
	return accounts.ActorFrom(c.Request().Context()).Company
}

// OwnPath returns next if it is a path of ours, else "". Browsers read a backslash as a slash and
// drop some control characters; a path that a browser asked for has neither.
func OwnPath(next string) string {
	foreign := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.HasPrefix(next, "/login") ||
		next == "/" || strings.ContainsFunc(next, foreign) {
		return ""
	}
	return next
}

// MarkInstalled records that there has been a setup.
func (r *Responder) MarkInstalled() { r.installed.Store(true) }

// IsInstalled reports whether there has been a setup.
func (r *Responder) IsInstalled(ctx context.Context) (bool, error) {
	if r.installed.Load() {
		return true, nil
	}
	installed, err := r.workflows.Installed(ctx)
	if installed {
		r.MarkInstalled()
	}
	return installed, err
}
