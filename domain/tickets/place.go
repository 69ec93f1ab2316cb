package tickets

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Gap is the room that a ticket gets when it comes to the foot of a column: 16 tickets can go to
// the same spot above it before its neighbours must move up.
const Gap = 1 << 16

// window is how many tickets are spread anew where a gap is used up; twice as many where they have no room either.
const window = 32

// spot is a place found for a ticket.
type spot struct {
	rank     int64
	above    *db.CardAboveRow // nil at the top
	appended bool             // the ticket to go below was gone
	same     bool             // the ticket is there already
}

// Target is what a ticket becomes by going to a column.
type Target struct {
	Board    id.Board
	Key      Key        // its own, or the one that it gets on another board
	LastRank int64      // of the column
	ClosedAt *time.Time // as ClosedIn says
}

// Put puts a ticket where the intent says; a deleted one comes back by it. The caller holds the locks of the ticket and of both
// columns. It writes one ticket row, unless a gap is used up, and none where the ticket is there
// already (placed is false then). Where the ticket gets another key, the old one stays its alias. It
// returns MovedSince or AfterItself.
func Put(ctx context.Context, tx *db.Tx, ticket Ticket, intent Intent, target Target) (moved Moved, placed bool, err error) {
	if intent.After != nil && *intent.After == ticket.Key {
		return Moved{}, false, AfterItself{Key: ticket.Key}
	}
	above, err := cardAbove(ctx, tx.Queries, ticket.Column, ticket.Rank)
	if err != nil {
		return Moved{}, false, err
	}
	if err := checkSeen(ctx, tx, ticket, above, intent.Seen); err != nil {
		return Moved{}, false, err
	}
	put := ticket
	put.Board, put.Key = target.Board, target.Key
	to, err := findSpot(ctx, tx, put, intent, target.LastRank)
	if err != nil {
		return Moved{}, false, err
	}
	moved = Moved{
		Ticket: put, Was: ticket.Key, Appended: to.appended, After: keyOf(put.Key.Board, to.above),
		From: Spot{Board: ticket.Board, Column: ticket.Column, After: keyOf(ticket.Key.Board, above), ClosedAt: ticket.ClosedAt},
	}
	if to.same {
		return moved, false, nil
	}
	if err := place(ctx, tx, put, intent.Column, to.rank, target); err != nil {
		return Moved{}, false, err
	}
	moved.Ticket.Column, moved.Ticket.Rank, moved.Ticket.MovedAt, moved.Ticket.ClosedAt = intent.Column, to.rank, tx.Now, target.ClosedAt
	moved.Ticket.DeletedAt = nil
	if put.Key == ticket.Key {
		return moved, true, nil
	}
	return moved, true, swapAlias(ctx, tx, ticket, put)
}

func place(ctx context.Context, tx *db.Tx, ticket Ticket, column id.Column, rank int64, target Target) error {
	var n int64
	var err error
	if ticket.Deleted() {
		n, err = tx.RestoreTicket(ctx, db.RestoreTicketParams{ColumnID: &column, NewRank: &rank, Now: tx.Now, ClosedAt: target.ClosedAt, ID: ticket.ID})
	} else {
		n, err = tx.PlaceTicket(ctx, db.PlaceTicketParams{
			BoardID: ticket.Board, LocalID: ticket.Key.Number, ColumnID: &column, NewRank: &rank, MovedAt: tx.Now, ClosedAt: target.ClosedAt, ID: ticket.ID,
		})
	}
	if err != nil {
		return fmt.Errorf("place ticket: %w", err)
	}
	if n != 1 {
		return NotFound{Key: ticket.Key.String()}
	}
	if rank > target.LastRank {
		if _, err := tx.RaiseLastRank(ctx, rank, column); err != nil {
			return fmt.Errorf("raise last rank: %w", err)
		}
	}
	return nil
}

