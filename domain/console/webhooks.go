package console

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Webhooks returns a page of the webhooks of all companies: by id, from above after.
func (c *Console) Webhooks(ctx context.Context, after id.Webhook) ([]webhooks.Webhook, bool, error) {
	return askPage(ctx, func(actor) ([]webhooks.Webhook, bool, error) {
		return workflows.Page(webhooks.After(ctx, c.db.Queries, after, workflows.RowsPerPage+1))
	})
}

// Webhook returns a webhook of any company, or webhooks.NotFound.
func (c *Console) Webhook(ctx context.Context, webhook id.Webhook) (webhooks.Webhook, error) {
	return ask(ctx, func(actor) (webhooks.Webhook, error) {
		if webhook == 0 {
			return webhooks.Webhook{}, webhooks.NotFound()
		}
		list, err := webhooks.After(ctx, c.db.Queries, webhook-1, 1)
		if err != nil {
			return webhooks.Webhook{}, err
		}
		if len(list) == 0 || list[0].ID != webhook {
			return webhooks.Webhook{}, webhooks.NotFound()
		}
		return list[0], nil
	})
}

// Deliveries returns a page of the attempts of a webhook, the newest first, from below before.
func (c *Console) Deliveries(
	ctx context.Context, webhook id.Webhook, before id.Delivery,
) ([]webhooks.Attempt, bool, error) {
	if _, err := c.Webhook(ctx, webhook); err != nil {
		return nil, false, err
	}
	reader := accounts.ActorFrom(ctx).Account.ID
	return webhooks.Attempts(ctx, c.db.Queries, reader, webhook, before, workflows.DeliveriesPerPage)
}

// WebhookLags returns how far behind each of some webhooks is: its rows over all its feeds, and the age of the oldest
// batch that it has not read.
func (c *Console) WebhookLags(ctx context.Context, list []webhooks.Webhook) ([]feeds.Lag, error) {
	return ask(ctx, func(actor) ([]feeds.Lag, error) { return c.webhookLags(ctx, list) })
}

func (c *Console) webhookLags(ctx context.Context, list []webhooks.Webhook) ([]feeds.Lag, error) {
	var cursors []feeds.Cursor
	for _, hook := range list {
		for _, cursor := range hook.Cursors {
			cursors = append(cursors, feeds.Cursor(cursor))
		}
	}
	each, err := c.feeds.Lags(ctx, cursors)
	if err != nil {
		return nil, err
	}
	lags := make([]feeds.Lag, len(list))
	for i, hook := range list {
		lags[i].State = feeds.StateOK
		for range hook.Cursors {
			lag := each[0]
			each = each[1:]
			lags[i].LagRows += lag.LagRows
			lags[i].LagSeconds = max(lags[i].LagSeconds, lag.LagSeconds)
			if lag.State != feeds.StateOK {
				lags[i].State = lag.State
			}
		}
	}
	return lags, nil
}
