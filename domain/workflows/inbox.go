package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// InboxPerPage is how many entries an inbox shows at once.
const InboxPerPage = 50

// Inbox returns a page of the inbox of whoever asks, newest first, from below an entry; 0 means from
// the newest. more says that there are older ones.
func (w *Workflows) Inbox(ctx context.Context, before id.Notification) (list []tickets.Notification, more bool, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, false, err
	}
	return tickets.Inbox(ctx, w.db.Queries, actor.Company.ID, actor.Account.ID, before, InboxPerPage)
}

// Unread returns how many entries whoever asks has not read; tickets.MaxUnread + 1 means more than
// that.
func (w *Workflows) Unread(ctx context.Context) (int, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return 0, err
	}
	return tickets.Unread(ctx, w.db.Queries, actor.Company.ID, actor.Account.ID)
}

// ReadEntry marks an entry of one's inbox as read. It returns tickets.EntryNotFound.
func (w *Workflows) ReadEntry(ctx context.Context, entry id.Notification) error {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return err
	}
	return tickets.Read(ctx, w.db.Queries, actor.Company.ID, actor.Account.ID, entry)
}

// ReadInbox marks one's inbox as read up to an entry: what came since stays unread.
func (w *Workflows) ReadInbox(ctx context.Context, upto id.Notification) error {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return err
	}
	return tickets.ReadUpTo(ctx, w.db.Queries, actor.Company.ID, actor.Account.ID, upto)
}

// ReadTicket marks what one was told of a ticket as read, and returns how many entries that were.
func (w *Workflows) ReadTicket(ctx context.Context, ticket tickets.Ticket) (int, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return 0, err
	}
	return tickets.ReadTicket(ctx, w.db.Queries, ticket.ID, actor.Account.ID)
}

// MuteTicket ends replies of a ticket in one's inbox, or lets them come again. Viewers may too. It
// returns tickets.NotFound.
func (w *Workflows) MuteTicket(ctx context.Context, key tickets.Key, muted bool) (tickets.Ticket, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return tickets.Ticket{}, err
	}
	ticket, err := tickets.ByKey(ctx, w.db.Queries, actor.Company.ID, key)
	if err != nil {
		return tickets.Ticket{}, err
	}
	return ticket, tickets.Mute(ctx, w.db.Queries, ticket.ID, actor.Account.ID, muted)
}
