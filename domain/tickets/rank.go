package tickets

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Gap is the distance between appended tickets: 16 tickets can be put above one before its neighbours must be
// respaced.
const Gap = 1 << 16

// spreadSize is how many tickets are respaced if a gap is used up; twice as many if they have no room either.
const spreadSize = 32

// slot is a free rank for a ticket.
type slot struct {
	rank     int64
	above    *db.CardAboveRow // nil at the top
	appended bool             // the ticket to put it below was not in the column
	same     bool             // the ticket is there already
}

func findSlot(ctx context.Context, tx *db.Tx, ticket Ticket, intent Intent, lastRank int64) (slot, error) {
	if intent.AtEnd {
		to, err := foot(ctx, tx, ticket, intent.Column, lastRank)
		to.appended = false // as asked for
		return to, err
	}
	above, absent, err := findAbove(ctx, tx, ticket, intent)
	if err != nil {
		return slot{}, err
	}
	if absent {
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
			return slot{rank: max(lastRank, from) + Gap, above: above}, nil
		case err != nil:
			return slot{}, fmt.Errorf("read the card below: %w", err)
		case below.ID == ticket.ID:
			return slot{above: above, same: true}, nil
		case above == nil:
			return slot{rank: *below.RankInColumn - Gap}, nil
		case *below.RankInColumn-from > 1:
			return slot{rank: from + (*below.RankInColumn-from)/2, above: above}, nil
		}
		if err := makeRoom(ctx, tx, intent.Column, from); err != nil {
			return slot{}, err
		}
	}
}

// findAbove returns the card that the ticket is to be put below, nil for the top; gone says that it is no longer in
// the column.
func findAbove(
	ctx context.Context, tx *db.Tx, ticket Ticket, intent Intent,
) (above *db.CardAboveRow, absent bool, err error) {
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
	return &db.CardAboveRow{ID: row.ID, LocalID: intent.After.Number, RankInColumn: row.RankInColumn,
		MovedAt: row.MovedAt}, false, nil
}

// foot is the slot at the end of a column, for a ticket whose neighbour is gone.
func foot(ctx context.Context, tx *db.Tx, ticket Ticket, column id.Column, lastRank int64) (slot, error) {
	last, err := cardAbove(ctx, tx.Queries, column, math.MaxInt64)
	if err != nil {
		return slot{}, err
	}
	switch {
	case last == nil:
		return slot{rank: lastRank + Gap, appended: true}, nil
	case last.ID != ticket.ID:
		return slot{rank: max(lastRank, *last.RankInColumn) + Gap, above: last, appended: true}, nil
	}
	above, err := cardAbove(ctx, tx.Queries, column, *last.RankInColumn)
	return slot{above: above, appended: true, same: true}, err
}

// Above returns the key of the ticket above a rank in a column, nil if there is none.
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

// makeRoom respaces the tickets below a rank over the room that spreadSize of them have, or gives them full gaps if
// these reach the end of the column.
func makeRoom(ctx context.Context, tx *db.Tx, column id.Column, from int64) error {
	for size := spreadSize; ; size *= 2 {
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

// spread gives the cards the ranks from+2·step, from+3·step and so on: the first step stays free. No two rows ever
// have one rank: cards that go down move first, the last one first; then those that go up, the first one first.
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
