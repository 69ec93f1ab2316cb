package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/live"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	livePage  = 500                    // rows that are read at once for live pages
	livePages = 8                      // pages that one update reads at most
	liveBoard = 500                    // more tickets of a board than these are reported as all of it
	livePause = 100 * time.Millisecond // between two updates
	liveRetry = 2 * time.Second        // after an update that failed
	liveRound = 10 * time.Second       // an update may take
)

// Live returns the recent changes, for open pages.
func (d *Delivery) Live() *live.Hub { return d.live }

// WorkLive keeps Live up to date until ctx ends. It is for a process that answers browsers, once.
func (d *Delivery) WorkLive(ctx context.Context) {
	for ctx.Err() == nil {
		moved, err := d.updateInTime(ctx)
		if err != nil && ctx.Err() == nil {
			d.log.Warn("what changed could not be looked at; it is tried again", "error", err)
			_ = wait.Sleep(ctx, liveRetry)
			continue
		}
		_ = wait.For(ctx, moved)
		_ = wait.Sleep(ctx, livePause)
	}
}

func (d *Delivery) updateInTime(ctx context.Context) (moved <-chan struct{}, err error) {
	ctx, cancel := context.WithTimeout(ctx, liveRound)
	defer cancel()
	return d.UpdateLive(ctx)
}

// UpdateLive adds to Live what was published since the last update, as far as this process knows. moved is closed
// when there is more.
func (d *Delivery) UpdateLive(ctx context.Context) (moved <-chan struct{}, err error) {
	tickets, moved := d.feeds.Head("tickets")
	comments, _ := d.feeds.Head("comments")
	boards, _ := d.feeds.Head("boards")
	if boards.Epoch == 0 {
		return moved, nil // nothing is known yet
	}
	now := live.Position{
		Epoch: tickets.Epoch, Tickets: tickets.Position, Comments: comments.Position, Boards: boards.Position,
	}
	last := d.live.Position()
	switch {
	case now == last:
	case last.Epoch != now.Epoch, !now.Covers(last):
		d.live.Begin(now)
	default:
		err = d.addLive(ctx, last, now)
	}
	return moved, err
}

// addLive reads all of a stretch on one connection to the primary: a server that is behind lacks rows of it.
func (d *Delivery) addLive(ctx context.Context, from, to live.Position) error {
	l := liveScan{from: from, to: to, found: map[id.Company]*companyChanges{}}
	err := d.db.ReadTx(ctx, func(tx *db.Tx) error {
		l.q = tx.Queries
		return errors.Join(l.tickets(ctx), l.comments(ctx), l.boards(ctx), l.readers(ctx))
	})
	switch {
	case errors.Is(err, errTooManyChanges):
		d.live.Begin(to)
		return nil
	case err == nil:
		d.live.Add(to, l.changes()...)
	}
	return err
}

// errTooManyChanges says that more changed than one update reads.
var errTooManyChanges = errors.New("more changed than one update reads")

// liveScan collects what was published in a stretch of the feeds. Rows that changed again since come with the next.
type liveScan struct {
	q        *db.Queries
	from, to live.Position
	found    map[id.Company]*companyChanges
}

// companyChanges is what a scan found of a company.
type companyChanges struct {
	boards map[id.Board]*boardChanges
	order  []id.Board
}

// boardChanges are the changes of a board in a scan.
type boardChanges struct {
	live.Board
	private   bool
	readers   []id.Account // if it is private, else the guests that it names; ascending
	commented []id.Ticket
	seen      map[id.Ticket]bool // of commented
}

// changed reports whether more than comments of the board changed.
func (b *boardChanges) changed() bool { return b.Own || b.All || len(b.Tickets) > 0 }

func (l *liveScan) of(company id.Company) *companyChanges {
	n := l.found[company]
	if n == nil {
		n = &companyChanges{boards: map[id.Board]*boardChanges{}}
		l.found[company] = n
	}
	return n
}

func (n *companyChanges) board(board id.Board, privacy int8) *boardChanges {
	b := n.boards[board]
	if b == nil {
		b = &boardChanges{Board: live.Board{ID: board}, private: privacy > db.ReachOpen, seen: map[id.Ticket]bool{}}
		n.boards[board], n.order = b, append(n.order, board)
	}
	return b
}

