package pages

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func pathIssuer(c echo.Context) (id.Issuer, error) {
	return respond.RowID[id.Issuer](c.Param("issuer"), accounts.IssuerNotFound())
}

// callback is the address that an issuer sends browsers back to.
func (h *Handlers) callback(c echo.Context, issuer id.Issuer) string {
	return h.respond.Base(c) + views.IssuerCallbackPath(issuer)
}

// rootByIssuer redirects a session that an issuer opened to the company, and others to the sign-in.
func (h *Handlers) rootByIssuer(c echo.Context) error {
	ctx := c.Request().Context()
	account, _ := h.respond.SessionAccount(ctx)
	if account == 0 || h.respond.Issuer(ctx) == 0 {
		return h.respond.AskToSignIn(c)
	}
	company, err := h.workflows.CompanyByIssuer(ctx, account, h.respond.SessionID(ctx))
	if errors.Is(err, accounts.CodeSignedOut) {
		return h.respond.AskToSignIn(c)
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, views.HomePath(company.Slug))
}

// addIssuers adds to the sign-in the issuers of the company that it leads to, and the one that the browser may sign out
// at.
func (h *Handlers) addIssuers(c echo.Context, form *pages.LoginForm) (err error) {
	ctx := c.Request().Context()
	slug, _, _ := strings.Cut(strings.TrimPrefix(form.Next, "/"), "/")
	slug, _, _ = strings.Cut(slug, "?")
	if form.Issuers, err = h.workflows.SignInIssuers(ctx, slug); err != nil {
		return err
	}
	form.Confined = h.respond.Issuer(ctx) != 0
	out, err := respond.RowID[id.Issuer](c.QueryParam("out"), accounts.IssuerNotFound())
	if err != nil {
		return nil //nolint:nilerr // there is nowhere to sign out
	}
	of, address, err := h.workflows.SignOutAddress(ctx, out, h.respond.Base(c)+views.LoginPath)
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	form.OutName, form.Out = of.Name, address
	return err
}

// CompanySignIn has the issuers of a company, the same for one without and one that does not exist. An owner of a
// company that requires its issuer comes in by a recovery code, too.
func (h *Handlers) CompanySignIn(c echo.Context) error {
	company := strings.ToLower(strings.TrimSpace(c.QueryParam("company")))
	return h.showCompanySignIn(c, http.StatusOK, pages.CompanySignInForm{Company: company,
		Next: respond.OwnPath(c.QueryParam("next"))})
}

func (h *Handlers) showCompanySignIn(c echo.Context, code int, form pages.CompanySignInForm) (err error) {
	ctx := c.Request().Context()
	if form.Company != "" {
		if form.Issuers, err = h.workflows.SignInIssuers(ctx, form.Company); err != nil {
			return err
		}
	}
	if form.Next == "" && form.Company != "" {
		form.Next = respond.OwnPath(views.HomePath(form.Company))
	}
	_, err = h.respond.EnterCompany(ctx, form.Company)
	form.Needed = errors.Is(err, accounts.CodeIssuerNeeded) || len(form.Errors) > 0
	if err != nil && !form.Needed && fault.KindOf(err) == "" {
		return err
	}
	return respond.Render(c, code, pages.CompanySignInPage(h.respond.Page(c, "Sign in"), form))
}

// TakeRecoveryCode lets an owner into a company that requires its issuer.
func (h *Handlers) TakeRecoveryCode(c echo.Context) error {
	form := pages.CompanySignInForm{Company: c.FormValue("company"), Next: respond.OwnPath(c.FormValue("next"))}
	account, err := h.respond.SignedIn(c)
	if errors.Is(err, accounts.CodeSignedOut) {
		return c.Redirect(http.StatusSeeOther, views.SignInToPath(views.CompanySignInPath(form.Company, form.Next)))
	}
	if err != nil {
		return err
	}
	step := workflows.SecondStep{Account: account, Session: h.respond.WithSessionID(c), Device: h.respond.Device(c),
		Code: c.FormValue("code")}
	if err := h.workflows.TakeRecoveryCode(c.Request().Context(), step); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		h.respond.LogSecurity(c, code, err)
		respond.SetRetryAfter(c, err)
		return h.showCompanySignIn(c, code, form)
	}
	if err := h.respond.KeepSessionID(c); err != nil {
		return err
	}
	return h.goHome(c, account.ID, form.Next)
}

