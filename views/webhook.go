package views

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// WebhookFeeds names the feeds and the board of a webhook.
func WebhookFeeds(w webhooks.Webhook) string {
	text := strings.Join(w.Feeds, ", ")
	if w.BoardSlug != "" {
		text += " of " + w.BoardSlug
	}
	return text
}

// DeliverySubject is the name of a delivery's row, or else its number.
func DeliverySubject(a webhooks.Attempt) string {
	switch {
	case a.Subject != "":
		return a.Subject
	case a.Row != 0:
		return fmt.Sprintf("#%d", a.Row)
	}
	return ""
}

// AttemptKinds explain deliveries that were not automatic.
var AttemptKinds = map[string]string{webhooks.Resent: "resent", webhooks.Test: "test"}

// Milliseconds is a time span in them.
func Milliseconds(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

// StatusText is a status in words.
func StatusText(status int) string {
	return strings.TrimSpace(fmt.Sprint(status, " ", http.StatusText(status)))
}
