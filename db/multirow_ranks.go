package db

import (
	"context"
	"strings"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Rank is a ticket's new rank in its column.
type Rank struct {
	Ticket id.Ticket
	Rank   int64
}

// SetRanks gives tickets ranks that no other ticket of their column has, in one statement, and leaves their order as it
// is. There is at least one.
func (q *Queries) SetRanks(ctx context.Context, ranks []Rank) error {
	set, args, which := ranksOf(ranks)
	_, err := q.db.ExecContext(ctx, "UPDATE ticket SET "+set+" WHERE id IN "+tuples(1, len(ranks)), append(args, which...)...)
	return err
}

// SortRanks does the same for tickets whose order changes with it.
func (tx *Tx) SortRanks(ctx context.Context, ranks []Rank) error {
	set, args, which := ranksOf(ranks)
	_, err := tx.SQL.ExecContext(ctx, "UPDATE ticket SET "+set+", moved_at = ?, feed_sync_id = NULL WHERE id IN "+
		tuples(1, len(ranks)), append(append(args, tx.Now), which...)...)
	return err
}

// ranksOf is the assignment of ranks to tickets with its arguments, and their ids.
func ranksOf(ranks []Rank) (set string, args, which []any) {
	for _, r := range ranks {
		args, which = append(args, uint64(r.Ticket), r.Rank), append(which, uint64(r.Ticket))
	}
	return "rank_in_column = CASE id" + strings.Repeat(" WHEN ? THEN ?", len(ranks)) + " END", args, which
}

// Numbers are numbers of a board.
type Numbers struct {
	Board   id.Board
	Numbers []uint64
}

// Numbered is the ticket that has a number of a board, or had it before it was moved.
type Numbered struct {
	Board  id.Board
	Number uint64
	Ticket id.Ticket
}

// ExistingNumbers returns which of some numbers belong to tickets of these boards, deleted ones too, or did before the
// tickets were moved. There is at least one.
func (q *Queries) ExistingNumbers(ctx context.Context, wanted []Numbers) ([]Numbered, error) {
	return q.numbered(ctx, "", wanted)
}

// MentionedTickets does the same for the boards that a text names, whether or not its author sees them.
func (q *Queries) MentionedTickets(ctx context.Context, wanted []Numbers) ([]Numbered, error) {
	return q.numbered(ctx, "-- name: MentionedTickets :many\n", wanted)
}

func (q *Queries) numbered(ctx context.Context, name string, wanted []Numbers) (found []Numbered, err error) {
	var args []any
	var conditions []string
	for _, w := range wanted {
		conditions = append(conditions, "board_id = ? AND local_id IN "+tuples(1, len(w.Numbers)))
		args = append(args, uint64(w.Board))
		for _, n := range w.Numbers {
			args = append(args, n)
		}
	}
	where := strings.Join(conditions, " OR ")
	rows, err := q.db.QueryContext(ctx,
		name+"SELECT board_id, local_id, id FROM ticket WHERE "+where+" UNION ALL SELECT board_id, local_id, ticket_id FROM ticket_alias WHERE "+where, append(args, args...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one Numbered
		if err := rows.Scan(&one.Board, &one.Number, &one.Ticket); err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, rows.Err()
}