// swapAlias keeps a ticket's number on the board that it left. The one that it got may be its alias:
// a ticket that comes back has the number that it had there, so a key never leads from key to key.
func swapAlias(ctx context.Context, tx *db.Tx, old, now Ticket) error {
	if _, err := tx.DropAlias(ctx, db.DropAliasParams{BoardID: now.Board, LocalID: now.Key.Number, TicketID: now.ID}); err != nil {
		return fmt.Errorf("drop alias: %w", err)
	}
	err := tx.KeepAlias(ctx, db.KeepAliasParams{BoardID: old.Board, LocalID: old.Key.Number, TicketID: old.ID, CreatedAt: tx.Now})
	if err != nil {
		return fmt.Errorf("keep alias: %w", err)
	}
	return nil
}

// NumberOn returns the number that a ticket had on a board before it went to another; ok is false
// where it was never there. Whoever holds the lock of the ticket's column can rely on it.
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

// SetCurrent says whether a ticket is its assignees' work by now: it is neither closed nor deleted.
// The caller holds the ticket's lock.
func SetCurrent(ctx context.Context, tx *db.Tx, ticket ID, current bool) error {
	if _, err := tx.SetCurrent(ctx, current, ticket); err != nil {
		return fmt.Errorf("set current work: %w", err)
	}
	return nil
}

// keepCurrent is SetCurrent where that has changed.
func keepCurrent(ctx context.Context, tx *db.Tx, before, after Ticket) error {
	if before.Current() == after.Current() {
		return nil
	}
	return SetCurrent(ctx, tx, after.ID, after.Current())
}

// ClosedIn returns when a ticket that goes from one column to another is closed: on its way into a
// done column it is, on its way out of one it is opened again, and otherwise it stays as it is.
func ClosedIn(ticket Ticket, fromDone, toDone bool, now time.Time) *time.Time {
	switch {
	case toDone && ticket.ClosedAt == nil:
		return &now
	case fromDone && !toDone:
		return nil
	}
	return ticket.ClosedAt
}

// checkSeen returns MovedSince where the ticket itself has been moved since it was seen.
//
// In another column it has. In the same column but below another ticket, it has when it came to its
// place after both its present neighbour and the one it was seen below came to theirs: otherwise
// one of those two moved, which is no reason to refuse. Where it was seen among others that a filter
// let through, the time at which it came to its place says it alone.
func checkSeen(ctx context.Context, tx *db.Tx, ticket Ticket, above *db.CardAboveRow, seen *Place) error {
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

func findSpot(ctx context.Context, tx *db.Tx, ticket Ticket, intent Intent, lastRank int64) (spot, error) {
	if intent.AtEnd {
		to, err := foot(ctx, tx, ticket, intent.Column, lastRank)
		to.appended = false // it was asked for
		return to, err
	}
	above, gone, err := findAbove(ctx, tx, ticket, intent)
	if err != nil {
		return spot{}, err
	}
	if gone {
		return foot(ctx, tx, ticket, intent.Column, lastRank)
	}
	for {
		from := int64(math.MinInt64)
		if above != nil {
			from = *above.RankInColumn
		}
		below, err := tx.CardBelow(ctx, db.CardBelowParams{ColumnID: &intent.Column, FromRank: &from})
		switch {
		case db.IsNotFound(err):
			return spot{rank: max(lastRank, from) + Gap, above: above}, nil
		case err != nil:
			return spot{}, fmt.Errorf("read the card below: %w", err)
		case below.ID == ticket.ID:
			return spot{above: above, same: true}, nil
		case above == nil:
			return spot{rank: *below.RankInColumn - Gap}, nil
		case *below.RankInColumn-from > 1:
			return spot{rank: from + (*below.RankInColumn-from)/2, above: above}, nil
		}
		if err := makeRoom(ctx, tx, intent.Column, from); err != nil {
			return spot{}, err
		}
	}
}

// findAbove returns the card that the ticket is to go below, nil for the top; gone says that it is
// not in the column any more.
func findAbove(ctx context.Context, tx *db.Tx, ticket Ticket, intent Intent) (above *db.CardAboveRow, gone bool, err error) {
	if intent.After == nil {
		return nil, false, nil
	}
	if intent.After.Board != ticket.Key.Board {
		return nil, true, nil
	}
	row, err := tx.CardByNumber(ctx, ticket.Board, intent.After.Number)
	if db.IsNotFound(err) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read the card above: %w", err)
	}
	if *row.ColumnID != intent.Column {
		return nil, true, nil
	}
	return &db.CardAboveRow{ID: row.ID, LocalID: intent.After.Number, RankInColumn: row.RankInColumn, MovedAt: row.MovedAt}, false, nil
}

