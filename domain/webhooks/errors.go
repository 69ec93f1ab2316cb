package webhooks

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeNotFound: there is no such webhook. See the list of webhooks.
const CodeNotFound fault.Code = "Webhook.NotFound"

func NotFound() error {
	return fault.NotFound.New(CodeNotFound, "",
		"This webhook does not exist. It may have been deleted: see the list of webhooks.")
}

// CodeAttemptNotFound: the delivery is not kept any more. The newest thousand are, for 30 days.
const CodeAttemptNotFound fault.Code = "Delivery.NotFound"

func AttemptNotFound() error {
	return fault.NotFound.New(CodeAttemptNotFound, "",
		"This delivery is gone: only the newest thousand are kept, for 30 days.")
}

// CodeBadURL: nothing can be sent to the webhook's address. Correct what the message names.
const CodeBadURL fault.Code = "Webhook.BadURL"

func BadURL(why string) error {
	return fault.Invalid.New(CodeBadURL, "url", why)
}

// CodeNotHTTPS: the webhook's address begins with http:// and is on the public internet. Begin it with https://, or
// have an operator allow a host of your own in COUNTERFOIL_WEBHOOK_ALLOW.
const CodeNotHTTPS fault.Code = "Webhook.NotHTTPS"

func NotHTTPS(why string) error {
	return fault.Invalid.New(CodeNotHTTPS, "url", why)
}

// CodeBadNote: the note of a webhook is too long or not text. Shorten or retype it.
const CodeBadNote fault.Code = "Webhook.BadNote"

func BadNote(length int) error {
	return fault.Invalid.New(CodeBadNote, "note", badNoteMessage(length))
}

func badNoteMessage(length int) string {
	if length > MaxNote {
		return fmt.Sprintf("The note has %d characters; shorten it to %d.", length, MaxNote)
	}
	return "The note has invalid characters. Type it again (UTF-8)."
}

// CodeBadFilter: the filter of a webhook has characters that are not text. Retype it.
const CodeBadFilter fault.Code = "Webhook.BadFilter"

func BadFilter() error {
	return fault.Invalid.New(CodeBadFilter, "q", "The filter has invalid characters. Type it again (UTF-8).")
}

// CodeNoFeeds: nothing would be sent to the webhook. Choose at least one feed.
const CodeNoFeeds fault.Code = "Webhook.NoFeeds"

func NoFeeds() error {
	return fault.Invalid.New(CodeNoFeeds, "feeds", "Choose at least one feed.")
}

// CodeBadFeed: there is no feed of this name. Choose from the list.
const CodeBadFeed fault.Code = "Webhook.BadFeed"

func BadFeed(feed string) error {
	return fault.Invalid.New(CodeBadFeed, "feeds", fmt.Sprintf("There is no feed %.80q. Choose from the list.", feed))
}

// CodeTooMany: the company has as many webhooks as it may have. Delete one first.
const CodeTooMany fault.Code = "Webhook.TooMany"

func TooMany() error {
	return fault.Conflict.New(CodeTooMany, "",
		fmt.Sprintf("There are %d webhooks, the most allowed. Delete one that is not needed, then add another.", Max))
}

// CodeStale: the webhook was changed since the version that was sent. Look at it, then repeat the edit.
const CodeStale fault.Code = "Webhook.Stale"

func Stale() error {
	return fault.Conflict.New(CodeStale, "",
		"The webhook was changed since you opened this form. Reload it, and make your change again.")
}

// CodeNothingToSend: the delivery cannot be sent again. The message says why.
const CodeNothingToSend fault.Code = "Delivery.NotRepeatable"

func NothingToSend(why string) error {
	return fault.Conflict.New(CodeNothingToSend, "", why)
}

// CodeBusy: too many messages are being sent by hand. Try again in a few seconds.
const CodeBusy fault.Code = "Webhook.Busy"

func Busy() error {
	return fault.RateLimited.New(CodeBusy, "",
		"Too many messages are being sent by hand. Wait a few seconds, then try again.")
}

// CodeNoSecret: the webhook's secret was lost with the key that it was encrypted with. Make a new secret, give it to the
// receiver, then turn the webhook on.
const CodeNoSecret fault.Code = "Webhook.NoSecret"

func NoSecret() error {
	return fault.Conflict.New(CodeNoSecret, "",
		"This webhook has no secret any more: the key that it was encrypted with is lost. Make a new secret, give it to the receiver, then turn the webhook on.")
}
