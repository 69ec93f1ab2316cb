package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// comparedAtOnce is how many ids of tickets are compared with a filter in one statement.
const comparedAtOnce = 1000

// prepareFilter reads what the webhook's filter means, and compares all tickets with one that is new. ready is false if
// the turn is over: there are more tickets to compare, or the webhook was stopped because its filter names what is gone.
func (t *session) prepareFilter(ctx context.Context) (ready bool, err error) {
	t.filter, err = workflows.WebhookFilter(ctx, t.w.db.Queries, t.webhook.Webhook, t.w.db.Now())
	if problem := query.Problem(err); problem != nil {
		reason := "Its filter cannot be used any more. " + problem.Error()
		t.w.log.Warn("a webhook is stopped: its filter cannot be used any more", "webhook", t.webhook.ID,
			"company", t.webhook.Company, "reason", problem.Error())
		return false, t.webhook.RecordRefusal(ctx, t.w.db, reason)
	}
	if err != nil || t.webhook.ComparedTo == nil {
		return err == nil, err
	}
	if t.webhook.Filter == "" {
		return t.forget(ctx)
	}
	return t.compare(ctx)
}

// forget removes the tickets that met a filter that the webhook has no more.
func (t *session) forget(ctx context.Context) (done bool, err error) {
	for more := true; more && err == nil; {
		if time.Now().After(t.until) {
			return false, nil
		}
		more, err = t.webhook.ForgetTickets(ctx, t.w.db)
	}
	return err == nil, err
}

// compare finds the tickets that meet a new filter, so that the webhook is told of those that cease to.
func (t *session) compare(ctx context.Context) (done bool, err error) {
	last, err := db.Read(t.w.db.LastTicket(ctx))
	if err != nil {
		return false, fmt.Errorf("read the last ticket: %w", err)
	}
	sight := workflows.WebhookScope(t.webhook.Webhook, t.w.base).Sight
	for t.webhook.ComparedTo != nil {
		if time.Now().After(t.until) {
			return false, nil
		}
		after := *t.webhook.ComparedTo
		to := new(after + comparedAtOnce)
		list, err := db.Read(t.w.db.TicketsToTrack(ctx, sight, t.webhook.Board, after, *to, t.filter))
		if err != nil {
			return false, fmt.Errorf("compare tickets with the filter: %w", err)
		}
		if *to >= id.Ticket(last) {
			to = nil
		}
		if err := t.webhook.RecordCompared(ctx, t.w.db, list, to); err != nil {
			return false, err
		}
	}
	return true, nil
}

// outgoing is a row to send, with the cursor behind it.
type outgoing struct {
	item     feeds.Item
	tracking webhooks.Tracking
	next     feeds.Cursor
}

// filtered returns the rows of a page that the webhook is sent: all without a filter; else tickets that meet it, those
// that ceased to, once, as if they had left, and the comments of tickets that meet it.
func (t *session) filtered(ctx context.Context, page feeds.Page) (rows []outgoing, err error) {
	pass, err := t.verdicts(ctx, page)
	if err != nil {
		return nil, err
	}
	for i, item := range page.Items {
		if row, ok := pass(item); ok {
			row.next = page.CursorAfter(i)
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// verdicts returns the decision about each row of a page.
func (t *session) verdicts(ctx context.Context, page feeds.Page) (func(item feeds.Item) (outgoing, bool), error) {
	if t.webhook.Filter == "" || page.From.Feed == "boards" {
		return func(item feeds.Item) (outgoing, bool) { return outgoing{item: item}, true }, nil
	}
	var list []id.Ticket
	for _, item := range page.Items {
		if item.Ticket != 0 {
			list = append(list, item.Ticket)
		}
	}
	meeting, err := db.Read(t.w.db.TicketsMeeting(ctx, list, t.filter))
	if err != nil {
		return nil, fmt.Errorf("compare tickets with the filter: %w", err)
	}
	meets := make(map[id.Ticket]bool, len(meeting))
	for _, ticket := range meeting {
		meets[ticket] = true
	}
	if page.From.Feed != "tickets" {
		return func(item feeds.Item) (outgoing, bool) {
			return outgoing{item: item}, item.ID == 0 || meets[item.Ticket]
		}, nil
	}
	ids := make([]id.Ticket, len(page.Items)) // also of those that left
	for i, item := range page.Items {
		ids[i] = id.Ticket(item.ID)
	}
	tracked, err := webhooks.Tracked(ctx, t.w.db.Queries, t.webhook.ID, ids)
	if err != nil {
		return nil, err
	}
	return func(item feeds.Item) (outgoing, bool) { return ticketRow(item, meets, tracked) }, nil
}

// ticketRow returns what is sent of a ticket, if anything: as it is if it meets the filter, that it is gone if it was
// sent before and does not.
func ticketRow(item feeds.Item, meets, tracked map[id.Ticket]bool) (row outgoing, ok bool) {
	ticket := id.Ticket(item.ID)
	row = outgoing{item: item}
	switch {
	case ticket == 0: // of a board
		return row, true
	case !item.Deleted && meets[ticket]:
		if !tracked[ticket] {
			row.tracking = webhooks.Tracking{Ticket: ticket, Matches: true}
		}
		return row, true
	case !tracked[ticket]:
		return row, false
	case !item.Deleted:
		row.item = feeds.Item{ID: item.ID, Position: item.Position, Deleted: true, Reason: feeds.LeftFilter}
	}
	row.tracking = webhooks.Tracking{Ticket: ticket}
	return row, true
}
