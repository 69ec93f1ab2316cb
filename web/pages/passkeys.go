package pages

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// party is the server as browsers know it, the zero RelyingParty if they have no passkeys at its address.
func (h *Handlers) party(c echo.Context) accounts.RelyingParty {
	party, _ := accounts.RelyingPartyOf(h.respond.Base(c))
	return party
}

// hasPasskeys reports whether browsers have passkeys at the server's address.
func (h *Handlers) hasPasskeys(c echo.Context) bool { return h.party(c) != (accounts.RelyingParty{}) }

// sendOptions sends options for a browser's passkeys.
func sendOptions(c echo.Context, options []byte, err error) error {
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "private, no-store")
	return c.JSONBlob(http.StatusOK, options)
}

// PasskeyOptions are for a sign-in with a passkey alone.
func (h *Handlers) PasskeyOptions(c echo.Context) error {
	options, err := h.workflows.SignInOptions(c.Request().Context(), h.party(c))
	return sendOptions(c, options, err)
}

// LogInWithPasskey signs in with a passkey alone.
func (h *Handlers) LogInWithPasskey(c echo.Context) error {
	form := pages.LoginForm{Next: respond.OwnPath(c.FormValue("next"))}
	account, err := h.workflows.SignInWithPasskey(c.Request().Context(), h.party(c), c.FormValue("answer"), h.respond.Browser(c))
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		h.respond.LogSecurity(c, code, err)
		return h.showLogin(c, code, form)
	}
	if _, err := h.respond.SignIn(c, account, accounts.WayPasskey); err != nil {
		return err
	}
	return h.goHome(c, account.ID, form.Next)
}

// SecondOptions are for the second step with a passkey.
func (h *Handlers) SecondOptions(c echo.Context) error {
	step, err := h.respond.SecondStep(c)
	if errors.Is(err, accounts.CodeSignedOut) {
		return h.respond.AskToSignIn(c)
	}
	if err != nil {
		return err
	}
	options, err := h.workflows.SecondStepOptions(c.Request().Context(), h.party(c), step.Account.ID)
	return sendOptions(c, options, err)
}

// TakeSecondByPasskey takes the second step with a passkey.
func (h *Handlers) TakeSecondByPasskey(c echo.Context) error {
	form := pages.SecondForm{Next: respond.OwnPath(c.FormValue("next"))}
	step, err := h.respond.SecondStep(c)
	if errors.Is(err, accounts.CodeSignedOut) {
		return c.Redirect(http.StatusSeeOther, views.SignInToPath(form.Next))
	}
	if err != nil {
		return err
	}
	step.Session = h.respond.WithSessionID(c)
	err = h.workflows.TakeSecondStepByPasskey(c.Request().Context(), h.party(c), step, c.FormValue("answer"))
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		h.respond.LogSecurity(c, code, err)
		return h.showSecond(c, code, step, form)
	}
	return h.secondTaken(c, step, form.Next)
}

// PasskeyForm adds a passkey.
func (h *Handlers) PasskeyForm(c echo.Context) error {
	return h.showPasskeyForm(c, http.StatusOK, pages.PasskeyForm{Next: respond.OwnPath(c.QueryParam("next"))})
}

func (h *Handlers) showPasskeyForm(c echo.Context, code int, form pages.PasskeyForm) error {
	form.Possible = h.hasPasskeys(c)
	return respond.Render(c, code, pages.PasskeyPage(h.respond.Page(c, "Passkey"), form))
}

// NewPasskeyOptions are for a new passkey.
func (h *Handlers) NewPasskeyOptions(c echo.Context) error {
	options, err := h.workflows.NewPasskeyOptions(c.Request().Context(), h.party(c), respond.User(c))
	return sendOptions(c, options, err)
}

func (h *Handlers) AddPasskey(c echo.Context) error {
	form := pages.PasskeyForm{Name: c.FormValue("name"), Next: respond.OwnPath(c.FormValue("next"))}
	codes, err := h.workflows.AddPasskey(c.Request().Context(), h.party(c), respond.User(c), h.respond.WithSessionID(c),
		form.Name, c.FormValue("answer"))
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return h.showPasskeyForm(c, code, form)
	}
	return h.factorAdded(c, codes, form.Next, "The passkey is added.")
}

// PasskeyNameForm renames a passkey of the user.
func (h *Handlers) PasskeyNameForm(c echo.Context) error {
	passkey, err := respond.RowID[id.Passkey](c.Param("passkey"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	list, err := h.workflows.Passkeys(c.Request().Context(), respond.User(c).ID)
	if err != nil {
		return err
	}
	for _, key := range list {
		if key.ID == passkey {
			return h.showPasskeyName(c, http.StatusOK, pages.PasskeyNameForm{Passkey: passkey, Name: key.Name})
		}
	}
	return accounts.FactorNotFound()
}

func (h *Handlers) showPasskeyName(c echo.Context, code int, form pages.PasskeyNameForm) error {
	return respond.Render(c, code, pages.PasskeyNamePage(h.respond.Page(c, "Rename passkey"), form))
}

func (h *Handlers) RenamePasskey(c echo.Context) error {
	passkey, err := respond.RowID[id.Passkey](c.Param("passkey"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	form := pages.PasskeyNameForm{Passkey: passkey, Name: c.FormValue("name")}
	err = h.workflows.RenamePasskey(c.Request().Context(), respond.User(c).ID, passkey, form.Name)
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return h.showPasskeyName(c, code, form)
	}
	return h.respond.SeeOther(c, views.AccountPath, "The passkey is renamed.")
}

func (h *Handlers) RemovePasskey(c echo.Context) error {
	ctx := c.Request().Context()
	passkey, err := respond.RowID[id.Passkey](c.Param("passkey"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	changed, err := h.workflows.RemovePasskey(ctx, respond.User(c).ID, h.respond.SessionID(ctx), passkey)
	if err != nil {
		return err
	}
	return h.factorRemoved(c, changed, "The passkey is removed, and all other browsers are signed out.")
}
