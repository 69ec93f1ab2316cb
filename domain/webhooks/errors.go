package webhooks

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// NotFound reports a webhook that is not there, or another company's.
type NotFound struct{}

func (NotFound) Error() string {
	return "There is no such webhook. It may have been deleted; look at the list of webhooks."
}
func (NotFound) Unwrap() error { return fault.NotFound }

// AttemptNotFound reports a delivery that is not there, or not any more.
type AttemptNotFound struct{}

func (AttemptNotFound) Error() string {
	return "There is no such delivery any more: the newest thousand are kept, for 30 days."
}
func (AttemptNotFound) Unwrap() error { return fault.NotFound }

// BadURL reports an address that nothing can be sent to.
type BadURL struct{ Why string }

func (e BadURL) Error() string { return e.Why }
func (BadURL) Unwrap() error   { return fault.Invalid }

// Field is the form's field.
func (BadURL) Field() string { return "url" }

// BadNote reports a note that is too long or no text.
type BadNote struct{ Length int }

func (e BadNote) Error() string {
	if e.Length > MaxNote {
		return fmt.Sprintf("The note has %d characters; shorten it to %d.", e.Length, MaxNote)
	}
	return "The note has characters that are no text. Type it anew, as UTF-8."
}
func (BadNote) Unwrap() error { return fault.Invalid }

// Field is the form's field.
func (BadNote) Field() string { return "note" }

// NoFeeds reports a webhook that nothing would be sent to.
type NoFeeds struct{}

func (NoFeeds) Error() string { return "Choose what is sent." }
func (NoFeeds) Unwrap() error { return fault.Invalid }

// Field is the form's field.
func (NoFeeds) Field() string { return "feeds" }

// BadFeed reports a feed that there is not.
type BadFeed struct{ Feed string }

func (e BadFeed) Error() string {
	return fmt.Sprintf("There is no feed %.80q. Choose from the list.", e.Feed)
}
func (BadFeed) Unwrap() error { return fault.Invalid }

// Field is the form's field.
func (BadFeed) Field() string { return "feeds" }

// TooMany reports that a company has as many webhooks as it may have.
type TooMany struct{}

func (TooMany) Error() string {
	return fmt.Sprintf("There are %d webhooks, and no more are possible. Delete one that nobody needs, then add another.", Max)
}
func (TooMany) Unwrap() error { return fault.Conflict }

// Stale reports an edit of a webhook that others changed since.
type Stale struct{}

func (Stale) Error() string {
	return "The webhook was changed since you opened this form. Look at what it is now, and make your change again."
}
func (Stale) Unwrap() error { return fault.Conflict }

// NothingToSend reports a delivery that cannot be sent again.
type NothingToSend struct{ Why string }

func (e NothingToSend) Error() string { return e.Why }
func (NothingToSend) Unwrap() error   { return fault.Conflict }

// Busy reports that too many messages are sent by hand at once.
type Busy struct{}

func (Busy) Error() string {
	return "Too many messages are being sent by hand at this moment. Wait a few seconds, then try again."
}
func (Busy) Unwrap() error { return fault.RateLimited }
