package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
)

// root leads to where someone belongs.
func (s *server) root(c echo.Context) error {
	account, err := s.who(c)
	if errors.Is(err, accounts.CodeSignedOut) {
		return s.askToSignIn(c)
	}
	if err != nil {
		return err
	}
	return s.goHome(c, account.ID, "")
}

func (s *server) goHome(c echo.Context, account accounts.ID, next string) error {
	if next = ownPath(next); next != "" {
		return c.Redirect(http.StatusSeeOther, next)
	}
	companies, err := s.workflows.Companies(c.Request().Context(), account)
	if err != nil {
		return err
	}
	if len(companies) == 0 {
		return c.Redirect(http.StatusSeeOther, views.AccountPath)
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
	account, err := s.who(c)
	if err == nil {
		return s.goHome(c, account.ID, c.QueryParam("next"))
	}
	if !errors.Is(err, accounts.CodeSignedOut) {
		return err
	}
	form := views.LoginForm{Next: ownPath(c.QueryParam("next"))}
	return render(c, http.StatusOK, views.LoginPage(s.page(c, "Sign in"), form))
}

func (s *server) logIn(c echo.Context) error {
	ctx := c.Request().Context()
	form := views.LoginForm{Email: c.FormValue("email"), Next: ownPath(c.FormValue("next"))}
	account, err := s.workflows.SignIn(ctx, form.Email, c.FormValue("password"))
	if err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		sayWhen(c, err)
		return render(c, code, views.LoginPage(s.page(c, "Sign in"), form))
	}
	if err := s.signIn(c, account); err != nil {
		return err
	}
	return s.goHome(c, account.ID, form.Next)
}

func (s *server) logOut(c echo.Context) error { return s.endSession(c) }
