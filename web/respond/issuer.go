package respond

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

// Sign-ins at issuers. A session that one opened keeps which: it opens the companies that its ways name, and nothing
// that is of the account.

// Issuer is the issuer that opened the session, 0 if it is the account's own.
func (r *Responder) Issuer(ctx context.Context) id.Issuer {
	issuer, _ := r.sessions.Get(ctx, issuerKey).(uint64)
	return id.Issuer(issuer)
}

// SignInBy makes the session one that an issuer opened, under a new token. The browser does not become a known one of
// the account.
func (r *Responder) SignInBy(c echo.Context, done workflows.IssuerSignIn) error {
	ctx := c.Request().Context()
	r.sessions.Remove(ctx, awaitedKey)
	r.sessions.Remove(ctx, awaitedEpochKey)
	r.sessions.Put(ctx, idKey, []byte(done.Session))
	r.sessions.Put(ctx, issuerKey, uint64(done.Issuer.ID))
	if err := r.renew(c, ctx, done.Account, accounts.Session{BeganAt: time.Now(), ConfirmedAt: time.Now()}); err != nil {
		return err
	}
	value, err := r.workflows.BrowserCookie(ctx, done.Account, r.cookie(c, browserCookie))
	if err != nil {
		return err
	}
	r.setCookie(c, browserCookie, value)
	return nil
}

// KeepSessionID stores the id that WithSessionID gave a session.
func (r *Responder) KeepSessionID(c echo.Context) error { return r.commit(c) }

// issuerWithin is how long a browser keeps the state of a sign-in at an issuer.
const issuerWithin = 10 * time.Minute

func (r *Responder) issuerCookie(value string) *http.Cookie {
	return &http.Cookie{Name: r.sessions.Cookie.Name + "-issuer", Value: value, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: r.HTTPS(), MaxAge: int(issuerWithin.Seconds())}
}

// KeepIssuerCookie has the browser keep the state of a sign-in at an issuer.
func (r *Responder) KeepIssuerCookie(c echo.Context, start workflows.IssuerRedirect) {
	c.SetCookie(r.issuerCookie(start.Cookie))
}

// TakeIssuerCookie returns the state that the browser kept, "" for none, and has the browser forget it.
func (r *Responder) TakeIssuerCookie(c echo.Context) string {
	kept, err := c.Request().Cookie(r.issuerCookie("").Name)
	if err != nil {
		return ""
	}
	gone := r.issuerCookie("")
	gone.MaxAge = -1
	c.SetCookie(gone)
	return kept.Value
}

// AskForIssuer redirects to the issuers of the company of the path, which lead back to the page.
func (r *Responder) AskForIssuer(c echo.Context) error {
	next := OwnPath(CurrentPath(c))
	if c.Request().Method == http.MethodGet && !IsFragment(c) {
		next = c.Request().URL.RequestURI()
	}
	return redirectAway(c, views.CompanySignInPath(c.Param("company"), next))
}