// comment has the page of a ticket look at its comments, or at what mentions it.
func (b *boardChanges) comment(ticket id.Ticket) {
	if !b.seen[ticket] {
		b.seen[ticket], b.commented = true, append(b.commented, ticket)
	}
}

func (b *boardChanges) add(ticket live.Ticket) {
	if b.All {
		return
	}
	if len(b.Tickets) == liveBoard {
		b.All, b.Tickets = true, nil
		return
	}
	b.Tickets = append(b.Tickets, ticket)
}

// pages calls page from one position to the next, until it returns less than a page.
func pages(from, to uint64, page func(after, to *uint64) (n int, last *uint64, err error)) error {
	for range livePages {
		if from >= to {
			return nil
		}
		n, last, err := page(&from, &to)
		if err != nil || n < livePage {
			return err
		}
		from = *last
	}
	return errTooManyChanges
}

func (l *liveScan) tickets(ctx context.Context) error {
	return pages(l.from.Tickets, l.to.Tickets, func(after, to *uint64) (int, *uint64, error) {
		rows, err := db.Read(l.q.LiveTickets(ctx, db.LiveTicketsParams{After: after, To: to, Limit: livePage}))
		if err != nil || len(rows) == 0 {
			return 0, nil, err
		}
		companies := make(map[id.Ticket]id.Company, len(rows))
		for _, row := range rows {
			ticket, err := liveTicket(row)
			if err != nil {
				return 0, nil, err
			}
			l.of(row.CompanyID).board(row.BoardID, row.Privacy).add(ticket)
			companies[row.ID] = row.CompanyID
		}
		last := rows[len(rows)-1].FeedSyncID
		aliases := db.LiveAliasesParams{After: after, To: last, Limit: livePages * livePage}
		left, err := db.Read(l.q.LiveAliases(ctx, aliases))
		if err != nil {
			return 0, nil, err
		}
		if len(left) == livePages*livePage {
			return 0, nil, errTooManyChanges
		}
		for _, alias := range left {
			l.of(companies[alias.TicketID]).board(alias.BoardID, alias.Privacy).add(live.Ticket{ID: alias.TicketID})
		}
		if err := l.related(ctx, after, last); err != nil {
			return 0, nil, err
		}
		mentioned, err := db.Read(l.q.LiveMentioned(ctx, db.LiveMentionedParams{After: after, To: last,
			Limit: livePages * livePage}))
		if err != nil {
			return 0, nil, err
		}
		return len(rows), last, l.mentioned(mentioned)
	})
}

// related adds the tickets with relations to those published in a range: their pages and cards show what those are. The
// zero stamp has pages look.
func (l *liveScan) related(ctx context.Context, after, to *uint64) error {
	rows, err := db.Read(l.q.LiveRelated(ctx, db.LiveRelatedParams{After: after, To: to, Limit: livePages * livePage}))
	if err != nil {
		return err
	}
	if len(rows) == livePages*livePage {
		return errTooManyChanges
	}
	for _, row := range rows {
		ticket := live.Ticket{ID: row.ID}
		if row.ColumnID != nil {
			ticket.Column = *row.ColumnID
		}
		l.of(row.CompanyID).board(row.BoardID, row.Privacy).add(ticket)
	}
	return nil
}

// mentioned has the pages of tickets look that texts mention: they list them.
func (l *liveScan) mentioned(rows []db.LiveMentionedRow) error {
	if len(rows) == livePages*livePage {
		return errTooManyChanges
	}
	for _, row := range rows {
		l.of(row.CompanyID).board(row.BoardID, row.Privacy).comment(row.ID)
	}
	return nil
}

// liveTicket returns where a ticket is, and a stamp of what its card shows.
func liveTicket(row db.LiveTicketsRow) (live.Ticket, error) {
	if row.ColumnID == nil {
		return live.Ticket{ID: row.ID}, nil
	}
	card := tickets.Card{Title: row.Title, MovedAt: row.MovedAt, ClosedAt: row.ClosedAt,
		Priority: tickets.PriorityFrom(row.Priority), Due: tickets.DateFrom(row.DueAt, row.DueTimed),
		Checklist: tickets.ChecklistFrom(row.Items, row.ItemsChecked), Attachments: int(row.Attachments), Comments: tickets.CommentsFrom(row.Comments)}
	var assignees []id.Account
	if err := json.Unmarshal([]byte(row.Assignees), &assignees); err != nil {
		return live.Ticket{}, fmt.Errorf("read assignees: %w", err)
	}
	var err error
	if card.Labels, err = labels.FromJSON(row.Labels); err != nil {
		return live.Ticket{}, err
	}
	for _, account := range assignees {
		card.Assignees = append(card.Assignees, tickets.Assignee{ID: account})
	}
	return live.Ticket{ID: row.ID, Column: *row.ColumnID, Stamp: card.Stamp()}, nil
}

