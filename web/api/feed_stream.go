package api

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/web/streams"
)

// feedStream is a stream of the changes of a feed.
type feedStream struct {
	*streams.Stream
	feed, board, base string
	token             string
	scope             feeds.Scope
	cursor            feeds.Cursor // all up to there was sent
	missed            bool         // a signal came while the feed could not be read
	rows              int          // the next number of rows to read
}

// FeedStream sends the items of a feed as events, each with the cursor after it as its id. It starts at Last-Event-ID,
// or else at the parameter cursor.
func (h *Handlers) FeedStream(c echo.Context) error {
	ctx := c.Request().Context()
	f := &feedStream{feed: c.Param("feed"), board: c.QueryParam("board"), base: h.respond.Base(c), token: bearerToken(c)}
	if c.QueryParam("consumer") != "" {
		return streamOfConsumer()
	}
	var err error
	if f.scope, err = h.workflows.FeedScope(ctx, f.base, f.feed, f.board); err != nil {
		return err
	}
	from := c.QueryParam("cursor")
	if last := c.Request().Header.Get("Last-Event-ID"); last != "" {
		from = last
	}
	if f.cursor, err = h.workflows.FeedCursor(ctx, f.feed, from); err != nil {
		return err
	}
	if f.Stream, err = h.streams.Stream(c, ""); err != nil {
		return err
	}
	first, err := h.frames.read(ctx, h.workflows, f.scope, f.cursor, frameRows)
	if err != nil {
		f.Close()
		return err
	}
	again := time.Duration(1000+rand.N(4000)) * time.Millisecond // spread the readers' return
	return f.Run(again, func() error { return h.stream(f, first) })
}

// codeStreamOfConsumer: a stream takes no consumer. Send its cursor, and advance it by the ids of the events.
const codeStreamOfConsumer fault.Code = "Feed.StreamOfConsumer"

func streamOfConsumer() error {
	return fault.Invalid.New(codeStreamOfConsumer, "consumer",
		"A stream knows no consumer. Read where it stands (GET /feeds/{feed}/consumers/{name}), send that as "+
			"cursor, and advance the consumer by the ids of the events; or ask for pages.")
}

// stream sends the first frame, then follows the feed.
func (h *Handlers) stream(f *feedStream, first frame) error {
	if len(first.events) == 0 {
		first.events = streams.Heartbeat(first.next.String()) // the reader learns its cursor
	}
	if err := f.pass(first); err != nil {
		return err
	}
	return h.follow(f)
}

// follow sends changes until the reader leaves or loses its access, or the server stops.
func (h *Handlers) follow(f *feedStream) error {
	var moved <-chan struct{} // closed when there is more; nil if there may be more already
	for {
		for moved == nil {
			select {
			case <-f.Check(): // also if there is always more
				if err := h.recheck(f); err != nil {
					return err
				}
			default:
			}
			var err error
			if moved, err = h.sendNext(f); err != nil {
				return err
			}
		}
		select {
		case <-h.streams.Soon(streams.OfFeeds, moved):
			moved = nil
		case <-f.Beat():
			if err := f.Send(streams.Heartbeat(f.cursor.String())); err != nil {
				return err
			}
			if f.missed {
				moved = nil
			}
		case <-f.Check():
			if err := h.recheck(f); err != nil {
				return err
			}
		case <-f.Context().Done():
			return nil
		}
	}
}

// sendNext sends one page after the cursor. It returns a channel that is closed when there is more, nil if there is
// more already.
func (h *Handlers) sendNext(f *feedStream) (moved <-chan struct{}, err error) {
	at, moved := h.workflows.Feeds().Head(f.feed)
	if at == f.cursor && !f.missed {
		return moved, nil
	}
	found, err := h.frames.read(f.Context(), h.workflows, f.scope, f.cursor, f.rows)
	if isTransient(err) {
		f.missed = true // the next heartbeat tries again
		return moved, nil
	}
	if err != nil {
		if fault.KindOf(err) == "" && f.Context().Err() == nil {
			h.respond.Log.Error("a stream could not go on", "feed", f.feed, "error", err)
		}
		return nil, err
	}
	f.missed = false
	behind := found.next.Position < at.Position // a shared read of a moment ago may end before the head
	if err := f.pass(found); err != nil || found.more || behind {
		return nil, err
	}
	return moved, nil
}

func (f *feedStream) pass(found frame) error {
	f.cursor, f.rows = found.next, found.rows
	if len(found.events) == 0 {
		return nil
	}
	return f.Send(found.events)
}

// recheck returns an error if the reader lost its access, nil if the database does not answer.
func (h *Handlers) recheck(f *feedStream) error {
	ctx, cancel := context.WithTimeout(f.Context(), h.respond.Patience)
	defer cancel()
	actor, err := h.workflows.Bearer(ctx, f.token)
	if err == nil {
		f.scope, err = h.workflows.FeedScope(accounts.WithActor(ctx, actor), f.base, f.feed, f.board)
	}
	if isTransient(err) {
		return nil
	}
	return err
}

// isTransient reports whether a retry may succeed.
func isTransient(err error) bool {
	return errors.Is(err, fault.Unavailable) || errors.Is(err, fault.Unknown) || errors.Is(err, context.DeadlineExceeded)
}
