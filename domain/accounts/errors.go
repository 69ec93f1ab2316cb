package accounts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeBadCompanySlug: a company's slug is malformed or reserved. Choose 3 to 40 letters a to z, digits or
// hyphens.
const CodeBadCompanySlug fault.Code = "Company.BadSlug"

func BadCompanySlug(slug string, reserved bool) error {
	return fault.Invalid.New(CodeBadCompanySlug, "slug", badCompanySlugMessage(slug, reserved))
}

func badCompanySlugMessage(slug string, reserved bool) string {
	if reserved {
		return "“" + slug + "” is reserved. Choose another short name."
	}
	return "A company's short name is 3 to 40 letters a to z, digits or hyphens and begins with a letter, such as acme."
}

// CodeBadName: the name of a user, company or token is empty, too long or not text. Shorten or retype it.
const CodeBadName fault.Code = "Account.BadName"

func BadName(in string, length int) error {
	return fault.Invalid.New(CodeBadName, badNameField(in), badNameMessage(in, length))
}

func badNameField(in string) string {
	if in == "token" || in == "service" {
		return "name"
	}
	return in
}

func badNameMessage(in string, length int) string {
	what, most := "your name", MaxName
	switch in {
	case "company":
		what = "your company's name"
	case "service":
		what, most = "what the program does, such as “warehouse”", MaxServiceName
	case "token":
		what = "what the token is for, such as “backup script”"
	}
	switch {
	case length == 0:
		return "Enter " + what + "."
	case length > most:
		return fmt.Sprintf("The name has %d characters; shorten it to %d.", length, most)
	}
	return "The name has invalid or invisible characters. Type it again instead of pasting it."
}

// CodeBadEmail: the text is no email address. Write one such as ana@example.com.
const CodeBadEmail fault.Code = "Account.BadEmail"

func BadEmail() error {
	return fault.Invalid.New(CodeBadEmail, "email", "Enter an email address, such as ana@example.com.")
}

// CodeEmailConflict: another account has this email address. Sign in with it, or use another address.
const CodeEmailConflict fault.Code = "Account.EmailConflict"

func EmailConflict() error {
	return fault.Conflict.New(CodeEmailConflict, "email",
		"An account with this email already exists. Sign in with it, or use another email.")
}

// CodeBadPassword: the password is too short or too long. Choose a few words in a row.
const CodeBadPassword fault.Code = "Password.BadLength"

func BadPassword(length int) error {
	return fault.Invalid.New(CodeBadPassword, "password", badPasswordMessage(length))
}

func badPasswordMessage(length int) string {
	if length > MaxPassword {
		return fmt.Sprintf("The password is too long: at most %d bytes.", MaxPassword)
	}
	return fmt.Sprintf("Choose a password of at least %d characters, such as a few words in a row.", MinPassword)
}

// CodeCommonPassword: the password is among the common ones, which are tried first. Choose a few words in a row.
const CodeCommonPassword fault.Code = "Password.Common"

func CommonPassword() error {
	return fault.Invalid.New(CodeCommonPassword, "password",
		"This password is among those that are tried first. Choose another one, such as a few words in a row.")
}

// CodeNamedPassword: the password is the address of the user or the name of the company. Choose a few words in a row.
const CodeNamedPassword fault.Code = "Password.Name"

func NamedPassword() error {
	return fault.Invalid.New(CodeNamedPassword, "password",
		"The password must not be your address or your company's name. Choose a few words in a row.")
}

// CodeWrongPassword: no account has this address and password. Check both.
const CodeWrongPassword fault.Code = "SignIn.WrongPassword"

func WrongPassword() error {
	return fault.Invalid.New(CodeWrongPassword, "password",
		"Wrong email or password. Check both and try again.")
}

// CodeSetupClosed: the server was set up before. Sign in.
const CodeSetupClosed fault.Code = "Setup.Closed"

func SetupClosed() error {
	return fault.Conflict.New(CodeSetupClosed, "", "Counterfoil is set up already. Sign in instead.")
}

// CodeWrongSetupCode: the setup code is wrong or missing. Copy the one that "counterfoil serve" prints, or use "counterfoil
// setup".
const CodeWrongSetupCode fault.Code = "Setup.WrongCode"

func WrongSetupCode() error {
	return fault.Invalid.New(CodeWrongSetupCode, "code",
		"Enter the setup code that the server printed when it started, in its terminal or log.")
}

// CodeTooManySetupCodes: too many setup codes were wrong. Wait as Retry-After says.
const CodeTooManySetupCodes fault.Code = "Setup.TooManyCodes"

