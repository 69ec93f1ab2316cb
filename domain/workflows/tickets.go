package workflows

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Ticket returns a ticket, or tickets.NotFound.
func (w *Workflows) Ticket(ctx context.Context, key tickets.Key) (tickets.Ticket, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return tickets.Ticket{}, err
	}
	return tickets.ByKey(ctx, w.db.Queries, actor.Sight(), key)
}

// TicketOnBoard returns a ticket with its board.
func (w *Workflows) TicketOnBoard(ctx context.Context, key tickets.Key) (tickets.Ticket, boards.Board, error) {
	ticket, err := w.Ticket(ctx, key)
	if err != nil {
		return tickets.Ticket{}, boards.Board{}, err
	}
	board, err := boards.BySlug(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight(), ticket.Key.Board)
	return ticket, board, err
}

// History returns a page of a ticket's history, newest first, from below before; 0 means from the newest. more says
// that there are older entries. The change of a description is in EntryOf.
func (w *Workflows) History(
	ctx context.Context, ticket tickets.ID, before id.Activity,
) (entries []tickets.Activity, more bool, err error) {
	return tickets.History(ctx, w.db.Queries, ticket, before, HistoryPerPage)
}

// EntryOf returns an entry of a ticket's history, or tickets.NotFound.
func (w *Workflows) EntryOf(ctx context.Context, ticket tickets.Ticket, entry id.Activity) (tickets.Activity, error) {
	return tickets.ActivityOf(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight(), ticket, entry)
}

// TicketList says which tickets of a board to list, in board order unless the query has another.
type TicketList struct {
	Column id.Column  // 0 for all, from left to right
	Query  string     // a text of domain/query, "" for all
	Sort   query.Sort // unless the query has one
	After  *tickets.Cursor
	Limit  int
}

// TicketsOf returns a board, or AllBoards, and a page of its tickets. next is the start of the next page, nil if there is
// none. A page of a query reads some tickets.Reach tickets, and may have fewer than there is room for, or none. It returns
// boards.NotFound, ColumnNotFound or a query.Error.
func (w *Workflows) TicketsOf(
	ctx context.Context, slug string, of TicketList,
) (board boards.Board, list []tickets.Ticket, next *tickets.Cursor, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return board, nil, nil, err
	}
	if board, err = w.scopeNamed(ctx, actor, slug); err != nil {
		return board, nil, nil, err
	}
	if list, next, err = w.pageOf(ctx, board, of, nil); err != nil {
		return board, nil, nil, err
	}
	return board, list, next, w.complete(ctx, actor.Sight(), list)
}

// pageOf returns a page of the tickets of a board, with nothing of theirs from other tables. known are members whose
// handles need no look-up.
func (w *Workflows) pageOf(
	ctx context.Context, board boards.Board, of TicketList, known []accounts.NamedMember,
) ([]tickets.Ticket, *tickets.Cursor, error) {
	order, sorted := orderOf(of)
	if board.ID == 0 && !sorted {
		order, sorted = db.TicketOrder{By: db.TicketUpdated, Descending: true}, true
	}
	below := of.After
	if sorted {
		below = nil // it is in no column
	}
	var columns []id.Column
	if board.ID != 0 {
		var err error
		if columns, err = columnsFrom(board, of.Column, below); err != nil {
			return nil, nil, err
		}
	}
	filter, err := w.filter(ctx, board, BoardFilter{Query: of.Query}, known)
	if err != nil {
		return nil, nil, err
	}
	if sorted && of.Column != 0 {
		filter.Where = db.TicketsWithAll(filter.Where, db.TicketsIn(db.TicketColumnID, []uint64{uint64(of.Column)}))
	}
	if sorted {
		return tickets.InOrder(ctx, w.db.Queries, scopeOf(ctx, board), filter, order, of.After, of.Limit)
	}
	if filter.All() {
		return w.allTickets(ctx, board, columns, of.After, of.Limit)
	}
	return w.matchingTickets(ctx, board, columns, filter, of.After, of.Limit)
}

