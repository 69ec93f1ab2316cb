package workflows

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
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
			entry, err = tickets.CheckItemInComment(ctx, t.tx, t.Ticket, comment, check, tickets.Detail{}, t.by)
			return err
		}
		ticket, entry, err = tickets.CheckItem(ctx, t.tx, t.Ticket, check, tickets.Detail{}, t.by)
		return err
	})
	if err != nil {
		return tickets.Ticket{}, tickets.Activity{}, fmt.Errorf("check item: %w", err)
	}
	return ticket, entry, nil
}

// MakeChild opens a ticket whose title is an item of the checklist of a ticket's description, makes it a child of that
// ticket, and writes its key into the item: all or nothing, and no item twice. It returns tickets.NotFound, BadItem,
// ItemChanged or what OpenTicket, Relate and EditTicket do.
func (w *Workflows) MakeChild(
	ctx context.Context, key tickets.Key, check markup.Check,
) (ticket, child tickets.Ticket, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return ticket, child, err
	}
	if !check.Valid() {
		return ticket, child, tickets.BadItem()
	}
	err = w.findTicket(ctx, key, func(seen tickets.Ticket) error {
		item, ok := check.Find(seen.Description)
		if !ok || seen.FromRequester {
			return tickets.ItemChanged{Current: seen}
		}
		draft, err := tickets.Draft{Title: tickets.ShortTitle(item.Text)}.Parse()
		if err != nil {
			return err
		}
		board, err := boards.BySlug(ctx, w.db.Queries, actor.Sight(), seen.Key.Board)
		if err != nil {
			return err
		}
		return w.change(ctx, func(tx *db.Tx) error {
			opened, err := OpenTickets(ctx, tx, board, []tickets.NewTicket{{Draft: draft, Author: user(actor)}}, tickets.Open)
			if err != nil {
				return err
			}
			locked, err := tickets.Lock(ctx, tx, seen)
			if err != nil {
				return err
			}
			if locked.Board != board.ID {
				return errElsewhere
			}
			t := lockedTicket{Ticket: locked, tx: tx, by: user(actor)}
			ticket, child, err = t.makeChild(ctx, check, opened[0])
			return err
		})
	})
	if err != nil {
		return tickets.Ticket{}, tickets.Ticket{}, fmt.Errorf("make a ticket of an item: %w", err)
	}
	return ticket, child, nil
}

// makeChild makes a ticket that was just opened a child, and writes its key into an item of the description.
func (t lockedTicket) makeChild(
	ctx context.Context, check markup.Check, child tickets.Ticket,
) (ticket, _ tickets.Ticket, err error) {
	item, ok := check.Find(t.Description)
	if !ok {
		return ticket, child, tickets.ItemChanged{Current: t.Ticket}
	}
	text := item.Prefix(t.Description, child.Key.String())
	if ticket, err = tickets.Save(ctx, t.tx, t.Ticket, tickets.Edit{Description: &text, Version: t.Version}, t.by); err != nil {
		return ticket, child, err
	}
	row, err := t.tx.CardByNumber(ctx, child.Board, child.Key.Number)
	if err != nil {
		return ticket, child, fmt.Errorf("read the new ticket: %w", err)
	}
	child.ID = row.ID
	if err := tickets.AddBacklinks(ctx, t.tx, child, 0, tickets.Draft{Title: child.Title}.References()); err != nil {
		return ticket, child, err
	}
	if err := accounts.LockMembers(ctx, t.tx, accounts.ActorFrom(ctx).Company.ID); err != nil {
		return ticket, child, err
	}
	_, err = tickets.Relate(ctx, t.tx, ticket, tickets.Child, child, tickets.Detail{}, t.by)
	return ticket, child, err
}
