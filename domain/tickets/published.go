package tickets

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// PublishedTicket is a ticket of any company at its position in the feed. It may be deleted, and has no assignees.
type PublishedTicket struct {
	Ticket   Ticket
	Position uint64
	Own      bool   // of the reader's company
	Visible  bool   // its board is in sight
	Slug     string // of the company
	Feed     db.FeedHead
}

// PublishedTickets returns the first tickets with positions in (after, to].
func PublishedTickets(
	ctx context.Context, q *db.Queries, by db.Sight, after, to uint64, limit int,
) ([]PublishedTicket, error) {
	rows, err := db.Read(q.PublishedTickets(ctx, db.PublishedTicketsParams{
		Reach: by.Reach, Reader: by.Reader, Webhook: by.Webhook, After: &after, To: &to, Limit: int32(limit),
	}))
	if err != nil {
		return nil, fmt.Errorf("read published tickets: %w", err)
	}
	list := make([]PublishedTicket, len(rows))
	for i, row := range rows {
		list[i] = publishedTicket(by, row)
	}
	return list, nil
}

func publishedTicket(by db.Sight, row db.PublishedTicketsRow) PublishedTicket {
	return PublishedTicket{Ticket: fromRow(row.Ticket, row.BoardSlug), Position: position(row.Ticket.FeedSyncID),
		Own: row.CompanyID == by.Company, Visible: row.Visible > 0, Slug: row.CompanySlug,
		Feed: db.FeedHead{Epoch: row.Epoch, Head: uint64(row.Head), Horizon: row.Horizon}}
}

func position(published *uint64) uint64 {
	if published == nil {
		return 0
	}
	return *published
}

// SnapshotTickets returns the first tickets of a board in sight with numbers above after, by number.
func SnapshotTickets(
	ctx context.Context, q *db.Queries, by db.Sight, board id.Board, after uint64, limit int,
) ([]PublishedTicket, error) {
	rows, err := db.Read(q.SnapshotTickets(ctx, db.SnapshotTicketsParams{
		Reach: by.Reach, Reader: by.Reader, BoardID: board, CompanyID: by.Company, After: after, Limit: int32(limit),
	}))
	if err != nil {
		return nil, fmt.Errorf("read tickets of the board: %w", err)
	}
	list := make([]PublishedTicket, len(rows))
	for i, row := range rows {
		list[i] = publishedTicket(by, db.PublishedTicketsRow(row))
	}
	return list, nil
}

// PublishedComment is a comment of any company at its position in the feed. It or its ticket may be deleted.
type PublishedComment struct {
	Comment       Comment
	Key           Key // of its ticket
	Board         id.Board
	TicketDeleted bool
	Position      uint64
	Own           bool   // of the reader's company
	Visible       bool   // its board is in sight
	Slug          string // of the company
	Feed          db.FeedHead
}

// PublishedComments returns the first comments with positions in (after, to].
func PublishedComments(
	ctx context.Context, q *db.Queries, by db.Sight, after, to uint64, limit int,
) ([]PublishedComment, error) {
	rows, err := db.Read(q.PublishedComments(ctx, db.PublishedCommentsParams{
		Reach: by.Reach, Reader: by.Reader, Webhook: by.Webhook, After: &after, To: &to, Limit: int32(limit),
	}))
	if err != nil {
		return nil, fmt.Errorf("read published comments: %w", err)
	}
	list := make([]PublishedComment, len(rows))
	for i, row := range rows {
		list[i] = publishedComment(by, row)
	}
	return list, nil
}

func publishedComment(by db.Sight, row db.PublishedCommentsRow) PublishedComment {
	return PublishedComment{
		Comment: fromComment(row.Comment, row.Author, ""), Key: Key{Board: row.BoardSlug, Number: row.LocalID},
		Board:         row.BoardID,
		TicketDeleted: row.TicketDeletedAt != nil, Position: position(row.Comment.FeedSyncID),
		Own: row.CompanyID == by.Company, Visible: row.Visible > 0,
		Slug: row.CompanySlug, Feed: db.FeedHead{Epoch: row.Epoch, Head: uint64(row.Head), Horizon: row.Horizon},
	}
}

// CommentPlace is a place among the comments of a board: behind those of the tickets with numbers up to After, and among
// those with numbers in (After, To], by ticket and id, behind a comment of a ticket. To is 0 if nothing of them was read.
type CommentPlace struct {
	After, To uint64
	Ticket    ID
	Comment   id.Comment
}

// ticketsOfSnapshot is how many tickets SnapshotComments looks at.
const ticketsOfSnapshot = 200

// SnapshotComments returns the first comments in sight, of a board, behind a place, those of some tickets at most, each
// with its place. next is where to go on, and the zero place at the end.
func SnapshotComments(
	ctx context.Context, q *db.Queries, by db.Sight, board id.Board, at CommentPlace, limit int,
) (list []PublishedComment, places []CommentPlace, next CommentPlace, err error) {
	in := db.SnapshotNumbersParams{BoardID: board, After: at.After, To: at.To, Limit: ticketsOfSnapshot}
	if at.To == 0 {
		in.To = math.MaxInt64
	}
	window, err := db.Read(q.SnapshotNumbers(ctx, in))
	if err != nil {
		return nil, nil, next, fmt.Errorf("read tickets of the board: %w", err)
	}
	more := at.To != 0 || len(window) == ticketsOfSnapshot
	if at.To == 0 && len(window) > 0 {
		at.To = window[len(window)-1].LocalID
	}
	var current, behind []ID
	for _, row := range window {
		switch {
		case row.ID == at.Ticket:
			current = []ID{row.ID}
		case row.ID > at.Ticket:
			behind = append(behind, row.ID)
		}
	}
	slices.Sort(behind)
	for _, part := range []struct {
		tickets []ID
		after   id.Comment
	}{{current, at.Comment}, {behind, 0}} {
		if len(part.tickets) == 0 || len(list) == limit {
			continue
		}
		rows, err := db.Read(q.SnapshotComments(ctx, db.SnapshotCommentsParams{
			Reach: by.Reach, Reader: by.Reader, Tickets: part.tickets, After: part.after, BoardID: board, CompanyID: by.Company,
			Limit: int32(limit - len(list)),
		}))
		if err != nil {
			return nil, nil, next, fmt.Errorf("read comments of the board: %w", err)
		}
		for _, row := range rows {
			list = append(list, publishedComment(by, db.PublishedCommentsRow(row)))
			places = append(places, CommentPlace{at.After, at.To, row.Comment.TicketID, row.Comment.ID})
		}
	}
	switch {
	case len(list) == limit:
		next = places[limit-1]
	case more:
		next = CommentPlace{After: at.To}
	}
	return list, places, next, nil
}

// OnceSeen returns which tickets had a number on a board, 0 for any in sight, before they were moved to another.
func OnceSeen(
	ctx context.Context, q *db.Queries, by db.Sight, board id.Board, tickets []ID,
) (map[ID]bool, error) {
	if len(tickets) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.OldBoardsSeen(ctx, db.OldBoardsSeenParams{
		Reader: by.Reader, Webhook: by.Webhook, Tickets: tickets, CompanyID: by.Company, Reach: by.Reach,
	}))
	if err != nil {
		return nil, fmt.Errorf("read aliases: %w", err)
	}
	were := map[ID]bool{}
	for _, row := range rows {
		if board == 0 || row.BoardID == board {
			were[row.TicketID] = true
		}
	}
	return were, nil
}
