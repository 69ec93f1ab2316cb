package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// InboxPerPage is how many tickets an inbox shows at once.
const InboxPerPage = 50

// Inbox returns a page of the caller's inbox by tickets, newest first, from below an entry; 0 means from the newest.
// next is where the next page begins, 0 if there is none.
func (w *Workflows) Inbox(
	ctx context.Context, before id.Notification,
) (list []tickets.InboxGroup, next id.Notification, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, 0, err
	}
	return tickets.Inbox(ctx, w.db.Queries, actor.Sight(), before, InboxPerPage)
}

// Unread returns how many entries of the caller's inbox are unread; tickets.MaxUnread + 1 means more than that.
func (w *Workflows) Unread(ctx context.Context) (int, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return 0, err
	}
	return tickets.Unread(ctx, w.db.Queries, actor.Sight())
}

// InboxEntry returns an entry of the caller's inbox, or tickets.EntryNotFound.
func (w *Workflows) InboxEntry(ctx context.Context, entry id.Notification) (tickets.InboxGroup, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return tickets.InboxGroup{}, err
	}
	return tickets.InboxEntry(ctx, w.db.Queries, actor.Sight(), entry)
}

// ReadEntry marks an entry of the caller's inbox as read, with the older ones of its ticket. It returns
// tickets.EntryNotFound.
func (w *Workflows) ReadEntry(ctx context.Context, entry id.Notification) error {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return err
	}
	return tickets.Read(ctx, w.db.Queries, actor.Sight(), entry)
}

// ReadInbox marks the caller's inbox as read up to an entry; newer ones stay unread.
func (w *Workflows) ReadInbox(ctx context.Context, to id.Notification) error {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return err
	}
	return tickets.ReadUpTo(ctx, w.db.Queries, actor.Company.ID, actor.Account.ID, to)
}

// ReadTicket marks the caller's notifications of a ticket as read, and returns how many there were.
func (w *Workflows) ReadTicket(ctx context.Context, ticket tickets.Ticket) (int, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return 0, err
	}
	return tickets.ReadTicket(ctx, w.db.Queries, ticket.ID, actor.Account.ID)
}

// MuteTicket ends or resumes notifications of replies on a ticket. Viewers may, too. It returns tickets.NotFound.
func (w *Workflows) MuteTicket(ctx context.Context, key tickets.Key, muted bool) (tickets.Ticket, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return tickets.Ticket{}, err
	}
	ticket, err := tickets.ByKey(ctx, w.db.Queries, actor.Sight(), key)
	if err != nil {
		return tickets.Ticket{}, err
	}
	return ticket, tickets.Mute(ctx, w.db.Queries, ticket.ID, actor.Account.ID, muted)
}
