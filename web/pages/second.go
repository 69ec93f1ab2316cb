package pages

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"
	"github.com/pquerna/otp"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// SecondForm asks for the second factor of the user who signs in, or who enters what requires one. Whoever has none is
// led to set one up.
func (h *Handlers) SecondForm(c echo.Context) error {
	next := respond.OwnPath(c.QueryParam("next"))
	step, err := h.respond.SecondStep(c)
	if errors.Is(err, accounts.CodeSignedOut) {
		return c.Redirect(http.StatusSeeOther, views.SignInToPath(next))
	}
	if err != nil {
		return err
	}
	done, err := h.isProven(c, step)
	if err != nil {
		return err
	}
	if done {
		return h.goHome(c, step.Account.ID, next)
	}
	factors, err := h.workflows.Factors(c.Request().Context(), step.Account.ID)
	if err != nil {
		return err
	}
	if !factors.Any() {
		return c.Redirect(http.StatusSeeOther, views.SetUpTOTPPath(next))
	}
	return h.showSecond(c, http.StatusOK, step, pages.SecondForm{Next: next})
}

// factors are what the account page shows of the user's.
func (h *Handlers) factors(c echo.Context) (props pages.FactorsProps, err error) {
	ctx, user := c.Request().Context(), respond.User(c).ID
	if props.Factors, err = h.workflows.Factors(ctx, user); err != nil || props.Passkeys == 0 {
		return props, err
	}
	props.List, err = h.workflows.Passkeys(ctx, user)
	return props, err
}

// isProven reports whether the session of a user who is signed in has a second factor.
func (h *Handlers) isProven(c echo.Context, step workflows.SecondStep) (bool, error) {
	if step.SigningIn {
		return false, nil
	}
	err := h.workflows.CheckWays(c.Request().Context(), step.Session, 0, accounts.Policy{SecondFactor: true})
	if errors.Is(err, accounts.CodeSecondFactorNeeded) {
		return false, nil
	}
	return err == nil, err
}

func (h *Handlers) showSecond(c echo.Context, code int, step workflows.SecondStep, form pages.SecondForm) error {
	factors, err := h.workflows.Factors(c.Request().Context(), step.Account.ID)
	if err != nil {
		return err
	}
	form.Email, form.Passkeys = step.Account.Email, factors.Passkeys > 0 && h.hasPasskeys(c)
	return respond.Render(c, code, pages.SecondPage(h.respond.Page(c, "Second step"), form))
}

func (h *Handlers) TakeSecond(c echo.Context) error {
	form := pages.SecondForm{Next: respond.OwnPath(c.FormValue("next"))}
	step, err := h.respond.SecondStep(c)
	if errors.Is(err, accounts.CodeSignedOut) {
		return c.Redirect(http.StatusSeeOther, views.SignInToPath(form.Next))
	}
	if err != nil {
		return err
	}
	step.Session, step.Code = h.respond.WithSessionID(c), c.FormValue("code")
	if err := h.workflows.TakeSecondStep(c.Request().Context(), step); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		h.respond.LogSecurity(c, code, err)
		respond.SetRetryAfter(c, err)
		return h.showSecond(c, code, step, form)
	}
	return h.secondTaken(c, step, form.Next)
}

func (h *Handlers) secondTaken(c echo.Context, step workflows.SecondStep, next string) error {
	err := h.respond.FinishSecond(c, step)
	if errors.Is(err, accounts.CodeSignedOut) {
		return h.respond.AskToSignIn(c)
	}
	if err != nil {
		return err
	}
	return h.goHome(c, step.Account.ID, next)
}

// TOTPForm shows the key of a new authenticator app, which is stored nowhere until a code confirms it.
func (h *Handlers) TOTPForm(c echo.Context) error {
	factors, err := h.workflows.Factors(c.Request().Context(), respond.User(c).ID)
	if err != nil {
		return err
	}
	if factors.TOTP {
		return h.respond.SeeOther(c, views.AccountPath, "Your authenticator app is set up.")
	}
	return h.showTOTP(c, http.StatusOK, accounts.NewTOTPKey(),
		pages.TOTPForm{Next: respond.OwnPath(c.QueryParam("next"))})
}