// TooManySetupCodes reports a setup code before its time.
type TooManySetupCodes struct{ Wait time.Duration }

func (e TooManySetupCodes) Error() string {
	return "Too many setup codes were wrong. Wait " + waitText(e.Wait) + ", then try again."
}
func (e TooManySetupCodes) Unwrap() error {
	return fault.RateLimited.New(CodeTooManySetupCodes, "code", e.Error())
}

// RetryAfter is how long to wait.
func (e TooManySetupCodes) RetryAfter() time.Duration { return e.Wait }

// CodeOtherAddress: the invitation is for another email address. Join with the address that it was sent to, or ask for
// a new invitation.
const CodeOtherAddress fault.Code = "Invitation.OtherAddress"

func OtherAddress() error {
	return fault.Invalid.New(CodeOtherAddress, "email",
		"This invitation is for another email address. Join with the address that it was sent to, or ask for a new one.")
}

// CodeTooManyJoins: too many attempts to join by this link or from this address. Wait as Retry-After says.
const CodeTooManyJoins fault.Code = "Invitation.TooManyAttempts"

// TooManyJoins reports an attempt to join before its time.
type TooManyJoins struct{ Wait time.Duration }

func (e TooManyJoins) Error() string {
	return "Too many attempts to join. Wait " + waitText(e.Wait) + ", then try again."
}
func (e TooManyJoins) Unwrap() error {
	return fault.RateLimited.New(CodeTooManyJoins, "", e.Error())
}

// RetryAfter is how long to wait.
func (e TooManyJoins) RetryAfter() time.Duration { return e.Wait }

// CodeFormByAdmin: only admins and owners turn a public form on. Ask one of them.
const CodeFormByAdmin fault.Code = "Board.FormByAdmin"

func FormByAdmin() error {
	return fault.Forbidden.New(CodeFormByAdmin, "",
		"Only admins and owners turn on a public form. Ask one of them.")
}

// CodeCompanyConflict: another company has this slug. Choose another.
const CodeCompanyConflict fault.Code = "Company.SlugConflict"

func CompanyConflict(slug string) error {
	return fault.Conflict.New(CodeCompanyConflict, "slug",
		"The short name “"+slug+"” is taken. Choose another.")
}

// CodeNotMember: the company does not exist, or the caller is no member of it. Check the address.
const CodeNotMember fault.Code = "Company.NotFound"

func NotMember() error {
	return fault.NotFound.New(CodeNotMember, "",
		"This page does not exist, or you have no access. Check the address, or go to your boards.")
}

// CodeBadToken: the request has no valid API token. Send one in the header “Authorization: Bearer …”.
const CodeBadToken fault.Code = "Token.Invalid"

func BadToken() error {
	return fault.Unauthenticated.New(CodeBadToken, "",
		"Send a valid API token in the header “Authorization: Bearer …”.")
}

// CodeMissingScope: the token lacks the scope that the request needs. Use one that has it.
const CodeMissingScope fault.Code = "Token.MissingScope"

func MissingScope(scope string) error {
	return fault.Forbidden.New(CodeMissingScope, "", "This token lacks the scope "+scope+". Use one that has it.")
}

// CodeReadOnly: a viewer may not change anything. Ask an admin for the role member.
const CodeReadOnly fault.Code = "Account.ReadOnly"

func ReadOnly() error {
	return fault.Forbidden.New(CodeReadOnly, "",
		"Viewers cannot make changes. Ask an admin of your company for the member role.")
}

// CodeNotForGuests: a guest asked for what belongs to the whole company. Ask an admin for the role member.
const CodeNotForGuests fault.Code = "Account.NotForGuests"

func NotForGuests() error {
	return fault.Forbidden.New(CodeNotForGuests, "",
		"Guests only work on the boards that name them. Ask an admin of your company for the member role.")
}

// CodeAlreadyMember: the account is a member of the company already. Nothing needs to be done.
const CodeAlreadyMember fault.Code = "Member.AlreadyExists"

func AlreadyMember() error {
	return fault.Conflict.New(CodeAlreadyMember, "", "You are already a member of this company.")
}

// CodeSignedOut: the session has ended. Sign in again.
const CodeSignedOut fault.Code = "Session.Ended"

func SignedOut() error {
	return fault.Forbidden.New(CodeSignedOut, "", "You are signed out. Sign in again.")
}

// CodeTooManyTokens: too many unknown API tokens came from this address. Wait as long as Retry-After says, and send a
// valid token.
const CodeTooManyTokens fault.Code = "Token.TooManyUnknown"

// TooManyTokens reports a token that is not looked up, because too many others from its address were unknown.
type TooManyTokens struct{ Wait time.Duration }

