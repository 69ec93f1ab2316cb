package tickets

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Changes to many tickets of a column, as many as the caller names. It holds the column's lock, so that no ticket enters
// or leaves.

// ColumnTickets returns the first n tickets of a column below a rank, in board order.
func ColumnTickets(ctx context.Context, q *db.Queries, column id.Column, below int64, n int) ([]ID, error) {
	rows, err := q.RanksBelow(ctx, db.RanksBelowParams{ColumnID: &column, FromRank: &below, Limit: int32(n)})
	if err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	ids := make([]ID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return ids, nil
}

// AllRanks is below no rank.
const AllRanks = math.MinInt64

// NumbersPage is a page of the tickets of a column by number.
type NumbersPage struct {
	Tickets []ID
	To      uint64 // the last number that was looked at
}

// NumbersOf returns up to n tickets of a column with numbers of its board in (after, to].
func NumbersOf(
	ctx context.Context, q *db.Queries, board id.Board, column id.Column, after, to uint64, n int,
) (NumbersPage, error) {
	rows, err := db.Read(q.ColumnNumbers(ctx, db.ColumnNumbersParams{BoardID: board, After: after, To: to, ColumnID: &column,
		Limit: int32(n)}))
	if err != nil {
		return NumbersPage{}, fmt.Errorf("read tickets: %w", err)
	}
	page := NumbersPage{To: to}
	for _, row := range rows {
		page.Tickets = append(page.Tickets, row.ID)
	}
	if len(rows) == n {
		page.To = rows[n-1].LocalID
	}
	return page, nil
}

// CloseIn closes those of some tickets that are in a column and open, and returns how many are in it.
func CloseIn(ctx context.Context, tx *db.Tx, column id.Column, ids []ID, by User) (int, error) {
	rows, err := lockIn(ctx, tx, column, ids)
	if err != nil {
		return 0, err
	}
	return len(rows), closeRows(ctx, tx, rows, by, KindClosed)
}

// ReopenIn reopens those of some tickets that are in a column and closed, if left, unless nil, says so of them. It
// returns how many are in the column.
func ReopenIn(
	ctx context.Context, tx *db.Tx, column id.Column, ids []ID, by User, left func(closedAt *time.Time, movedAt time.Time) bool,
) (int, error) {
	rows, err := lockIn(ctx, tx, column, ids)
	if err != nil {
		return 0, err
	}
	n := len(rows)
	if left != nil {
		rows = slices.DeleteFunc(rows, func(row db.LockColumnTicketsRow) bool { return !left(row.ClosedAt, row.MovedAt) })
	}
	return n, reopenRows(ctx, tx, rows, by, KindReopened)
}

// lockIn locks those of some tickets that are in a column.
func lockIn(ctx context.Context, tx *db.Tx, column id.Column, ids []ID) ([]db.LockColumnTicketsRow, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	ids = slices.Sorted(slices.Values(ids))
	rows, err := tx.LockColumnTickets(ctx, ids, &column)
	if err != nil {
		return nil, fmt.Errorf("lock tickets: %w", err)
	}
	return rows, nil
}

// closeRows closes the open ones, with an entry of a kind in their history, none if it is "".
func closeRows(ctx context.Context, tx *db.Tx, rows []db.LockColumnTicketsRow, by User, kind string) error {
	var open []ID
	for _, row := range rows {
		if row.ClosedAt == nil {
			open = append(open, row.ID)
		}
	}
	if len(open) == 0 {
		return nil
	}
	if _, err := tx.CloseTickets(ctx, db.CloseTicketsParams{Now: &tx.Now, Ids: open}); err != nil {
		return fmt.Errorf("close tickets: %w", err)
	}
	if err := follow(ctx, tx, open, false, by, kind); err != nil {
		return err
	}
	return FollowClosing(ctx, tx, open, by)
}

// reopenRows reopens the closed ones, as closeRows closes.
func reopenRows(ctx context.Context, tx *db.Tx, rows []db.LockColumnTicketsRow, by User, kind string) error {
	var closed []ID
	for _, row := range rows {
		if row.ClosedAt != nil {
			closed = append(closed, row.ID)
		}
	}
	if len(closed) == 0 {
		return nil
	}
	if _, err := tx.ReopenTickets(ctx, &tx.Now, closed); err != nil {
		return fmt.Errorf("reopen tickets: %w", err)
	}
	return follow(ctx, tx, closed, true, by, kind)
}

// follow stores what comes with closing or reopening tickets.
func follow(ctx context.Context, tx *db.Tx, ids []ID, current bool, by User, kind string) error {
	if _, err := tx.SetCurrentOf(ctx, current, ids); err != nil {
		return fmt.Errorf("set current work: %w", err)
	}
	if kind == "" {
		return nil
	}
	return recordAll(ctx, tx, ids, by, kind, Detail{})
}

// ColumnMove asks to append tickets of a column to another, whose last rank is LastRank. Names are those of the columns.
type ColumnMove struct {
	From, To         id.Column
	LastRank         int64
	FromDone, ToDone bool
	Names            Change
	Since            time.Time // tickets that were put there since stay; the zero time for none
}

// Carried is the result of a ColumnMove.
type Carried struct {
	Tickets  int64
	Rank     int64 // of the last that it came past, in the column that they left
	LastRank int64 // of the column that they went to
}

// CarryAll moves some tickets that follow one another in a column to the end of another, in their order, and closes or
// reopens them as their new column says. Their entries in the history name no locations: they are too many to be undone,
// or the column that they left is removed.
func CarryAll(ctx context.Context, tx *db.Tx, m ColumnMove, ids []ID, by User) (Carried, error) {
	rows, err := lockIn(ctx, tx, m.From, ids)
	if err != nil || len(rows) == 0 {
		return Carried{LastRank: m.LastRank}, err
	}
	past := *rows[0].RankInColumn
	for _, row := range rows {
		past = max(past, *row.RankInColumn)
	}
	if !m.Since.IsZero() {
		rows = slices.DeleteFunc(rows, func(row db.LockColumnTicketsRow) bool { return row.MovedAt.After(m.Since) })
	}
	if len(rows) == 0 {
		return Carried{Rank: past, LastRank: m.LastRank}, nil
	}
	switch {
	case m.ToDone && !m.FromDone:
		err = closeRows(ctx, tx, rows, by, "")
	case m.FromDone && !m.ToDone:
		err = reopenRows(ctx, tx, rows, by, "")
	}
	if err != nil {
		return Carried{}, err
	}
	top, foot := *rows[0].RankInColumn, *rows[0].RankInColumn
	moved := make([]ID, len(rows))
	for i, row := range rows {
		moved[i] = row.ID
		top, foot = min(top, *row.RankInColumn), max(foot, *row.RankInColumn)
	}
	offset := m.LastRank + Gap - top
	n, err := tx.MoveToFoot(ctx, db.MoveToFootParams{ToColumn: &m.To, RankOffset: &offset, MovedAt: tx.Now,
		EnteredAt: &tx.Now, Ids: moved})
	if err != nil {
		return Carried{}, fmt.Errorf("move tickets: %w", err)
	}
	if err := ChangeStays(ctx, tx, moved, moved, by); err != nil {
		return Carried{}, err
	}
	return Carried{Tickets: n, Rank: past, LastRank: foot + offset},
		recordAll(ctx, tx, moved, by, KindMoved, Detail{Column: &m.Names})
}

// recordAll adds an entry to the history of each ticket.
func recordAll(ctx context.Context, tx *db.Tx, ids []ID, by User, kind string, detail Detail) error {
	text, err := json.Marshal(detail)
	if err != nil {
		return fmt.Errorf("write detail: %w", err)
	}
	_, err = tx.RecordOfMany(ctx, db.RecordOfManyParams{
		AccountID: by.ID, Kind: kind, Detail: string(text), CreatedAt: tx.Now, Tickets: ids,
	})
	if err != nil {
		return fmt.Errorf("record activity: %w", err)
	}
	return nil
}
