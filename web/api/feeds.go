package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/respond"
	"github.com/counterfoil/counterfoil/web/streams"
)

const (
	longestWait = 60 // seconds of a long poll
	// A page of a feed ends early at so many bytes, so one request for a thousand long texts does not take all memory.
	pageBytes = 4 << 20
	firstRows = 100
)

// feedResource is a page of a feed.
type feedResource struct {
	Items  []json.RawMessage `json:"items"`
	Cursor string            `json:"cursor"`
	More   bool              `json:"has_more"`
	From   string            `json:"from,omitempty"` // of a consumer: its cursor before, for advancing it
	cursor feeds.Cursor
}

func (h *Handlers) Feed(c echo.Context) error {
	q, err := feedQuery(c)
	if err != nil {
		return err
	}
	wait, err := intParam(c, "wait", 0, longestWait, 0)
	if err != nil {
		return err
	}
	page, err := h.readFeed(c.Request().Context(), h.respond.Base(c), q)
	if err != nil {
		return err
	}
	if wait > 0 && len(page.Items) == 0 {
		if page, err = h.waitForFeed(c, q, page, time.Duration(wait)*time.Second); err != nil {
			return err
		}
	}
	return answer(c, http.StatusOK, page)
}

func feedQuery(c echo.Context) (workflows.FeedQuery, error) {
	limit, err := intParam(c, "limit", 1, feeds.MaxLimit, workflows.FeedLimit)
	return workflows.FeedQuery{
		Feed: c.Param("feed"), Cursor: c.QueryParam("cursor"), Board: c.QueryParam("board"), Limit: limit,
		Consumer: c.QueryParam("consumer"),
	}, err
}

// intParam reads a parameter that is a whole number, otherwise if it is missing.
func intParam(c echo.Context, name string, least, most, otherwise int) (int, error) {
	text := c.QueryParam(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, badQuery(name, fmt.Sprintf("a number from %d to %d", least, most))
	}
	return n, nil
}

// readFeed reads a page: all at once, unless its rows are long.
func (h *Handlers) readFeed(ctx context.Context, base string, q workflows.FeedQuery) (feedResource, error) {
	whole := feedResource{Items: []json.RawMessage{}}
	bytes, most := 0, q.Limit
	for looked := 0; ; {
		q.Limit = nextChunk(most-looked, looked, bytes)
		page, err := h.workflows.FeedPage(ctx, base, q)
		if err != nil {
			return feedResource{}, err
		}
		for _, item := range page.Items {
			body, err := json.Marshal(item)
			if err != nil {
				return feedResource{}, fmt.Errorf("write item: %w", err)
			}
			whole.Items = append(whole.Items, body)
			bytes += len(body)
		}
		if q.Consumer != "" {
			whole.From = page.From.String()
		}
		whole.cursor, whole.Cursor, whole.More = page.Cursor, page.Cursor.String(), page.More
		if looked += q.Limit; !page.More || looked >= most || bytes >= pageBytes {
			return whole, nil
		}
		q.Cursor, q.Consumer = whole.Cursor, ""
	}
}

// nextChunk is the number of rows to read next, by the length of those before.
func nextChunk(left, looked, bytes int) int {
	if looked == 0 {
		return min(left, firstRows)
	}
	return min(left, max(1, (pageBytes-bytes)/(bytes/looked+1)))
}

// waitForFeed returns a page once there is a change after an empty one, or an empty one after a while.
func (h *Handlers) waitForFeed(c echo.Context, q workflows.FeedQuery, page feedResource,
	wait time.Duration) (feedResource, error) {
	waiting, err := h.streams.Hold(c, "")
	if err != nil {
		return page, err
	}
	defer waiting.Close()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		at, moved := h.workflows.Feeds().Head(q.Feed)
		if at != page.cursor {
			if q.Consumer == "" {
				q.Cursor = page.Cursor
			}
			ctx, cancel := context.WithTimeout(waiting.Context(), h.respond.Patience)
			next, err := h.readFeedAgain(ctx, c, q)
			switch cancel(); {
			case waiting.Context().Err() != nil && err != nil:
				return h.endOfWait(c, waiting, q, page)
			case err != nil || len(next.Items) > 0 || next.More:
				return next, err
			}
			page = next
		}
		select {
		case <-h.streams.Soon(streams.OfFeeds, moved):
		case <-timer.C:
			return page, nil
		case <-waiting.Context().Done():
			return h.endOfWait(c, waiting, q, page)
		}
	}
}

