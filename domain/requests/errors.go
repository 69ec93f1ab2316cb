package requests

import (
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeNotFound: the code or private link leads to nothing. Check each character.
const CodeNotFound fault.Code = "Request.NotFound"

func NotFound() error {
	return fault.NotFound.New(CodeNotFound, "",
		"There is nothing here. Check each character of the code or link: capital and small letters are different ones.")
}

// CodeNoForm: there is no such public form. Check the address.
const CodeNoForm fault.Code = "Form.NotFound"

func NoForm() error {
	return fault.NotFound.New(CodeNoForm, "",
		"There is no form here. Check the address, or ask whoever gave it to you.")
}

// CodeBadIntro: the text above a form is too long or not text. Shorten or retype it.
const CodeBadIntro fault.Code = "Form.BadIntro"

func BadIntro(length int) error {
	return fault.Invalid.New(CodeBadIntro, "intro", badIntroMessage(length))
}

func badIntroMessage(length int) string {
	if length > MaxIntro {
		return fmt.Sprintf("The text has %d characters; shorten it to %d.", length, MaxIntro)
	}
	return "The text has characters that are no text. Paste it anew, as UTF-8."
}

// CodeStaleForm: the form was changed since the version that was sent. Look at it, then save again if the
// change is still wanted.
const CodeStaleForm fault.Code = "Form.Stale"

// StaleForm reports settings of a form that are based on older ones.
type StaleForm struct{ Current Form }

func (StaleForm) Error() string {
	return "Someone else changed this form in the meantime. What you typed is still here: look at what is there now, then save again if you still want to."
}
func (e StaleForm) Unwrap() error {
	return fault.Conflict.New(CodeStaleForm, "", e.Error())
}

// CodeLooksAutomatic: a field was filled that users do not see. Send the form again.
const CodeLooksAutomatic fault.Code = "Request.LooksAutomatic"

func LooksAutomatic() error {
	return fault.Invalid.New(CodeLooksAutomatic, "",
		"This looks as if a program had filled in the form. If you are a person, send it once more: what you typed is still here.")
}

// CodeTooMany: too many requests or wrong codes came from this address, or everywhere. Try again after
// Retry-After.
const CodeTooMany fault.Code = "Request.TooMany"

// TooMany reports a limit of an address, a network or a board. Lookup says that codes or links were tried, and nothing
// was to be sent.
type TooMany struct {
	Wait   time.Duration
	Lookup bool
}

func (e TooMany) Error() string {
	if e.Lookup {
		return "Too many codes or links were tried from where you are, or everywhere, that lead to nothing. Try again " +
			waitText(e.Wait) + ". A private link that is right opens at any time."
	}
	return "Too much came from where you are, or came here at all, within a short time. Nothing was sent. Try again " +
		waitText(e.Wait) + "."
}
func (e TooMany) Unwrap() error {
	return fault.RateLimited.New(CodeTooMany, "", e.Error())
}

func (e TooMany) RetryAfter() time.Duration { return e.Wait }

func waitText(wait time.Duration) string {
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

// CodeNotNow: the board takes no requests at the moment. Try again after Retry-After.
const CodeNotNow fault.Code = "Request.Unavailable"

// NotNow reports that a board takes no requests at the moment.
type NotNow struct{}

func (NotNow) Error() string {
	return "Requests cannot be taken right now. Nothing was lost: what you typed is still here. Try again in a few minutes."
}
func (e NotNow) Unwrap() error {
	return fault.Unavailable.New(CodeNotNow, "", e.Error())
}

func (NotNow) RetryAfter() time.Duration { return 5 * time.Minute }

// CodeClosed: the request takes no replies any more. Send a new request.
const CodeClosed fault.Code = "Request.Closed"

func Closed() error {
	return fault.Conflict.New(CodeClosed, "body",
		"Nothing can be added here any more. Send a new request if you need something.")
}

// CodeNoRequester: the ticket did not come by a form, so it has no requester. Comment internally instead.
const CodeNoRequester fault.Code = "Ticket.NoRequester"

func NoRequester() error {
	return fault.Invalid.New(CodeNoRequester, "public",
		"This ticket did not come by a form, so there is no requester to reply to. Comment internally instead.")
}
