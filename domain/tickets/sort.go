package tickets

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// MaxSorted is how many tickets a column has at most that is sorted.
const MaxSorted = 500

// Order is an order of the tickets of a column.
type Order string

// The orders. Tickets that are alike stay as they are to one another.
const (
	ByDue      Order = "due"      // the earliest first, those without a due date last
	ByPriority Order = "priority" // the most urgent first
	ByAge      Order = "age"      // the oldest first
)

// Orders are all orders.
var Orders = []Order{ByDue, ByPriority, ByAge}

// CodeBadOrder: the order is none of due, priority and age. Send one of them.
const CodeBadOrder fault.Code = "Column.BadOrder"

// ParseOrder returns an order, or BadOrder.
func ParseOrder(text string) (Order, error) {
	if order := Order(text); slices.Contains(Orders, order) {
		return order, nil
	}
	return "", BadOrder(text)
}

func BadOrder(text string) error {
	return fault.Invalid.New(CodeBadOrder, "by", fmt.Sprintf("“%.40s” is no order. Choose due, priority or age.", text))
}

// CodeTooManyToSort: the column has more than 500 tickets. Move or close some of them first.
const CodeTooManyToSort fault.Code = "Column.TooManyToSort"

func TooManyToSort(n int64) error {
	return fault.Conflict.New(CodeTooManyToSort, "by", fmt.Sprintf(
		"A column of up to %d tickets can be sorted, and this one has %d. Move or close some first.", MaxSorted, n))
}

// Sorting is a wish to sort a column.
type Sorting struct {
	Board    id.Board
	Slug     string
	Column   id.Column
	LastRank int64 // of the column
	Order    Order
}

// SortColumn puts the tickets of a locked column in an order, below its last rank, and returns the last rank then.
// activities are as workflows.SortColumn returns them.
func SortColumn(
	ctx context.Context, tx *db.Tx, s Sorting, by User,
) (last int64, activities []id.Activity, err error) {
	was, err := tx.ColumnToSort(ctx, db.ColumnToSortParams{ColumnID: &s.Column, Limit: MaxSorted})
	if err != nil {
		return s.LastRank, nil, fmt.Errorf("read tickets: %w", err)
	}
	now := slices.Clone(was)
	slices.SortStableFunc(now, s.Order.compare)
	if slices.EqualFunc(was, now, func(a, b db.ColumnToSortRow) bool { return a.ID == b.ID }) {
		return s.LastRank, nil, nil
	}
	ids := make([]ID, len(now))
	ranks := make([]db.Rank, len(now))
	for i, row := range now {
		ids[i] = row.ID
		ranks[i] = db.Rank{Ticket: row.ID, Rank: s.LastRank + int64(i+1)*Gap}
	}
	slices.Sort(ids)
	if _, err := tx.LockTickets(ctx, ids); err != nil {
		return s.LastRank, nil, fmt.Errorf("lock tickets: %w", err)
	}
	if err := tx.SortRanks(ctx, ranks); err != nil {
		return s.LastRank, nil, fmt.Errorf("set ranks: %w", err)
	}
	last = ranks[len(ranks)-1].Rank
	if len(was) > MaxBatch {
		return last, nil, recordAll(ctx, tx, ids, by, KindMoved, Detail{})
	}
	activities, err = s.record(ctx, tx, was, now, by)
	return last, activities, err
}

// record adds the move of each ticket to its history, the last one in the old order first.
func (s Sorting) record(
	ctx context.Context, tx *db.Tx, was, now []db.ColumnToSortRow, by User,
) (activities []id.Activity, err error) {
	there := make(map[ID]Location, len(now))
	for i, row := range now {
		there[row.ID] = s.location(now, i)
	}
	for i := len(was) - 1; i >= 0; i-- {
		from, to := s.location(was, i), there[was[i].ID]
		n, err := Record(ctx, tx, was[i].ID, by, KindMoved, Detail{From: &from, To: &to})
		if err != nil {
			return nil, err
		}
		activities = append(activities, n)
	}
	return activities, nil
}

// location is that of a ticket of the column in an order.
func (s Sorting) location(rows []db.ColumnToSortRow, i int) Location {
	at := Location{Board: s.Board, Column: s.Column, ClosedAt: rows[i].ClosedAt}
	if i > 0 {
		at.After = &Key{Board: s.Slug, Number: rows[i-1].LocalID}
	}
	return at
}

func (o Order) compare(a, b db.ColumnToSortRow) int {
	switch o {
	case ByDue:
		return compareDates(a.DueAt, b.DueAt)
	case ByPriority:
		return cmp.Compare(b.Priority, a.Priority)
	}
	return a.CreatedAt.Compare(b.CreatedAt)
}

// compareDates puts the earlier one first, and none last.
func compareDates(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Compare(*b)
}
