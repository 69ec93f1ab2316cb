package pages

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// AtHome refuses to set up under a host name that only a browser resolved. Another site can give its own name the
// address of this server (DNS rebinding) and would be the first user of a new installation. An address, localhost, or the
// host of COUNTERFOIL_URL is safe.
func (h *Handlers) AtHome(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if isOwnHost(r.Host) || h.respond.IsURLHost(r.Host) {
			return next(c)
		}
		installed, err := h.respond.IsInstalled(r.Context())
		if err != nil {
			return err
		}
		if !installed {
			return foreignHost()
		}
		return next(c)
	}
}

// isOwnHost reports whether a Host header cannot be another site's name.
func isOwnHost(host string) bool {
	name := (&url.URL{Host: strings.ToLower(host)}).Hostname()
	if net.ParseIP(name) != nil {
		return true
	}
	name = strings.TrimSuffix(name, ".")
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

func (h *Handlers) SetupForm(c echo.Context) error {
	installed, err := h.respond.IsInstalled(c.Request().Context())
	if err != nil {
		return err
	}
	if installed {
		return c.Redirect(http.StatusSeeOther, views.LoginPath) // without a message: strangers fill no sessions
	}
	return respond.Render(c, http.StatusOK, pages.SetupPage(h.respond.Page(c, "Set up"), pages.SetupForm{Code: c.QueryParam("code")}))
}

func (h *Handlers) SetUp(c echo.Context) error {
	form := pages.SetupForm{Company: c.FormValue("company"), Slug: c.FormValue("slug"), Name: c.FormValue("name"),
		Email: c.FormValue("email"), Code: c.FormValue("code")}
	actor, practice, err := h.setUp(c, form)
	if err != nil {
		// If another setup was faster, the first error may be that the short name is taken.
		installed, unknown := h.respond.IsInstalled(c.Request().Context())
		switch {
		case unknown != nil:
			return unknown
		case installed:
			return accounts.SetupClosed()
		}
		return h.rejectSetup(c, form, err)
	}
	h.respond.MarkInstalled()
	if _, err := h.respond.SignIn(c, actor.Account, accounts.WayPassword); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.BoardPath(actor.Company.Slug, practice.Slug),
		"Welcome. These tickets show you around; the first one is DEMO-1.")
}

func (h *Handlers) setUp(c echo.Context, form pages.SetupForm) (accounts.Actor, boards.Board, error) {
	ctx := c.Request().Context()
	if err := h.workflows.CheckSetupCode(ctx, form.Code); err != nil {
		return accounts.Actor{}, boards.Board{}, err
	}
	actor, practice, _, err := h.workflows.SetUp(ctx, workflows.Setup{
		Company: form.Company, Slug: form.Slug, Name: form.Name, Email: form.Email, Password: c.FormValue("password"),
	})
	return actor, practice, err
}

// rejectSetup shows all errors.
func (h *Handlers) rejectSetup(c echo.Context, form pages.SetupForm, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	form.Errors = messages
	respond.SetRetryAfter(c, err)
	return respond.Render(c, code, pages.SetupPage(h.respond.Page(c, "Set up"), form))
}

// codeForeignHost: the server is set up only under a name that it knows. Open it as localhost, or set
// COUNTERFOIL_URL.
const codeForeignHost fault.Code = "Setup.UnknownHost"

func foreignHost() error {
	return fault.Forbidden.New(codeForeignHost, "",
		"Counterfoil is not set up yet, and can be set up only under a name that it knows. Open it as "+
			"http://127.0.0.1 or http://localhost with its port, or under the IP address of its machine; "+
			"or set COUNTERFOIL_URL to the address in your browser and start it again. A proxy must pass Host on.")
}
