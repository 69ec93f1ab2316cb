package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// boardRef is a board as a request names it.
type boardRef struct {
	company id.Company
	slug    string
}

// openRequest is a ticket that a caller wants, once for a key.
type openRequest struct {
	tickets.NewTicket
	actor    accounts.Actor
	mentions []string // handles in the description
	refers   []string // keys in the texts
	media    textMedia
	once     *Once[tickets.Ticket]
	follows  *following // nil if it is opened by itself
}

// OpenTicket adds a ticket at the foot of a column, the board's first if the draft names none. It returns
// boards.NotFound, ColumnNotFound, ColumnFull or Archived, tickets.TemplateNotFound, all that is wrong with the draft, and
// with once Replay or KeyReused. The ticket it returns has no ID; its key names it.
//
// Tickets that are opened on a board at the same time share a transaction: one update takes all
// their numbers, one insert adds all their rows. docs/performance.md has the measurements.
func (w *Workflows) OpenTicket(
	ctx context.Context, slug string, draft tickets.Draft, once *Once[tickets.Ticket],
) (tickets.Ticket, error) {
	actor, err := mayWrite(ctx, "tickets:write")
	if err != nil {
		return tickets.Ticket{}, err
	}
	ticket, err := DoOnce(ctx, w, once, func() (tickets.Ticket, error) {
		return w.openTicket(ctx, actor, slug, draft, once, nil)
	})
	if errors.Is(err, coalesce.ErrClosed) {
		return tickets.Ticket{}, Stopping()
	}
	if err != nil {
		return tickets.Ticket{}, fmt.Errorf("open ticket: %w", err)
	}
	return ticket, nil
}

func (w *Workflows) openTicket(
	ctx context.Context, actor accounts.Actor, slug string, draft tickets.Draft, once *Once[tickets.Ticket],
	follows *following,
) (tickets.Ticket, error) {
	draft, err := w.fromTemplate(ctx, actor, slug, draft)
	if err != nil {
		return tickets.Ticket{}, err
	}
	if draft, err = draft.Parse(); err != nil {
		return tickets.Ticket{}, err
	}
	if draft.FilesOf != nil {
		if draft.Description, err = w.copyFilesOf(ctx, actor, *draft.FilesOf, draft.Description); err != nil {
			return tickets.Ticket{}, err
		}
		if _, err := tickets.ParseDescription(draft.Description); err != nil { // the ids of copies may have more digits
			return tickets.Ticket{}, err
		}
	}
	parsed, err := boards.ParseSlug(slug)
	if err != nil {
		return tickets.Ticket{}, boards.NotFound()
	}
	ref := boardRef{actor.Company.ID, parsed}
	if err := w.mustSee(ctx, ref, actor); err != nil {
		return tickets.Ticket{}, err
	}
	return w.openings.Do(ctx, ref, &openRequest{
		tickets.NewTicket{Draft: draft, Author: user(actor)}, actor, markup.Mentions(draft.Description), draft.References(),
		w.mediaIn(actor, draft.Description), once, follows,
	})
}

// mustSee returns boards.NotFound if the actor does not see the board. A board that names nobody is read once a second
// for all members; any other, and each for guests, is read in the actor's sight, as one that does not exist is.
func (w *Workflows) mustSee(ctx context.Context, ref boardRef, actor accounts.Actor) error {
	read := false
	board, err := w.boards.Get(ref, func() (openBoard, error) {
		read = true
		return w.readOpenBoard(ctx, actor.Sight(), ref.slug)
	})
	if err != nil || read || !board.named && actor.Role != accounts.Guest {
		return err
	}
	_, err = boards.BySlug(ctx, w.db.Queries, actor.Sight(), ref.slug)
	return err
}