// StartIssuer leads a browser to an issuer.
func (h *Handlers) StartIssuer(c echo.Context) error {
	issuer, err := pathIssuer(c)
	if err != nil {
		return err
	}
	start, err := h.workflows.StartIssuer(c.Request().Context(), workflows.IssuerRequest{Issuer: issuer,
		Redirect: h.callback(c, issuer), Again: c.QueryParam("again") != "", Next: respond.OwnPath(c.QueryParam("next"))})
	if err != nil {
		return err
	}
	h.respond.KeepIssuerCookie(c, start)
	c.Response().Header().Set("Cache-Control", "private, no-store")
	return c.Redirect(http.StatusSeeOther, start.Address)
}

// FinishIssuer takes a browser back from an issuer.
func (h *Handlers) FinishIssuer(c echo.Context) error {
	ctx := c.Request().Context()
	issuer, err := pathIssuer(c)
	if err != nil {
		return err
	}
	callback := workflows.IssuerCallback{Issuer: issuer, Redirect: h.callback(c, issuer), Cookie: h.respond.TakeIssuerCookie(c),
		State: c.QueryParam("state"), Code: c.QueryParam("code"), From: c.QueryParam("iss"), Error: c.QueryParam("error"),
		Browser: h.respond.IssuerBrowser(c)}
	if err := h.addSession(c, &callback); err != nil {
		return err
	}
	done, err := h.workflows.FinishIssuer(ctx, callback)
	if err != nil {
		return err
	}
	switch {
	case done.Linked:
		if err := h.respond.KeepSessionID(c); err != nil {
			return err
		}
		return h.respond.SeeOther(c, views.AccountPath, "Your account is linked to "+done.Issuer.Name+".")
	case done.Entered:
		err = h.respond.KeepSessionID(c)
	default:
		err = h.respond.SignInBy(c, done)
	}
	if err != nil {
		return err
	}
	next := respond.OwnPath(done.Next)
	if next == "" {
		next = views.HomePath(done.Companies[0].Slug)
	}
	return c.Redirect(http.StatusSeeOther, next)
}

// addSession adds the browser's session to a callback.
func (h *Handlers) addSession(c echo.Context, callback *workflows.IssuerCallback) error {
	ctx := c.Request().Context()
	account, epoch := h.respond.SessionAccount(ctx)
	if account == 0 {
		return nil
	}
	_, err := h.workflows.Session(ctx, account, epoch)
	if errors.Is(err, accounts.CodeSignedOut) {
		return nil
	}
	callback.Account, callback.Own = account, h.respond.Issuer(ctx) == 0
	callback.Session, callback.Row = h.respond.WithSessionID(c), respond.CurrentSession(ctx).ID
	return err
}

// LinkIssuer shows the way to the issuer that the user's account is to be linked to: browsers do not follow a form to
// another site.
func (h *Handlers) LinkIssuer(c echo.Context) error {
	issuer, err := pathIssuer(c)
	if err != nil {
		return err
	}
	start, err := h.workflows.StartIssuer(c.Request().Context(), workflows.IssuerRequest{Issuer: issuer,
		Redirect: h.callback(c, issuer), Link: respond.User(c).ID})
	if err != nil {
		return err
	}
	h.respond.KeepIssuerCookie(c, start)
	c.Response().Header().Set("Cache-Control", "private, no-store")
	page := h.respond.Page(c, "Link "+start.Issuer.Name)
	return respond.Render(c, http.StatusOK, pages.LinkPage(page, start.Issuer.Name, start.Address))
}

// UnlinkIssuer removes the link of the user's account to an issuer.
func (h *Handlers) UnlinkIssuer(c echo.Context) error {
	issuer, err := pathIssuer(c)
	if err != nil {
		return err
	}
	changed, err := h.workflows.Unlink(c.Request().Context(), respond.User(c).ID, issuer)
	if err != nil {
		return err
	}
	return h.factorRemoved(c, changed, "The link is removed, and all other browsers are signed out.")
}

