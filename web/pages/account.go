package pages

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Account(c echo.Context) error {
	return h.showAccount(c, http.StatusOK, pages.AccountProps{Name: respond.User(c).Name})
}

// showAccount shows the page with the input of its forms.
func (h *Handlers) showAccount(c echo.Context, code int, props pages.AccountProps) error {
	ctx, user := c.Request().Context(), respond.User(c).ID
	before, err := respond.Cursor[id.Token](c, "before")
	if err != nil {
		return err
	}
	if props.Companies, err = h.workflows.Companies(ctx, user); err != nil {
		return err
	}
	sessions, err := respond.Cursor[id.Session](c, "sessions")
	if err != nil {
		return err
	}
	if props.Sessions, props.MoreSessions, err = h.workflows.Sessions(ctx, respond.User(c), sessions); err != nil {
		return err
	}
	props.Session = respond.CurrentSession(ctx).ID
	if props.Tokens, props.MoreTokens, err = h.workflows.TokensOfAccount(ctx, user, before); err != nil {
		return err
	}
	if props.Factors, err = h.factors(c); err != nil {
		return err
	}
	if props.Identities, err = h.workflows.Identities(ctx, user); err != nil {
		return err
	}
	if props.Display == (accounts.Display{}) {
		props.Display = respond.User(c).Display
	}
	props.Page = h.respond.Page(c, "Account")
	return respond.Render(c, code, pages.AccountPage(props))
}

// endTokens is the checkbox of forms that end the user's sessions: also the API tokens.
const endTokens = "tokens"

func (h *Handlers) RenameAccount(c echo.Context) error {
	name := c.FormValue("name")
	if err := h.workflows.RenameAccount(c.Request().Context(), respond.User(c).ID, name); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showAccount(c, code, pages.AccountProps{Name: name, Errors: messages})
	}
	return h.respond.SeeOther(c, views.AccountPath, "Your name is saved.")
}

// displayOf is how pages look for a user, as a form says.
func displayOf(c echo.Context) accounts.Display {
	return accounts.Display{Theme: c.FormValue("theme"), Density: c.FormValue("density"),
		TimeZone: strings.TrimSpace(c.FormValue("zone")), Dates: c.FormValue("dates")}
}

// CompanyDisplay is the form of SetCompanyDisplay.
func (h *Handlers) CompanyDisplay(c echo.Context) error {
	display := accounts.ActorFrom(c.Request().Context()).Account.Display
	return respond.Render(c, http.StatusOK, pages.DisplayPage(h.respond.Page(c, "Display"), display, nil))
}

// SetCompanyDisplay is SetDisplay for a user who came in by the company's issuer, which opens no account page.
func (h *Handlers) SetCompanyDisplay(c echo.Context) error {
	actor, display := accounts.ActorFrom(c.Request().Context()), displayOf(c)
	if err := h.workflows.SetDisplay(c.Request().Context(), actor.Account.ID, display); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return respond.Render(c, code, pages.DisplayPage(h.respond.Page(c, "Display"), display, messages))
	}
	return h.respond.SeeOther(c, views.CompanyDisplayPath(actor.Company.Slug), "The display is saved.")
}

// SetZone stores the time zone of the browser for an account that has none.
func (h *Handlers) SetZone(c echo.Context) error {
	actor := accounts.ActorFrom(c.Request().Context())
	if err := h.workflows.SetZone(c.Request().Context(), actor.Account.ID, c.FormValue("zone")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// SetTheme stores the theme of the user, and leads back to where they were.
func (h *Handlers) SetTheme(c echo.Context) error {
	actor := accounts.ActorFrom(c.Request().Context())
	display := actor.Account.Display
	display.Theme = c.FormValue("theme")
	if err := h.workflows.SetDisplay(c.Request().Context(), actor.Account.ID, display); err != nil {
		return err
	}
	next := respond.OwnPath(c.FormValue("next"))
	return h.respond.SeeOther(c, cmp.Or(next, views.HomePath(actor.Company.Slug)), "The theme is changed.")
}

// SetDisplay stores how pages look for the user.
func (h *Handlers) SetDisplay(c echo.Context) error {
	user, display := respond.User(c), displayOf(c)
	if err := h.workflows.SetDisplay(c.Request().Context(), user.ID, display); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showAccount(c, code, pages.AccountProps{Name: user.Name, Display: display, Errors: messages})
	}
	return h.respond.SeeOther(c, views.AccountPath, "The display is saved.")
}

func (h *Handlers) ChangePassword(c echo.Context) error {
	who, tokens := respond.User(c), c.FormValue(endTokens) != ""
	changed, err := h.workflows.ChangePassword(c.Request().Context(), who, c.FormValue("current"), c.FormValue("password"),
		tokens)
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		h.respond.LogSecurity(c, code, err)
		respond.SetRetryAfter(c, err)
		return h.showAccount(c, code, pages.AccountProps{Name: who.Name, KeepTokens: !tokens, Errors: messages})
	}
	done := "Your password is changed, and all other browsers are signed out."
	if tokens {
		done = "Your password is changed, all other browsers are signed out, and your API tokens are revoked."
	}
	return h.staySignedIn(c, changed, done)
}

