package workflows

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
)

// FeedLimit is how many rows of a feed a page reads by default.
const FeedLimit = 100

// FeedQuery is a request for a page of a feed.
type FeedQuery struct {
	Feed     string
	Cursor   string // as an answer gave it, or "start", "end", or a time (RFC 3339); "" is the start
	Board    string // the slug of the only board to read, "" for all
	Limit    int    // rows to read: 1 to feeds.MaxLimit; 0 is FeedLimit
	Consumer string // the name of a registered consumer, to read from its cursor; "" for none
}

// CodeBadLimit: the limit of a page is out of bounds. Send a number in the bounds that the message names.
const CodeBadLimit fault.Code = "Feed.BadLimit"

func BadLimit() error {
	return fault.Invalid.New(CodeBadLimit, "limit",
		fmt.Sprintf("The limit of a page is a number from 1 to %d.", feeds.MaxLimit))
}

// CodeCursorAndConsumer: the query has a cursor and a consumer, which reads from its own. Send one of them.
const CodeCursorAndConsumer fault.Code = "Feed.CursorAndConsumer"

func CursorAndConsumer() error {
	return fault.Invalid.New(CodeCursorAndConsumer, "cursor",
		"A consumer reads from its own cursor. Send a cursor or a consumer, not both.")
}

// FeedPage returns the rows behind a cursor of a feed of the caller's company. base is the public URL that addresses in
// it begin with. It returns BadLimit, CursorAndConsumer, feeds.ConsumerNotFound, and what FeedScope, FeedCursor and
// feeds.Engine.Read do. A paused consumer gets nothing.
func (w *Workflows) FeedPage(ctx context.Context, base string, q FeedQuery) (feeds.Page, error) {
	scope, err := w.FeedScope(ctx, base, q.Feed, q.Board)
	if err != nil {
		return feeds.Page{}, err
	}
	if q.Limit == 0 {
		q.Limit = FeedLimit
	}
	if q.Limit < 1 || q.Limit > feeds.MaxLimit {
		return feeds.Page{}, BadLimit()
	}
	if q.Consumer != "" {
		return w.consumerPage(ctx, scope, q)
	}
	cursor, err := w.FeedCursor(ctx, q.Feed, q.Cursor)
	if err != nil {
		return feeds.Page{}, err
	}
	return w.feeds.Read(ctx, cursor, q.Limit, scope)
}

// FeedScope returns what the caller may see of a feed: all of its company's, or the board of a slug or id. It returns
// feeds.NotFound, accounts.MissingScope or boards.NotFound.
func (w *Workflows) FeedScope(ctx context.Context, base, feed, board string) (feeds.Scope, error) {
	actor, err := mayReadFeed(ctx, feed)
	if err != nil {
		return feeds.Scope{}, err
	}
	scope := feeds.Scope{Sight: actor.Sight(), Base: base}
	if board != "" {
		found, err := boardNamed(ctx, w.db.Queries, actor.Sight(), board)
		if err != nil {
			return feeds.Scope{}, err
		}
		scope.Board = found.ID
	}
	return scope, nil
}

// FeedAfter returns the rows behind a cursor, in a scope that FeedScope returned a moment ago, of limit rows that are
// read. It returns what feeds.Engine.Read does.
func (w *Workflows) FeedAfter(
	ctx context.Context, scope feeds.Scope, cursor feeds.Cursor, limit int,
) (feeds.Page, error) {
	return w.feeds.Read(ctx, cursor, limit, scope)
}

// FeedCursor returns the cursor that a text means: a cursor, which is checked when it is read from, or what feeds.Find
// knows. It returns what Find does.
func (w *Workflows) FeedCursor(ctx context.Context, feed, text string) (feeds.Cursor, error) {
	if cursor, err := feeds.ParseCursor(feed, text); err == nil {
		return cursor, nil
	}
	return w.feeds.Find(ctx, feed, text)
}

// mayReadFeed returns the caller if it may read a feed.
func mayReadFeed(ctx context.Context, feed string) (accounts.Actor, error) {
	of, err := FeedByName(feed)
	if err != nil {
		return accounts.Actor{}, err
	}
	return MayRead(ctx, of.scope)
}

// FeedAudit returns what a reader at a cursor has, by ranges of ids above after: as many as one request reads. to is
// as for feeds.Find, but "" is the end.
func (w *Workflows) FeedAudit(ctx context.Context, feed, board, to string, after uint64) (feeds.Audit, error) {
	scope, err := w.FeedScope(ctx, "", feed, board)
	if err != nil {
		return feeds.Audit{}, err
	}
	if to == "" {
		to = "end"
	}
	cursor, err := w.FeedCursor(ctx, feed, to)
	if err != nil {
		return feeds.Audit{}, feeds.In("upto", err)
	}
	return w.feeds.Audit(ctx, cursor, scope, after)
}
