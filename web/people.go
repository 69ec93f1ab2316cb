package web

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

func (s *server) people(c echo.Context) error {
	return s.showPeople(c, http.StatusOK, views.InviteForm{Role: accounts.Member, Days: accounts.InvitationDays[0]}, "")
}

// showPeople shows the list; link is an invitation that was just made.
func (s *server) showPeople(c echo.Context, code int, form views.InviteForm, link string) error {
	ctx := c.Request().Context()
	after, err := goesOn[accounts.ID](c, "after")
	if err != nil {
		return err
	}
	props := views.PeopleProps{Invite: form, Link: link}
	if props.People, props.More, err = s.workflows.People(ctx, after); err != nil {
		return err
	}
	if accounts.ActorFrom(ctx).Manages() {
		if props.Invitations, err = s.workflows.Invitations(ctx); err != nil {
			return err
		}
	}
	props.Page = s.page(c, "People")
	return render(c, code, views.PeoplePage(props))
}

func (s *server) invite(c echo.Context) error {
	form := views.InviteForm{Role: c.FormValue("role"), Note: c.FormValue("note"), Many: c.FormValue("many") != ""}
	form.Days, _ = strconv.Atoi(c.FormValue("days"))
	secret, err := s.workflows.Invite(c.Request().Context(), accounts.InvitationDraft{Role: form.Role, Note: form.Note, Days: form.Days, Once: !form.Many})
	if err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return s.showPeople(c, code, form, "")
	}
	// Not a redirect: the link is kept nowhere that another page could read it from.
	form.Note = ""
	return s.showPeople(c, http.StatusCreated, form, s.base(c)+views.JoinPath(secret))
}

func (s *server) revokeInvitation(c echo.Context) error {
	invitation, err := rowID[id.Invitation](c.Param("invitation"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	if err := s.workflows.RevokeInvitation(c.Request().Context(), invitation); err != nil {
		return err
	}
	return s.see(c, views.PeoplePath(company(c).Slug), "The link opens nothing any more.")
}

func (s *server) person(c echo.Context) error {
	return s.showPerson(c, http.StatusOK, nil, "")
}

// showPerson shows a member; link is one for a new password that was just made.
func (s *server) showPerson(c echo.Context, code int, errs views.Errors, link string) error {
	account, err := pathPerson(c)
	if err != nil {
		return err
	}
	person, noReset, err := s.workflows.Person(c.Request().Context(), account)
	if err != nil {
		return err
	}
	actor := accounts.ActorFrom(c.Request().Context())
	props := views.PersonProps{Page: s.page(c, person.Account.Name), Person: person, NoReset: fault.Message(noReset), Link: link, Errors: errs}
	if actor.MayGrant(person.Role) {
		props.Roles = slices.DeleteFunc(slices.Clone(accounts.Roles), func(role string) bool { return !actor.MayGrant(role) })
	}
	props.Remove = account == actor.Account.ID || actor.MayGrant(person.Role)
	return render(c, code, views.PersonPage(props))
}

// personForm carries out what a form on a member's page wants, and shows the page again: with what was
// wrong, or with the message.
func (s *server) personForm(c echo.Context, message string, do func(account accounts.ID) error) error {
	account, err := pathPerson(c)
	if err != nil {
		return err
	}
	if err := do(account); err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		return s.showPerson(c, code, messages, "")
	}
	return s.see(c, views.PersonPath(company(c).Slug, account), message)
}

func (s *server) changeRole(c echo.Context) error {
	return s.personForm(c, "The role is changed.", func(account accounts.ID) error {
		return s.workflows.ChangeRole(c.Request().Context(), account, c.FormValue("role"))
	})
}

// codeBadOperator: the form says neither to make nor to remove an operator. Use the page's buttons.
const codeBadOperator fault.Code = "Operator.BadSwitch"

func badOperator() error {
	return fault.Error{
		Kind: fault.Invalid, Code: codeBadOperator, Field: "operator",
		Message: "Use one of the buttons to say what you want.",
	}
}

func (s *server) setOperator(c echo.Context) error {
	answer := c.FormValue("operator")
	message := "This person runs the server, too, now."
	if answer == "no" {
		message = "This person no longer runs the server."
	}
	return s.personForm(c, message, func(account accounts.ID) error {
		switch {
		case !accounts.ActorFrom(c.Request().Context()).Account.Operator:
			return accounts.NotOperator()
		case answer != "yes" && answer != "no":
			return badOperator()
		}
		return s.workflows.SetOperator(c.Request().Context(), account, answer == "yes")
	})
}

func (s *server) makeReset(c echo.Context) error {
	account, err := pathPerson(c)
	if err != nil {
		return err
	}
	_, secret, err := s.workflows.MakeReset(c.Request().Context(), account)
	if err != nil {
		return err
	}
	return s.showPerson(c, http.StatusCreated, nil, s.base(c)+views.ResetPath(secret))
}

func (s *server) removePerson(c echo.Context) error {
	ctx := c.Request().Context()
	account, err := pathPerson(c)
	if err != nil {
		return err
	}
	person, err := s.workflows.RemovePerson(ctx, account)
	if err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		return s.showPerson(c, code, messages, "")
	}
	if account == accounts.ActorFrom(ctx).Account.ID {
		return s.endSession(c)
	}
	message := person.Account.Name + " is removed."
	invitations, err := s.workflows.Invitations(ctx)
	if err == nil && slices.ContainsFunc(invitations, func(i accounts.Invitation) bool { return !i.Once }) {
		message += " A link that many may use lets them in again if they know it: revoke those below."
	}
	return s.see(c, views.PeoplePath(company(c).Slug), message)
}

func (s *server) companySettings(c echo.Context) error {
	actor := accounts.ActorFrom(c.Request().Context())
	if !actor.Manages() {
		return accounts.NotManager()
	}
	return s.showCompanySettings(c, http.StatusOK, actor.Company.Name, nil)
}

func (s *server) showCompanySettings(c echo.Context, code int, name string, errs views.Errors) error {
	return render(c, code, views.CompanySettingsPage(views.CompanySettingsProps{Page: s.page(c, "Settings"), Name: name, Errors: errs}))
}

func (s *server) renameCompany(c echo.Context) error {
	name := c.FormValue("company")
	if err := s.workflows.RenameCompany(c.Request().Context(), name); err != nil {
		messages, code, ok := rejected(err)
		if !ok {
			return err
		}
		return s.showCompanySettings(c, code, name, messages)
	}
	return s.see(c, views.SettingsPath(company(c).Slug), "The company has its new name.")
}

func (s *server) audit(c echo.Context) error {
	before, err := goesOn[id.Audit](c, "before")
	if err != nil {
		return err
	}
	entries, more, err := s.workflows.Audit(c.Request().Context(), before)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.AuditPage(views.AuditProps{Page: s.page(c, "Audit"), Entries: entries, More: more}))
}
