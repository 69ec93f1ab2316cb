package accounts

import (
	"fmt"

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

// BadName reports a name that is empty, too long or no text.
type BadName struct {
	In     string
	Length int
}

func (e BadName) Error() string {
	what := "your name"
	if e.In == "company" {
		what = "your company's name"
	}
	switch {
	case e.Length == 0:
		return "Write " + what + "."
	case e.Length > MaxName:
		return fmt.Sprintf("The name has %d characters; shorten it to %d.", e.Length, MaxName)
	}
	return "The name has characters that are no text, or invisible ones that turn its direction. Type it anew instead of pasting it."
}
func (BadName) Unwrap() error   { return fault.Invalid }
func (e BadName) Field() string { return e.In }

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
