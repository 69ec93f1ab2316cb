package console

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// AllConsumers returns a page of the consumers of all companies, for an operator, as Consumers does.
func (c *Console) AllConsumers(ctx context.Context, after id.Consumer) ([]feeds.Consumer, bool, error) {
	return askPage(ctx, func(actor) ([]feeds.Consumer, bool, error) {
		list, err := c.feeds.Consumers(ctx, 0, after, workflows.ConsumersPerPage+1)
		list, more := workflows.Page(list)
		return list, more, err
	})
}

// AnyConsumer returns a consumer of whatever company, for an operator, or feeds.ConsumerNotFound.
func (c *Console) AnyConsumer(ctx context.Context, consumer id.Consumer) (feeds.Consumer, error) {
	return ask(ctx, func(actor) (feeds.Consumer, error) { return c.feeds.ConsumerByID(ctx, consumer) })
}

// SeekAnyConsumer is SeekConsumer for an operator. The company's audit list has it.
func (c *Console) SeekAnyConsumer(ctx context.Context, consumer id.Consumer, to string) (feeds.Consumer, error) {
	found, err := c.AnyConsumer(ctx, consumer)
	if err != nil {
		return feeds.Consumer{}, err
	}
	cursor, err := c.feeds.Find(ctx, found.Feed, to)
	if err != nil {
		return feeds.Consumer{}, err
	}
	err = c.onAnyConsumer(ctx, found, accounts.AuditConsumerMoved, func(tx *db.Tx) error { return feeds.Seek(ctx, tx.Queries, consumer, cursor) })
	if err != nil {
		return feeds.Consumer{}, err
	}
	return c.feeds.ConsumerByID(ctx, consumer)
}

// PauseAnyConsumer is PauseConsumer for an operator. The company's audit list has it.
func (c *Console) PauseAnyConsumer(ctx context.Context, consumer id.Consumer, paused bool) (feeds.Consumer, error) {
	found, err := c.AnyConsumer(ctx, consumer)
	if err != nil || found.Paused == paused {
		return found, err
	}
	kind := accounts.AuditConsumerResumed
	if paused {
		kind = accounts.AuditConsumerPaused
	}
	err = c.onAnyConsumer(ctx, found, kind, func(tx *db.Tx) error { return feeds.Pause(ctx, tx.Queries, consumer, paused) })
	if err != nil {
		return feeds.Consumer{}, err
	}
	return c.feeds.ConsumerByID(ctx, consumer)
}

// DeleteAnyConsumer is DeleteConsumer for an operator. The company's audit list has it.
func (c *Console) DeleteAnyConsumer(ctx context.Context, consumer id.Consumer) error {
	found, err := c.AnyConsumer(ctx, consumer)
	if err != nil {
		return err
	}
	return c.onAnyConsumer(ctx, found, accounts.AuditConsumerDeleted, func(tx *db.Tx) error { return feeds.Drop(ctx, tx.Queries, consumer) })
}

// onAnyConsumer changes a consumer in a transaction, and writes that down where its company sees it. Whoever
// runs the program has no account to name there.
func (c *Console) onAnyConsumer(ctx context.Context, found feeds.Consumer, kind string, fn func(tx *db.Tx) error) error {
	actor := accounts.ActorFrom(ctx)
	return c.db.InTx(ctx, func(tx *db.Tx) error {
		if err := workflows.StillOperator(ctx, tx, actor); err != nil {
			return err
		}
		if err := fn(tx); err != nil || actor.Account.ID == 0 {
			return err
		}
		return accounts.Record(ctx, tx, found.Company, actor.Account.ID, kind, accounts.AuditDetail{Name: found.Name, Feed: found.Feed})
	})
}
