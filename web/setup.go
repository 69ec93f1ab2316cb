package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

func (s *server) setupForm(c echo.Context) error {
	installed, err := s.isInstalled(c.Request().Context())
	if err != nil {
		return err
	}
	if installed {
		return s.setupClosed(c)
	}
	return render(c, http.StatusOK, views.SetupPage(s.page(c, "Set up"), views.SetupForm{}))
}

func (s *server) setupClosed(c echo.Context) error {
	return s.see(c, views.LoginPath, accounts.SetupClosed{}.Error())
}

func (s *server) setUp(c echo.Context) error {
	form := views.SetupForm{Company: c.FormValue("company"), Slug: c.FormValue("slug"), Name: c.FormValue("name"), Email: c.FormValue("email")}
	actor, practice, _, err := s.SetUp(c.Request().Context(), workflows.Setup{
		Company: form.Company, Slug: form.Slug, Name: form.Name, Email: form.Email, Password: c.FormValue("password"),
	})
	if errors.As(err, new(accounts.SetupClosed)) {
		return s.setupClosed(c)
	}
	if err != nil {
		return s.rejectSetup(c, form, err)
	}
	s.installed.Store(true)
	if err := s.signIn(c, actor.Account.ID); err != nil {
		return err
	}
	return s.see(c, views.BoardPath(actor.Company.Slug, practice.Slug), "Welcome. These tickets show you around; the first one is DEMO-1.")
}

// rejectSetup shows all that is wrong at once, not one field after the other.
func (s *server) rejectSetup(c echo.Context, form views.SetupForm, err error) error {
	messages, code, ok := rejected(err)
	if !ok {
		return err
	}
	form.Errors = messages
	_, badCompany := accounts.ParseName("company", form.Company)
	_, badName := accounts.ParseName("name", form.Name)
	_, badEmail := accounts.ParseEmail(form.Email)
	for field, message := range allRejected(badCompany, badName, badEmail, accounts.CheckPassword(c.FormValue("password"))) {
		form.Errors[field] = message
	}
	return render(c, code, views.SetupPage(s.page(c, "Set up"), form))
}
