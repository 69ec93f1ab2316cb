package tickets

import (
	"context"
	"fmt"

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
		Reach: by.Reach, Reader: by.Reader, After: &after, To: &to, Limit: int32(limit),
	}))
	if err != nil {
		return nil, fmt.Errorf("read published tickets: %w", err)
	}
	list := make([]PublishedTicket, len(rows))
	for i, row := range rows {
		list[i] = PublishedTicket{Ticket: fromRow(row.Ticket, row.BoardSlug), Position: *row.Ticket.FeedSyncID,
			Own: row.CompanyID == by.Company, Visible: row.Visible > 0, Slug: row.CompanySlug,
			Feed: db.FeedHead{Epoch: row.Epoch, Head: uint64(row.Head), Horizon: row.Horizon}}
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
		Reach: by.Reach, Reader: by.Reader, After: &after, To: &to, Limit: int32(limit),
	}))
	if err != nil {
		return nil, fmt.Errorf("read published comments: %w", err)
	}
	list := make([]PublishedComment, len(rows))
	for i, row := range rows {
		list[i] = PublishedComment{
			Comment: fromComment(row.Comment, row.Author), Key: Key{Board: row.BoardSlug, Number: row.LocalID},
			Board:         row.BoardID,
			TicketDeleted: row.TicketDeletedAt != nil, Position: *row.Comment.FeedSyncID,
			Own: row.CompanyID == by.Company, Visible: row.Visible > 0,
			Slug: row.CompanySlug, Feed: db.FeedHead{Epoch: row.Epoch, Head: uint64(row.Head), Horizon: row.Horizon},
		}
	}
	return list, nil
}

// OnceSeen returns which tickets had a number on a board, 0 for any in sight, before they were moved to another.
func OnceSeen(
	ctx context.Context, q *db.Queries, by db.Sight, board id.Board, tickets []ID,
) (map[ID]bool, error) {
	if len(tickets) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.OldBoardsSeen(ctx, db.OldBoardsSeenParams{
		Reader: by.Reader, Tickets: tickets, CompanyID: by.Company, Reach: by.Reach,
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
