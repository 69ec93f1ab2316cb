package db

// The tickets of a board by one of their fields: the index depends on the field, so sqlc cannot write the statements.

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// TicketPriority is the column of priorities.
const TicketPriority TicketColumn = "t.priority"

// TicketOrder is an order of the tickets of a board: by a column, then by id. Tickets with nothing there come last,
// whatever the direction.
type TicketOrder struct {
	By         TicketColumn // TicketPriority, or one of times
	Descending bool
}

// TicketPlace is the place of a ticket in an order.
type TicketPlace struct {
	At *int64 // the priority, or the time in microseconds since 1970; nil for nothing
	ID id.Ticket
}

// OrderRange is a part of an order that is one range of its index: tickets with the same in the column, or those with
// something between two values.
type OrderRange struct {
	Order TicketOrder

	Same  bool
	At    *int64    // what they have, as in TicketPlace
	After id.Ticket // those after this one, up to that one; 0 for no bound
	UpTo  id.Ticket

	From, To *int64 // unless Same: neither is in the range; nil is no bound
}

// orderedColumn is a column of ticket that orders are made of.
type orderedColumn struct {
	name, index        string
	something, nothing string // in the column; "" if there always is
}

var orderedColumns = map[TicketColumn]orderedColumn{
	TicketPriority: {"t.priority", "ix_ticket_priority", " > 0", " = 0"},
	TicketStart:    {"t.start_at", "ix_ticket_start", " IS NOT NULL", " IS NULL"},
	TicketDue:      {"t.due_at", "ix_ticket_due", " IS NOT NULL", " IS NULL"},
	TicketCreated:  {"t.created_at", "ix_ticket_created", "", ""},
	TicketUpdated:  {"t.updated_at", "ix_ticket_updated", "", ""},
	TicketClosed:   {"t.closed_at", "ix_ticket_closed", " IS NOT NULL", " IS NULL"},
}

// Ordered reports whether tickets can be ordered by a column.
func (c TicketColumn) Ordered() bool { return orderedColumns[c].index != "" }

// Has reports whether a ticket can have a place in the order.
func (o TicketOrder) Has(place TicketPlace) bool {
	switch {
	case place.At == nil:
		return orderedColumns[o.By].nothing != ""
	case o.By == TicketPriority:
		return *place.At > 0 && *place.At <= math.MaxUint8
	}
	year := time.UnixMicro(*place.At).UTC().Year()
	return year >= 1000 && year <= 9999 // those of DATETIME
}

// Ranges returns the ranges after a place, in their order; all of them after nil.
func (o TicketOrder) Ranges(after *TicketPlace) (ranges []OrderRange) {
	if after != nil {
		ranges = append(ranges, OrderRange{Order: o, Same: true, At: after.At, After: after.ID})
		if after.At == nil {
			return ranges
		}
		ranges = append(ranges, OrderRange{Order: o, From: after.At})
	} else {
		ranges = append(ranges, OrderRange{Order: o})
	}
	if orderedColumns[o.By].nothing != "" {
		ranges = append(ranges, OrderRange{Order: o, Same: true})
	}
	return ranges
}

// EndingAt returns a range up to a place in it, as ranges in their order.
func (r OrderRange) EndingAt(end TicketPlace) []OrderRange {
	if r.Same {
		r.UpTo = end.ID
		return []OrderRange{r}
	}
	r.To = end.At
	return []OrderRange{r, {Order: r.Order, Same: true, At: end.At, UpTo: end.ID}}
}

// entries returns a statement for the tickets of a range of a board that meet a condition, in the order of the range.
// The order of those with the same in the column is said without it, or else MariaDB sorts what has nothing there.
func (r OrderRange) entries(board id.Board, what string, where TicketCondition) (statement string, args []any) {
	c, further, back, direction := orderedColumns[r.Order.By], " > ?", " < ?", ""
	if r.Order.Descending {
		further, back, direction = back, further, " DESC"
	}
	text, sorted := "t.board_id = ?", "t.id"+direction
	args = []any{uint64(board)}
	and := func(condition string, values ...any) { text, args = text+" AND "+condition, append(args, values...) }
	switch {
	case r.Same && r.At == nil:
		and(c.name + c.nothing)
	case r.Same:
		and(c.name+" = ?", r.Order.value(*r.At))
	default:
		sorted = c.name + direction + ", " + sorted
		if c.something != "" {
			and(c.name + c.something)
		}
	}
	if r.From != nil {
		and(c.name+further, r.Order.value(*r.From))
	}
	if r.To != nil {
		and(c.name+back, r.Order.value(*r.To))
	}
	if r.After != 0 {
		and("t.id"+further, uint64(r.After))
	}
	if r.UpTo != 0 {
		and("t.id"+strings.Replace(back, " ?", "= ?", 1), uint64(r.UpTo))
	}
	return "SELECT " + what + " FROM ticket t FORCE INDEX (" + c.index + ") WHERE " + text + where.and() + " ORDER BY " + sorted,
		append(args, where.args...)
}

// value returns what a column has for TicketPlace.At.
func (o TicketOrder) value(at int64) any {
	if o.By == TicketPriority {
		return at
	}
	return time.UnixMicro(at).UTC()
}

// at is what a column has, for TicketPlace.At.
func (o TicketOrder) at() string {
	if o.By == TicketPriority {
		return "NULLIF(t.priority, 0)"
	}
	return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', " + orderedColumns[o.By].name + ")"
}

// EndInOrder returns the place of the n-th entry of a range, which may be a deleted ticket; none if it has fewer. It
// reads the index alone.
func (q *Queries) EndInOrder(ctx context.Context, board id.Board, r OrderRange, n int) ([]TicketPlace, error) {
	statement, args := r.entries(board, "t.id, "+r.Order.at(), TicketCondition{})
	return q.places(ctx, statement+" LIMIT 1 OFFSET ?", append(args, n-1))
}

// TicketsInOrder returns the first limit matching tickets of a range, without deleted ones.
func (q *Queries) TicketsInOrder(
	ctx context.Context, board id.Board, r OrderRange, where TicketCondition, limit int,
) ([]TicketPlace, error) {
	where = TicketsWithAll(condition("t.deleted_at IS NULL"), where)
	statement, args := r.entries(board, "t.id, "+r.Order.at(), where)
	return q.places(ctx, statement+" LIMIT ?", append(args, limit))
}

func (q *Queries) places(ctx context.Context, statement string, args []any) ([]TicketPlace, error) {
	rows, err := q.db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var places []TicketPlace
	for rows.Next() {
		var place TicketPlace
		if err := rows.Scan(&place.ID, &place.At); err != nil {
			return nil, fmt.Errorf("scan place of a ticket: %w", err)
		}
		places = append(places, place)
	}
	return places, rows.Err()
}
