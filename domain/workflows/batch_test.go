package workflows_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestChangeTickets(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ninja, other := e.Board(t, "NINJA"), e.Board(t, "OTHER")
	keys := e.Open(t, "NINJA", ninja.Columns[0].ID, 4)
	far := e.Open(t, "OTHER", other.Columns[0].ID, 1)[0]
	domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, keys[3]))
	missing := tickets.Key{Board: "NINJA", Number: 99}
	all := append(slices.Clone(keys), far, missing, keys[0])

	high := bulkedits.Edit{Kind: bulkedits.Priority, Priority: "high"}
	result := domaintest.OK(e.Workflows.ChangeTickets(e.Ctx, ninja, high, all))(t)
	if want := append(slices.Clone(keys[:3]), far); !slices.Equal(result.Changed, want) || len(result.Activities) != 4 {
		t.Errorf("%v are changed by %v, not %v", result.Changed, result.Activities, want)
	}
	var refused []tickets.Key
	for _, one := range result.Refused {
		refused = append(refused, one.Key)
		if one.Reason == "" {
			t.Errorf("%s is refused without a reason", one.Key)
		}
	}
	slices.SortFunc(refused, func(a, b tickets.Key) int { return int(a.Number) - int(b.Number) })
	if want := []tickets.Key{keys[3], missing}; !slices.Equal(refused, want) {
		t.Errorf("%v are refused, not %v", refused, want)
	}
	e.Counts(t, 1, "SELECT COUNT(DISTINCT created_at) FROM activity WHERE kind = 'set'") // that of one transaction
	e.Counts(t, 0, `SELECT COUNT(*) FROM activity WHERE detail LIKE '%bulk_edit%' OR detail LIKE '%all_boards%'`)
	if last := domaintest.OK(e.Workflows.LastAction(e.Ctx))(t); last != result.Activities[3] {
		t.Errorf("the last action is %d, not %d", last, result.Activities[3])
	}

	again := domaintest.OK(e.Workflows.ChangeTickets(e.Ctx, ninja, high, keys[:3]))(t)
	if len(again.Changed) != 3 || len(again.Activities) != 0 {
		t.Errorf("tickets that are as wanted: %+v", again)
	}
	goal := ninja.Columns[1]
	move := bulkedits.Edit{Kind: bulkedits.Move, Column: &bulkedits.NamedColumn{ID: goal.ID, Name: goal.Name}}
	moved := domaintest.OK(e.Workflows.ChangeTickets(e.Ctx, ninja, move, []tickets.Key{keys[0], far, keys[2]}))(t)
	if fmt.Sprint(moved.Changed) != fmt.Sprint([]tickets.Key{keys[0], keys[2]}) || moved.Refused[0].Key != far ||
		moved.Refused[0].Reason != tickets.OnAnotherBoard().Error() {
		t.Errorf("a move to a column: %+v", moved)
	}
	if got := e.Ticket(t, keys[2].String()).Column; got != goal.ID {
		t.Errorf("the ticket is in column %d", got)
	}
	e.Sound(t)
	nothing := domaintest.OK(e.Workflows.ChangeTickets(e.Ctx, ninja, high, []tickets.Key{missing}))(t)
	if len(nothing.Changed) != 0 || len(nothing.Refused) != 1 {
		t.Errorf("a ticket that is not there: %+v", nothing)
	}
}
