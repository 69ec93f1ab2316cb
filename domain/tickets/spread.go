package tickets

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// SpreadAbove moves up to n tickets above a rank of a column, from the lowest up, right above that rank, a gap apart
// and in their order. It returns the rank of the highest of them, and how many they are. The caller holds the column's
// lock.
//
// Tickets only move down the column, into free room: their order never changes, no two ever have one rank, and a
// reader that pages through the column misses none.
func SpreadAbove(
	ctx context.Context, tx *db.Tx, column id.Column, from int64, n int,
) (highest int64, moved int, err error) {
	cards, err := tx.RanksAbove(ctx, db.RanksAboveParams{ColumnID: &column, FromRank: &from, Limit: int32(n)})
	if err != nil || len(cards) == 0 {
		return from, 0, err
	}
	step := min(Gap, (from-*cards[0].RankInColumn)/int64(len(cards)+1))
	if step < 1 {
		return from, 0, fmt.Errorf("no room between rank %d and %d of column %d for %d tickets", *cards[0].RankInColumn, from,
			column, len(cards))
	}
	ranks, ids := make([]db.Rank, len(cards)), make([]ID, len(cards))
	for i, card := range cards {
		ranks[i] = db.Rank{Ticket: card.ID, Rank: from - int64(i+1)*step}
		ids[i] = card.ID
	}
	slices.Sort(ids)
	if _, err := tx.LockTickets(ctx, ids); err != nil {
		return from, 0, fmt.Errorf("lock tickets: %w", err)
	}
	if err := tx.SetRanks(ctx, ranks); err != nil {
		return from, 0, fmt.Errorf("set ranks: %w", err)
	}
	return ranks[len(ranks)-1].Rank, len(ranks), nil
}
