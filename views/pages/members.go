package pages

import (
	"strings"

	"github.com/counterfoil/counterfoil/domain/accounts"
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
	KeepTokens bool   // the input
	Companies  []accounts.Membership
	Tokens     []accounts.Token // of all companies
	MoreTokens bool
	Errors     views.Errors
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
	"tickets:write":  "create, edit and move tickets",
	accounts.PopRefs: "pop reference codes", accounts.Operate: "manage this server",
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

// audit is an entry in words that follow its author's name.
func audit(e accounts.AuditEntry) string {
	d := e.Detail
	note := ""
	if d.Name != "" {
		note = ": " + d.Name
	}
	switch e.Kind {
	case accounts.AuditSignedIn:
		return "signed in"
	case accounts.AuditSignInLimited:
		return "could not sign in: too many attempts failed"
	case accounts.AuditSignedOutAll:
		return "signed out everywhere"
	case accounts.AuditInvited:
		return "created an invitation as " + d.Role + note
	case accounts.AuditInvitationRevoked:
		return "revoked an invitation as " + d.Role + note
	case accounts.AuditJoined:
		return "joined as " + d.Role
	case accounts.AuditRoleChanged:
		return "changed the role of " + d.Member + " from " + d.Was + " to " + d.Role
	case accounts.AuditRemoved:
		return "removed " + d.Member + ", who was " + d.Was
	case accounts.AuditLeft:
		return "left, and was " + d.Was
	case accounts.AuditTokenMade:
		return "created the API token " + d.Name
	case accounts.AuditTokenRevoked:
		if d.Member != "" {
			return "revoked the API token " + d.Name + " of " + d.Member
		}
		return "revoked the API token " + d.Name
	case accounts.AuditTokensEnded:
		return "ended all their API tokens"
	case accounts.AuditPasswordChanged:
		return "changed their password"
	case accounts.AuditResetMade:
		if d.Member == "" {
			return "got a link for a new password, created on the server"
		}
		return "created a link for a new password for " + d.Member
	case accounts.AuditResetUsed:
		return "chose a new password by a link"
	case accounts.AuditOperatorGranted:
		return "made " + d.Member + " an operator of the server"
	case accounts.AuditOperatorWithdrawn:
		return "made " + d.Member + " no longer an operator of the server"
	case accounts.AuditCompanyRenamed:
		return "renamed the company from " + d.Was + " to " + d.Name
	case accounts.AuditCompanyOpened:
		return "created the company"
	case accounts.AuditWebhookMade:
		return "created a webhook to " + d.Name
	case accounts.AuditWebhookChanged:
		return "changed the webhook to " + d.Name
	case accounts.AuditWebhookOn:
		return "turned on the webhook to " + d.Name
	case accounts.AuditWebhookOff:
		return "turned off the webhook to " + d.Name
	case accounts.AuditWebhookSecret:
		return "gave the webhook to " + d.Name + " another secret"
	case accounts.AuditWebhookDeleted:
		return "deleted the webhook to " + d.Name
	case accounts.AuditConsumerPaused:
		return "paused the consumer " + d.Name + " of the feed " + d.Feed
	case accounts.AuditConsumerResumed:
		return "resumed the consumer " + d.Name + " of the feed " + d.Feed
	case accounts.AuditConsumerMoved:
		return "set the cursor of the consumer " + d.Name + " of the feed " + d.Feed
	case accounts.AuditConsumerDeleted:
		return "deleted the consumer " + d.Name + " of the feed " + d.Feed
	case accounts.AuditFormOn:
		return "turned on the public form of " + d.Name
	case accounts.AuditFailedOver:
		return "failed over the database: what was done last may be lost"
	case accounts.AuditFormOff:
		return "turned off the public form of " + d.Name
	}
	return auditAccess(e)
}

// auditAccess is audit for entries about groups and the members of boards.
func auditAccess(e accounts.AuditEntry) string {
	d := e.Detail
	switch e.Kind {
	case accounts.AuditBoardPrivate:
		return "made the board " + d.Name + " private"
	case accounts.AuditBoardOpen:
		return "opened the board " + d.Name + " to all members"
	case accounts.AuditBoardMember:
		if d.Was != "" {
			return "changed the role of " + d.Member + " on the board " + d.Name + " from " + d.Was + " to " + d.Role
		}
		return "added " + d.Member + " to the board " + d.Name + " as " + d.Role
	case accounts.AuditBoardMemberGone:
		return "removed " + d.Member + ", who was " + d.Was + ", from the board " + d.Name
	case accounts.AuditBoardTaken:
		return "took over the board " + d.Name + ", which had no admin"
	case accounts.AuditGroupMade:
		return "created the group " + d.Name
	case accounts.AuditGroupRenamed:
		return "renamed the group " + d.Was + " to " + d.Name
	case accounts.AuditGroupDeleted:
		return "deleted the group " + d.Name
	case accounts.AuditGroupMember:
		return "added " + d.Member + " to the group " + d.Name
	case accounts.AuditGroupMemberGone:
		return "removed " + d.Member + " from the group " + d.Name
	}
	return strings.ReplaceAll(e.Kind, "-", " ")
}
