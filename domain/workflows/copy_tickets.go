package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// CopyTicketsName is the migration that copies the tickets of a board to a duplicate of it.
const CopyTicketsName = "copy-tickets"

// ColumnPairs are the columns of a board, each with that of its duplicate.
type ColumnPairs map[id.Column]id.Column

// String returns the pairs as a parameter of a run: 12=40 13=41.
func (p ColumnPairs) String() string {
	var list []string
	for from, to := range p {
		list = append(list, fmt.Sprintf("%d=%d", from, to))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// ParseColumnPairs reads what String wrote. A pair that is none is left out.
func ParseColumnPairs(text string) ColumnPairs {
	pairs := ColumnPairs{}
	for _, one := range strings.Fields(text) {
		from, to, _ := strings.Cut(one, "=")
		a, badA := strconv.ParseUint(from, 10, 64)
		b, badB := strconv.ParseUint(to, 10, 64)
		if badA == nil && badB == nil {
			pairs[id.Column(a)] = id.Column(b)
		}
	}
	return pairs
}

// copyTickets opens the run that copies the tickets of a board to its new duplicate.
func (w *Workflows) copyTickets(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, from, to boards.Board, which string, columns ColumnPairs,
) error {
	if which == "" {
		return nil
	}
	_, err := w.engine.OpenIn(ctx, tx, runActor(actor), CopyTicketsName, migrations.Values{
		"company": actor.Company.Slug, "board": from.Slug, "to": to.Slug, "tickets": which,
		"columns": columns.String(), "account": strconv.FormatUint(uint64(actor.Account.ID), 10),
	})
	return err
}

// TicketCopy copies tickets of a board to another one, for an actor who sees the first and may change the second. What
// is copied is what the form of a duplicate ticket has: title, description with its files, column, priority, dates,
// labels, assignees, and whether it is closed. Nobody is notified.
type TicketCopy struct {
	Actor    accounts.Actor
	From, To boards.Board
	Columns  ColumnPairs
	Media    Media
}

// NewTicketCopy returns what copies tickets between two boards as an account may do it now. It returns
// accounts.NotMember, boards.NotFound or accounts.ReadOnly.
func NewTicketCopy(
	ctx context.Context, q *db.Queries, company string, account accounts.ID, from, to string,
) (c TicketCopy, err error) {
	if c.Actor, err = accounts.InCompany(ctx, q, company, account); err != nil {
		return c, err
	}
	if c.From, err = boards.BySlug(ctx, q, c.Actor.Sight(), from); err != nil {
		return c, err
	}
	if c.To, err = boards.BySlug(ctx, q, c.Actor.Sight(), to); err != nil {
		return c, err
	}
	return c, mayWriteOn(c.Actor, c.To.Grant)
}

// Read returns a ticket of the board, with its number, to copy. It returns tickets.NotFound if it is not there any more.
func (c TicketCopy) Read(ctx context.Context, q *db.Queries, number uint64) (tickets.Ticket, error) {
	ticket, err := tickets.ByKey(ctx, q, c.Actor.Sight(), tickets.Key{Board: c.From.Slug, Number: number})
	if errors.Is(err, fault.Gone) || err == nil && ticket.Board != c.From.ID {
		return ticket, tickets.NotFound()
	}
	return ticket, err
}

// WithFiles returns a ticket whose description refers to copies of its files: as unbound ones of the actor, until Open
// binds them.
func (c TicketCopy) WithFiles(ctx context.Context, d *db.DB, ticket tickets.Ticket) (tickets.Ticket, error) {
	if len(attachmentsIn(ticket.Description)) == 0 {
		return ticket, nil
	}
	var text string
	err := d.InTx(ctx, func(tx *db.Tx) (err error) {
		text, err = copyFiles(ctx, tx, c.Actor, ticket, ticket.Description)
		return err
	})
	if err != nil {
		return ticket, err
	}
	if _, err := tickets.ParseDescription(text); err == nil { // the ids of copies may have more digits
		ticket.Description = text
	}
	return ticket, nil
}

// Open opens copies of tickets, at the foot of their columns, in their order. It returns boards.ColumnFull or Archived.
func (c TicketCopy) Open(ctx context.Context, tx *db.Tx, list []tickets.Ticket) ([]tickets.Ticket, error) {
	openings := make([]*openRequest, len(list))
	rows := make([]tickets.NewTicket, len(list))
	for i, ticket := range list {
		o, err := c.opening(ctx, tx, ticket)
		if err != nil {
			return nil, err
		}
		openings[i], rows[i] = o, o.NewTicket
	}
	opened, err := OpenTickets(ctx, tx, c.To, rows, tickets.Open)
	if err != nil {
		return nil, err
	}
	if err := readNew(ctx, tx, openings, opened); err != nil {
		return nil, err
	}
	if err := labelNew(ctx, tx, c.To, openings, opened); err != nil {
		return nil, err
	}
	if err := assignNew(ctx, tx, openings, opened); err != nil {
		return nil, err
	}
	for i, o := range openings {
		if err := tickets.AddBacklinks(ctx, tx, opened[i], 0, o.refers); err != nil {
			return nil, err
		}
		if o.media.none() {
			continue
		}
		if err := keepMedia(ctx, tx, c.Actor, opened[i], 0, o.media); err != nil {
			return nil, err
		}
	}
	return opened, nil
}

func (c TicketCopy) opening(ctx context.Context, tx *db.Tx, ticket tickets.Ticket) (*openRequest, error) {
	draft := tickets.Draft{Title: ticket.Title, Description: ticket.Description, Properties: ticket.Properties}
	if _, ok := c.To.Column(c.Columns[ticket.Column]); ok {
		draft.Column = c.Columns[ticket.Column]
	}
	for _, label := range ticket.Labels {
		draft.Labels = append(draft.Labels, label.Name)
	}
	var err error
	draft.Assignees, err = stillAssignable(ctx, tx.Queries, c.Actor.Sight(), c.To.ID, tickets.AccountsOf(ticket.Assignees))
	if err != nil {
		return nil, err
	}
	o := &openRequest{NewTicket: tickets.NewTicket{Draft: draft, Author: user(c.Actor)}, actor: c.Actor,
		refers: draft.References(), media: c.Media.in(c.Actor, draft.Description)}
	if ticket.Closed() {
		o.ClosedAt = &tx.Now
	}
	return o, nil
}
