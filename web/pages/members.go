package pages

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Members(c echo.Context) error {
	return h.showMembers(c, http.StatusOK, pages.InviteForm{Role: accounts.Member, Days: accounts.InvitationDays[0]}, "")
}

// showMembers shows the list; link is a new invitation.
func (h *Handlers) showMembers(c echo.Context, code int, form pages.InviteForm, link string) error {
	ctx := c.Request().Context()
	after, err := respond.Cursor[accounts.ID](c, "after")
	if err != nil {
		return err
	}
	props := pages.MembersProps{Invite: form, Link: link}
	if props.Members, props.More, err = h.workflows.Members(ctx, after); err != nil {
		return err
	}
	if accounts.ActorFrom(ctx).Manages() {
		if props.Invitations, err = h.workflows.Invitations(ctx); err != nil {
			return err
		}
	}
	props.Page = h.respond.Page(c, "Members")
	return respond.Render(c, code, pages.MembersPage(props))
}

func (h *Handlers) Invite(c echo.Context) error {
	form := pages.InviteForm{Role: c.FormValue("role"), Note: c.FormValue("note"), Email: c.FormValue("email"),
		Many: c.FormValue("many") != ""}
	form.Days, _ = strconv.Atoi(c.FormValue("days"))
	draft := accounts.InvitationDraft{Role: form.Role, Note: form.Note, Email: form.Email, Days: form.Days, Once: !form.Many}
	secret, err := respond.Once(c, func(once *workflows.Once[string]) (string, error) {
		return h.workflows.Invite(c.Request().Context(), draft, once)
	})
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return h.showMembers(c, code, form, "")
	}
	// Not a redirect: the link is kept nowhere that another page could read it from.
	form.Note, form.Email = "", ""
	return h.showMembers(c, http.StatusCreated, form, h.respond.Base(c)+views.JoinPath(secret))
}

func (h *Handlers) RevokeInvitation(c echo.Context) error {
	invitation, err := respond.RowID[id.Invitation](c.Param("invitation"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	if err := h.workflows.RevokeInvitation(c.Request().Context(), invitation); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.MembersPath(respond.Company(c).Slug), "The link is revoked.")
}

func (h *Handlers) Member(c echo.Context) error {
	return h.showMember(c, http.StatusOK, nil, "")
}

// showMember shows a member; link is a new one for a password.
func (h *Handlers) showMember(c echo.Context, code int, errs views.Errors, link string) error {
	account, err := respond.PathAccount(c)
	if err != nil {
		return err
	}
	person, noReset, err := h.workflows.Member(c.Request().Context(), account)
	if err != nil {
		return err
	}
	actor := accounts.ActorFrom(c.Request().Context())
	props := pages.MemberProps{Page: h.respond.Page(c, person.Account.Name), Member: person,
		NoReset: fault.Message(noReset), Link: link, Errors: errs, Handle: cmp.Or(c.FormValue("handle"), person.Handle)}
	if actor.MayGrant(person.Role) {
		props.Roles = slices.DeleteFunc(slices.Clone(accounts.Roles), func(role string) bool { return !actor.MayGrant(role) })
	}
	props.Remove = account == actor.Account.ID || actor.MayGrant(person.Role)
	h.respond.RememberPlace(c, views.MemberPath(actor.Company.Slug, account))
	return respond.Render(c, code, pages.MemberPage(props))
}

// personForm does the action of a form on a member's page, and shows the page again: with the errors, or with the
// message.
func (h *Handlers) personForm(c echo.Context, message string, do func(account accounts.ID) error) error {
	account, err := respond.PathAccount(c)
	if err != nil {
		return err
	}
	if err := do(account); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showMember(c, code, messages, "")
	}
	return h.respond.SeeOther(c, views.MemberPath(respond.Company(c).Slug, account), message)
}

func (h *Handlers) ChangeRole(c echo.Context) error {
	return h.personForm(c, "The role is changed.", func(account accounts.ID) error {
		return h.workflows.ChangeRole(c.Request().Context(), account, c.FormValue("role"))
	})
}

