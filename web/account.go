package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

func (s *server) account(c echo.Context) error {
	return s.showAccount(c, http.StatusOK, person(c).Name, nil)
}

func (s *server) showAccount(c echo.Context, code int, name string, errs views.Errors) error {
	companies, err := s.workflows.Companies(c.Request().Context(), person(c).ID)
	if err != nil {
		return err
	}
	props := views.AccountProps{Page: s.page(c, "Account"), Name: name, Companies: companies, Errors: errs}
	return render(c, code, views.AccountPage(props))
}

func (s *server) renameAccount(c echo.Context) error {
	name := c.FormValue("name")
	if err := s.workflows.RenameAccount(c.Request().Context(), person(c).ID, name); err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		return s.showAccount(c, code, name, messages)
	}
	return s.see(c, views.AccountPath, "Your name is saved.")
}

func (s *server) changePassword(c echo.Context) error {
	who := person(c)
	changed, err := s.workflows.ChangePassword(c.Request().Context(), who, c.FormValue("current"), c.FormValue("password"))
	if err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		sayWhen(c, err)
		return s.showAccount(c, code, who.Name, messages)
	}
	if err := s.staySignedIn(c, changed); err != nil {
		if errors.Is(err, accounts.CodeSignedOut) {
			return s.askToSignIn(c)
		}
		return err
	}
	return s.see(c, views.AccountPath, "Your password is changed, and all other browsers are signed out.")
}

func (s *server) signOutEverywhere(c echo.Context) error {
	if err := s.workflows.SignOutEverywhere(c.Request().Context(), person(c).ID); err != nil {
		return err
	}
	return s.endSession(c)
}

// asOperator lets in who runs the instance, and has them ask: as nobody's member. To others there is no
// such page.
func (s *server) asOperator(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !person(c).Operator {
			return echo.ErrNotFound
		}
		ctx := accounts.WithActor(c.Request().Context(), accounts.Actor{Account: person(c)})
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

func (s *server) companies(c echo.Context) error {
	return s.showCompanies(c, http.StatusOK, views.CompanyForm{})
}

func (s *server) showCompanies(c echo.Context, code int, form views.CompanyForm) error {
	companies, err := s.workflows.Companies(c.Request().Context(), person(c).ID)
	if err != nil {
		return err
	}
	return render(c, code, views.CompaniesPage(views.CompaniesProps{Page: s.page(c, "Companies"), Companies: companies, Form: form}))
}

func (s *server) openCompany(c echo.Context) error {
	form := views.CompanyForm{Name: c.FormValue("company"), Slug: c.FormValue("slug")}
	opened, err := s.console.OpenCompany(c.Request().Context(), person(c).ID, form.Name, form.Slug)
	if err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return s.showCompanies(c, code, form)
	}
	return s.see(c, views.HomePath(opened.Slug), "The company "+opened.Name+" is open.")
}

// join shows what an invitation opens.
func (s *server) join(c echo.Context) error {
	return s.showJoin(c, http.StatusOK, views.JoinForm{})
}

func (s *server) showJoin(c echo.Context, code int, form views.JoinForm) error {
	invitation, err := s.workflows.Invitation(c.Request().Context(), c.Param("secret"))
	if err != nil {
		return err
	}
	if _, err := s.who(c); err != nil && !errors.Is(err, accounts.CodeSignedOut) {
		return err
	}
	return render(c, code, views.JoinPage(views.JoinProps{Page: s.page(c, "Join"), Secret: c.Param("secret"), Invitation: invitation, Form: form}))
}

func (s *server) accept(c echo.Context) error {
	ctx, secret := c.Request().Context(), c.Param("secret")
	account, err := s.who(c)
	if err != nil {
		if errors.Is(err, accounts.CodeSignedOut) {
			return s.acceptNew(c)
		}
		return err
	}
	actor, err := s.workflows.JoinAs(ctx, secret, account.ID)
	if errors.Is(err, accounts.CodeAlreadyMember) {
		invitation, err := s.workflows.Invitation(ctx, secret)
		if err != nil {
			return err
		}
		return s.see(c, views.HomePath(invitation.Company.Slug), "You belong to "+invitation.Company.Name+" already.")
	}
	if err != nil {
		return err
	}
	return s.see(c, views.HomePath(actor.Company.Slug), "Welcome to "+actor.Company.Name+".")
}

// acceptNew makes an account for someone who has none.
func (s *server) acceptNew(c echo.Context) error {
	form := views.JoinForm{Name: c.FormValue("name"), Email: c.FormValue("email")}
	password := c.FormValue("password")
	actor, err := s.workflows.JoinNew(c.Request().Context(), c.Param("secret"), workflows.Newcomer{Name: form.Name, Email: form.Email, Password: password})
	if err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return s.showJoin(c, code, form)
	}
	if err := s.signIn(c, actor.Account); err != nil {
		return err
	}
	return s.see(c, views.HomePath(actor.Company.Slug), "Welcome to "+actor.Company.Name+".")
}

// reset shows the form for a new password that a link opens.
func (s *server) reset(c echo.Context) error { return s.showReset(c, http.StatusOK, nil) }

func (s *server) showReset(c echo.Context, code int, errs views.Errors) error {
	reset, err := s.workflows.Reset(c.Request().Context(), c.Param("secret"))
	if err != nil {
		return err
	}
	return render(c, code, views.ResetPage(views.ResetProps{Page: s.page(c, "New password"), Secret: c.Param("secret"), Email: reset.Account.Email, Errors: errs}))
}

func (s *server) useReset(c echo.Context) error {
	account, err := s.workflows.UseReset(c.Request().Context(), c.Param("secret"), c.FormValue("password"))
	if err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		return s.showReset(c, code, messages)
	}
	if err := s.signIn(c, account); err != nil {
		return err
	}
	return s.goHome(c, account.ID, "")
}
