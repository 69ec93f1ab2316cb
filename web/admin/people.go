package admin

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// People lists the accounts of all companies, or those whose address or name begins with q.
func (h *Handlers) People(c echo.Context) error {
	after, err := respond.Cursor[id.Account](c, "after")
	if err != nil {
		return err
	}
	ctx, props := c.Request().Context(), admin.PeopleProps{Query: c.QueryParam("q")}
	if props.Query != "" {
		props.People, props.More, err = h.console.FindPeople(ctx, props.Query)
	} else {
		props.People, props.More, err = h.console.People(ctx, after)
	}
	if err != nil {
		return err
	}
	props.Page = h.controlRoom(c, "People")
	return respond.Render(c, http.StatusOK, admin.PeoplePage(props))
}

// Person shows an account.
func (h *Handlers) Person(c echo.Context) error { return h.showPerson(c, http.StatusOK, nil, "") }

// showPerson shows an account; link is a new one for a password.
func (h *Handlers) showPerson(c echo.Context, code int, errs views.Errors, link string) error {
	account, err := pathAccount(c)
	if err != nil {
		return err
	}
	person, err := h.console.Person(c.Request().Context(), account)
	if err != nil {
		return err
	}
	return respond.Render(c, code, admin.PersonPage(admin.PersonProps{
		Page: h.controlRoom(c, person.Account.Name), Account: person.Account, Companies: person.Companies,
		Factors: person.Factors, Sessions: person.Sessions, MoreSessions: person.MoreSessions, Link: link, Errors: errs,
		Successor: c.FormValue("successor"), Address: cmp.Or(c.FormValue("email"), person.Account.Email),
	}))
}

func pathAccount(c echo.Context) (id.Account, error) {
	return respond.RowID[id.Account](c.Param("account"), accounts.MemberNotFound())
}

// changePerson does the action of a form on the page of an account, and shows the page again: with the errors, or with
// the message.
func (h *Handlers) changePerson(c echo.Context, message string, do func(account id.Account) error) error {
	account, err := pathAccount(c)
	if err != nil {
		return err
	}
	if err := do(account); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showPerson(c, code, messages, "")
	}
	return h.respond.SeeOther(c, views.PersonPath(account), message)
}

// EndPersonSessions signs an account out everywhere.
func (h *Handlers) EndPersonSessions(c echo.Context) error {
	return h.changePerson(c, "All sessions have ended.", func(account id.Account) error {
		return h.console.EndSessions(c.Request().Context(), account, c.FormValue("tokens") == "yes")
	})
}

// SetPersonOperator makes an account an operator, or no longer.
func (h *Handlers) SetPersonOperator(c echo.Context) error {
	operator, err := respond.OperatorSwitch(c)
	message := "This person is an operator now."
	if !operator {
		message = "This person is no longer an operator."
	}
	return h.changePerson(c, message, func(account id.Account) error {
		if err != nil {
			return err
		}
		return h.console.SetOperator(c.Request().Context(), account, operator)
	})
}

// MakePersonReset makes a link for a new password.
func (h *Handlers) MakePersonReset(c echo.Context) error {
	account, err := pathAccount(c)
	if err != nil {
		return err
	}
	secret, err := respond.Once(c, func(once *workflows.Once[string]) (string, error) {
		return h.console.MakeReset(c.Request().Context(), account, once)
	})
	if err != nil {
		return err
	}
	return h.showPerson(c, http.StatusCreated, nil, h.respond.Base(c)+views.ResetPath(secret))
}

// DeactivatePerson deactivates an account, and hands its open tickets over.
func (h *Handlers) DeactivatePerson(c echo.Context) error {
	return h.changePerson(c, "The account is deactivated.", func(account id.Account) error {
		_, err := h.console.DeactivateAccount(c.Request().Context(), account, c.FormValue("successor"))
		return err
	})
}

// ReactivatePerson lets an account sign in again.
func (h *Handlers) ReactivatePerson(c echo.Context) error {
	return h.changePerson(c, "The account is active again.", func(account id.Account) error {
		return h.console.ReactivateAccount(c.Request().Context(), account)
	})
}

// SetPersonAddress gives an account another email address.
func (h *Handlers) SetPersonAddress(c echo.Context) error {
	return h.changePerson(c, "The address is changed.", func(account id.Account) error {
		return h.console.SetAddress(c.Request().Context(), account, c.FormValue("email"))
	})
}
