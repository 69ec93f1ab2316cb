package pages

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Root redirects to the user's company.
func (h *Handlers) Root(c echo.Context) error {
	account, err := h.respond.SignedIn(c)
	if errors.Is(err, accounts.CodeSignedOut) {
		return h.rootByIssuer(c)
	}
	if err != nil {
		return err
	}
	return h.goHome(c, account.ID, "")
}

func (h *Handlers) goHome(c echo.Context, account accounts.ID, next string) error {
	if next = respond.OwnPath(next); next != "" {
		return c.Redirect(http.StatusSeeOther, next)
	}
	companies, err := h.workflows.Companies(c.Request().Context(), account)
	if err != nil {
		return err
	}
	if len(companies) == 0 {
		return c.Redirect(http.StatusSeeOther, views.AccountPath)
	}
	return c.Redirect(http.StatusSeeOther, views.HomePath(companies[0].Company.Slug))
}

func (h *Handlers) LoginForm(c echo.Context) error {
	installed, err := h.respond.IsInstalled(c.Request().Context())
	if err != nil {
		return err
	}
	if !installed {
		return c.Redirect(http.StatusSeeOther, views.SetupPath)
	}
	account, err := h.respond.SignedIn(c)
	if err == nil {
		return h.goHome(c, account.ID, c.QueryParam("next"))
	}
	if !errors.Is(err, accounts.CodeSignedOut) {
		return err
	}
	return h.showLogin(c, http.StatusOK, pages.LoginForm{Next: respond.OwnPath(c.QueryParam("next"))})
}

func (h *Handlers) showLogin(c echo.Context, code int, form pages.LoginForm) error {
	form.Passkeys = h.hasPasskeys(c)
	if err := h.addIssuers(c, &form); err != nil {
		return err
	}
	return respond.Render(c, code, pages.LoginPage(h.respond.Page(c, "Sign in"), form))
}

func (h *Handlers) LogIn(c echo.Context) error {
	ctx := c.Request().Context()
	form := pages.LoginForm{Email: c.FormValue("email"), Next: respond.OwnPath(c.FormValue("next"))}
	account, err := h.workflows.SignIn(ctx, form.Email, c.FormValue("password"),
		h.respond.Browser(c))
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		h.respond.LogSecurity(c, code, err)
		respond.SetRetryAfter(c, err)
		return h.showLogin(c, code, form)
	}
	return h.signIn(c, account, form.Next)
}

// signIn signs an account in that proved its password, and leads on, or to its second step.
func (h *Handlers) signIn(c echo.Context, account accounts.Account, next string) error {
	second, err := h.respond.SignIn(c, account, accounts.WayPassword)
	if err != nil {
		return err
	}
	if second {
		return c.Redirect(http.StatusSeeOther, views.SecondPath(next))
	}
	return h.goHome(c, account.ID, next)
}

func (h *Handlers) LogOut(c echo.Context) error { return h.respond.SignOut(c) }