// SignInSettings is how the company is signed in to.
func (h *Handlers) SignInSettings(c echo.Context) error {
	return h.showSignInSettings(c, http.StatusOK, pages.SignInSettingsProps{})
}

func (h *Handlers) showSignInSettings(c echo.Context, code int, props pages.SignInSettingsProps) (err error) {
	if props.Settings, err = h.workflows.IssuerSettings(c.Request().Context()); err != nil {
		return err
	}
	props.Page = h.respond.Page(c, "Company sign-in")
	return respond.Render(c, code, pages.SignInSettingsPage(props))
}

// rejectSignIn shows the settings with the input of a rejected form.
func (h *Handlers) rejectSignIn(
	c echo.Context, err error, typed func(props *pages.SignInSettingsProps, messages views.Errors),
) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	var props pages.SignInSettingsProps
	typed(&props, messages)
	return h.showSignInSettings(c, code, props)
}

func issuerDraft(c echo.Context) accounts.IssuerDraft {
	return accounts.IssuerDraft{Name: c.FormValue("name"), URL: strings.TrimSpace(c.FormValue("url")),
		ClientID: c.FormValue("client"), Secret: c.FormValue("secret"), GroupsClaim: c.FormValue("groups"),
		JoinByDomain: c.FormValue("join") != "", OwnersByGroup: c.FormValue("owners") != ""}
}

func (h *Handlers) AddIssuer(c echo.Context) error {
	draft := issuerDraft(c)
	issuer, err := respond.Once(c, func(once *workflows.Once[accounts.Issuer]) (accounts.Issuer, error) {
		return h.workflows.AddIssuer(c.Request().Context(), draft, once)
	})
	if err != nil {
		return h.rejectSignIn(c, err, func(props *pages.SignInSettingsProps, messages views.Errors) {
			draft.Secret = ""
			props.Draft, props.IssuerErrors = draft, messages
		})
	}
	return h.respond.SeeOther(c, views.IssuerPath(respond.Company(c).Slug, issuer.ID),
		"The issuer is added. Register the address below there.")
}

// RequireIssuer has the company open by its issuers alone, or by all ways.
func (h *Handlers) RequireIssuer(c echo.Context) error {
	ctx := c.Request().Context()
	required := c.FormValue("required") != ""
	if err := h.workflows.RequireIssuer(ctx, h.respond.SessionID(ctx), required); err != nil {
		return h.rejectSignIn(c, err, func(props *pages.SignInSettingsProps, messages views.Errors) {
			props.RequiredErrors = messages
		})
	}
	done := "The company opens to all ways of signing in again."
	if required {
		done = "From now on, the company opens by its issuer only."
	}
	return h.respond.SeeOther(c, views.SignInSettingsPath(respond.Company(c).Slug), done)
}

func (h *Handlers) AddDomain(c echo.Context) error {
	text := c.FormValue("domain")
	if err := h.workflows.AddDomain(c.Request().Context(), text); err != nil {
		return h.rejectSignIn(c, err, func(props *pages.SignInSettingsProps, messages views.Errors) {
			props.Domain, props.DomainErrors = text, messages
		})
	}
	return h.respond.SeeOther(c, views.SignInSettingsPath(respond.Company(c).Slug),
		"The domain is added. Publish its record, then check it.")
}

func pathDomain(c echo.Context) (id.Domain, error) {
	return respond.RowID[id.Domain](c.Param("domain"), accounts.DomainNotFound())
}

func (h *Handlers) CheckDomain(c echo.Context) error {
	domain, err := pathDomain(c)
	if err != nil {
		return err
	}
	if err := h.workflows.CheckDomain(c.Request().Context(), domain); err != nil {
		return h.rejectSignIn(c, err, func(props *pages.SignInSettingsProps, messages views.Errors) {
			props.DomainErrors = messages
		})
	}
	return h.respond.SeeOther(c, views.SignInSettingsPath(respond.Company(c).Slug), "The domain is verified.")
}

