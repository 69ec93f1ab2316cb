package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/lease"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// Lease is for how long a process may send to a webhook before it renews. It is longer than any request, so that no
// other process begins during one.
const Lease = time.Minute

// DueWebhook is a webhook that can be sent to.
type DueWebhook struct {
	ID      id.Webhook
	Company id.Company
	Cursors []Cursor
	// Uncompared: all tickets are to be compared with its filter.
	Uncompared bool
}

// DueWebhooks returns a page of the webhooks that are due and not leased: those with an id above after.
func DueWebhooks(ctx context.Context, q *db.Queries, after id.Webhook, limit int) ([]DueWebhook, error) {
	rows, err := db.Read(q.DueWebhooks(ctx,
		db.DueWebhooksParams{After: after, LeaseUs: Lease.Microseconds(), Limit: int32(limit)}))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	ids := make([]id.Webhook, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	cursors, err := cursorsOf(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	list := make([]DueWebhook, len(rows))
	for i, row := range rows {
		list[i] = DueWebhook{ID: row.ID, Company: row.CompanyID, Cursors: cursors[row.ID],
			Uncompared: row.ComparedTo != nil}
	}
	return list, nil
}

// ErrLost: a user changed the webhook, or another process claimed it, while this one sent to it.
var ErrLost = errors.New("the webhook was changed, or its lease ended")

// LeasedWebhook is a webhook that only this process sends to while its lease is valid.
type LeasedWebhook struct {
	Webhook
	Keys Keys

	lease  *lease.Lease
	fence  uint64
	opened *secrets.Keys
}

// Left is for how long the process may yet send, by its own clock.
func (h *LeasedWebhook) Left() time.Duration { return h.lease.Left() }

// Claim leases a webhook that is due, or returns ErrLost if it is not, or is leased.
func Claim(
	ctx context.Context, q *db.Queries, keys *secrets.Keys, webhook id.Webhook,
) (*LeasedWebhook, error) {
	sent := time.Now()
	result, err := db.Read(q.LeaseWebhook(ctx, db.LeaseWebhookParams{LeaseUs: Lease.Microseconds(), ID: webhook}))
	if err != nil {
		return nil, fmt.Errorf("take webhook: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return nil, ErrLost
	}
	fence, err := result.LastInsertId()
	if err != nil {
		return nil, fmt.Errorf("take webhook: %w", err)
	}
	h := &LeasedWebhook{Webhook: Webhook{ID: webhook}, lease: lease.New(), fence: uint64(fence), opened: keys}
	h.lease.Begin(sent, Lease)
	if err := h.Refresh(ctx, q); err != nil {
		return nil, err
	}
	list := []Webhook{h.Webhook}
	err = withCursors(ctx, q, list)
	h.Webhook = list[0]
	return h, err
}

// Refresh reads the webhook again for a changed secret. It returns ErrLost if anything else changed.
func (h *LeasedWebhook) Refresh(ctx context.Context, q *db.Queries) error {
	row, err := db.Read(q.LeasedWebhook(ctx, h.ID, h.fence))
	if db.IsNotFound(err) {
		return ErrLost
	}
	if err != nil {
		return fmt.Errorf("read webhook: %w", err)
	}
	signing, err := keysOf(ctx, q, h.opened, h.ID, time.Now())
	if err != nil {
		return err
	}
	cursors := h.Cursors
	h.Webhook, h.Keys = from(row), signing
	h.Cursors = cursors
	return nil
}

// RecordSuccess stores that a message was accepted, advances the cursor, and renews the lease. It returns ErrLost.
func (h *LeasedWebhook) RecordSuccess(ctx context.Context, d *db.DB, m Message, o Outcome, cursor Cursor) error {
	sent := time.Now()
	err := d.InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.WebhookSent(ctx, db.WebhookSentParams{LeaseUs: Lease.Microseconds(), ID: h.ID, Fence: h.fence})
		if err := one(n, err); err != nil {
			return err
		}
		if err := h.move(ctx, tx, cursor); err != nil {
			return err
		}
		if err := track(ctx, tx, h.ID, m.Tracking); err != nil {
			return err
		}
		_, err = RecordAttempt(ctx, tx, h.ID, Sent, m, o)
		return err
	})
	if err != nil {
		return err
	}
	h.Failures, h.Failing = 0, nil
	h.lease.Begin(sent, Lease)
	h.setCursor(cursor)
	return nil
}

// RecordFailure stores that a message was not accepted, and ends the lease: the next attempt is due later, or never if
// the receiver is gone, is refused by the rules for addresses, or has accepted none for too long. It returns ErrLost.
func (h *LeasedWebhook) RecordFailure(ctx context.Context, d *db.DB, m Message, o Outcome) error {
	return d.InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.WebhookFailed(ctx, db.WebhookFailedParams{WaitUs: o.Wait(h.Failures).Microseconds(), ID: h.ID,
			Fence: h.fence})
		if err := one(n, err); err != nil {
			return err
		}
		if _, err := RecordAttempt(ctx, tx, h.ID, Sent, m, o); err != nil {
			return err
		}
		if o.Gone() || o.Refused && h.Failures+1 >= maxRefused {
			_, err = tx.StopWebhook(ctx, db.StopWebhookParams{Reason: shortReason(o.Error), ID: h.ID, Fence: h.fence})
			return err
		}
		reason := shortReason("Nothing was accepted for five days. Last: " + o.Error)
		_, err = tx.StopFailingWebhook(ctx, db.StopFailingWebhookParams{Reason: reason, ID: h.ID, Fence: h.fence,
			PatienceUs: Patience.Microseconds()})
		return err
	})
}

