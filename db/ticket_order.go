package db

// The tickets of a board, or of several, by one of their fields: the index depends on the field, so sqlc cannot write the
// statements.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
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

// Compare compares two places in the order.
func (o TicketOrder) Compare(a, b TicketPlace) int {
	if a.At == nil || b.At == nil {
		return cmp.Or(cmp.Compare(nothings(a), nothings(b)), o.directed(cmp.Compare(a.ID, b.ID)))
	}
	return o.directed(cmp.Or(cmp.Compare(*a.At, *b.At), cmp.Compare(a.ID, b.ID)))
}

func nothings(place TicketPlace) int {
	if place.At == nil {
		return 1
	}
	return 0
}

func (o TicketOrder) directed(n int) int {
	if o.Descending {
		return -n
	}
	return n
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
	c, direction := orderedColumns[r.Order.By], ""
	if r.Order.Descending {
		direction = " DESC"
	}
	sorted := "t.id" + direction
	if !r.Same {
		sorted = c.name + direction + ", " + sorted
	}
	text, of := r.where("= ?")
	args = append(append([]any{uint64(board)}, of...), where.args...)
	return "SELECT " + what + " FROM ticket t FORCE INDEX (" + c.index + ") WHERE " + text + where.and() + " ORDER BY " + sorted, args
}

