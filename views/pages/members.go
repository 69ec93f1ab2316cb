package pages

import (
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

// InviteForm is the input of the form for an invitation.
type InviteForm struct {
	Role, Note, Email string
	Days              int
	Many              bool
	Errors            views.Errors
}

// MembersProps is a company's list of members. Invitations and the form are for admins; Link is a new invitation, shown
// once.
type MembersProps struct {
	Page        views.Page
	Members     []accounts.CompanyMember
	More        bool // there are more
	Invitations []accounts.Invitation
	Invite      InviteForm
	Link        string
}

// MemberProps is a member's page. Roles are those that the user can give them; NoReset is why there is no link for a
// new password, "" if there can be one.
type MemberProps struct {
	Page    views.Page
	Member  accounts.CompanyMember
	Roles   []string
	Remove  bool
	NoReset string
	Link    string // for a new password, just created
	Handle  string // as it was typed, or the present one
	Errors  views.Errors
}

// JoinForm is the form of a new user.
type JoinForm struct {
	Name, Email string
	Errors      views.Errors
}

// JoinProps is the page of an invitation.
type JoinProps struct {
	Page       views.Page
	Secret     string
	Invitation accounts.Invitation
	Form       JoinForm
}

// ResetProps is the page of a link for a new password.
type ResetProps struct {
	Page   views.Page
	Secret string
	Email  string
	Errors views.Errors
}

// AccountProps is the user's own account.
type AccountProps struct {
	Page       views.Page
	Name       string // the input
	Display    accounts.Display
	KeepTokens bool // the input
	Companies  []accounts.Membership
	Tokens     []accounts.Token // of all companies
	MoreTokens bool
	Factors    FactorsProps
	Identities []accounts.Identity
	Errors     views.Errors

	Sessions     []accounts.Session
	MoreSessions bool
	Session      id.Session // the one of this browser
}

// TokenForm is the input of the form for a token.
type TokenForm struct {
	Name   string
	Scopes []string
	Days   int
	Errors views.Errors
}

// TokensProps are API tokens: the user's own and, for admins, those of others. Secret is a new token, shown once.
type TokensProps struct {
	Page       views.Page
	Own        []accounts.Token
	OwnMore    bool
	Others     []accounts.Token
	OthersMore bool
	Form       TokenForm
	Secret     string
}

// CompanySettingsProps is a company's name.
type CompanySettingsProps struct {
	Page   views.Page
	Name   string // the input
	Errors views.Errors
	Usage  files.Usage
}

// AuditProps is a page of a company's audit list.
type AuditProps struct {
	Page    views.Page
	Entries []accounts.AuditEntry
	More    bool // there are older ones
}

// tokenColumn is the heading of the column that a list of tokens has beside the token's own.
type tokenColumn string

const (
	tokenMember  tokenColumn = "Member"
	tokenCompany tokenColumn = "Company"
)

// revocationPath ends a token of a list.
func revocationPath(p views.Page, t accounts.Token, column tokenColumn) string {
	if column == tokenCompany {
		return views.OwnTokenRevocationPath(t.ID)
	}
	return views.TokenRevocationPath(p.Actor.Company.Slug, t.ID)
}

// scopes of a token, in words.
var scopes = map[string]string{
	"boards:read": "see boards", "boards:write": "create and edit boards", "tickets:read": "see tickets",
	"tickets:write":    "create, edit and move tickets",
	accounts.ReadAudit: "see the audit log, as owners and admins can",
	accounts.PopRefs:   "pop reference codes", accounts.Operate: "manage this server",
}

// tokenDays are the lifetimes of a token, in words.
func tokenDays(days int) string {
	switch days {
	case 0:
		return "no end"
	case 365:
		return "after a year"
	}
	return "after " + views.Count(int64(days), "day", "days")
}