func (e TooManyTokens) Error() string {
	return "Too many unknown API tokens came from this address. Wait " + waitText(e.Wait) + ", then send a valid one."
}
func (e TooManyTokens) Unwrap() error { return fault.RateLimited.New(CodeTooManyTokens, "", e.Error()) }

// RetryAfter is how long to wait.
func (e TooManyTokens) RetryAfter() time.Duration { return e.Wait }

// CodeTooManyCalls: the token made more calls of the API than it may in a minute. Wait as long as Retry-After says.
const CodeTooManyCalls fault.Code = "Token.TooManyCalls"

// TooManyCalls reports a call beyond the limit of its token.
type TooManyCalls struct{ Wait time.Duration }

func (e TooManyCalls) Error() string {
	return "This token made too many calls. Wait " + waitText(e.Wait) + ", then try again."
}
func (e TooManyCalls) Unwrap() error { return fault.RateLimited.New(CodeTooManyCalls, "", e.Error()) }

// RetryAfter is how long to wait.
func (e TooManyCalls) RetryAfter() time.Duration { return e.Wait }

// CodeTooManyAttempts: too many sign-ins failed. Wait as long as Retry-After says.
const CodeTooManyAttempts fault.Code = "SignIn.TooManyAttempts"

// TooManyAttempts reports a sign-in before its time: too many others failed.
type TooManyAttempts struct{ Wait time.Duration }

func (e TooManyAttempts) Error() string {
	return "Too many sign-ins failed. Wait " + waitText(e.Wait) + ", then try again."
}
func (e TooManyAttempts) Unwrap() error {
	return fault.RateLimited.New(CodeTooManyAttempts, "", e.Error())
}

// RetryAfter is how long to wait.
func (e TooManyAttempts) RetryAfter() time.Duration { return e.Wait }

// waitText is a time to wait, rounded up.
func waitText(d time.Duration) string {
	seconds := int((d + time.Second - 1) / time.Second)
	switch minutes := (seconds + 59) / 60; {
	case seconds <= 1:
		return "a second"
	case seconds < 60:
		return fmt.Sprintf("%d seconds", seconds)
	case minutes == 1:
		return "a minute"
	default:
		return fmt.Sprintf("%d minutes", minutes)
	}
}

// CodeWrongCurrentPassword: the current password is wrong. Type the one that is in use.
const CodeWrongCurrentPassword fault.Code = "Password.WrongCurrent"

func WrongCurrentPassword() error {
	return fault.Invalid.New(CodeWrongCurrentPassword, "current",
		"Wrong password. Enter your current password.")
}

// CodeLinkGone: an invitation or password link is unknown, expired, revoked or used. Ask for a new one.
const CodeLinkGone fault.Code = "Link.NotFound"

func LinkGone() error {
	return fault.NotFound.New(CodeLinkGone, "",
		"This link is invalid: it was used, revoked, or has expired. Ask the person who sent it for a new one.")
}

// CodeMemberNotFound: the company has no such member. See the list of members.
const CodeMemberNotFound fault.Code = "Member.NotFound"

func MemberNotFound() error {
	return fault.NotFound.New(CodeMemberNotFound, "",
		"This person is not a member of this company. They may have left: see the list of members.")
}

// CodeTokenNotFound: there is no such token. See the list of tokens.
const CodeTokenNotFound fault.Code = "Token.NotFound"

func TokenNotFound() error {
	return fault.NotFound.New(CodeTokenNotFound, "",
		"This token does not exist. It may have been revoked: see the list of tokens.")
}

// CodeNotManager: only owners and admins of the company may do this. Ask one of them.
const CodeNotManager fault.Code = "Member.NotManager"

func NotManager() error {
	return fault.Forbidden.New(CodeNotManager, "",
		"Only owners and admins of the company can do this. Ask one of them.")
}

// CodeNotOperator: only operators of the server may do this. Ask one of them.
const CodeNotOperator fault.Code = "Operator.Required"

func NotOperator() error {
	return fault.Forbidden.New(CodeNotOperator, "", "Only an operator of this server can do this. Ask one of them.")
}

// CodeRankTooLow: the caller may neither give nor take this role. Ask an owner.
const CodeRankTooLow fault.Code = "Member.RoleTooLow"

func RankTooLow(role string) error {
	return fault.Forbidden.New(CodeRankTooLow, "", rankTooLowMessage(role))
}

func rankTooLowMessage(role string) string {
	if role == Owner {
		return "Only an owner can make someone an owner, or change an owner’s role. Ask one."
	}
	return NotManager().Error()
}