// SetHandle gives the user another handle in the company.
func (h *Handlers) SetHandle(c echo.Context) error {
	return h.personForm(c, "Your handle is changed.", func(account accounts.ID) error {
		if account != accounts.ActorFrom(c.Request().Context()).Account.ID {
			return accounts.MemberNotFound()
		}
		return h.workflows.SetHandle(c.Request().Context(), c.FormValue("handle"))
	})
}

func (h *Handlers) SetOperator(c echo.Context) error {
	operator, badSwitch := respond.OperatorSwitch(c)
	message := "This member is an operator now."
	if !operator {
		message = "This member is no longer an operator."
	}
	return h.personForm(c, message, func(account accounts.ID) error {
		switch {
		case !accounts.ActorFrom(c.Request().Context()).Account.Operator:
			return accounts.NotOperator()
		case badSwitch != nil:
			return badSwitch
		}
		return h.workflows.SetOperator(c.Request().Context(), account, operator)
	})
}

func (h *Handlers) MakeReset(c echo.Context) error {
	account, err := respond.PathAccount(c)
	if err != nil {
		return err
	}
	secret, err := respond.Once(c, func(once *workflows.Once[string]) (string, error) {
		return h.workflows.MakeReset(c.Request().Context(), account, once)
	})
	if err != nil {
		return err
	}
	return h.showMember(c, http.StatusCreated, nil, h.respond.Base(c)+views.ResetPath(secret))
}

func (h *Handlers) RemoveMember(c echo.Context) error {
	ctx := c.Request().Context()
	account, err := respond.PathAccount(c)
	if err != nil {
		return err
	}
	person, err := h.workflows.RemoveMember(ctx, account)
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showMember(c, code, messages, "")
	}
	if account == accounts.ActorFrom(ctx).Account.ID {
		return h.respond.SignOut(c)
	}
	message := person.Account.Name + " is removed."
	invitations, err := h.workflows.Invitations(ctx)
	if err == nil && slices.ContainsFunc(invitations, func(i accounts.Invitation) bool { return !i.Once }) {
		message += " They can rejoin by an invite link that can be used more than once: revoke those below."
	}
	return h.respond.SeeOther(c, views.MembersPath(respond.Company(c).Slug), message)
}

func (h *Handlers) CompanySettings(c echo.Context) error {
	actor := accounts.ActorFrom(c.Request().Context())
	if !actor.Manages() {
		return accounts.NotManager()
	}
	return h.showCompanySettings(c, http.StatusOK, actor.Company.Name, nil)
}

func (h *Handlers) showCompanySettings(c echo.Context, code int, name string, errs views.Errors) error {
	usage, err := h.workflows.StorageUsed(c.Request().Context())
	if err != nil {
		return err
	}
	return respond.Render(c, code, pages.CompanySettingsPage(pages.CompanySettingsProps{
		Page: h.respond.Page(c, "Settings"), Name: name, Errors: errs, Usage: usage}))
}

func (h *Handlers) RenameCompany(c echo.Context) error {
	name := c.FormValue("company")
	if err := h.workflows.RenameCompany(c.Request().Context(), name); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showCompanySettings(c, code, name, messages)
	}
	return h.respond.SeeOther(c, views.SettingsPath(respond.Company(c).Slug), "The company is renamed.")
}

// AuditFile sends the whole audit list as CSV.
func (h *Handlers) AuditFile(c echo.Context) error {
	sheet, err := respond.AuditSheet(c.Request().Context(), respond.Company(c).Slug+"-audit.csv", h.workflows.Audit)
	if err != nil {
		return err
	}
	return h.respond.SendSheet(c, sheet)
}

func (h *Handlers) Audit(c echo.Context) error {
	before, err := respond.Cursor[id.Audit](c, "before")
	if err != nil {
		return err
	}
	entries, more, err := h.workflows.Audit(c.Request().Context(), before)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK,
		pages.AuditPage(pages.AuditProps{Page: h.respond.Page(c, "Audit log"), Entries: entries, More: more}))
}