func (h *Handlers) RemoveDomain(c echo.Context) error {
	domain, err := pathDomain(c)
	if err != nil {
		return err
	}
	if err := h.workflows.RemoveDomain(c.Request().Context(), domain); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.SignInSettingsPath(respond.Company(c).Slug), "The domain is removed.")
}

// IssuerSettings is an issuer in the company.
func (h *Handlers) IssuerSettings(c echo.Context) error {
	return h.showIssuer(c, http.StatusOK, func(*pages.IssuerProps) {})
}

// showIssuer shows an issuer; input sets what was typed.
func (h *Handlers) showIssuer(c echo.Context, code int, input func(props *pages.IssuerProps)) error {
	issuer, err := pathIssuer(c)
	if err != nil {
		return err
	}
	page, err := h.workflows.IssuerPage(c.Request().Context(), issuer)
	if err != nil {
		return err
	}
	of := page.Issuer
	props := pages.IssuerProps{Page: h.respond.Page(c, of.Name), Issuer: page, Callback: h.callback(c, issuer),
		Draft: accounts.IssuerDraft{Name: of.Name, ClientID: of.ClientID, GroupsClaim: of.GroupsClaim,
			JoinByDomain: of.JoinByDomain, OwnersByGroup: of.OwnersByGroup}}
	input(&props)
	return respond.Render(c, code, pages.IssuerPage(props))
}

func (h *Handlers) SaveIssuer(c echo.Context) error {
	issuer, err := pathIssuer(c)
	if err != nil {
		return err
	}
	draft := issuerDraft(c)
	if err := h.workflows.SaveIssuer(c.Request().Context(), issuer, draft); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		draft.Secret = ""
		return h.showIssuer(c, code, func(props *pages.IssuerProps) { props.Draft, props.Errors = draft, messages })
	}
	return h.respond.SeeOther(c, views.IssuerPath(respond.Company(c).Slug, issuer), "The issuer is saved.")
}

// IssuerRemoval asks before an issuer is removed.
func (h *Handlers) IssuerRemoval(c echo.Context) error {
	issuer, err := pathIssuer(c)
	if err != nil {
		return err
	}
	page, err := h.workflows.IssuerPage(c.Request().Context(), issuer)
	if err == nil && !page.Own {
		err = accounts.IssuerNotFound()
	}
	if err != nil {
		return err
	}
	title := "Remove " + page.Issuer.Name
	return respond.Render(c, http.StatusOK, pages.IssuerRemovalPage(h.respond.Page(c, title), page.Issuer))
}

func (h *Handlers) RemoveIssuer(c echo.Context) error {
	issuer, err := pathIssuer(c)
	if err != nil {
		return err
	}
	if err := h.workflows.RemoveIssuer(c.Request().Context(), issuer); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.SignInSettingsPath(respond.Company(c).Slug), "The issuer is removed.")
}

func (h *Handlers) AddIssuerRule(c echo.Context) error {
	issuer, err := pathIssuer(c)
	if err != nil {
		return err
	}
	rule := accounts.IssuerRule{Claim: c.FormValue("claim"), Role: c.FormValue("role")}
	if text := c.FormValue("group"); text != "" {
		if rule.Group.ID, err = respond.RowID[id.Group](text, accounts.GroupNotFound()); err != nil {
			return err
		}
	}
	if err := h.workflows.AddIssuerRule(c.Request().Context(), issuer, rule); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showIssuer(c, code, func(props *pages.IssuerProps) { props.Rule, props.RuleErrors = rule, messages })
	}
	return h.respond.SeeOther(c, views.IssuerPath(respond.Company(c).Slug, issuer), "The rule is added.")
}

func (h *Handlers) RemoveIssuerRule(c echo.Context) error {
	issuer, err := pathIssuer(c)
	if err != nil {
		return err
	}
	rule, err := respond.RowID[id.IssuerRule](c.Param("rule"), accounts.IssuerNotFound())
	if err != nil {
		return err
	}
	if err := h.workflows.RemoveIssuerRule(c.Request().Context(), issuer, rule); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.IssuerPath(respond.Company(c).Slug, issuer), "The rule is removed.")
}
