package workflows

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/domain/tickets"
)

// SetProperties changes the priority and the dates of a ticket. entry is what it added to the history; its ID is 0 if
// nothing changed. It returns tickets.NotFound, PropertiesChanged or StartAfterDue.
func (w *Workflows) SetProperties(
	ctx context.Context, key tickets.Key, edit tickets.PropertyEdit,
) (ticket tickets.Ticket, entry tickets.Activity, err error) {
	if _, err := mayChange(ctx, "tickets"); err != nil {
		return tickets.Ticket{}, entry, err
	}
	err = w.onTicket(ctx, key, func(t lockedTicket) (err error) {
		ticket, entry, err = tickets.SetProperties(ctx, t.tx, t.Ticket, edit, t.by)
		return err
	})
	if err != nil {
		return tickets.Ticket{}, tickets.Activity{}, fmt.Errorf("set properties: %w", err)
	}
	return ticket, entry, nil
}

// SetTitle changes the title of a ticket that has the title which was seen. It returns tickets.PropertiesChanged if it
// has another one.
func (w *Workflows) SetTitle(
	ctx context.Context, key tickets.Key, title, seen string,
) (ticket tickets.Ticket, err error) {
	if _, err := mayChange(ctx, "tickets"); err != nil {
		return tickets.Ticket{}, err
	}
	err = w.onTicket(ctx, key, func(t lockedTicket) (err error) {
		if t.Title != seen && t.Title != title {
			return tickets.PropertiesChanged{Current: t.Ticket}
		}
		ticket, err = tickets.Save(ctx, t.tx, t.Ticket, tickets.Edit{Title: &title, Version: t.Version}, t.by)
		return err
	})
	if err != nil {
		return tickets.Ticket{}, fmt.Errorf("set title: %w", err)
	}
	return ticket, nil
}