// AllBoards stands for all boards in sight, in place of a slug; the zero Board does in place of a board. Archived boards are
// left out, unless a query asks for them by their slugs.
const AllBoards = ""

// scopeOf is where the tickets of a board, or of all, come from.
func scopeOf(ctx context.Context, board boards.Board) tickets.Scope {
	if board.ID == 0 {
		return tickets.BoardsInSight{By: accounts.ActorFrom(ctx).Sight()}
	}
	return tickets.OneBoard{ID: board.ID, Slug: board.Slug}
}

// FilteredBoard is a board with what to filter its tickets by.
type FilteredBoard struct {
	Board    boards.Board
	Members  []accounts.NamedMember
	Labels   []labels.Label
	BadQuery error // a query.Error of the filter, which lets no ticket through then
}

// filteredBoard returns a board with what to filter by, or boards.NotFound. Of AllBoards, the Board is zero.
func (w *Workflows) filteredBoard(ctx context.Context, slug string) (f FilteredBoard, err error) {
	if f.Board, err = w.boardOrAll(ctx, slug); err != nil {
		return f, err
	}
	if f.Members, err = w.Colleagues(ctx); err != nil {
		return f, err
	}
	if f.Board.ID == 0 {
		f.Labels, err = labels.InSight(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight())
		return f, err
	}
	f.Labels, err = labels.On(ctx, w.db.Queries, f.Board.Company, f.Board.ID)
	return f, err
}

// boardOrAll returns a board, zero for AllBoards, to whoever may read boards, or boards.NotFound.
func (w *Workflows) boardOrAll(ctx context.Context, slug string) (boards.Board, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return boards.Board{}, err
	}
	return w.scopeNamed(ctx, actor, slug)
}

// scopeNamed returns the board in sight that a list of tickets is of, zero for AllBoards, or boards.NotFound.
func (w *Workflows) scopeNamed(ctx context.Context, actor accounts.Actor, slug string) (boards.Board, error) {
	if slug == AllBoards {
		return boards.Board{}, nil
	}
	return boards.BySlug(ctx, w.db.Queries, actor.Sight(), slug)
}

// boardsOfTickets returns the boards that some tickets are on: one that is known, or those of AllBoards.
func (w *Workflows) boardsOfTickets(
	ctx context.Context, known boards.Board, list []tickets.Ticket,
) (map[id.Board]boards.Board, error) {
	if known.ID != 0 {
		return map[id.Board]boards.Board{known.ID: known}, nil
	}
	on := map[id.Board]bool{}
	for _, t := range list {
		on[t.Board] = true
	}
	return boards.ByIDs(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight(), slices.Sorted(maps.Keys(on)))
}

// BoardList is a page of the tickets of a board, or of AllBoards, with their assignees and labels. Next is the start of the
// next page, nil if there is none.
type BoardList struct {
	FilteredBoard
	Tickets []tickets.Ticket
	Boards  map[id.Board]boards.Board // of the tickets
	Next    *tickets.Cursor
}

// ListBoard returns a page of the tickets of a board, or of AllBoards: the latest updated first, unless the query has another
// order. It returns boards.NotFound or ColumnNotFound.
func (w *Workflows) ListBoard(ctx context.Context, slug string, of TicketList) (list BoardList, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return BoardList{}, err
	}
	if list.FilteredBoard, err = w.filteredBoard(ctx, slug); err != nil {
		return BoardList{}, err
	}
	list.Tickets, list.Next, err = w.pageOf(ctx, list.Board, of, list.Members)
	if list.BadQuery = query.Problem(err); err != nil && list.BadQuery == nil {
		return BoardList{}, err
	}
	if list.Boards, err = w.boardsOfTickets(ctx, list.Board, list.Tickets); err != nil {
		return BoardList{}, err
	}
	return list, w.addNames(ctx, actor.Company.ID, list.Tickets)
}

