package accounts

import (
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// BadCompanySlug reports a company slug of the wrong form, or a reserved word.
type BadCompanySlug struct {
	Slug     string
	Reserved bool
}

func (e BadCompanySlug) Error() string {
	if e.Reserved {
		return "“" + e.Slug + "” is a word that Counterfoil needs for itself. Choose another short name."
	}
	return "A company's short name is 3 to 40 letters a to z, digits or hyphens and begins with a letter, such as acme."
}
func (BadCompanySlug) Unwrap() error { return fault.Invalid }
func (BadCompanySlug) Field() string { return "slug" }

// BadName reports a name of a person ("name"), a company or a token that is empty, too long or no text.
type BadName struct {
	In     string
	Length int
}

func (e BadName) Error() string {
	what := "your name"
	switch e.In {
	case "company":
		what = "your company's name"
	case "token":
		what = "what the token is for, such as “backup script”"
	}
	switch {
	case e.Length == 0:
		return "Write " + what + "."
	case e.Length > MaxName:
		return fmt.Sprintf("The name has %d characters; shorten it to %d.", e.Length, MaxName)
	}
	return "The name has characters that are no text, or invisible ones that turn its direction. Type it anew instead of pasting it."
}
func (BadName) Unwrap() error { return fault.Invalid }
func (e BadName) Field() string {
	if e.In == "token" {
		return "name"
	}
	return e.In
}

// BadEmail reports what is no email address.
type BadEmail struct{}

func (BadEmail) Error() string { return "Write an email address, such as ana@example.com." }
func (BadEmail) Unwrap() error { return fault.Invalid }
func (BadEmail) Field() string { return "email" }

// EmailConflict reports an address that another account has.
type EmailConflict struct{}

func (EmailConflict) Error() string {
	return "There is an account with this address already. Sign in with it, or use another."
}
func (EmailConflict) Unwrap() error { return fault.Conflict }
func (EmailConflict) Field() string { return "email" }

// BadPassword reports a password that is too short or too long.
type BadPassword struct{ Length int }

func (e BadPassword) Error() string {
	if e.Length > MaxPassword {
		return fmt.Sprintf("The password is too long; %d bytes are the most.", MaxPassword)
	}
	return fmt.Sprintf("Choose a password of at least %d characters; a few words in a row are good.", MinPassword)
}
func (BadPassword) Unwrap() error { return fault.Invalid }
func (BadPassword) Field() string { return "password" }

// WrongPassword reports a sign-in with an unknown address or a wrong password; it does not say which.
type WrongPassword struct{}

func (WrongPassword) Error() string {
	return "The address and the password do not go together. Check both and try again."
}
func (WrongPassword) Unwrap() error { return fault.Invalid }
func (WrongPassword) Field() string { return "password" }

// SetupClosed reports a second setup.
type SetupClosed struct{}

func (SetupClosed) Error() string { return "Counterfoil is set up already. Sign in instead." }
func (SetupClosed) Unwrap() error { return fault.Conflict }

// CompanyConflict reports a company slug that is taken.
type CompanyConflict struct{ Slug string }

func (e CompanyConflict) Error() string {
	return "There is a company “" + e.Slug + "” already. Choose another short name."
}
func (CompanyConflict) Unwrap() error { return fault.Conflict }
func (CompanyConflict) Field() string { return "slug" }

// NotMember reports a company that does not exist, or not for the one who asks.
type NotMember struct{}

func (NotMember) Error() string {
	return "There is no such page here. Check the address, or go to your boards."
}
func (NotMember) Unwrap() error { return fault.NotFound }

// BadToken reports a request without a known API token.
type BadToken struct{}

func (BadToken) Error() string {
	return "Send a valid API token in the header “Authorization: Bearer …”."
}
func (BadToken) Unwrap() error { return fault.Forbidden }

// MissingScope reports a token that may not do what was asked.
type MissingScope struct{ Scope string }

func (e MissingScope) Error() string {
	return "This token lacks the scope " + e.Scope + ". Use one that has it."
}
func (MissingScope) Unwrap() error { return fault.Forbidden }

// ReadOnly reports a change by a viewer.
type ReadOnly struct{}

func (ReadOnly) Error() string {
	return "You may look but not change things here. Ask an admin of your company for the role member."
}
func (ReadOnly) Unwrap() error { return fault.Forbidden }

// AlreadyMember reports someone who belongs to the company already.
type AlreadyMember struct{}

func (AlreadyMember) Error() string { return "You belong to this company already." }
func (AlreadyMember) Unwrap() error { return fault.Conflict }

// SignedOut reports a session that has ended.
type SignedOut struct{}

func (SignedOut) Error() string { return "You are signed out. Sign in again." }
func (SignedOut) Unwrap() error { return fault.Forbidden }

// TooManyAttempts reports a sign-in before its time: too many others failed.
type TooManyAttempts struct{ Wait time.Duration }

func (e TooManyAttempts) Error() string {
	return "Too many sign-ins failed. Wait " + inWords(e.Wait) + ", then try again."
}
func (TooManyAttempts) Unwrap() error { return fault.RateLimited }

// RetryAfter is how long to wait.
func (e TooManyAttempts) RetryAfter() time.Duration { return e.Wait }

// inWords is a time to wait, rounded up.
func inWords(d time.Duration) string {
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

// WrongCurrentPassword reports someone who wants a new password and does not know the one they have.
type WrongCurrentPassword struct{}

func (WrongCurrentPassword) Error() string {
	return "This is not your password. Type the one you have now."
}
func (WrongCurrentPassword) Unwrap() error { return fault.Invalid }
func (WrongCurrentPassword) Field() string { return "current" }

// LinkGone reports an invitation or a link for a new password that is unknown, past its end, revoked
// or used up; it does not say which.
type LinkGone struct{}

func (LinkGone) Error() string {
	return "This link does not work, or not any more: it may have been used, withdrawn, or have come to its end. Ask whoever sent it for a new one."
}
func (LinkGone) Unwrap() error { return fault.NotFound }

// PersonNotFound reports someone who is no member of the company.
type PersonNotFound struct{}

func (PersonNotFound) Error() string {
	return "There is no such person in this company. They may have left; look at the list of people."
}
func (PersonNotFound) Unwrap() error { return fault.NotFound }

// TokenNotFound reports a token that is not there, or not for the one who asks.
type TokenNotFound struct{}

func (TokenNotFound) Error() string {
	return "There is no such token. It may be revoked already; look at the list of tokens."
}
func (TokenNotFound) Unwrap() error { return fault.NotFound }

// NotManager reports what only owners and admins may see or do.
type NotManager struct{}

func (NotManager) Error() string {
	return "Only owners and admins of the company can do this. Ask one of them."
}
func (NotManager) Unwrap() error { return fault.Forbidden }

// NotOperator reports what only those who run the instance may see or do.
type NotOperator struct{}

func (NotOperator) Error() string {
	return "Only an operator of this server can do this. Ask one of them."
}
func (NotOperator) Unwrap() error { return fault.Forbidden }

// RankTooLow reports a role that the actor can neither give nor take.
type RankTooLow struct{ Role string }

func (e RankTooLow) Error() string {
	if e.Role == Owner {
		return "Only an owner can give or take the role of an owner. Ask one."
	}
	return NotManager{}.Error()
}
func (RankTooLow) Unwrap() error { return fault.Forbidden }

// TooManyInvitations reports that a company has as many links to join it as its list shows.
type TooManyInvitations struct{}

func (TooManyInvitations) Error() string {
	return fmt.Sprintf("There are %d links that can be used. Revoke one that nobody needs, then make another.", MaxInvitations)
}
func (TooManyInvitations) Unwrap() error { return fault.Conflict }

// BadRole reports a role that there is not.
type BadRole struct{}

func (BadRole) Error() string { return "Choose one of the roles: owner, admin, member or viewer." }
func (BadRole) Unwrap() error { return fault.Invalid }
func (BadRole) Field() string { return "role" }

// LastOwner reports that a company would be without an owner.
type LastOwner struct{}

func (LastOwner) Error() string {
	return "The company needs an owner, and there is no other. Make someone else an owner first."
}
func (LastOwner) Unwrap() error { return fault.Conflict }
func (LastOwner) Field() string { return "role" }

// LastOperator reports that the instance would be without an operator.
type LastOperator struct{}

func (LastOperator) Error() string {
	return "The server needs an operator, and there is no other. Make someone else one first."
}
func (LastOperator) Unwrap() error { return fault.Conflict }
func (LastOperator) Field() string { return "operator" }

// BadNote reports an invitation's note that is too long or no text.
type BadNote struct{ Length int }

func (e BadNote) Error() string {
	if e.Length > MaxNote {
		return fmt.Sprintf("The note has %d characters; shorten it to %d.", e.Length, MaxNote)
	}
	return "The note has characters that are no text. Type it anew, as UTF-8."
}
func (BadNote) Unwrap() error { return fault.Invalid }
func (BadNote) Field() string { return "note" }

// BadDays reports a life that is not offered.
type BadDays struct{}

func (BadDays) Error() string { return "Choose how long from the list." }
func (BadDays) Unwrap() error { return fault.Invalid }
func (BadDays) Field() string { return "days" }

// NoScopes reports a token that could do nothing.
type NoScopes struct{}

func (NoScopes) Error() string { return "Choose what the token may do." }
func (NoScopes) Unwrap() error { return fault.Invalid }
func (NoScopes) Field() string { return "scopes" }

// BadScope reports a scope that there is not, or not for the one who asks.
type BadScope struct{ Scope string }

func (e BadScope) Error() string {
	if OfOperators(e.Scope) {
		return "Only an operator of this server can make a token with the scope " + e.Scope + "."
	}
	return "Choose scopes from the list."
}
func (BadScope) Unwrap() error { return fault.Invalid }
func (BadScope) Field() string { return "scopes" }

// OwnPassword reports someone who wants a link for their own password.
type OwnPassword struct{}

func (OwnPassword) Error() string { return "Change your own password on the page of your account." }
func (OwnPassword) Unwrap() error { return fault.Forbidden }

// ResetForOperator reports a link for the password of an operator that only an operator can make.
type ResetForOperator struct{ Name string }

func (e ResetForOperator) Error() string {
	return e.Name + " is an operator of this server, so only another operator who manages this company can make this link."
}
func (ResetForOperator) Unwrap() error { return fault.Forbidden }

// ResetElsewhere reports a link for a password that would open what the actor does not manage. Here
// says that it is this company.
type ResetElsewhere struct {
	Name string
	Here bool
}

func (e ResetElsewhere) Error() string {
	if e.Here {
		return "Only an owner can make this link for " + e.Name + ". Ask one."
	}
	return e.Name + " belongs to another company, too, in which you could not make this link. Somebody can who is an owner of all their companies, " +
		"or whoever runs the server: counterfoil reset-password."
}
func (ResetElsewhere) Unwrap() error { return fault.Forbidden }

// AddressUnknown reports an email address of nobody who belongs to a company, to who runs the server.
type AddressUnknown struct{}

func (AddressUnknown) Error() string {
	return "Nobody here has this address and belongs to a company. Check it for mistakes."
}
func (AddressUnknown) Unwrap() error { return fault.NotFound }

// UnknownCompany reports a company that is not there, to an operator.
type UnknownCompany struct{ Slug string }

func (e UnknownCompany) Error() string {
	return "There is no company “" + e.Slug + "” here. Give its short name, as in its addresses: acme."
}
func (UnknownCompany) Unwrap() error { return fault.NotFound }