func (l *liveScan) comments(ctx context.Context) error {
	return pages(l.from.Comments, l.to.Comments, func(after, to *uint64) (int, *uint64, error) {
		rows, err := db.Read(l.q.LiveComments(ctx, db.LiveCommentsParams{After: after, To: to, Limit: livePage}))
		if err != nil || len(rows) == 0 {
			return 0, nil, err
		}
		for _, row := range rows {
			b := l.of(row.CompanyID).board(row.BoardID, row.Privacy)
			b.comment(row.TicketID)
			if row.ColumnID != nil { // its card counts them
				b.add(live.Ticket{ID: row.TicketID, Column: *row.ColumnID})
			}
		}
		last := rows[len(rows)-1].FeedSyncID
		mentioned, err := db.Read(l.q.LiveMentionedInComments(ctx, db.LiveMentionedInCommentsParams{After: after, To: last,
			Limit: livePages * livePage}))
		if err != nil {
			return 0, nil, err
		}
		some := make([]db.LiveMentionedRow, len(mentioned))
		for i, row := range mentioned {
			some[i] = db.LiveMentionedRow(row)
		}
		return len(rows), last, l.mentioned(some)
	})
}

func (l *liveScan) boards(ctx context.Context) error {
	return pages(l.from.Boards, l.to.Boards, func(after, to *uint64) (int, *uint64, error) {
		rows, err := db.Read(l.q.LiveBoards(ctx, db.LiveBoardsParams{After: after, To: to, Limit: livePage}))
		if err != nil || len(rows) == 0 {
			return 0, nil, err
		}
		for _, row := range rows {
			l.of(row.CompanyID).board(row.ID, row.Privacy).Own = true
		}
		return len(rows), rows[len(rows)-1].FeedSyncID, nil
	})
}

// readersAtOnce is of how many boards the readers are read at once.
const readersAtOnce = 500

// readers reads the accounts that see the boards because these name them: of private ones all, of open ones guests.
func (l *liveScan) readers(ctx context.Context) error {
	changed := map[id.Board]*boardChanges{}
	for _, n := range l.found {
		maps.Copy(changed, n.boards)
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(changed)), readersAtOnce) {
		rows, err := db.Read(l.q.ReadersOf(ctx, some))
		if err != nil {
			return err
		}
		for _, row := range rows {
			changed[row.BoardID].readers = append(changed[row.BoardID].readers, row.AccountID)
		}
	}
	return nil
}

// changes are those for the readers that boards name, then, for each company, those of all open boards together. That a
// board changed itself is in a change for all others, too, without more: open pages of accounts that lost it leave it
// then.
func (l *liveScan) changes() (list []live.Change) {
	for company, n := range l.found {
		open := live.Change{Company: company}
		guests := live.Change{Company: company, For: live.Guests}
		for _, id := range n.order {
			b := n.boards[id]
			own := live.Board{ID: id, Own: true}
			if len(b.readers) > 0 {
				named := live.Change{Company: company, For: live.Named, Readers: b.readers}
				b.addTo(&named)
				list = append(list, named)
			}
			switch {
			case !b.private:
				b.addTo(&open)
			case b.Own:
				open.Boards = append(open.Boards, own)
			}
			if b.Own {
				guests.Boards = append(guests.Boards, own)
			}
		}
		for _, change := range []live.Change{open, guests} {
			if len(change.Boards)+len(change.Commented) > 0 {
				list = append(list, change)
			}
		}
	}
	return list
}

func (b *boardChanges) addTo(change *live.Change) {
	if b.changed() {
		change.Boards = append(change.Boards, b.Board)
	}
	change.Commented = append(change.Commented, b.commented...)
}