// MaxOnCalendar is how many tickets a calendar shows.
const MaxOnCalendar = 500

// Calendar are the first tickets of a board, or of AllBoards, that are due within some days, by due date. More says that
// there may be others.
type Calendar struct {
	FilteredBoard
	Tickets []tickets.Ticket
	Boards  map[id.Board]boards.Board // of the tickets
	More    bool
}

// BoardCalendar returns the tickets that match a text of domain/query and are due from one day on, before another, for
// the reader. Days are midnights in UTC. It returns boards.NotFound.
func (w *Workflows) BoardCalendar(ctx context.Context, slug, text string, from, to time.Time) (c Calendar, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return Calendar{}, err
	}
	if c.FilteredBoard, err = w.filteredBoard(ctx, slug); err != nil {
		return Calendar{}, err
	}
	filter, err := w.filter(ctx, c.Board, BoardFilter{Query: text}, c.Members)
	if c.BadQuery = query.Problem(err); err != nil && c.BadQuery == nil {
		return Calendar{}, err
	}
	c.Tickets, c.More, err = tickets.DueWithin(ctx, w.db.Queries, scopeOf(ctx, c.Board), filter, from, to, zoneOf(actor), MaxOnCalendar)
	if err != nil {
		return Calendar{}, err
	}
	c.Boards, err = w.boardsOfTickets(ctx, c.Board, c.Tickets)
	return c, err
}

// addNames gives tickets their assignees and labels.
func (w *Workflows) addNames(ctx context.Context, company id.Company, list []tickets.Ticket) error {
	ids := idsOf(list)
	assignees, err := tickets.AssigneesOf(ctx, w.db.Queries, company, ids)
	if err != nil {
		return err
	}
	labels, err := tickets.LabelsOf(ctx, w.db.Queries, ids)
	for i := range list {
		list[i].Assignees, list[i].Labels = assignees[list[i].ID], labels[list[i].ID]
	}
	return err
}

func idsOf(list []tickets.Ticket) []tickets.ID {
	ids := make([]tickets.ID, len(list))
	for i, t := range list {
		ids[i] = t.ID
	}
	return ids
}

func (w *Workflows) allTickets(
	ctx context.Context, board boards.Board, columns []id.Column, after *tickets.Cursor, limit int,
) (list []tickets.Ticket, next *tickets.Cursor, err error) {
	for _, column := range columns {
		some, err := tickets.Below(ctx, w.db.Queries, board.ID, board.Slug, column, after, limit-len(list)+1)
		if err != nil {
			return nil, nil, err
		}
		if list = append(list, some...); len(list) > limit {
			end := list[limit-1].Cursor()
			return list[:limit], &end, nil
		}
		after = nil
	}
	return list, nil, nil
}

// matchingTickets goes on to the next column while the ones before had fewer than tickets.Reach tickets together.
func (w *Workflows) matchingTickets(
	ctx context.Context, board boards.Board, columns []id.Column, filter tickets.Filter, after *tickets.Cursor, limit int,
) (list []tickets.Ticket, next *tickets.Cursor, err error) {
	by := accounts.ActorFrom(ctx).Sight()
	counts := map[id.Column]int64{}
	for _, column := range board.Columns {
		counts[column.ID] = column.Count
	}
	left := int64(tickets.Reach)
	for i, column := range columns {
		if i > 0 && (len(list) == limit || left <= 0) {
			top := tickets.TopOf(column)
			return list, &top, nil
		}
		start := tickets.FilterStart{Column: column, Below: after, Reach: tickets.Reach}
		some, more, err := tickets.Matching(ctx, w.db.Queries, by, board.ID, board.Slug, filter, start, limit-len(list))
		if list = append(list, some...); err != nil || more != nil {
			return list, more, err
		}
		left -= counts[column]
		after = nil
	}
	return list, nil, nil
}

