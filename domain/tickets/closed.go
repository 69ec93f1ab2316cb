package tickets

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// SetClosed closes a ticket where it is, or opens it again there with nil. The caller holds the
// ticket's lock. It returns where the ticket was and where it is, for the history.
func SetClosed(ctx context.Context, tx *db.Tx, ticket Ticket, closedAt *time.Time) (Moved, error) {
	from, err := LocationOf(ctx, tx.Queries, ticket)
	if err != nil {
		return Moved{}, err
	}
	n, err := tx.SetClosed(ctx, db.SetClosedParams{ClosedAt: closedAt, Now: &tx.Now, ID: ticket.ID})
	if err != nil {
		return Moved{}, fmt.Errorf("set closed: %w", err)
	}
	if n != 1 {
		return Moved{}, NotFound()
	}
	changed := ticket
	changed.ClosedAt = closedAt
	return Moved{Ticket: changed, Was: ticket.Key, From: from, After: from.After}, keepCurrent(ctx, tx, ticket, changed)
}

// LastLocations returns where a ticket was before its last moves and closures, newest first.
func LastLocations(ctx context.Context, q *db.Queries, ticket ID) ([]Location, error) {
	rows, err := db.Read(q.LastPlaces(ctx, ticket))
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

// SetCurrent says whether a ticket is its assignees' work by now: it is neither closed nor deleted.
// The caller holds the ticket's lock.
func SetCurrent(ctx context.Context, tx *db.Tx, ticket ID, current bool) error {
	if _, err := tx.SetCurrent(ctx, current, ticket); err != nil {
		return fmt.Errorf("set current work: %w", err)
	}
	return nil
}

// keepCurrent is SetCurrent where that has changed.
func keepCurrent(ctx context.Context, tx *db.Tx, before, after Ticket) error {
	if before.Current() == after.Current() {
		return nil
	}
	return SetCurrent(ctx, tx, after.ID, after.Current())
}

// ClosedIn returns when a ticket that goes from one column to another is closed: on its way into a
// done column it is, on its way out of one it is opened again, and otherwise it stays as it is.
func ClosedIn(ticket Ticket, fromDone, toDone bool, now time.Time) *time.Time {
	switch {
	case toDone && ticket.ClosedAt == nil:
		return &now
	case fromDone && !toDone:
		return nil
	}
	return ticket.ClosedAt
}
