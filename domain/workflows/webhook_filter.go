package workflows

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// checkWebhookFilter returns a query.Error for a filter that a webhook of a board cannot have; the zero board stands for
// all. Who sets it can name what they see alone.
func (w *Workflows) checkWebhookFilter(
	ctx context.Context, actor accounts.Actor, board boards.Board, text string,
) error {
	q, err := query.Parse(text)
	if err != nil {
		return err
	}
	if err := q.WithoutReader(); err != nil {
		return err
	}
	_, err = w.resolve(ctx, actor, board, q, nil)
	return err
}

// WebhookFilter returns what the filter of a webhook means now; days are those of UTC. Of other tickets, as parents and
// blockers are, it knows those on open boards. It returns a query.Error if the filter names something that is not there any more.
func WebhookFilter(ctx context.Context, q *db.Queries, hook webhooks.Webhook, now time.Time) (db.TicketCondition, error) {
	parsed, err := query.Parse(hook.Filter)
	if err != nil {
		return db.TicketCondition{}, err
	}
	reader := nameReader{q: q, by: db.SightOfAll(hook.Company)}
	if hook.Board != 0 {
		list, err := boards.ByIDs(ctx, q, reader.by, []id.Board{hook.Board})
		if err != nil {
			return db.TicketCondition{}, err
		}
		reader.board = list[hook.Board]
	}
	c, err := reader.resolve(ctx, parsed, query.Names{Now: now.UTC()})
	if err != nil || c.IsZero() {
		return db.TicketCondition{}, err
	}
	return whereOf(c, db.Sight{Company: hook.Company, Reach: db.ReachOpen}), nil
}

// passesFilter returns webhooks.NothingToSend for a row of a ticket that does not meet the filter of a webhook.
func (w *Workflows) passesFilter(ctx context.Context, hook webhooks.Webhook, item feeds.Item) error {
	if hook.Filter == "" || item.Ticket == 0 {
		return nil
	}
	where, err := WebhookFilter(ctx, w.db.Queries, hook, w.db.Now())
	if problem := query.Problem(err); problem != nil {
		return webhooks.NothingToSend("The webhook's filter cannot be used any more. " + problem.Error())
	}
	if err != nil {
		return err
	}
	list, err := db.Read(w.db.TicketsMeeting(ctx, []id.Ticket{item.Ticket}, where))
	if err != nil {
		return fmt.Errorf("compare ticket with the filter: %w", err)
	}
	if len(list) == 0 && !item.Deleted {
		return webhooks.NothingToSend("There is nothing to resend: the ticket does not meet the webhook's filter any more.")
	}
	return nil
}
