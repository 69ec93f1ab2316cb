package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

// atHome refuses to set up under a name that only a browser was told leads here. A page elsewhere can
// give its own name the address 127.0.0.1 (DNS rebinding), and would be the first user of an
// installation that nobody has set up yet. An address, localhost, or what COUNTERFOIL_URL says is none such.
func (s *server) atHome(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if s.hasURL() || !onLoopback(r) || isOwnHost(r.Host) {
			return next(c)
		}
		installed, err := s.isInstalled(r.Context())
		if err != nil {
			return err
		}
		if !installed {
			return foreignHost()
		}
		return next(c)
	}
}

// onLoopback reports whether a request came in by an address that only this machine has.
func onLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && local.IP.IsLoopback()
}

// isOwnHost reports whether a Host header cannot be anybody else's name.
func isOwnHost(host string) bool {
	name := (&url.URL{Host: strings.ToLower(host)}).Hostname()
	if net.ParseIP(name) != nil {
		return true
	}
	name = strings.TrimSuffix(name, ".")
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

func (s *server) setupForm(c echo.Context) error {
	installed, err := s.isInstalled(c.Request().Context())
	if err != nil {
		return err
	}
	if installed {
		return c.Redirect(http.StatusSeeOther, views.LoginPath) // without a message: strangers fill no sessions
	}
	return render(c, http.StatusOK, views.SetupPage(s.page(c, "Set up"), views.SetupForm{}))
}

func (s *server) setUp(c echo.Context) error {
	form := views.SetupForm{Company: c.FormValue("company"), Slug: c.FormValue("slug"), Name: c.FormValue("name"), Email: c.FormValue("email")}
	actor, practice, _, err := s.workflows.SetUp(c.Request().Context(), workflows.Setup{
		Company: form.Company, Slug: form.Slug, Name: form.Name, Email: form.Email, Password: c.FormValue("password"),
	})
	if err != nil {
		// Whoever loses to another setup may hear first that the short name is taken.
		installed, unknown := s.isInstalled(c.Request().Context())
		switch {
		case unknown != nil:
			return unknown
		case installed:
			return accounts.SetupClosed()
		}
		return s.rejectSetup(c, form, err)
	}
	s.markInstalled()
	if err := s.signIn(c, actor.Account); err != nil {
		return err
	}
	return s.see(c, views.BoardPath(actor.Company.Slug, practice.Slug), "Welcome. These tickets show you around; the first one is DEMO-1.")
}

// rejectSetup shows all that is wrong.
func (s *server) rejectSetup(c echo.Context, form views.SetupForm, err error) error {
	messages, code, ok := rejected(err)
	if !ok {
		return err
	}
	form.Errors = messages
	return render(c, code, views.SetupPage(s.page(c, "Set up"), form))
}