// openBatch opens the tickets of a batch in one transaction.
func (w *Workflows) openBatch(
	ctx context.Context, ref boardRef, openings []*openRequest,
) (opened []tickets.Ticket, err error) {
	for attempt := range relocations {
		opened, err = w.openOn(ctx, ref, openings)
		columnGone := attempt == 0 && errors.Is(err, boards.CodeColumnNotFound)
		if !columnGone && !errors.Is(err, boards.ErrOutdated) && !errors.Is(err, errElsewhere) {
			return opened, err
		}
		w.boards.Forget(ref)
	}
	return nil, db.Unavailable{Why: "the board's columns change again and again", Err: err}
}

// openBoard is a board that tickets are opened on. named says that it names members, or is private.
type openBoard struct {
	boards.Board
	named bool
}

func (w *Workflows) readOpenBoard(ctx context.Context, by db.Sight, slug string) (board openBoard, err error) {
	if board.Board, err = boards.BySlug(ctx, w.db.Queries, by, slug); err != nil {
		return board, err
	}
	board.named, err = db.Read(w.db.BoardNames(ctx, board.ID))
	return board, err
}

// mayOpen returns boards.NotFound or ReadOnly if one of the openings is by an actor that may not.
func (b openBoard) mayOpen(ctx context.Context, tx *db.Tx, openings []*openRequest) error {
	levels := map[id.Account]int{}
	private := false
	if b.named {
		actors := make([]id.Account, len(openings))
		for i, o := range openings {
			actors[i] = o.actor.Account.ID
		}
		rows, err := tx.GrantsOn(ctx, b.ID, actors)
		if err != nil {
			return fmt.Errorf("read rights on the board: %w", err)
		}
		for _, row := range rows {
			private = row.Privacy > 0
			levels[row.AccountID] = int(row.Level)
		}
	}
	for _, o := range openings {
		switch level := access.On(o.actor, db.Grant{Private: private, Level: levels[o.actor.Account.ID]}); {
		case level == access.None:
			return boards.NotFound()
		case level < access.Write:
			return accounts.ReadOnly()
		}
	}
	return nil
}

// openOn opens the tickets on the board as it was read at most a second ago. Each actor's rights are checked in the
// transaction.
func (w *Workflows) openOn(
	ctx context.Context, ref boardRef, openings []*openRequest,
) (opened []tickets.Ticket, err error) {
	board, err := w.boards.Get(ref, func() (openBoard, error) {
		return w.readOpenBoard(ctx, db.SightOfAll(ref.company), ref.slug)
	})
	if err != nil {
		return nil, err
	}
	err = w.change(ctx, func(tx *db.Tx) error {
		if err := board.mayOpen(ctx, tx, openings); err != nil {
			return err
		}
		wanted := make([]tickets.NewTicket, len(openings))
		for i, o := range openings {
			wanted[i] = o.NewTicket
		}
		if opened, err = OpenTickets(ctx, tx, board.Board, wanted, tickets.Open); err != nil {
			return err
		}
		if err := readNew(ctx, tx, openings, opened); err != nil {
			return err
		}
		if err := labelNew(ctx, tx, board.Board, openings, opened); err != nil {
			return err
		}
		if err := assignNew(ctx, tx, openings, opened); err != nil {
			return err
		}
		if err := followNew(ctx, tx, ref.company, openings, opened); err != nil {
			return err
		}
		for i, o := range openings {
			if err := tickets.AddBacklinks(ctx, tx, opened[i], 0, o.refers); err != nil {
				return err
			}
		}
		if err := recurNew(ctx, tx, openings, opened); err != nil {
			return err
		}
		var responses []db.Idempotency
		for i, o := range openings {
			responses = append(responses, o.once.Row(tx, opened[i])...)
		}
		if err := StoreResponses(ctx, tx, responses); err != nil {
			return err
		}
		return coalesce.Wanted(ctx)
	})
	return opened, err
}

