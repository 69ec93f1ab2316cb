package admin

import (
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/views"
)

// WebhooksProps is a page of the webhooks of all companies.
type WebhooksProps struct {
	Page     views.Page
	Webhooks []webhooks.Webhook
	Lags     []feeds.Lag // in their order
	More     bool
	After    id.Webhook // the list begins after it
}

// most is the largest lag on the page.
func (p WebhooksProps) most() uint64 {
	most := uint64(0)
	for _, lag := range p.Lags {
		most = max(most, lag.LagRows)
	}
	return most
}

// AnyWebhookProps is a webhook, as operators see it. Managed is the page on which the user may change it, "" if they
// may not.
type AnyWebhookProps struct {
	Page        views.Page
	Webhook     webhooks.Webhook
	Lag         feeds.Lag
	Deliveries  []webhooks.Attempt
	More, Older bool
	Managed     string
}

// troubleText is why a webhook is stopped, or since when it fails.
func troubleText(w webhooks.Webhook) string {
	switch w.Condition() {
	case "failing":
		return views.Counted(int64(w.Failures), "attempt", "attempts") + " failed since " + dated(*w.Failing) + " UTC."
	case "stopped":
		return w.ReasonWithHosts()
	}
	return ""
}