// CodeTooManyInvitations: the company has as many invitations as it may have. Revoke one first.
const CodeTooManyInvitations fault.Code = "Invitation.TooMany"

func TooManyInvitations() error {
	return fault.Conflict.New(CodeTooManyInvitations, "",
		fmt.Sprintf("There are %d active invites, the most allowed. Revoke one that is not needed, then create another.",
			MaxInvitations))
}

// CodeBadRole: there is no such role. Choose owner, admin, member, viewer or guest.
const CodeBadRole fault.Code = "Member.BadRole"

func BadRole() error {
	return fault.Invalid.New(CodeBadRole, "role", "Choose one of the roles: owner, admin, member, viewer or guest.")
}

// CodeLastOwner: the company would be left without an owner. Make someone else an owner first.
const CodeLastOwner fault.Code = "Member.LastOwner"

func LastOwner() error {
	return fault.Conflict.New(CodeLastOwner, "role",
		"The company needs an owner, and there is no other. Make someone else an owner first.")
}

// CodeLastOperator: the server would be left without an operator. Make someone else an operator first.
const CodeLastOperator fault.Code = "Operator.Last"

func LastOperator() error {
	return fault.Conflict.New(CodeLastOperator, "operator",
		"The server needs an operator, and there is no other. Make someone else one first.")
}

// CodeBadNote: the note of an invitation is too long or not text. Shorten or retype it.
const CodeBadNote fault.Code = "Invitation.BadNote"

func BadNote(length int) error {
	return fault.Invalid.New(CodeBadNote, "note", badNoteMessage(length))
}

func badNoteMessage(length int) string {
	if length > MaxNote {
		return fmt.Sprintf("The note has %d characters; shorten it to %d.", length, MaxNote)
	}
	return "The note has invalid characters. Type it again (UTF-8)."
}

// CodeBadDays: the lifetime of a token or link is not one that is offered. Choose one from the list.
const CodeBadDays fault.Code = "Token.BadLifetime"

func BadDays() error {
	return fault.Invalid.New(CodeBadDays, "days", "Choose a duration from the list.")
}

// CodeNoScopes: a token was to be made without scopes. Choose at least one.
const CodeNoScopes fault.Code = "Token.NoScopes"

func NoScopes() error {
	return fault.Invalid.New(CodeNoScopes, "scopes", "Choose at least one scope.")
}

// CodeBadScope: the scope does not exist, or the account does not hold it: viewers hold none for writing, and only
// operators hold refs:pop and operate. Choose scopes from the list.
const CodeBadScope fault.Code = "Token.BadScope"

func BadScope(scope string) error {
	return fault.Invalid.New(CodeBadScope, "scopes", badScopeMessage(scope))
}

func badScopeMessage(scope string) string {
	if OperatorOnly(scope) {
		return "Only an operator of this server can create a token with the scope " + scope + "."
	}
	if slices.Contains(Scopes, scope) {
		return "A viewer cannot create a token with the scope " + scope + "."
	}
	return "There is no such scope. Choose from " + strings.Join(Scopes, ", ") + "."
}

// CodeOwnPassword: a password link was asked for one's own account. Change the password on the account's page.
const CodeOwnPassword fault.Code = "Password.Own"

func OwnPassword() error {
	return fault.Forbidden.New(CodeOwnPassword, "", "Change your own password on your account page.")
}

// CodeDeactivated: the account is deactivated, so it can do nothing. An operator reactivates it at /admin/people.
const CodeDeactivated fault.Code = "Account.Deactivated"

// Deactivated names the account, or is about the caller's if name is "".
func Deactivated(name string) error {
	if name == "" {
		return fault.Forbidden.New(CodeDeactivated, "", "This account is deactivated. Ask an operator of the server to reactivate it.")
	}
	return fault.Conflict.New(CodeDeactivated, "", name+" is deactivated. Reactivate the account first.")
}

// CodeOwnAccount: an operator cannot deactivate their own account. Ask another operator.
const CodeOwnAccount fault.Code = "Account.Own"

func OwnAccount() error {
	return fault.Conflict.New(CodeOwnAccount, "", "You cannot deactivate your own account. Ask another operator.")
}

// CodeOnlyOwner: the account is the only active owner of a company. Make another member an owner first.
const CodeOnlyOwner fault.Code = "Account.OnlyOwner"

func OnlyOwner(name, company string) error {
	return fault.Conflict.New(CodeOnlyOwner, "",
		name+" is the only owner of "+company+". Make another member of it an owner first.")
}

// CodeBadSuccessor: the account that is to take over does not exist or is not active. Name another, or none.
const CodeBadSuccessor fault.Code = "Account.BadSuccessor"