// endOfWait returns the page after which a wait ended early. A caller that lost its access is told so.
func (h *Handlers) endOfWait(c echo.Context, waiting *streams.Response, q workflows.FeedQuery, page feedResource) (
	feedResource, error) {
	if !waiting.Lost() {
		return page, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(waiting.Context()), h.respond.Patience)
	defer cancel()
	return h.readFeedAgain(ctx, c, q)
}

// readFeedAgain is readFeed after a wait: it checks the caller's access anew.
func (h *Handlers) readFeedAgain(ctx context.Context, c echo.Context, q workflows.FeedQuery) (feedResource, error) {
	actor, err := h.workflows.Bearer(ctx, bearerToken(c))
	if err != nil {
		return feedResource{}, err
	}
	return h.readFeed(accounts.WithActor(ctx, actor), h.respond.Base(c), q)
}

// snapshotResource is a part of a snapshot of a board.
type snapshotResource struct {
	Items []json.RawMessage `json:"items"`
	UpTo  string            `json:"upto"` // the cursor up to which it has what is published
	Next  *string           `json:"next"` // the parameter after of the next part; null at the end
}

// FeedSnapshot answers with rows of a board, fewer if they are long.
func (h *Handlers) FeedSnapshot(c echo.Context) error {
	limit, err := intParam(c, "limit", 1, feeds.MaxLimit, workflows.FeedLimit)
	if err != nil {
		return err
	}
	snapshot, err := h.workflows.FeedSnapshot(c.Request().Context(), h.respond.Base(c), c.Param("feed"),
		c.QueryParam("board"), c.QueryParam("after"), limit)
	if err != nil {
		return err
	}
	part := snapshotResource{Items: []json.RawMessage{}, UpTo: snapshot.UpTo.String()}
	next, bytes := snapshot.Next, 0
	for i, item := range snapshot.Items {
		body, err := json.Marshal(item)
		if err != nil {
			return fmt.Errorf("write item: %w", err)
		}
		part.Items = append(part.Items, body)
		if bytes += len(body); bytes >= pageBytes {
			next = snapshot.PlaceAfter(i)
			break
		}
	}
	if next != "" {
		part.Next = &next
	}
	return answer(c, http.StatusOK, part)
}

type auditResource struct {
	Upto   string          `json:"upto"`
	Ranges []rangeResource `json:"ranges"`
	Next   *string         `json:"next"` // the parameter after of the next ranges; null at the end
}

type rangeResource struct {
	From       uint64 `json:"from"`
	To         uint64 `json:"to"`
	Count      int    `json:"count"`
	Checksum   string `json:"checksum"`
	ChecksumV2 string `json:"checksum_v2"`
	Pending    int    `json:"pending"`
}

func (h *Handlers) FeedAudit(c echo.Context) error {
	after, err := respond.Cursor[uint64](c, "after")
	if err != nil {
		return badQuery("after", "what the answer before gave as next")
	}
	audit, err := h.workflows.FeedAudit(c.Request().Context(), c.Param("feed"), c.QueryParam("board"),
		c.QueryParam("upto"), after)
	if err != nil {
		return err
	}
	r := auditResource{Upto: audit.To.String(), Ranges: make([]rangeResource, len(audit.Ranges))}
	for i, one := range audit.Ranges {
		r.Ranges[i] = rangeResource{From: one.From, To: one.To, Count: one.Count,
			Checksum: fmt.Sprintf("%016x", one.Checksum), ChecksumV2: fmt.Sprintf("%016x", one.ChecksumV2),
			Pending: one.Pending}
	}
	if audit.After != 0 {
		next := strconv.FormatUint(audit.After, 10)
		r.Next = &next
	}
	return answer(c, http.StatusOK, r)
}
