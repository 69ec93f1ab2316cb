package workflows

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// followUps are what moves of locked tickets in a transaction entail beside the tickets themselves: the counts of columns, the
// stays there, what is open work of assignees, what waits for closed tickets, and which actions are undone. They are
// gathered, and done once for all.
type followUps struct {
	shifts        []shift
	left, entered []tickets.ID // whose stays end, and begin
	current, past []tickets.ID // that are open work now, and that are not any more
	closed        []tickets.ID
	undone        []id.Activity // actions that were taken back
}

// shift is the way of a ticket from a column to another; 0 is none, of a deleted ticket.
type shift struct{ from, to id.Column }

func (a shift) compare(b shift) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
}

// note adds a ticket that was moved, or restored, which counts in both columns only if it left one for the other.
func (f *followUps) note(before, after tickets.Ticket) {
	switch {
	case before.Deleted():
		f.shifts, f.entered = append(f.shifts, shift{0, after.Column}), append(f.entered, after.ID)
	case before.Column != after.Column:
		f.shifts = append(f.shifts, shift{before.Column, after.Column})
		f.left, f.entered = append(f.left, after.ID), append(f.entered, after.ID)
	}
	switch {
	case before.Current() == after.Current():
	case after.Current():
		f.current = append(f.current, after.ID)
	default:
		f.past = append(f.past, after.ID)
	}
}

// do does them, for what a user did.
func (f *followUps) do(ctx context.Context, tx *db.Tx, by tickets.User) error {
	if err := f.count(ctx, tx); err != nil {
		return err
	}
	if err := tickets.ChangeStays(ctx, tx, f.left, f.entered, by); err != nil {
		return err
	}
	if err := tickets.SetCurrent(ctx, tx, f.current, true); err != nil {
		return err
	}
	if err := tickets.SetCurrent(ctx, tx, f.past, false); err != nil {
		return err
	}
	if err := tickets.MarkAllUndone(ctx, tx, f.undone); err != nil {
		return err
	}
	if len(f.closed) == 0 {
		return nil
	}
	return tickets.FollowClosing(ctx, tx, f.closed, by)
}

// count counts the tickets of the columns, which are locked.
func (f *followUps) count(ctx context.Context, tx *db.Tx) error {
	counts := map[shift]int64{}
	for _, one := range f.shifts {
		counts[one]++
	}
	for _, one := range slices.SortedFunc(maps.Keys(counts), shift.compare) {
		var err error
		switch n := counts[one]; {
		case one.from == 0:
			err = boards.Count(ctx, tx, one.to, n)
		case one.to == 0:
			err = boards.Count(ctx, tx, one.from, -n)
		default:
			err = boards.Shift(ctx, tx, one.from, one.to, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
