package admin

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Accounts lists the accounts of users of all companies, or those found by q.
func (h *Handlers) Accounts(c echo.Context) error {
	after, err := respond.Cursor[id.Account](c, "after")
	if err != nil {
		return err
	}
	ctx, props := c.Request().Context(), admin.AccountsProps{Query: c.QueryParam("q")}
	if props.Query != "" {
		props.Accounts, props.More, err = h.console.FindAccounts(ctx, props.Query)
	} else {
		props.Accounts, props.More, err = h.console.Accounts(ctx, after)
	}
	if err != nil {
		return err
	}
	props.Page = h.controlRoom(c, "People")
	return respond.Render(c, http.StatusOK, admin.AccountsPage(props))
}

// Account shows an account.
func (h *Handlers) Account(c echo.Context) error { return h.showAccount(c, http.StatusOK, nil, "") }

// showAccount shows an account; link is a new one for a password.
func (h *Handlers) showAccount(c echo.Context, code int, errs views.Errors, link string) error {
	account, err := respond.PathAccount(c)
	if err != nil {
		return err
	}
	found, err := h.console.Account(c.Request().Context(), account)
	if err != nil {
		return err
	}
	return respond.Render(c, code, admin.AccountPage(admin.AccountProps{
		Page: h.controlRoom(c, found.Account.Name), Account: found.Account, Companies: found.Companies,
		Factors: found.Factors, Sessions: found.Sessions, MoreSessions: found.MoreSessions, Link: link, Errors: errs,
		Successor: c.FormValue("successor"), Address: cmp.Or(c.FormValue("email"), found.Account.Email),
	}))
}

// changeAccount does the action of a form on the page of an account, and shows the page again: with the errors, or with
// the message.
func (h *Handlers) changeAccount(c echo.Context, message string, do func(account id.Account) error) error {
	account, err := respond.PathAccount(c)
	if err != nil {
		return err
	}
	if err := do(account); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showAccount(c, code, messages, "")
	}
	return h.respond.SeeOther(c, views.AnyAccountPath(account), message)
}

// EndAccountSessions signs an account out everywhere.
func (h *Handlers) EndAccountSessions(c echo.Context) error {
	return h.changeAccount(c, "All sessions have ended.", func(account id.Account) error {
		return h.console.EndSessions(c.Request().Context(), account, c.FormValue("tokens") == "yes")
	})
}

// SetAccountOperator makes an account an operator, or no longer.
func (h *Handlers) SetAccountOperator(c echo.Context) error {
	operator, err := respond.OperatorSwitch(c)
	message := "The user is an operator now."
	if !operator {
		message = "The user is no longer an operator."
	}
	return h.changeAccount(c, message, func(account id.Account) error {
		if err != nil {
			return err
		}
		return h.console.SetOperator(c.Request().Context(), account, operator)
	})
}

// MakeAccountReset makes a link for a new password.
func (h *Handlers) MakeAccountReset(c echo.Context) error {
	account, err := respond.PathAccount(c)
	if err != nil {
		return err
	}
	secret, err := respond.Once(c, func(once *workflows.Once[string]) (string, error) {
		return h.console.MakeReset(c.Request().Context(), account, once)
	})
	if err != nil {
		return err
	}
	return h.showAccount(c, http.StatusCreated, nil, h.respond.Base(c)+views.ResetPath(secret))
}

// DeactivateAccount deactivates an account, and hands its open tickets over.
func (h *Handlers) DeactivateAccount(c echo.Context) error {
	return h.changeAccount(c, "The account is deactivated.", func(account id.Account) error {
		_, err := h.console.DeactivateAccount(c.Request().Context(), account, c.FormValue("successor"))
		return err
	})
}

// ReactivateAccount lets an account sign in again.
func (h *Handlers) ReactivateAccount(c echo.Context) error {
	return h.changeAccount(c, "The account is active again.", func(account id.Account) error {
		return h.console.ReactivateAccount(c.Request().Context(), account)
	})
}

// SetAccountAddress gives an account another email address.
func (h *Handlers) SetAccountAddress(c echo.Context) error {
	return h.changeAccount(c, "The address is changed.", func(account id.Account) error {
		return h.console.SetAddress(c.Request().Context(), account, c.FormValue("email"))
	})
}