// maxRefused is how many attempts in a row fail before one whose address is refused stops the webhook: a name may lead
// astray for a moment.
const maxRefused = 3

// RecordRefusal stores that the rules for addresses refuse the webhook's, and stops it. It returns ErrLost.
func (h *LeasedWebhook) RecordRefusal(ctx context.Context, d *db.DB, reason string) error {
	return one(db.Read(d.StopWebhook(ctx, db.StopWebhookParams{Reason: shortReason(reason), ID: h.ID, Fence: h.fence})))
}

func shortReason(s string) string {
	if r := []rune(s); len(r) > 255 {
		return string(r[:254]) + "…"
	}
	return s
}

// RecordSkip advances the cursor past rows with nothing to send, and renews the lease. It returns ErrLost.
func (h *LeasedWebhook) RecordSkip(ctx context.Context, d *db.DB, cursor Cursor) error {
	sent := time.Now()
	err := d.InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.RenewWebhook(ctx, db.RenewWebhookParams{LeaseUs: Lease.Microseconds(), ID: h.ID, Fence: h.fence})
		if err := one(n, err); err != nil {
			return err
		}
		return h.move(ctx, tx, cursor)
	})
	if err == nil {
		h.lease.Begin(sent, Lease)
		h.setCursor(cursor)
	}
	return err
}

// Release ends the lease.
func (h *LeasedWebhook) Release(ctx context.Context, q *db.Queries) error {
	n, err := db.Read(q.ReleaseWebhook(ctx, h.ID, h.fence))
	return one(n, err)
}

func (h *LeasedWebhook) move(ctx context.Context, tx *db.Tx, c Cursor) error {
	n, err := tx.MoveWebhookCursor(ctx, db.MoveWebhookCursorParams{Epoch: c.Epoch, Position: c.Position, Began: c.Began,
		WebhookID: h.ID, Feed: c.Feed})
	return one(n, err)
}

func (h *LeasedWebhook) setCursor(c Cursor) {
	for i := range h.Cursors {
		if h.Cursors[i].Feed == c.Feed {
			h.Cursors[i] = c
		}
	}
}

func one(n int64, err error) error {
	if err == nil && n != 1 {
		return ErrLost
	}
	return err
}
