package tickets

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/counterfoil/counterfoil/db"
)

// Work is an open ticket of an assignee, with its location.
type Work struct {
	ID       ID
	Key      Key
	Title    string
	Board    string // the board's title
	Column   string // the column's name
	Position int    // of the column on its board
	Rank     int64
	Priority Priority
	Due      Date
}

// Compare puts work in the order of boards, columns and ranks.
func (w Work) Compare(other Work) int {
	return cmp.Or(cmp.Compare(w.Key.Board, other.Key.Board), cmp.Compare(w.Position, other.Position),
		cmp.Compare(w.Rank, other.Rank))
}

// WorkOf returns up to limit open tickets that the reader is assigned to, newest first, from below before; 0 means from
// the newest. more says that there are older ones.
func WorkOf(
	ctx context.Context, q *db.Queries, by db.Sight, before ID, limit int,
) (list []Work, more bool, err error) {
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := db.Read(q.AssignedTickets(ctx, db.AssignedTicketsParams{AccountID: by.Reader, BeforeID: before,
		CompanyID: by.Company, Reach: by.Reach, Limit: int32(limit + 1)}))
	if err != nil {
		return nil, false, fmt.Errorf("read work: %w", err)
	}
	rows, more = cut(rows, limit)
	for _, r := range rows {
		one := Work{
			ID: r.ID, Key: Key{Board: r.BoardSlug, Number: r.LocalID}, Title: r.Title, Board: r.BoardTitle, Column: r.ColumnName,
			Position: int(r.Position), Priority: PriorityFrom(r.Priority), Due: DateFrom(r.DueAt, r.DueTimed),
		}
		if r.RankInColumn != nil {
			one.Rank = *r.RankInColumn
		}
		list = append(list, one)
	}
	return list, more, nil
}
