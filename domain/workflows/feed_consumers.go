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
const ConsumersPerPage = PeoplePerPage

// consumerPage is a page from where a consumer stands.
func (w *Workflows) consumerPage(ctx context.Context, scope feeds.Scope, q FeedQuery) (feeds.Page, error) {
	if q.Cursor != "" {
		return feeds.Page{}, TwoPlaces()
	}
	consumer, err := w.feeds.Consumer(ctx, scope.Company, q.Feed, q.Consumer)
	if err != nil {
		return feeds.Page{}, err
	}
	return w.feeds.Next(ctx, consumer, q.Limit, scope)
}

// Consumers returns a page of the consumers that the company of the one who asks has registered, by id above
// after, and whether there are more.
func (w *Workflows) Consumers(ctx context.Context, after id.Consumer) (list []feeds.Consumer, more bool, err error) {
	actor, err := reading(ctx, "tickets:read")
	if err != nil {
		return nil, false, err
	}
	list, err = w.feeds.Consumers(ctx, actor.Company.ID, after, ConsumersPerPage+1)
	list, more = cut(list)
	return list, more, err
}

// AllConsumers returns a page of the consumers of all companies, for an operator, as Consumers does.
func (w *Workflows) AllConsumers(ctx context.Context, after id.Consumer) (list []feeds.Consumer, more bool, err error) {
	if _, err := operating(ctx); err != nil {
		return nil, false, err
	}
	list, err = w.feeds.Consumers(ctx, 0, after, ConsumersPerPage+1)
	list, more = cut(list)
	return list, more, err
}

// Consumer returns a consumer of a feed, or feeds.ConsumerNotFound.
func (w *Workflows) Consumer(ctx context.Context, feed, name string) (feeds.Consumer, error) {
	actor, err := readingFeed(ctx, feed)
	if err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.Consumer(ctx, actor.Company.ID, feed, name)
}

