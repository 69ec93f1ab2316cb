package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

const (
	sendFor    = 15 * time.Second // for a message with its answer: Delivery.sendFor
	readFor    = 3 * time.Second  // between bytes of an answer
	sessionFor = 20 * time.Second // for a turn
	itemsAhead = 100              // rows are read at once,
	freshFor   = time.Second      // and sent if they are no older than that: Delivery.freshFor
	trimEvery  = 100              // attempts
)

// SendMessage sends a message to an address, signed with the keys, and returns its outcome. It takes no longer than a
// message of a turn may. Its error is ctx's, or a server error.
func (d *Delivery) SendMessage(
	ctx context.Context, address string, keys webhooks.Keys, m webhooks.Message, within time.Duration,
) (webhooks.Outcome, error) {
	within = min(within, d.sendFor)
	body, err := m.Body()
	if err != nil {
		return webhooks.Outcome{}, err
	}
	began := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return webhooks.ErrorOutcome(outbound.BadAddress{Address: address, Why: "it cannot be asked for"}, 0), nil
	}
	req.Header.Set("Content-Type", "application/json")
	if err := keys.Sign(req.Header, m.ID, began, body); err != nil {
		return webhooks.Outcome{}, err
	}
	res, err := d.outbound.Do(req, outbound.Limits{
		Redirects: -1, Header: within, Total: within, Bytes: 1 << 50, Least: webhooks.MaxResponse, Pace: readFor,
	})
	if err != nil {
		if ctx.Err() != nil {
			return webhooks.Outcome{}, ctx.Err()
		}
		return webhooks.ErrorOutcome(withoutPrivate(err), time.Since(began)), nil
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, webhooks.MaxResponse)) // the status counts, not what follows
	retryAfter, _ := outbound.RetryAfter(res, time.Now())
	if outbound.FromPrivate(res) {
		return webhooks.StatusOutcome(res.StatusCode, retryAfter, time.Since(began)), nil
	}
	return webhooks.ResponseOutcome(res.StatusCode, res.Header.Get("Location"), answer, retryAfter, time.Since(began)), nil
}

// withoutPrivate returns an error without what it tells of a private network: the address that a name resolves to, and
// what a server there says. A user with webhooks need not be its operator.
func withoutPrivate(err error) error {
	var refused outbound.RefusedAddress
	var lost outbound.Unreachable
	switch {
	case errors.As(err, &refused):
		refused.IP = netip.Addr{}
		return refused
	case errors.As(err, &lost) && lost.Private:
		return outbound.Unreachable{Address: lost.Address, Err: errNoAnswer, Private: true}
	}
	return err
}

var errNoAnswer = errors.New("it refuses the connection, or does not answer as a web server does")

// runSession sends to one webhook for a while. It ends if the webhook is changed, or another process sends to it.
func (d *Delivery) runSession(ctx context.Context, webhook id.Webhook) error {
	held, err := webhooks.Claim(ctx, d.db.Queries, d.keys, webhook)
	if err != nil {
		return unlessLost(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		_ = held.Release(ctx, d.db.Queries) // else the lease runs out
	}()
	if reason := webhooks.Refusal(held.URL, d.outbound); reason != "" {
		d.logRefused(held.Webhook, reason)
		return unlessLost(held.RecordRefusal(ctx, d.db, reason))
	}
	t := session{w: d, webhook: held, until: time.Now().Add(sessionFor), ahead: itemsAhead}
	if ready, err := t.prepareFilter(ctx); err != nil || !ready {
		return unlessLost(err)
	}
	for more := true; more && time.Now().Before(t.until); {
		more = false
		for i := range held.Cursors {
			there, err := t.page(ctx, feeds.Cursor(held.Cursors[i]))
			if err != nil || t.failed {
				return unlessLost(err)
			}
			more = more || there
		}
	}
	return nil
}

func unlessLost(err error) error {
	if errors.Is(err, webhooks.ErrLost) {
		return nil
	}
	return err
}

// session is the state of a turn.
type session struct {
	w       *Delivery
	webhook *webhooks.LeasedWebhook
	until   time.Time
	ahead   int // how many rows to read at once
	sent    int
	failed  bool // a message was refused
	filter  db.TicketCondition
}

// page sends some of a feed from a cursor, and reports whether there may be more. No row is sent that was read more than
// a second before.
func (t *session) page(ctx context.Context, cursor feeds.Cursor) (more bool, err error) {
	if err := t.webhook.Refresh(ctx, t.w.db.Queries); err != nil {
		return false, err
	}
	at := time.Now()
	page, err := t.w.feeds.Read(ctx, cursor, t.ahead, workflows.WebhookScope(t.webhook.Webhook, t.w.base))
	if reason := resetReason(err); reason != "" {
		return true, t.reset(ctx, cursor, reason)
	}
	if err != nil {
		return false, err
	}
	rows, err := t.filtered(ctx, page)
	if err != nil {
		return false, err
	}
	for i, row := range rows {
		if stale := time.Since(at) > t.w.freshFor; stale && i == 0 {
			again := t.ahead > 1 // one row is read faster; if that is slow, too, the next turn tries
			t.ahead = 1
			return again, nil
		} else if stale || i > 0 && time.Now().After(t.until) {
			return true, nil
		}
		message := workflows.WebhookMessage(cursor, row.item, at)
		message.Tracking = row.tracking
		if err := t.send(ctx, message, row.next); err != nil || t.failed {
			return false, err
		}
	}
	if len(rows) == 0 && page.Cursor != cursor {
		return page.More, t.webhook.RecordSkip(ctx, t.w.db, webhooks.Cursor(page.Cursor))
	}
	return page.More || len(rows) > 0, nil
}

// resetReason returns in a word why a cursor cannot be read from, "" for other errors.
func resetReason(err error) string {
	switch {
	case errors.Is(err, feeds.CodeCursorOfOldEpoch):
		return "restored"
	case errors.Is(err, feeds.CodeCursorExpired):
		return "expired"
	}
	return ""
}

// reset sends a webhook that it may have missed rows, or have rows that are gone, and moves it on.
func (t *session) reset(ctx context.Context, from feeds.Cursor, reason string) error {
	feed := from.Feed
	end, err := t.w.feeds.End(ctx, feed)
	if err != nil {
		return err
	}
	if err := t.webhook.CompareAgain(ctx, t.w.db); err != nil {
		return err
	}
	next := feeds.Cursor{Epoch: end.Epoch, Feed: feed, Position: min(from.Position, end.Position), Began: end.Position}
	return t.send(ctx, webhooks.Message{
		ID: fmt.Sprintf("reset:%d:%s", end.Epoch, from), Type: "feed.reset", Subject: feed, Feed: feed, At: t.w.db.Now(),
		Data: map[string]string{"feed": feed, "reason": reason},
	}, next)
}

// send sends a message and records its outcome.
func (t *session) send(ctx context.Context, m webhooks.Message, next feeds.Cursor) error {
	if t.webhook.Left() < t.w.sendFor+5*time.Second {
		return webhooks.ErrLost
	}
	outcome, err := t.w.SendMessage(ctx, t.webhook.URL, t.webhook.Keys, m, t.w.sendFor)
	if err != nil {
		return err
	}
	if t.sent++; t.sent%trimEvery == 1 {
		if _, err := webhooks.Trim(ctx, t.w.db.Queries, t.webhook.ID); err != nil {
			return err
		}
	}
	if !outcome.OK() {
		t.failed = true
		return t.webhook.RecordFailure(ctx, t.w.db, m, outcome)
	}
	return t.webhook.RecordSuccess(ctx, t.w.db, m, outcome, webhooks.Cursor(next))
}
