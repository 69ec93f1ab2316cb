package console

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Consumers returns a page of the consumers of all companies: by id, from above after.
func (c *Console) Consumers(ctx context.Context, after id.Consumer) ([]feeds.Consumer, bool, error) {
	return askPage(ctx, func(actor) ([]feeds.Consumer, bool, error) {
		return workflows.Page(c.feeds.Consumers(ctx, 0, after, workflows.ConsumersPerPage+1))
	})
}

// Consumer returns a consumer of any company, or feeds.ConsumerNotFound.
func (c *Console) Consumer(ctx context.Context, consumer id.Consumer) (feeds.Consumer, error) {
	return ask(ctx, func(actor) (feeds.Consumer, error) { return c.feeds.ConsumerByID(ctx, consumer) })
}

// SeekConsumer sets the position of a consumer, as feeds.Find says. The company's audit list has it.
func (c *Console) SeekConsumer(ctx context.Context, consumer id.Consumer, to string) (feeds.Consumer, error) {
	found, err := c.Consumer(ctx, consumer)
	if err != nil {
		return feeds.Consumer{}, err
	}
	cursor, err := c.feeds.Find(ctx, found.Feed, to)
	if err != nil {
		return feeds.Consumer{}, err
	}
	err = c.changeConsumer(ctx, found, accounts.AuditConsumerMoved, func(tx *db.Tx) error {
		return feeds.Seek(ctx, tx.Queries, consumer, cursor)
	})
	if err != nil {
		return feeds.Consumer{}, err
	}
	return c.feeds.ConsumerByID(ctx, consumer)
}

// PauseConsumer pauses or resumes a consumer. The company's audit list has it.
func (c *Console) PauseConsumer(ctx context.Context, consumer id.Consumer, paused bool) (feeds.Consumer, error) {
	found, err := c.Consumer(ctx, consumer)
	if err != nil || found.Paused == paused {
		return found, err
	}
	kind := accounts.AuditConsumerResumed
	if paused {
		kind = accounts.AuditConsumerPaused
	}
	err = c.changeConsumer(ctx, found, kind,
		func(tx *db.Tx) error { return feeds.Pause(ctx, tx.Queries, consumer, paused) })
	if err != nil {
		return feeds.Consumer{}, err
	}
	return c.feeds.ConsumerByID(ctx, consumer)
}

// DeleteConsumer forgets a consumer. The company's audit list has it.
func (c *Console) DeleteConsumer(ctx context.Context, consumer id.Consumer) error {
	found, err := c.Consumer(ctx, consumer)
	if err != nil {
		return err
	}
	return c.changeConsumer(ctx, found, accounts.AuditConsumerDeleted, func(tx *db.Tx) error {
		return feeds.Drop(ctx, tx.Queries, consumer)
	})
}

// changeConsumer runs fn in a transaction that records it in the audit lists of the consumer's company and of the
// instance.
func (c *Console) changeConsumer(
	ctx context.Context, found feeds.Consumer, kind string, fn func(tx *db.Tx) error,
) error {
	actor := accounts.ActorFrom(ctx)
	return c.db.InTx(ctx, func(tx *db.Tx) error {
		if err := workflows.StillOperator(ctx, tx, actor); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		detail := accounts.AuditDetail{Name: found.Name, Feed: found.Feed}
		if err := accounts.RecordInstance(ctx, tx, actor.Account.ID, kind, detail); err != nil {
			return err
		}
		return accounts.Record(ctx, tx, found.Company, actor.Account.ID, kind, detail)
	})
}