// RegisterConsumer keeps a cursor for a new consumer of a feed. from is as for feeds.Find. It returns
// feeds.BadName, feeds.ConsumerConflict, feeds.TooManyConsumers, and what Find does.
func (w *Workflows) RegisterConsumer(ctx context.Context, feed, name, from string) (feeds.Consumer, error) {
	actor, err := w.changingFeed(ctx, feed)
	if err != nil {
		return feeds.Consumer{}, err
	}
	cursor, err := w.feeds.Find(ctx, feed, from)
	if err := fault.Join(feeds.CheckName(name), feeds.In("from", err)); err != nil {
		return feeds.Consumer{}, err
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if _, err := tx.LockCompany(ctx, actor.Company.ID); err != nil { // so that two count one after the other
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

// AdvanceConsumer moves a consumer on: from is where it was read from, to what that answer gave as its cursor. Of
// several who work for one consumer, one moves it. It returns feeds.ConsumerMoved with where it stands,
// feeds.ConsumerNotFound, feeds.BackwardCursor, feeds.BadCursor, or what a cursor is refused with.
func (w *Workflows) AdvanceConsumer(ctx context.Context, feed, name, from, to string) (feeds.Consumer, error) {
	consumer, err := w.consumerToChange(ctx, feed, name)
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

// SeekConsumer sets where a consumer stands, as feeds.Find says. It returns feeds.ConsumerNotFound, or what Find
// does.
func (w *Workflows) SeekConsumer(ctx context.Context, feed, name, to string) (feeds.Consumer, error) {
	consumer, err := w.consumerToChange(ctx, feed, name)
	if err != nil {
		return feeds.Consumer{}, err
	}
	cursor, err := w.feeds.Find(ctx, consumer.Feed, to)
	if err != nil {
		return feeds.Consumer{}, feeds.In("to", err)
	}
	if err := feeds.Seek(ctx, w.db.Queries, consumer.ID, cursor); err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.ConsumerByID(ctx, consumer.ID)
}

// PauseConsumer has a consumer get nothing, or go on. It returns feeds.ConsumerNotFound.
func (w *Workflows) PauseConsumer(ctx context.Context, feed, name string, paused bool) (feeds.Consumer, error) {
	consumer, err := w.consumerToChange(ctx, feed, name)
	if err != nil {
		return feeds.Consumer{}, err
	}
	if err := feeds.Pause(ctx, w.db.Queries, consumer.ID, paused); err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.ConsumerByID(ctx, consumer.ID)
}

// DeleteConsumer forgets a consumer: no deletion is kept for it any more. It returns feeds.ConsumerNotFound.
func (w *Workflows) DeleteConsumer(ctx context.Context, feed, name string) error {
	consumer, err := w.consumerToChange(ctx, feed, name)
	if err != nil {
		return err
	}
	return feeds.Drop(ctx, w.db.Queries, consumer.ID)
}

// AnyConsumer returns a consumer of whatever company, for an operator, or feeds.ConsumerNotFound.
func (w *Workflows) AnyConsumer(ctx context.Context, consumer id.Consumer) (feeds.Consumer, error) {
	if _, err := operating(ctx); err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.ConsumerByID(ctx, consumer)
}

// SeekAnyConsumer is SeekConsumer for an operator. The company's audit list has it.
func (w *Workflows) SeekAnyConsumer(ctx context.Context, consumer id.Consumer, to string) (feeds.Consumer, error) {
	found, err := w.AnyConsumer(ctx, consumer)
	if err != nil {
		return feeds.Consumer{}, err
	}
	cursor, err := w.feeds.Find(ctx, found.Feed, to)
	if err != nil {
		return feeds.Consumer{}, err
	}
	err = w.onAnyConsumer(ctx, found, accounts.AuditConsumerMoved, func(tx *db.Tx) error { return feeds.Seek(ctx, tx.Queries, consumer, cursor) })
	if err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.ConsumerByID(ctx, consumer)
}

// PauseAnyConsumer is PauseConsumer for an operator. The company's audit list has it.
func (w *Workflows) PauseAnyConsumer(ctx context.Context, consumer id.Consumer, paused bool) (feeds.Consumer, error) {
	found, err := w.AnyConsumer(ctx, consumer)
	if err != nil || found.Paused == paused {
		return found, err
	}
	kind := accounts.AuditConsumerResumed
	if paused {
		kind = accounts.AuditConsumerPaused
	}
	err = w.onAnyConsumer(ctx, found, kind, func(tx *db.Tx) error { return feeds.Pause(ctx, tx.Queries, consumer, paused) })
	if err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.ConsumerByID(ctx, consumer)
}

// DeleteAnyConsumer is DeleteConsumer for an operator. The company's audit list has it.
func (w *Workflows) DeleteAnyConsumer(ctx context.Context, consumer id.Consumer) error {
	found, err := w.AnyConsumer(ctx, consumer)
	if err != nil {
		return err
	}
	return w.onAnyConsumer(ctx, found, accounts.AuditConsumerDeleted, func(tx *db.Tx) error { return feeds.Drop(ctx, tx.Queries, consumer) })
}

// onAnyConsumer changes a consumer in a transaction, and writes that down where its company sees it. Whoever
// runs the program has no account to name there.
func (w *Workflows) onAnyConsumer(ctx context.Context, found feeds.Consumer, kind string, fn func(tx *db.Tx) error) error {
	actor := accounts.ActorFrom(ctx)
	return w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := operatingStill(ctx, tx, actor); err != nil {
			return err
		}
		if err := fn(tx); err != nil || actor.Account.ID == 0 {
			return err
		}
		return accounts.Record(ctx, tx, found.Company, actor.Account.ID, kind, accounts.AuditDetail{Name: found.Name, Feed: found.Feed})
	})
}

// changingFeed returns who asks where they may change who reads a feed.
func (w *Workflows) changingFeed(ctx context.Context, feed string) (accounts.Actor, error) {
	if _, err := w.feeds.Feed(feed); err != nil {
		return accounts.Actor{}, err
	}
	return writing(ctx, "tickets:write")
}

func (w *Workflows) consumerToChange(ctx context.Context, feed, name string) (feeds.Consumer, error) {
	actor, err := w.changingFeed(ctx, feed)
	if err != nil {
		return feeds.Consumer{}, err
	}
	return w.feeds.Consumer(ctx, actor.Company.ID, feed, name)
}
