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
		"There is no request with this code or link. Check each character: upper and lower case matter.")
}

// CodeNoForm: there is no such public form. Check the address.
const CodeNoForm fault.Code = "Form.NotFound"

func NoForm() error {
	return fault.NotFound.New(CodeNoForm, "",
		"There is no form at this address. Check it, or ask the person who sent it to you.")
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
	return "The text has invalid characters. Paste it again as plain text (UTF-8)."
}

// CodeNoProof: the form asks for a proof of work, which its page does with JavaScript, and none came, or for another text
// or an old page. Turn JavaScript on, and send the form again.
const CodeNoProof fault.Code = "Form.NoProof"

func NoProof() error {
	return fault.Invalid.New(CodeNoProof, "",
		"The short calculation that this form needs was not done. Turn on JavaScript for this page, then send it again.")
}

// CodeStaleForm: the form was changed since the version that was sent. Look at it, then save again if the
// change is still wanted.
const CodeStaleForm fault.Code = "Form.Stale"

// StaleForm reports settings of a form that are based on older ones.
type StaleForm struct{ Current Form }

func (StaleForm) Error() string {
	return "Someone else changed this form in the meantime. What you typed is still here: check the current version, then save again."
}
func (e StaleForm) Unwrap() error {
	return fault.Conflict.New(CodeStaleForm, "", e.Error())
}

// CodeLooksAutomatic: a field was filled that users do not see. Send the form again.
const CodeLooksAutomatic fault.Code = "Request.LooksAutomatic"

func LooksAutomatic() error {
	return fault.Invalid.New(CodeLooksAutomatic, "",
		"This looks like an automatic submission. If you are a person, send it again: what you typed is still here.")
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
		return "Too many wrong codes or links were tried from your network, or in total. Try again " +
			waitText(e.Wait) + ". A correct link always works."
	}
	return "Too many requests were sent from your network, or in total, in a short time. Nothing was sent. Try again " +
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
	return "Requests cannot be accepted right now. What you typed is still here. Try again in a few minutes."
}
func (e NotNow) Unwrap() error {
	return fault.Unavailable.New(CodeNotNow, "", e.Error())
}

func (NotNow) RetryAfter() time.Duration { return 5 * time.Minute }

// CodeClosed: the request takes no replies any more. Send a new request.
const CodeClosed fault.Code = "Request.Closed"

func Closed() error {
	return fault.Conflict.New(CodeClosed, "body",
		"This request is closed for replies. Send a new one if you need something.")
}

// CodeNoRequester: the ticket did not come by a form, so it has no requester. Comment internally instead.
const CodeNoRequester fault.Code = "Ticket.NoRequester"

func NoRequester() error {
	return fault.Invalid.New(CodeNoRequester, "public",
		"This ticket was not sent by the form, so it has no requester to reply to. Comment internally instead.")
}