// complete gives tickets their assignees, labels, relations, attachments and recurrences, in a query each.
func (w *Workflows) complete(ctx context.Context, by db.Sight, list []tickets.Ticket) error {
	if err := w.addNames(ctx, by.Company, list); err != nil {
		return err
	}
	ids := idsOf(list)
	relations, err := tickets.RelationsOf(ctx, w.db.Queries, by, ids)
	if err != nil {
		return err
	}
	attachments, err := tickets.AttachmentsOf(ctx, w.db.Queries, ids)
	if err != nil {
		return err
	}
	recurrences, err := tickets.RecurrencesOf(ctx, w.db.Queries, ids)
	for i := range list {
		of := list[i].ID
		list[i].Relations, list[i].Attachments, list[i].Recurrence = relations[of], attachments[of], recurrences[of]
	}
	return err
}

// columnsFrom returns the columns to list, the first of them that of the cursor.
func columnsFrom(board boards.Board, column id.Column, after *tickets.Cursor) ([]id.Column, error) {
	var columns []id.Column
	for _, c := range board.Columns {
		if column == 0 || c.ID == column {
			columns = append(columns, c.ID)
		}
	}
	if len(columns) == 0 {
		return nil, boards.ColumnNotFound{Column: uint64(column)}
	}
	if after == nil {
		return columns, nil
	}
	if after.Sorted != (tickets.Sorted{}) {
		return nil, tickets.BadCursor()
	}
	for i, c := range columns {
		if c == after.Column {
			return columns[i:], nil
		}
	}
	return nil, boards.ColumnNotFound{Column: uint64(after.Column)}
}

// EditTicket changes a ticket's title or description. It returns tickets.NotFound, Stale, or all that is wrong with the
// edit.
func (w *Workflows) EditTicket(
	ctx context.Context, key tickets.Key, edit tickets.Edit,
) (ticket tickets.Ticket, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return tickets.Ticket{}, err
	}
	err = w.onTicket(ctx, key, func(t lockedTicket) error {
		if ticket, err = tickets.Save(ctx, t.tx, t.Ticket, edit, t.by); err != nil {
			return err
		}
		if edit.Description != nil && !ticket.FromRequester { // a requester's text is plain
			if err := keepMedia(ctx, t.tx, actor, t.Ticket, 0, w.mediaIn(actor, ticket.Description)); err != nil {
				return err
			}
		}
		return t.notifyMentioned(ctx, tickets.Notifications{}, t.Description, ticket.Description)
	})
	if err != nil {
		return tickets.Ticket{}, fmt.Errorf("edit ticket: %w", err)
	}
	return ticket, nil
}

// Conflict returns what happened to a ticket since the version that an edit was made from.
func (w *Workflows) Conflict(
	ctx context.Context, current tickets.Ticket, version uint64,
) (conflict tickets.Conflict, err error) {
	if _, err := MayRead(ctx, "tickets:read"); err != nil {
		return conflict, err
	}
	conflict.Current = current
	conflict.Since, conflict.Known, err = tickets.EditsSince(ctx, w.db.Queries, current, version)
	return conflict, err
}

// ConflictAt returns the conflict that a user was shown when the ticket had a version: Current has its texts.
func (w *Workflows) ConflictAt(
	ctx context.Context, current tickets.Ticket, base, shown uint64,
) (tickets.Conflict, error) {
	conflict, err := w.Conflict(ctx, current, base)
	if err != nil || !conflict.Known || shown == current.Version {
		return conflict, err
	}
	since, err := w.Conflict(ctx, current, shown)
	conflict.Known = since.Known
	conflict.Current.Title, conflict.Current.Description = since.Since.Title, since.Since.Description
	return conflict, err
}

// PlacementOf returns a ticket's position, for the form that moves it.
func (w *Workflows) PlacementOf(ctx context.Context, ticket tickets.Ticket) (tickets.Placement, error) {
	return tickets.PlacementOf(ctx, w.db.Queries, ticket)
}