// where is the condition that a ticket of some boards is in the range.
func (r OrderRange) where(boards string) (text string, args []any) {
	c, further, back := orderedColumns[r.Order.By], " > ?", " < ?"
	if r.Order.Descending {
		further, back = back, further
	}
	text = "t.board_id " + boards
	and := func(condition string, values ...any) { text, args = text+" AND "+condition, append(args, values...) }
	switch {
	case r.Same && r.At == nil:
		and(c.name + c.nothing)
	case r.Same:
		and(c.name+" = ?", r.Order.value(*r.At))
	case c.something != "":
		and(c.name + c.something)
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
	return text, args
}

// value returns what a column has for TicketPlace.At.
func (o TicketOrder) value(at int64) any {
	if o.By == TicketPriority {
		return at
	}
	return time.UnixMicro(at).UTC()
}

// at is what a column has, for TicketPlace.At.
func (o TicketOrder) at(column string) string {
	if o.By == TicketPriority {
		return "NULLIF(" + column + ", 0)"
	}
	return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', " + column + ")"
}

// place is what entries have for a TicketPlace.
func (o TicketOrder) place() string { return "t.id, " + o.at(orderedColumns[o.By].name) }

// EndInOrder returns the place of the n-th entry of a range, which may be a deleted ticket; none if it has fewer. It
// reads the index alone.
func (q *Queries) EndInOrder(ctx context.Context, board id.Board, r OrderRange, n int) ([]TicketPlace, error) {
	statement, args := r.entries(board, r.Order.place(), TicketCondition{})
	return q.places(ctx, statement+" LIMIT 1 OFFSET ?", append(args, n-1))
}

// TicketsInOrder returns the first limit matching tickets of a range, without deleted ones.
func (q *Queries) TicketsInOrder(
	ctx context.Context, board id.Board, r OrderRange, where TicketCondition, limit int,
) ([]TicketPlace, error) {
	where = TicketsWithAll(condition("t.deleted_at IS NULL"), where)
	statement, args := r.entries(board, r.Order.place(), where)
	return q.places(ctx, statement+" LIMIT ?", append(args, limit))
}

// BoardEntry is a place on a board.
type BoardEntry struct {
	Board id.Board
	TicketPlace
}

// FirstInOrder returns those of some boards that have entries in a range, each with a place before its first one and behind
// all that come before that. It reads the ends of each board in the index alone, which the servers do for a group and not for
// a part of a union or a statement that depends on the board.
func (q *Queries) FirstInOrder(ctx context.Context, r OrderRange, boards []id.Board) ([]BoardEntry, error) {
	if len(boards) == 0 {
		return nil, nil
	}
	ids := uints(boards)
	text, args := r.where("IN " + listOf(ids))
	rows, err := q.db.QueryContext(ctx, "SELECT t.board_id, "+r.first()+" FROM ticket t FORCE INDEX ("+
		orderedColumns[r.Order.By].index+") WHERE "+text+" GROUP BY t.board_id",
		append(anys(ids), args...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []BoardEntry
	for rows.Next() {
		var board id.Board
		var first int64
		if err := rows.Scan(&board, &first); err != nil {
			return nil, fmt.Errorf("scan first ticket of a board: %w", err)
		}
		list = append(list, BoardEntry{board, r.before(first)})
	}
	return list, rows.Err()
}

// first is what the first entry of a board has: its id where all have the same in the column, or else that.
func (r OrderRange) first() string {
	end := "MIN("
	if r.Order.Descending {
		end = "MAX("
	}
	if r.Same {
		return end + "t.id)"
	}
	return r.Order.at(end + orderedColumns[r.Order.By].name + ")")
}

// before is a place before an entry: before all with the same in the column, or with the id before it where all have that.
func (r OrderRange) before(first int64) TicketPlace {
	switch {
	case r.Same && r.Order.Descending:
		return TicketPlace{At: r.At, ID: id.Ticket(first + 1)}
	case r.Same:
		return TicketPlace{At: r.At, ID: id.Ticket(first - 1)}
	case r.Order.Descending:
		return TicketPlace{At: &first, ID: math.MaxUint64}
	}
	return TicketPlace{At: &first}
}

// EntriesInOrder returns the first limit entries of a range on each of some boards, which may be deleted tickets. It reads
// the index alone.
func (q *Queries) EntriesInOrder(ctx context.Context, r OrderRange, boards []id.Board, limit int) ([]BoardEntry, error) {
	if len(boards) == 0 {
		return nil, nil
	}
	parts := make([]string, len(boards))
	var args []any
	for i, board := range boards {
		part, of := r.entries(board, "t.board_id, "+r.Order.place(), TicketCondition{})
		parts[i] = "(" + part + " LIMIT ?)"
		args = append(append(args, of...), limit)
	}
	rows, err := q.db.QueryContext(ctx, strings.Join(parts, " UNION ALL "), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []BoardEntry
	for rows.Next() {
		var entry BoardEntry
		if err := rows.Scan(&entry.Board, &entry.ID, &entry.At); err != nil {
			return nil, fmt.Errorf("scan place of a ticket: %w", err)
		}
		list = append(list, entry)
	}
	slices.SortFunc(list, func(a, b BoardEntry) int { return r.Order.Compare(a.TicketPlace, b.TicketPlace) })
	return list, rows.Err()
}

// PlacesAmong returns the places of those of some tickets that are on some boards, in a range, and meet a condition, in
// order, without deleted ones.
func (q *Queries) PlacesAmong(
	ctx context.Context, r OrderRange, boards []id.Board, tickets []id.Ticket, where TicketCondition,
) ([]TicketPlace, error) {
	if len(boards) == 0 || len(tickets) == 0 {
		return nil, nil
	}
	on := uints(boards)
	text, args := r.where("IN " + listOf(on))
	var list []TicketPlace
	for among := range slices.Chunk(uints(tickets), LongestIn) {
		some, err := q.places(ctx, "SELECT "+r.Order.place()+" FROM ticket t FORCE INDEX (PRIMARY) WHERE t.id IN "+listOf(among)+
			" AND "+text+" AND t.deleted_at IS NULL"+where.and(), slices.Concat(anys(among), anys(on), args, where.args))
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	slices.SortFunc(list, r.Order.Compare)
	return list, nil
}

// LongestIn is how long a list for IN is at most: MariaDB makes a table of one of 1,000.
const LongestIn = 900

// uints are ids for listOf.
func uints[T ~uint64](ids []T) []uint64 {
	list := make([]uint64, len(ids))
	for i, one := range ids {
		list[i] = uint64(one)
	}
	return list
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
