package workflows

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// CheckItem checks or unchecks an item of a checklist: of a ticket's description, or of a comment unless that is 0. All
// who may change the ticket may do so, whoever wrote the text. entry is what it added to the history; its ID is 0 if the
// item was as wanted. It returns tickets.NotFound, CommentNotFound, BadItem or ItemChanged.
func (w *Workflows) CheckItem(
	ctx context.Context, key tickets.Key, comment id.Comment, check markup.Check,
) (ticket tickets.Ticket, entry tickets.Activity, err error) {
	if _, err := mayChange(ctx, "tickets"); err != nil {
		return ticket, entry, err
	}
	if !check.Valid() {
		return ticket, entry, tickets.BadItem()
	}
	err = w.onTicket(ctx, key, func(t lockedTicket) (err error) {
		ticket = t.Ticket
		if comment != 0 {
			entry, err = tickets.CheckItemInComment(ctx, t.tx, t.Ticket, comment, check, t.by)
			return err
		}
		ticket, entry, err = tickets.CheckItem(ctx, t.tx, t.Ticket, check, t.by)
		return err
	})
	if err != nil {
		return tickets.Ticket{}, tickets.Activity{}, fmt.Errorf("check item: %w", err)
	}
	return ticket, entry, nil
}
