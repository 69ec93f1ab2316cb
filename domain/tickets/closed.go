package tickets

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// SetClosed closes a ticket, or reopens it if closedAt is nil. The caller holds the ticket's lock. It returns the
// ticket's location before and after, for the history.
func SetClosed(ctx context.Context, tx *db.Tx, ticket Ticket, closedAt *time.Time) (MoveResult, error) {
	from, err := LocationOf(ctx, tx.Queries, ticket)
	if err != nil {
		return MoveResult{}, err
	}
	n, err := tx.SetClosed(ctx, db.SetClosedParams{ClosedAt: closedAt, Now: &tx.Now, ID: ticket.ID})
	if err != nil {
		return MoveResult{}, fmt.Errorf("set closed: %w", err)
	}
	if n != 1 {
		return MoveResult{}, NotFound()
	}
	changed := ticket
	changed.ClosedAt = closedAt
	return MoveResult{Ticket: changed, Was: ticket.Key, From: from, After: from.After},
		keepCurrent(ctx, tx, ticket, changed)
}

// LastLocations returns the locations of a ticket before its last moves and closures, newest first.
func LastLocations(ctx context.Context, q *db.Queries, ticket ID) ([]Location, error) {
	rows, err := db.Read(q.LastLocations(ctx, ticket))
	if err != nil {
		return nil, fmt.Errorf("read last places: %w", err)
	}
	var spots []Location
	for _, row := range rows {
		var detail Detail
		if err := json.Unmarshal([]byte(row), &detail); err != nil {
			return nil, fmt.Errorf("read detail: %w", err)
		}
		if detail.From != nil {
			spots = append(spots, *detail.From)
		}
	}
	return spots, nil
}

// SetCurrent stores whether tickets are open work: neither closed nor deleted. The caller holds their locks.
func SetCurrent(ctx context.Context, tx *db.Tx, list []ID, current bool) error {
	if len(list) == 0 {
		return nil
	}
	if _, err := tx.SetCurrentOf(ctx, current, list); err != nil {
		return fmt.Errorf("set current work: %w", err)
	}
	return nil
}

// keepCurrent calls SetCurrent if the ticket's state changed.
func keepCurrent(ctx context.Context, tx *db.Tx, before, after Ticket) error {
	if before.Current() == after.Current() {
		return nil
	}
	return SetCurrent(ctx, tx, []ID{after.ID}, after.Current())
}

// ClosedIn returns the closing time of a ticket that is moved between columns: a move into a done column closes it, a
// move out of one reopens it, any other leaves it.
func ClosedIn(ticket Ticket, fromDone, toDone bool, now time.Time) *time.Time {
	switch {
	case toDone && ticket.ClosedAt == nil:
		return &now
	case fromDone && !toDone:
		return nil
	}
	return ticket.ClosedAt
}
