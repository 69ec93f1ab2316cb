package pages

import (
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/views"
)

// WebhookForm is the input of the form of a webhook. Board is a slug, "" for all.
type WebhookForm struct {
	URL, Note, Board string
	Filter           string // a text of domain/query
	Feeds            []string
	Version          uint64
	Errors           views.Errors
}

// WebhooksProps are a company's webhooks, with the form for another.
type WebhooksProps struct {
	Page     views.Page
	Webhooks []webhooks.Webhook
	Feeds    []string // all feeds
	Boards   []boards.Board
	Form     WebhookForm
}

// WebhookProps is a webhook's page. Secret is a new one, shown only once.
type WebhookProps struct {
	Page       views.Page
	Webhook    webhooks.Webhook
	Feeds      []string
	Boards     []boards.Board
	Private    []webhooks.Board // that were added to it
	Form       WebhookForm
	Deliveries []webhooks.Attempt
	More       bool // there are older ones
	Older      bool // these are not the newest
	Secret     string
	Opened     bool // the webhook is new, too
}

// WebhookRemovalProps is the question whether to delete a webhook.
type WebhookRemovalProps struct {
	Page    views.Page
	Webhook webhooks.Webhook
}

// DeliveryProps is a delivery of a webhook.
type DeliveryProps struct {
	Page    views.Page
	Webhook webhooks.Webhook
	Attempt webhooks.Attempt
}

// feedWord is a feed at the beginning of a label.
func feedWord(feed string) string { return strings.ToUpper(feed[:1]) + feed[1:] }

// responseText is the beginning of a response, as text.
func responseText(response []byte) string { return strings.ToValidUTF8(string(response), "\uFFFD") }

// chosen reports whether a feed is among those of a form.
func (f WebhookForm) chosen(feed string) bool { return slices.Contains(f.Feeds, feed) }
