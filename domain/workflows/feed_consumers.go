package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
)

// ConsumersPerPage is how many consumers one page has.
const ConsumersPerPage = RowsPerPage

// consumerPage returns a page from the position of a consumer. Guests have none: consumers are the company's.
func (w *Workflows) consumerPage(ctx context.Context, scope feeds.Scope, q FeedQuery) (feeds.Page, error) {
	if q.Cursor != "" {
		return feeds.Page{}, CursorAndConsumer()
	}
	if err := noGuest(accounts.ActorFrom(ctx)); err != nil {
		return feeds.Page{}, err
	}
	consumer, err := w.feeds.Consumer(ctx, scope.Company, q.Feed, q.Consumer)
	if err != nil {
		return feeds.Page{}, err
	}
	return w.feeds.Next(ctx, consumer, q.Limit, scope)
}

// Consumers returns a page of the consumers of the caller's company, by id, from above after, and whether there are
// more. It returns NotForGuests.
func (w *Workflows) Consumers(ctx context.Context, after id.Consumer) ([]feeds.Consumer, bool, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err == nil {
		err = noGuest(actor)
	}
	if err != nil {
		return nil, false, err
	}
	return Page(w.feeds.Consumers(ctx, actor.Company.ID, after, ConsumersPerPage+1))
}

// Consumer returns a consumer of a feed. It returns NotForGuests or feeds.ConsumerNotFound.
func (w *Workflows) Consumer(ctx context.Context, feed, name string) (feeds.Consumer, error) {
	actor, err := mayReadFeed(ctx, feed)
	if err == nil {
		err = noGuest(actor)
	}
	if err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.Consumer(ctx, actor.Company.ID, feed, name)
}

// RegisterConsumer keeps a cursor for a new consumer of a feed. from is as for feeds.Find. It returns
// feeds.BadName, feeds.ConsumerConflict, feeds.TooManyConsumers, and what Find does.
func (w *Workflows) RegisterConsumer(ctx context.Context, feed, name, from string) (feeds.Consumer, error) {
	actor, err := w.mayChangeFeed(ctx, feed)
	if err != nil {
		return feeds.Consumer{}, err
	}
	cursor, err := w.feeds.Find(ctx, feed, from)
	if err := fault.Join(feeds.CheckName(name), feeds.In("from", err)); err != nil {
		return feeds.Consumer{}, err
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.LockCompany(ctx, actor.Company.ID); err != nil { // so that two count one after the other
			return err
		}
		_, err := feeds.Register(ctx, tx, actor.Company.ID, actor.Account.ID, name, cursor)
		return err
	})
	if err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.Consumer(ctx, actor.Company.ID, feed, name)
}

// AdvanceConsumer moves a consumer from the cursor that it read from to the one that this page returned. Of concurrent
// callers, one moves it. It returns feeds.ConsumerMoved with the consumer, feeds.ConsumerNotFound,
// feeds.BackwardCursor, feeds.BadCursor, or why a cursor is refused.
func (w *Workflows) AdvanceConsumer(ctx context.Context, feed, name, from, to string) (feeds.Consumer, error) {
	consumer, err := w.mayChangeConsumer(ctx, feed, name)
	if err != nil {
		return feeds.Consumer{}, err
	}
	old, badFrom := feeds.ParseCursor(feed, from)
	_, badTo := feeds.ParseCursor(feed, to)
	if err := fault.Join(feeds.In("from", badFrom), feeds.In("to", badTo)); err != nil {
		return feeds.Consumer{}, err
	}
	next, err := w.feeds.Find(ctx, feed, to)
	if err != nil {
		return feeds.Consumer{}, err
	}
	if err := w.feeds.Advance(ctx, consumer, old, next); err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.ConsumerByID(ctx, consumer.ID)
}

// SeekConsumer sets the position of a consumer, as feeds.Find says. It returns feeds.ConsumerNotFound, or what Find
// does.
func (w *Workflows) SeekConsumer(ctx context.Context, feed, name, to string) (feeds.Consumer, error) {
	consumer, err := w.mayChangeConsumer(ctx, feed, name)
	if err != nil {
		return feeds.Consumer{}, err
	}
	cursor, err := w.feeds.Find(ctx, consumer.Feed, to)
	if err != nil {
		return feeds.Consumer{}, feeds.In("to", err)
	}
	err = w.changeConsumer(ctx, consumer, accounts.AuditConsumerMoved, func(tx *db.Tx) error {
		return feeds.Seek(ctx, tx.Queries, consumer.ID, cursor)
	})
	if err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.ConsumerByID(ctx, consumer.ID)
}

// PauseConsumer pauses or resumes a consumer. It returns feeds.ConsumerNotFound.
func (w *Workflows) PauseConsumer(ctx context.Context, feed, name string, paused bool) (feeds.Consumer, error) {
	consumer, err := w.mayChangeConsumer(ctx, feed, name)
	if err != nil {
		return feeds.Consumer{}, err
	}
	if consumer.Paused == paused {
		return consumer, nil
	}
	kind := accounts.AuditConsumerResumed
	if paused {
		kind = accounts.AuditConsumerPaused
	}
	err = w.changeConsumer(ctx, consumer, kind, func(tx *db.Tx) error {
		return feeds.Pause(ctx, tx.Queries, consumer.ID, paused)
	})
	if err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.ConsumerByID(ctx, consumer.ID)
}

// DeleteConsumer deletes a consumer: no tombstone is kept for it any more. It returns feeds.ConsumerNotFound.
func (w *Workflows) DeleteConsumer(ctx context.Context, feed, name string) error {
	consumer, err := w.mayChangeConsumer(ctx, feed, name)
	if err != nil {
		return err
	}
	return w.changeConsumer(ctx, consumer, accounts.AuditConsumerDeleted, func(tx *db.Tx) error {
		return feeds.Drop(ctx, tx.Queries, consumer.ID)
	})
}

// changeConsumer runs fn in a transaction that records it in the company's audit list.
func (w *Workflows) changeConsumer(
	ctx context.Context, consumer feeds.Consumer, kind string, fn func(tx *db.Tx) error,
) error {
	return w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		detail := accounts.AuditDetail{Name: consumer.Name, Feed: consumer.Feed}
		return audit(ctx, tx, accounts.ActorFrom(ctx), kind, detail)
	})
}

// mayChangeFeed returns the caller if it may change the consumers of a feed.
func (w *Workflows) mayChangeFeed(ctx context.Context, feed string) (accounts.Actor, error) {
	if _, err := w.feeds.Feed(feed); err != nil {
		return accounts.Actor{}, err
	}
	return mayWriteAnywhere(ctx, "tickets:write")
}

func (w *Workflows) mayChangeConsumer(ctx context.Context, feed, name string) (feeds.Consumer, error) {
	actor, err := w.mayChangeFeed(ctx, feed)
	if err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.Consumer(ctx, actor.Company.ID, feed, name)
}