// OpenTickets takes ranks, then numbers, then has add add the rows: columns are locked before the incrementer.
// An opening without a column goes to the board's first.
func OpenTickets(
	ctx context.Context, tx *db.Tx, board boards.Board, openings []tickets.NewTicket, add opener,
) ([]tickets.Ticket, error) {
	rows := make([]tickets.Row, len(openings))
	for i, o := range openings {
		rows[i] = tickets.Row{NewTicket: o, Column: cmp.Or(o.Draft.Column, board.Entry().ID)}
	}
	if err := takeRanks(ctx, tx, board, rows); err != nil {
		return nil, err
	}
	last, err := boards.AllocateNumbers(ctx, tx, board.ID, len(rows))
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].Key = tickets.Key{Board: board.Slug, Number: last - uint64(len(rows)-1-i)}
	}
	opened, err := add(ctx, tx, board.ID, rows)
	if errors.Is(err, tickets.ErrArchived) {
		return nil, boards.Archived()
	}
	return opened, err
}

// opener adds tickets, as tickets.Open does.
type opener func(ctx context.Context, tx *db.Tx, board id.Board, rows []tickets.Row) ([]tickets.Ticket, error)

// takeRanks gives each row its rank, locking the columns in the order of their ids.
func takeRanks(ctx context.Context, tx *db.Tx, board boards.Board, rows []tickets.Row) error {
	byColumn := make(map[id.Column][]*tickets.Row)
	for i := range rows {
		byColumn[rows[i].Column] = append(byColumn[rows[i].Column], &rows[i])
	}
	for _, column := range slices.Sorted(maps.Keys(byColumn)) {
		members := byColumn[column]
		in, _ := board.Column(column)
		in.ID = column
		last, err := boards.TakeRanks(ctx, tx, board.ID, in, len(members), tickets.Gap)
		if err != nil {
			return err
		}
		for i, row := range members {
			row.Rank = last - int64(len(members)-1-i)*tickets.Gap
			if in.Done && row.ClosedAt == nil {
				row.ClosedAt = &tx.Now
			}
		}
	}
	return nil
}

// named reports whether something refers to the new ticket by its id.
func (o *openRequest) named() bool {
	return len(o.mentions) > 0 || len(o.refers) > 0 || !o.media.none() || len(o.Draft.Labels) > 0 ||
		len(o.Draft.Assignees) > 0 || o.follows != nil
}

// readNew gives those new tickets their ids that something refers to.
func readNew(ctx context.Context, tx *db.Tx, openings []*openRequest, opened []tickets.Ticket) error {
	for i, o := range openings {
		if !o.named() {
			continue
		}
		row, err := tx.CardByNumber(ctx, opened[i].Board, opened[i].Key.Number)
		if err != nil {
			return fmt.Errorf("read the new ticket: %w", err)
		}
		opened[i].ID = row.ID
	}
	return nil
}

// followNew notifies the members that new tickets name as assignees, or in their descriptions, has their pictures
// fetched, and gives them their files. Without any of these it reads nothing.
func followNew(
	ctx context.Context, tx *db.Tx, company id.Company, openings []*openRequest, opened []tickets.Ticket,
) error {
	for i, o := range openings {
		if len(o.mentions) == 0 && o.media.none() && len(opened[i].Assignees) == 0 {
			continue
		}
		mentioned, err := membersByHandle(ctx, tx.Queries, o.actor.Sight(), o.mentions)
		if err != nil {
			return err
		}
		ticket := opened[i]
		if len(mentioned) == 0 && o.media.none() && len(ticket.Assignees) == 0 {
			continue
		}
		n := tickets.Notifications{Company: company, Ticket: ticket, By: o.Author, Mentioned: mentioned,
			Assigned: tickets.AccountsOf(ticket.Assignees)}
		if err := tickets.Notify(ctx, tx, n); err != nil {
			return err
		}
		if err := keepMedia(ctx, tx, o.actor, ticket, 0, o.media); err != nil {
			return err
		}
	}
	return nil
}
