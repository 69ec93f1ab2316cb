package views

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// sends says in a few words what a webhook is sent.
func sends(w webhooks.Webhook) string {
	text := strings.Join(w.Feeds, ", ")
	if w.BoardSlug != "" {
		text += " of " + w.BoardSlug
	}
	return text
}

// about says what a delivery was about: what people know the row by, or else its number.
func about(a webhooks.Attempt) string {
	switch {
	case a.Subject != "":
		return a.Subject
	case a.Row != 0:
		return fmt.Sprintf("#%d", a.Row)
	}
	return ""
}

// kindWords say how a delivery came to be, where that was not by itself.
var kindWords = map[string]string{webhooks.Resent: "sent again", webhooks.Test: "test"}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

// answered is a status in words.
func answered(status int) string {
	return strings.TrimSpace(fmt.Sprint(status, " ", http.StatusText(status)))
}