func BadSuccessor(why string) error { return fault.Invalid.New(CodeBadSuccessor, "successor", why) }

// CodeBadHandle: the handle has other characters than letters a to z, digits and hyphens, or too many. Use others.
const CodeBadHandle fault.Code = "Handle.Bad"

func BadHandle() error {
	return fault.Invalid.New(CodeBadHandle, "handle", fmt.Sprintf(
		"A handle has up to %d letters a to z and digits, with hyphens between them.", maxHandle))
}

// CodeHandleConflict: another member of the company has this handle. Choose another.
const CodeHandleConflict fault.Code = "Handle.Conflict"

func HandleConflict(handle string) error {
	return fault.Conflict.New(CodeHandleConflict, "handle", "Another member is @"+handle+". Choose another handle.")
}

// CodeResetNoCompany: the account is in no company, so a new password would open nothing. Invite it to a company first.
const CodeResetNoCompany fault.Code = "Reset.NoCompany"

func ResetNoCompany() error {
	return fault.Conflict.New(CodeResetNoCompany, "",
		"This account is in no company, so a new password would open nothing. Invite it to a company first.")
}

// CodeResetForOperator: the account is an operator's. Only another operator who manages the company can make
// this link.
const CodeResetForOperator fault.Code = "Password.OfOperator"

func ResetForOperator(name string) error {
	return fault.Forbidden.New(CodeResetForOperator, "",
		name+" is an operator of this server, so only another operator who manages this company can create this link.")
}

// CodeResetElsewhere: the account is in other companies that the caller does not manage, or has a higher role.
// Ask an owner or an operator.
const CodeResetElsewhere fault.Code = "Password.NotManaged"

func ResetElsewhere(name string, here bool) error {
	return fault.Forbidden.New(CodeResetElsewhere, "", resetElsewhereMessage(name, here))
}

func resetElsewhereMessage(name string, here bool) string {
	if here {
		return "Only an owner can create this link for " + name + ". Ask one."
	}
	return name + " also belongs to a company where you cannot do this. An owner of all their companies can, " +
		"or an administrator of the server: counterfoil reset-password."
}

// CodeAddressUnknown: no member of any company has this email address. Check it for mistakes.
const CodeAddressUnknown fault.Code = "Account.UnknownEmail"

func AddressUnknown() error {
	return fault.NotFound.New(CodeAddressUnknown, "",
		"No member of a company has this email. Check it for mistakes.")
}

// CodeUnknownCompany: an operator named a company that does not exist. Give its slug, such as acme.
const CodeUnknownCompany fault.Code = "Company.Unknown"

func UnknownCompany(slug string) error {
	return fault.NotFound.New(CodeUnknownCompany, "",
		"There is no company “"+slug+"”. Give its short name, as in its URLs: acme.")
}

// CodeGroupNotFound: the company has no such group. It may have been deleted; reload the page.
const CodeGroupNotFound fault.Code = "Group.NotFound"

func GroupNotFound() error {
	return fault.NotFound.New(CodeGroupNotFound, "", "This group does not exist any more.")
}

// CodeBadGroupName: the name of a group is empty, too long or not text. Shorten or retype it.
const CodeBadGroupName fault.Code = "Group.BadName"

func BadGroupName(length int) error {
	message := "The name has invalid or invisible characters. Type it again instead of pasting it."
	switch {
	case length == 0:
		message = "Enter a name for the group."
	case length > MaxGroupName:
		message = fmt.Sprintf("The name has %d characters; shorten it to %d.", length, MaxGroupName)
	}
	return fault.Invalid.New(CodeBadGroupName, "name", message)
}

// CodeGroupNameTaken: another group of the company has this name. Choose another.
const CodeGroupNameTaken fault.Code = "Group.NameTaken"

func GroupNameTaken(name string) error {
	return fault.Conflict.New(CodeGroupNameTaken, "name", "There is a group “"+name+"” already. Choose another name.")
}

// CodeTooManyGroups: the company has as many groups as it can. Delete one first.
const CodeTooManyGroups fault.Code = "Group.TooMany"

func TooManyGroups() error {
	return fault.Conflict.New(CodeTooManyGroups, "",
		fmt.Sprintf("A company has at most %d groups. Delete one first.", MaxGroups))
}

// CodeTooManyGroupMembers: the group has as many members as it can. Make another group.
const CodeTooManyGroupMembers fault.Code = "Group.Full"

func TooManyGroupMembers() error {
	return fault.Conflict.New(CodeTooManyGroupMembers, "",
		fmt.Sprintf("A group has at most %d members. Make another group.", MaxGroupMembers))
}
