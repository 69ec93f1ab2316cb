package tickets

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Scope is where tickets are listed from: OneBoard, or BoardsInSight.
type Scope interface {
	// inRange returns up to limit matching tickets among the first Reach of a range, and where these end; nil if the range
	// has no more.
	inRange(
		ctx context.Context, q *db.Queries, r db.OrderRange, filter Filter, limit int,
	) (places []db.TicketPlace, end *db.TicketPlace, err error)

	// byID returns those of some tickets that are not deleted, in the order of ids.
	byID(ctx context.Context, q *db.Queries, ids []ID) ([]Ticket, error)
}

// OneBoard are the tickets of a board that the reader sees.
type OneBoard struct {
	ID   id.Board
	Slug string
}

// InOrder returns up to limit matching tickets in an order of their fields, after a cursor of that order, with the start of
// the next page, nil if there is none. It reads at most Reach tickets of each of three parts of the order: those with the
// same as the cursor, those after it, and those with nothing to sort by. So a page may have fewer tickets than there is room
// for. It returns BadCursor.
func InOrder(
	ctx context.Context, q *db.Queries, of Scope, filter Filter, order db.TicketOrder, after *Cursor, limit int,
) (list []Ticket, next *Cursor, err error) {
	var start *db.TicketPlace
	if after != nil {
		if after.Sorted.Order != order {
			return nil, nil, BadCursor()
		}
		start = after.Sorted.place()
	}
	var places []db.TicketPlace
	for _, r := range order.Ranges(start) {
		some, end, err := of.inRange(ctx, q, r, filter, limit-len(places)+1)
		if err != nil {
			return nil, nil, fmt.Errorf("read tickets in order: %w", err)
		}
		if places = append(places, some...); len(places) > limit {
			places, end = places[:limit], &places[limit-1]
		}
		if end != nil {
			next = sortedAt(order, *end)
			break
		}
	}
	list, err = of.byID(ctx, q, idsAt(places))
	return list, next, err
}

// DueWithin returns up to limit matching tickets that are due from one day on, before another, in a time zone, by due date;
// more says that there may be others. Days are midnights in UTC.
func DueWithin(
	ctx context.Context, q *db.Queries, of Scope, filter Filter, from, to time.Time, zone *time.Location, limit int,
) (list []Ticket, more bool, err error) {
	bound := func(day time.Time) *db.DayBound {
		return &db.DayBound{Day: day, Moment: Date{At: day}.In(zone).UTC()}
	}
	filter.Where = db.TicketsWithAll(db.TicketsWithin(db.TicketDue, bound(from), bound(to)), filter.Where)
	first, last := from.AddDate(0, 0, -1).UnixMicro(), to.AddDate(0, 0, 1).UnixMicro() // wherever the reader is
	r := db.OrderRange{Order: db.TicketOrder{By: db.TicketDue}, From: &first, To: &last}
	places, end, err := of.inRange(ctx, q, r, filter, limit+1)
	if err != nil {
		return nil, false, fmt.Errorf("read tickets by due date: %w", err)
	}
	places, more = cut(places, limit)
	list, err = of.byID(ctx, q, idsAt(places))
	return list, more || end != nil, err
}

// CountMatching returns how many tickets match, up to a limit, among the Reach newest; more says that there may be others.
func CountMatching(
	ctx context.Context, q *db.Queries, of Scope, filter Filter, limit int,
) (n int, more bool, err error) {
	newest := db.OrderRange{Order: db.TicketOrder{By: db.TicketCreated, Descending: true}}
	places, end, err := of.inRange(ctx, q, newest, filter, limit+1)
	if err != nil {
		return 0, false, fmt.Errorf("count tickets: %w", err)
	}
	places, more = cut(places, limit)
	return len(places), more || end != nil, nil
}

func idsAt(places []db.TicketPlace) []ID {
	ids := make([]ID, len(places))
	for i, place := range places {
		ids[i] = place.ID
	}
	return ids
}

func (b OneBoard) inRange(
	ctx context.Context, q *db.Queries, r db.OrderRange, filter Filter, limit int,
) (places []db.TicketPlace, end *db.TicketPlace, err error) {
	ends, err := db.Read(q.EndInOrder(ctx, b.ID, r, Reach))
	if err != nil {
		return nil, nil, err
	}
	parts := []db.OrderRange{r}
	if len(ends) > 0 {
		end, parts = &ends[0], r.EndingAt(ends[0])
	}
	for _, part := range parts {
		some, err := db.Read(q.TicketsInOrder(ctx, b.ID, part, filter.Where, limit-len(places)))
		if err != nil {
			return nil, nil, err
		}
		if places = append(places, some...); len(places) == limit {
			break
		}
	}
	return places, end, nil
}

func (b OneBoard) byID(ctx context.Context, q *db.Queries, ids []ID) ([]Ticket, error) {
	return byID(ctx, q, b.Slug, ids)
}
