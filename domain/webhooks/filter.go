package webhooks

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Tracking is what an accepted message changes in the list of tickets that meet the filter of a webhook.
type Tracking struct {
	Ticket  id.Ticket // 0: nothing
	Matches bool
}

// untrackedAtOnce is how many tickets are removed from a list in one statement.
const untrackedAtOnce = 1000

// Tracked returns those of some tickets that met the filter of a webhook when it was last sent them, or when all tickets
// were compared with the filter.
func Tracked(ctx context.Context, q *db.Queries, webhook id.Webhook, tickets []id.Ticket) (map[id.Ticket]bool, error) {
	if len(tickets) == 0 {
		return nil, nil
	}
	list, err := db.Read(q.TrackedTickets(ctx, webhook, tickets))
	if err != nil {
		return nil, fmt.Errorf("read tickets of the webhook: %w", err)
	}
	tracked := make(map[id.Ticket]bool, len(list))
	for _, ticket := range list {
		tracked[ticket] = true
	}
	return tracked, nil
}

// Untrack forgets which tickets meet the filter of a webhook, in short transactions. Should it be sent to again, all
// tickets are compared with the filter first.
func Untrack(ctx context.Context, d *db.DB, webhook id.Webhook) error {
	for {
		var n int64
		err := d.InTx(ctx, func(tx *db.Tx) (err error) {
			if err := tx.CompareAgain(ctx, webhook); err != nil {
				return err
			}
			n, err = tx.UntrackTickets(ctx, webhook, untrackedAtOnce)
			return err
		})
		if err != nil || n < untrackedAtOnce {
			return forgetError(err)
		}
	}
}

func forgetError(err error) error {
	if err != nil {
		return fmt.Errorf("forget tickets of the webhook: %w", err)
	}
	return nil
}

// RecordCompared adds tickets that meet the filter, and stores up to which id all were compared; nil is the last. It
// renews the lease, or returns ErrLost.
func (h *LeasedWebhook) RecordCompared(ctx context.Context, d *db.DB, tickets []id.Ticket, to *id.Ticket) error {
	return h.compared(ctx, d, to, func(tx *db.Tx) error { return tx.TrackTickets(ctx, h.ID, tickets) })
}

// ForgetTickets removes some of the tickets that met a filter that the webhook has no more, and reports whether there may
// be others. It renews the lease, or returns ErrLost.
func (h *LeasedWebhook) ForgetTickets(ctx context.Context, d *db.DB) (more bool, err error) {
	n, err := db.Read(d.UntrackTickets(ctx, h.ID, untrackedAtOnce))
	if err != nil {
		return false, forgetError(err)
	}
	to := h.ComparedTo
	if more = n == untrackedAtOnce; !more {
		to = nil
	}
	return more, h.compared(ctx, d, to, func(*db.Tx) error { return nil })
}

// CompareAgain has all tickets compared with the filter again, for it may have been sent nothing of some.
func (h *LeasedWebhook) CompareAgain(ctx context.Context, d *db.DB) error {
	if h.Filter == "" {
		return nil
	}
	return h.compared(ctx, d, new(id.Ticket), func(*db.Tx) error { return nil })
}

func (h *LeasedWebhook) compared(ctx context.Context, d *db.DB, to *id.Ticket, also func(tx *db.Tx) error) error {
	sent := time.Now()
	err := d.InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.SetCompared(ctx, db.SetComparedParams{ComparedTo: to, LeaseUs: Lease.Microseconds(), ID: h.ID,
			Fence: h.fence})
		if err := one(n, err); err != nil {
			return err
		}
		return also(tx)
	})
	if err == nil {
		h.lease.Begin(sent, Lease)
		h.ComparedTo = to
	}
	return err
}

// track changes the list of tickets that meet the filter by what was accepted.
func track(ctx context.Context, tx *db.Tx, webhook id.Webhook, t Tracking) error {
	switch {
	case t.Ticket == 0:
		return nil
	case t.Matches:
		return tx.TrackTickets(ctx, webhook, []id.Ticket{t.Ticket})
	}
	return tx.UntrackTicket(ctx, webhook, t.Ticket)
}
