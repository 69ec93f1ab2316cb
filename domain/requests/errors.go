package requests

import (
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// NotFound reports a code or a private link that leads to nothing, whatever the reason: it is unknown, was
// revoked, or its ticket was deleted.
type NotFound struct{}

func (NotFound) Error() string {
	return "There is nothing here. Check each character of the code or link: capital and small letters are different ones."
}
func (NotFound) Unwrap() error { return fault.NotFound }

// NoForm reports a public form that is not there, whatever the reason.
type NoForm struct{}

func (NoForm) Error() string {
	return "There is no form here. Check the address, or ask whoever gave it to you."
}
func (NoForm) Unwrap() error { return fault.NotFound }

// BadIntro reports a text above a form that is too long or no text.
type BadIntro struct{ Length int }

func (e BadIntro) Error() string {
	if e.Length > MaxIntro {
		return fmt.Sprintf("The text has %d characters; shorten it to %d.", e.Length, MaxIntro)
	}
	return "The text has characters that are no text. Paste it anew, as UTF-8."
}
func (BadIntro) Unwrap() error { return fault.Invalid }
func (BadIntro) Field() string { return "intro" }

// StaleForm reports settings of a form that are based on older ones.
type StaleForm struct{ Current Form }

func (StaleForm) Error() string {
	return "Someone else changed this form in the meantime. What you typed is still here: look at what is there now, then save again if you still want to."
}
func (StaleForm) Unwrap() error { return fault.Conflict }

// LooksAutomatic reports a form in which a field was filled that people do not see.
type LooksAutomatic struct{}

func (LooksAutomatic) Error() string {
	return "This looks as if a program had filled in the form. If you are a person, send it once more: what you typed is still here."
}
func (LooksAutomatic) Unwrap() error { return fault.Invalid }

// TooMany reports that too much came from an address or a network, or to a board, of late. Look says that nothing
// was to be sent: codes or links were tried.
type TooMany struct {
	Wait time.Duration
	Look bool
}

func (e TooMany) Error() string {
	if e.Look {
		return "Too many codes or links were tried from where you are, or everywhere, that lead to nothing. Try again " + inWords(e.Wait) + ". A private link that is right opens at any time."
	}
	return "Too much came from where you are, or came here at all, within a short time. Nothing was sent. Try again " + inWords(e.Wait) + "."
}
func (TooMany) Unwrap() error               { return fault.RateLimited }
func (e TooMany) RetryAfter() time.Duration { return e.Wait }

func inWords(wait time.Duration) string {
	minutes := int((wait + time.Minute - 1) / time.Minute)
	switch {
	case wait < time.Minute:
		return "in a minute"
	case minutes == 1:
		return "in a minute or two"
	default:
		return fmt.Sprintf("in %d minutes", minutes)
	}
}

// NotNow reports that a board takes no requests at the moment.
type NotNow struct{}

func (NotNow) Error() string {
	return "Requests cannot be taken right now. Nothing was lost: what you typed is still here. Try again in a few minutes."
}
func (NotNow) Unwrap() error             { return fault.Unavailable }
func (NotNow) RetryAfter() time.Duration { return 5 * time.Minute }

// Closed reports a reply to what takes none any more.
type Closed struct{}

func (Closed) Error() string {
	return "Nothing can be added here any more. Send a new request if you need something."
}
func (Closed) Unwrap() error { return fault.Conflict }
func (Closed) Field() string { return "body" }

// NoRequester reports a reply to the requester of a ticket that has none.
type NoRequester struct{}

func (NoRequester) Error() string {
	return "This ticket did not come by a form, so there is no requester to reply to. Comment internally instead."
}
func (NoRequester) Unwrap() error { return fault.Invalid }
func (NoRequester) Field() string { return "public" }