func (h *Handlers) SignOutEverywhere(c echo.Context) error {
	tokens := c.FormValue(endTokens) != ""
	if err := h.workflows.SignOutEverywhere(c.Request().Context(), respond.User(c).ID, tokens); err != nil {
		return err
	}
	return h.respond.SignOut(c)
}

// EndSession ends a session of the user, also the present one.
func (h *Handlers) EndSession(c echo.Context) error {
	session, err := respond.RowID[id.Session](c.Param("session"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	if err := h.workflows.EndSession(c.Request().Context(), respond.User(c).ID, session); err != nil {
		return err
	}
	if session == respond.CurrentSession(c.Request().Context()).ID {
		return h.respond.SignOut(c)
	}
	return h.respond.SeeOther(c, views.AccountPath, "The session is ended.")
}

func (h *Handlers) EndOtherSessions(c echo.Context) error {
	account, err := h.workflows.EndSessions(c.Request().Context(), respond.User(c).ID)
	if err != nil {
		return err
	}
	return h.staySignedIn(c, account, "You are signed out in all other browsers.")
}

// staySignedIn keeps this browser's session when all others of the account have ended.
func (h *Handlers) staySignedIn(c echo.Context, account accounts.Account, message string) error {
	err := h.respond.StaySignedIn(c, account)
	if errors.Is(err, accounts.CodeSignedOut) {
		return h.respond.AskToSignIn(c)
	}
	if err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.AccountPath, message)
}

// RevokeOwnToken ends a token of the user in any company.
func (h *Handlers) RevokeOwnToken(c echo.Context) error {
	token, err := respond.RowID[id.Token](c.Param("token"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	if err := h.workflows.RevokeOwnToken(c.Request().Context(), respond.User(c).ID, token); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.AccountPath, "The token is revoked.")
}

// Join is the page of an invitation.
func (h *Handlers) Join(c echo.Context) error {
	return h.showJoin(c, http.StatusOK, pages.JoinForm{})
}

func (h *Handlers) showJoin(c echo.Context, code int, form pages.JoinForm) error {
	account, err := h.respond.SignedIn(c)
	if err != nil && !errors.Is(err, accounts.CodeSignedOut) {
		return err
	}
	invitation, err := h.workflows.Invitation(c.Request().Context(), c.Param("secret"), account.ID)
	if errors.Is(err, accounts.CodeAlreadyMember) {
		return h.respond.SeeOther(c, views.HomePath(invitation.Company.Slug),
			"You are a member of "+invitation.Company.Name+".")
	}
	if err != nil {
		return err
	}
	if account.ID != 0 {
		if err := h.respond.Accompany(c); err != nil {
			return err
		}
	}
	return respond.Render(c, code, pages.JoinPage(pages.JoinProps{Page: h.respond.Page(c, "Join"),
		Secret: c.Param("secret"), Invitation: invitation, Form: form}))
}

func (h *Handlers) Accept(c echo.Context) error {
	account, err := h.respond.SignedIn(c)
	if err != nil {
		if errors.Is(err, accounts.CodeSignedOut) {
			return h.acceptNew(c)
		}
		return err
	}
	actor, err := h.workflows.JoinAs(c.Request().Context(), c.Param("secret"), account.ID)
	if errors.Is(err, accounts.CodeAlreadyMember) {
		return h.showJoin(c, http.StatusOK, pages.JoinForm{})
	}
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		respond.SetRetryAfter(c, err)
		return h.showJoin(c, code, pages.JoinForm{Errors: messages})
	}
	return h.respond.SeeOther(c, views.HomePath(actor.Company.Slug), "Welcome to "+actor.Company.Name+".")
}

// acceptNew makes an account for the invited user. Whether the address has one already is not told: either way its
// owner signs in next, and another visitor cannot.
func (h *Handlers) acceptNew(c echo.Context) error {
	form := pages.JoinForm{Name: c.FormValue("name"), Email: c.FormValue("email")}
	secret := c.Param("secret")
	company, err := h.workflows.JoinNew(c.Request().Context(), secret,
		workflows.Newcomer{Name: form.Name, Email: form.Email, Password: c.FormValue("password")})
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		respond.SetRetryAfter(c, err)
		return h.showJoin(c, code, form)
	}
	return h.respond.SeeOther(c, views.SignInToPath(views.JoinPath(secret)), "Sign in to join "+company.Name+
		". If your address had an account before, use its password: that did not change.")
}

// Reset shows the form for a new password that a link opens.
func (h *Handlers) Reset(c echo.Context) error { return h.showReset(c, http.StatusOK, nil) }

func (h *Handlers) showReset(c echo.Context, code int, errs views.Errors) error {
	reset, err := h.workflows.Reset(c.Request().Context(), c.Param("secret"))
	if err != nil {
		return err
	}
	return respond.Render(c, code, pages.ResetPage(pages.ResetProps{Page: h.respond.Page(c, "New password"),
		Secret: c.Param("secret"), Email: reset.Account.Email, Errors: errs}))
}

func (h *Handlers) UseReset(c echo.Context) error {
	account, err := h.workflows.UseReset(c.Request().Context(), c.Param("secret"), c.FormValue("password"))
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showReset(c, code, messages)
	}
	return h.signIn(c, account, "")
}
