package admin

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Webhooks lists the webhooks of all companies.
func (h *Handlers) Webhooks(c echo.Context) error {
	var props admin.WebhooksProps
	var err error
	ctx := c.Request().Context()
	if props.After, err = respond.Cursor[id.Webhook](c, "after"); err != nil {
		return err
	}
	if props.Webhooks, props.More, err = h.console.Webhooks(ctx, props.After); err != nil {
		return err
	}
	if props.Lags, err = h.console.WebhookLags(ctx, props.Webhooks); err != nil {
		return err
	}
	props.Page = h.controlRoom(c, "Webhooks")
	if respond.Target(c) == views.WebhookListID {
		return respond.Render(c, http.StatusOK, admin.WebhookList(props))
	}
	return respond.Render(c, http.StatusOK, admin.WebhooksPage(props))
}

func (h *Handlers) Webhook(c echo.Context) error {
	ctx := c.Request().Context()
	webhook, err := respond.PathWebhook(c)
	if err != nil {
		return err
	}
	before, err := respond.Cursor[id.Delivery](c, "before")
	if err != nil {
		return err
	}
	props := admin.AnyWebhookProps{Older: before != 0}
	if props.Webhook, err = h.console.Webhook(ctx, webhook); err != nil {
		return err
	}
	lags, err := h.console.WebhookLags(ctx, []webhooks.Webhook{props.Webhook})
	if err != nil {
		return err
	}
	props.Lag = lags[0]
	if props.Deliveries, props.More, err = h.console.Deliveries(ctx, webhook, before); err != nil {
		return err
	}
	if props.Managed, err = h.managedWebhook(ctx, c, props.Webhook); err != nil {
		return err
	}
	props.Page = h.controlRoom(c, props.Webhook.Host())
	if respond.Target(c) == views.WebhookID {
		return respond.Render(c, http.StatusOK, admin.AnyWebhookFacts(props))
	}
	return respond.Render(c, http.StatusOK, admin.AnyWebhookPage(props))
}

// managedWebhook returns the webhook's page in its company if the user manages that, else "".
func (h *Handlers) managedWebhook(ctx context.Context, c echo.Context, w webhooks.Webhook) (string, error) {
	companies, err := h.workflows.Companies(ctx, respond.User(c).ID)
	if err != nil {
		return "", err
	}
	for _, m := range companies {
		if m.Company.ID == w.Company && (accounts.Actor{Role: m.Role}).Manages() {
			return views.WebhookPath(w.CompanySlug, w.ID), nil
		}
	}
	return "", nil
}
