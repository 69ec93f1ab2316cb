package tickets

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Target is what a ticket gets from its move to a column.
type Target struct {
	Board    id.Board
	Key      Key        // its own, or the one that it gets on another board
	LastRank int64      // of the column
	ClosedAt *time.Time // from ClosedIn
}

// Move moves a ticket as the intent says; a deleted one is restored by it. The caller holds the locks of the ticket
// and both columns. It writes one ticket row, unless a gap is used up, and none if the ticket is there already (placed
// is false then). If the ticket gets another key, the old one becomes an alias. It returns MovedSince or AfterItself.
func Move(
	ctx context.Context, tx *db.Tx, ticket Ticket, intent Intent, target Target,
) (moved MoveResult, placed bool, err error) {
	if intent.After != nil && *intent.After == ticket.Key {
		return MoveResult{}, false, AfterItself()
	}
	above, err := cardAbove(ctx, tx.Queries, ticket.Column, ticket.Rank)
	if err != nil {
		return MoveResult{}, false, err
	}
	if err := checkSeen(ctx, tx, ticket, above, intent.Seen); err != nil {
		return MoveResult{}, false, err
	}
	put := ticket
	put.Board, put.Key = target.Board, target.Key
	to, err := findSlot(ctx, tx, put, intent, target.LastRank)
	if err != nil {
		return MoveResult{}, false, err
	}
	moved = MoveResult{
		Ticket: put, Was: ticket.Key, Appended: to.appended, After: keyOf(put.Key.Board, to.above),
		From: Location{Board: ticket.Board, Column: ticket.Column, After: keyOf(ticket.Key.Board, above),
			ClosedAt: ticket.ClosedAt},
	}
	if to.same {
		return moved, false, nil
	}
	if err := moveTo(ctx, tx, put, intent.Column, to.rank, target); err != nil {
		return MoveResult{}, false, err
	}
	moved.Ticket.Column, moved.Ticket.Rank, moved.Ticket.MovedAt, moved.Ticket.ClosedAt = intent.Column, to.rank, tx.Now, target.ClosedAt
	moved.Ticket.DeletedAt = nil
	if put.Key != ticket.Key {
		if err := swapAlias(ctx, tx, ticket, put); err != nil {
			return moved, true, err
		}
	}
	if put.Key != ticket.Key || ticket.Deleted() {
		return moved, true, republishComments(ctx, tx, ticket.ID)
	}
	return moved, true, nil
}

// republishComments publishes the comments of a locked ticket again, because they show its key and whether it is
// deleted.
func republishComments(ctx context.Context, tx *db.Tx, ticket ID) error {
	if _, err := tx.RepublishComments(ctx, ticket); err != nil {
		return fmt.Errorf("republish comments: %w", err)
	}
	return nil
}

func moveTo(ctx context.Context, tx *db.Tx, ticket Ticket, column id.Column, rank int64, target Target) error {
	var n int64
	var err error
	if ticket.Deleted() {
		n, err = tx.RestoreTicket(ctx, db.RestoreTicketParams{ColumnID: &column, NewRank: &rank, Now: tx.Now,
			EnteredAt: &tx.Now, ClosedAt: target.ClosedAt, ID: ticket.ID})
	} else {
		n, err = tx.MoveTicket(ctx, db.MoveTicketParams{
			BoardID: ticket.Board, LocalID: ticket.Key.Number, ColumnID: &column, NewRank: &rank, MovedAt: tx.Now,
			EnteredAt: &tx.Now, ClosedAt: target.ClosedAt, ID: ticket.ID,
		})
	}
	if err != nil {
		return fmt.Errorf("place ticket: %w", err)
	}
	if n != 1 {
		return NotFound()
	}
	if rank > target.LastRank {
		if _, err := tx.RaiseLastRank(ctx, rank, column); err != nil {
			return fmt.Errorf("raise last rank: %w", err)
		}
	}
	return nil
}

// swapAlias makes a ticket's old number an alias. Its new number may be an alias of its own: a ticket that comes back
// gets its old number, so an alias never leads to another.
func swapAlias(ctx context.Context, tx *db.Tx, old, now Ticket) error {
	if _, err := tx.DropAlias(ctx, db.DropAliasParams{BoardID: now.Board, LocalID: now.Key.Number,
		TicketID: now.ID}); err != nil {
		return fmt.Errorf("drop alias: %w", err)
	}
	err := tx.CreateAlias(ctx, db.CreateAliasParams{BoardID: old.Board, LocalID: old.Key.Number, TicketID: old.ID,
		CreatedAt: tx.Now})
	if err != nil {
		return fmt.Errorf("keep alias: %w", err)
	}
	return nil
}

// NumberOn returns the number that a ticket had on a board before it was moved to another; ok is false if it never had
// one. It can be relied on under the lock of the ticket's column.
func NumberOn(ctx context.Context, q *db.Queries, ticket ID, board id.Board) (number uint64, ok bool, err error) {
	number, err = db.Read(q.NumberOnBoard(ctx, ticket, board))
	if db.IsNotFound(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("read alias: %w", err)
	}
	return number, true, nil
}

// checkSeen returns MovedSince if the ticket itself was moved since the caller saw it: if it is in another column, or
// below another ticket and moved later than both that one and the one that it was seen below; otherwise one of those
// was moved, which is no reason to refuse. If it was seen through a filter, its time of move decides alone.
func checkSeen(ctx context.Context, tx *db.Tx, ticket Ticket, above *db.CardAboveRow, seen *Placement) error {
	if seen == nil {
		return nil
	}
	if seen.Column != ticket.Column || seen.Moved != nil && !seen.Moved.Equal(ticket.MovedAt) {
		return MovedSince{Current: ticket}
	}
	if seen.Moved != nil {
		return nil
	}
	if above == nil && seen.After == nil {
		return nil
	}
	if above != nil && (seen.After != nil && above.LocalID == seen.After.Number || above.MovedAt.After(ticket.MovedAt)) {
		return nil
	}
	if seen.After == nil {
		return MovedSince{Current: ticket}
	}
	was, err := tx.CardByNumber(ctx, ticket.Board, seen.After.Number)
	if db.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the ticket above: %w", err)
	}
	if *was.ColumnID != ticket.Column || was.MovedAt.After(ticket.MovedAt) {
		return nil
	}
	return MovedSince{Current: ticket}
}

// PlacementOf returns the placement of a ticket.
func PlacementOf(ctx context.Context, q *db.Queries, ticket Ticket) (Placement, error) {
	above, err := Above(ctx, q, ticket.Key.Board, ticket.Column, ticket.Rank)
	return Placement{Column: ticket.Column, After: above}, err
}

// LocationOf returns the location of a ticket.
func LocationOf(ctx context.Context, q *db.Queries, ticket Ticket) (Location, error) {
	above, err := Above(ctx, q, ticket.Key.Board, ticket.Column, ticket.Rank)
	return Location{Board: ticket.Board, Column: ticket.Column, After: above, ClosedAt: ticket.ClosedAt}, err
}