// foot is the end of a column, for a ticket whose neighbour has gone.
func foot(ctx context.Context, tx *db.Tx, ticket Ticket, column id.Column, lastRank int64) (spot, error) {
	last, err := cardAbove(ctx, tx.Queries, column, math.MaxInt64)
	if err != nil {
		return spot{}, err
	}
	if last == nil || last.ID != ticket.ID {
		return spot{rank: lastRank + Gap, above: last, appended: true}, nil
	}
	above, err := cardAbove(ctx, tx.Queries, column, *last.RankInColumn)
	return spot{above: above, appended: true, same: true}, err
}

// PlaceOf returns where a ticket is.
func PlaceOf(ctx context.Context, q *db.Queries, ticket Ticket) (Place, error) {
	above, err := Above(ctx, q, ticket.Key.Board, ticket.Column, ticket.Rank)
	return Place{Column: ticket.Column, After: above}, err
}

// SpotOf returns where a ticket is, for the history.
func SpotOf(ctx context.Context, q *db.Queries, ticket Ticket) (Spot, error) {
	above, err := Above(ctx, q, ticket.Key.Board, ticket.Column, ticket.Rank)
	return Spot{Board: ticket.Board, Column: ticket.Column, After: above, ClosedAt: ticket.ClosedAt}, err
}

// Above returns the key of the ticket above a rank in a column, nil where there is none.
func Above(ctx context.Context, q *db.Queries, slug string, column id.Column, rank int64) (*Key, error) {
	row, err := cardAbove(ctx, q, column, rank)
	return keyOf(slug, row), err
}

func keyOf(slug string, card *db.CardAboveRow) *Key {
	if card == nil {
		return nil
	}
	return &Key{Board: slug, Number: card.LocalID}
}

func cardAbove(ctx context.Context, q *db.Queries, column id.Column, rank int64) (*db.CardAboveRow, error) {
	row, err := db.Read(q.CardAbove(ctx, db.CardAboveParams{ColumnID: &column, FromRank: &rank}))
	if db.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the card above: %w", err)
	}
	return &row, nil
}

// makeRoom spreads the tickets below a rank over the room that a window of them has, or, where the
// window reaches the foot of the column, gives them all a full gap.
func makeRoom(ctx context.Context, tx *db.Tx, column id.Column, from int64) error {
	for size := window; ; size *= 2 {
		cards, err := tx.RanksBelow(ctx, db.RanksBelowParams{ColumnID: &column, FromRank: &from, Limit: int32(size + 1)})
		if err != nil {
			return fmt.Errorf("read ranks: %w", err)
		}
		step := int64(Gap)
		if len(cards) > size {
			step = (*cards[size].RankInColumn - from) / int64(size+2)
			cards = cards[:size]
		}
		if step < 2 {
			continue
		}
		return spread(ctx, tx, column, cards, from, step)
	}
}

// spread gives the cards the ranks from+2·step, from+3·step and so on: the first step stays free. No
// two rows ever have the same rank: those that go down the column move first, the last of them
// first; then those that go up, the first of them first.
func spread(ctx context.Context, tx *db.Tx, column id.Column, cards []db.RanksBelowRow, from, step int64) error {
	target := func(i int) int64 { return from + int64(i+2)*step }
	set := func(i int) error {
		rank := target(i)
		if _, err := tx.SetRank(ctx, &rank, cards[i].ID); err != nil {
			return fmt.Errorf("set rank: %w", err)
		}
		return nil
	}
	for i := range slices.Backward(cards) {
		if target(i) > *cards[i].RankInColumn {
			if err := set(i); err != nil {
				return err
			}
		}
	}
	for i := range cards {
		if target(i) < *cards[i].RankInColumn {
			if err := set(i); err != nil {
				return err
			}
		}
	}
	if len(cards) == 0 {
		return nil
	}
	if _, err := tx.RaiseLastRank(ctx, target(len(cards)-1), column); err != nil {
		return fmt.Errorf("raise last rank: %w", err)
	}
	return nil
}
