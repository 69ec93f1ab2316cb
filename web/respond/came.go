package respond

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// The company that a user came from: its navigation is in the header of pages outside a company, too. A cookie
// remembers its slug, for the browser alone: it opens nothing, since membership is checked each time.

func (r *Responder) companyCookie(slug string) *http.Cookie {
	return &http.Cookie{Name: r.sessions.Cookie.Name + "-company", Value: slug, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: r.HTTPS(), MaxAge: int(accounts.SessionLife.Seconds())}
}

// rememberCompany notes that the browser shows a page of a company.
func (r *Responder) rememberCompany(c echo.Context, slug string) {
	if !IsFragment(c) && r.lastCompany(c) != slug {
		c.SetCookie(r.companyCookie(slug))
	}
}

func (r *Responder) forgetCompany(c echo.Context) {
	if r.lastCompany(c) == "" {
		return
	}
	cookie := r.companyCookie("")
	cookie.MaxAge = -1
	c.SetCookie(cookie)
}

// lastCompany is the slug of the company that the browser showed last, "" for none.
func (r *Responder) lastCompany(c echo.Context) string {
	cookie, err := c.Request().Cookie(r.companyCookie("").Name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// Accompany gives a page outside a company the header of the company that the signed-in user came from: the last one,
// or their first. Fragments have no header.
func (r *Responder) Accompany(c echo.Context) error {
	if IsFragment(c) {
		return nil
	}
	ctx := c.Request().Context()
	came, err := r.EnterCompany(ctx, r.lastCompany(c))
	if errors.Is(err, fault.NotFound) {
		came, err = r.firstCompany(ctx)
	}
	if errors.Is(err, fault.NotFound) || errors.Is(err, accounts.CodeSignedOut) ||
		errors.Is(err, accounts.CodeSecondFactorNeeded) || errors.Is(err, accounts.CodeIssuerNeeded) {
		return nil
	}
	if err == nil {
		c.Set(cameKey, came)
	}
	return err
}

func (r *Responder) firstCompany(ctx context.Context) (accounts.Actor, error) {
	account, _ := r.SessionAccount(ctx)
	companies, err := r.workflows.Companies(ctx, account)
	if err != nil {
		return accounts.Actor{}, err
	}
	if len(companies) == 0 {
		return accounts.Actor{}, accounts.NotMember()
	}
	return r.EnterCompany(ctx, companies[0].Company.Slug)
}

// recognize gives an error page the header of the signed-in user. Without one the page is as for strangers.
func (r *Responder) recognize(c echo.Context) {
	if _, inside := Member(c); inside || c.Get(sessionKey) == nil || isPublicPage(c) {
		return
	}
	request := c.Request()
	defer c.SetRequest(request)
	ctx, cancel := context.WithTimeout(request.Context(), r.Patience)
	defer cancel()
	c.SetRequest(request.WithContext(ctx))
	if c.Get(personKey) == nil {
		if _, err := r.SignedIn(c); err != nil {
			return
		}
	}
	if c.Get(cameKey) == nil {
		if err := r.Accompany(c); err != nil {
			r.Log.Warn("find the company of a header", "error", err)
		}
	}
}