func (h *Handlers) showTOTP(c echo.Context, code int, key accounts.TOTPKey, form pages.TOTPForm) error {
	image, err := qrCode(key.URL(h.hostName(c), respond.User(c).Email))
	if err != nil {
		return err
	}
	form.Key, form.QRCode = key, image
	return respond.Render(c, code, pages.TOTPPage(h.respond.Page(c, "Authenticator app"), form))
}

// hostName is the server's as its users know it, without a port.
func (h *Handlers) hostName(c echo.Context) string {
	base, err := url.Parse(h.respond.Base(c))
	if err != nil {
		return "Counterfoil"
	}
	return base.Hostname()
}

// qrCode is the data URL of a picture of a text.
func qrCode(text string) (string, error) {
	key, err := otp.NewKeyFromURL(text)
	if err != nil {
		return "", fmt.Errorf("read the key of an authenticator app: %w", err)
	}
	image, err := key.Image(qrWidth, qrWidth)
	if err != nil {
		return "", fmt.Errorf("draw a QR code: %w", err)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, image); err != nil {
		return "", fmt.Errorf("draw a QR code: %w", err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(file.Bytes()), nil
}

// qrWidth is twice the width on the page, in pixels.
const qrWidth = 400

func (h *Handlers) SetUpTOTP(c echo.Context) error {
	form := pages.TOTPForm{Next: respond.OwnPath(c.FormValue("next"))}
	codes, err := h.workflows.SetUpTOTP(c.Request().Context(), respond.User(c).ID, h.respond.WithSessionID(c),
		c.FormValue("key"), c.FormValue("code"))
	if errors.Is(err, accounts.CodeTOTPConflict) {
		return h.respond.SeeOther(c, views.AccountPath, "Your authenticator app is set up.")
	}
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		key, err := accounts.ParseTOTPKey(c.FormValue("key"))
		if err != nil {
			key = accounts.NewTOTPKey()
		}
		return h.showTOTP(c, code, key, form)
	}
	if err := h.respond.FinishSecond(c, workflows.SecondStep{}); err != nil {
		return err
	}
	return h.factorAdded(c, codes, form.Next, "Your authenticator app is set up.")
}

// factorAdded shows the recovery codes that come with the first second factor: not after a redirect, since they are
// kept nowhere that another page could read them from.
func (h *Handlers) factorAdded(c echo.Context, codes []string, next, message string) error {
	if len(codes) > 0 {
		return h.showRecoveryCodes(c, codes, next)
	}
	if next == "" {
		next = views.AccountPath
	}
	return h.respond.SeeOther(c, next, message)
}

func (h *Handlers) showRecoveryCodes(c echo.Context, codes []string, next string) error {
	return respond.Render(c, http.StatusOK, pages.RecoveryCodesPage(pages.RecoveryCodesProps{
		Page: h.respond.Page(c, "Recovery codes"), Codes: codes, Next: next, Host: h.hostName(c)}))
}

func (h *Handlers) MakeRecoveryCodes(c echo.Context) error {
	codes, err := h.workflows.MakeRecoveryCodes(c.Request().Context(), respond.User(c).ID)
	if err != nil {
		return err
	}
	return h.showRecoveryCodes(c, codes, "")
}

func (h *Handlers) RemoveTOTP(c echo.Context) error {
	ctx := c.Request().Context()
	changed, err := h.workflows.RemoveTOTP(ctx, respond.User(c).ID, h.respond.SessionID(ctx))
	if err != nil {
		return err
	}
	return h.factorRemoved(c, changed, "Your authenticator app is removed, and all other browsers are signed out.")
}

func (h *Handlers) factorRemoved(c echo.Context, changed accounts.Account, message string) error {
	if ok, err := h.respond.KeepSignedIn(c, changed); !ok {
		return err
	}
	return h.respond.SeeOther(c, views.AccountPath, message)
}

// RequireFactor has the company open with a second factor alone, or without.
func (h *Handlers) RequireFactor(c echo.Context) error {
	required := c.FormValue("required") != ""
	if err := h.workflows.RequireSecondFactor(c.Request().Context(), required); err != nil {
		return err
	}
	done := "A second factor is not required any more."
	if required {
		done = "From now on, the company opens with a second factor only."
	}
	return h.respond.SeeOther(c, views.SettingsPath(respond.Company(c).Slug), done)
}
