package workflows_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// TestSortColumn compares the order of columns with a model, and that after all of it is undone with the one before.
func TestSortColumn(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	nth := 0
	rapid.Check(t, func(rt *rapid.T) {
		nth++
		board := e.Board(t, fmt.Sprintf("S%d", nth))
		column := board.Columns[0].ID
		type one struct {
			number   uint64
			priority tickets.Priority
			due      int // days; 0 for none
		}
		var model []one
		for i := range rapid.IntRange(0, 9).Draw(rt, "tickets") {
			it := one{number: uint64(i + 1), priority: tickets.Priority(rapid.IntRange(0, 4).Draw(rt, "priority")),
				due: rapid.IntRange(0, 3).Draw(rt, "due")}
			draft := tickets.Draft{Title: "x"}
			draft.Priority = it.priority
			if it.due > 0 {
				draft.Due = tickets.Day(2030, time.January, it.due)
			}
			domaintest.OK(e.Workflows.OpenTicket(e.Ctx, board.Slug, draft, nil))(t)
			model = append(model, it)
		}
		before := slices.Clone(model)
		numbers := func(list []one) (n []uint64) {
			for _, it := range list {
				n = append(n, it.number)
			}
			return n
		}
		order := rapid.SampledFrom(tickets.Orders).Draw(rt, "order")
		slices.SortStableFunc(model, func(a, b one) int {
			switch order {
			case tickets.ByDue:
				return cmp.Compare(cmp.Or(a.due, 99), cmp.Or(b.due, 99))
			case tickets.ByPriority:
				return cmp.Compare(b.priority, a.priority)
			}
			return cmp.Compare(a.number, b.number)
		})
		is := func(want []one) {
			if got := e.Stored(t, board).Columns[column]; !slices.Equal(got, numbers(want)) {
				rt.Fatalf("by %s, the column has %v, want %v", order, got, numbers(want))
			}
		}
		_, sorted, err := e.Workflows.SortColumn(e.Ctx, board.Slug, column, order)
		domaintest.Must(t, err)
		is(model)
		_, again, err := e.Workflows.SortColumn(e.Ctx, board.Slug, column, order)
		domaintest.Must(t, err)
		if len(again) > 0 || (len(sorted) > 0) == slices.Equal(numbers(before), numbers(model)) {
			rt.Fatalf("%d, then %d tickets were moved", len(sorted), len(again))
		}
		for _, activity := range slices.Backward(sorted) {
			domaintest.OK(e.Workflows.Undo(e.Ctx, activity))(t)
		}
		is(before)
		e.Sound(t)
	})
}

func TestSortLargeColumn(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "NINJA")
	e.Fill(t, board, board.Columns[0].ID, tickets.MaxSorted)
	e.Exec(t, "UPDATE ticket SET priority = local_id % 5 WHERE board_id = ?", uint64(board.ID))
	e.Publish(t)
	_, sorted, err := e.Workflows.SortColumn(e.Ctx, "NINJA", board.Columns[0].ID, tickets.ByPriority)
	domaintest.Must(t, err)
	if len(sorted) != 0 {
		t.Errorf("%d could be undone one by one", len(sorted))
	}
	e.Counts(t, tickets.MaxSorted, "SELECT COUNT(*) FROM ticket WHERE board_id = ? AND feed_sync_id IS NULL", uint64(board.ID))
	e.Counts(t, 0, `SELECT COUNT(*) FROM ticket a JOIN ticket b ON b.column_id = a.column_id AND b.rank_in_column > a.rank_in_column
		WHERE a.board_id = ? AND b.priority > a.priority`, uint64(board.ID))
	e.Sound(t)
	e.Open(t, "NINJA", board.Columns[0].ID, 1)
	_, _, err = e.Workflows.SortColumn(e.Ctx, "NINJA", board.Columns[0].ID, tickets.ByAge)
	domaintest.Is(t, err, tickets.CodeTooManyToSort)
	_, _, err = e.Workflows.SortColumn(e.Ctx, "NINJA", 99, tickets.ByAge)
	domaintest.Is(t, err, boards.CodeColumnNotFound)
}
