package db

import (
	"context"
	"strings"

	"github.com/counterfoil/counterfoil/domain/id"
)

// HistoryPlace is an entry of a ticket's history.
type HistoryPlace struct {
	Ticket id.Ticket
	Entry  id.Activity
}

// MovedSince returns the tickets of some entries, one at least, whose histories have a later entry that changed where the
// ticket is and was not undone. See ChangeSince for which.
func (q *Queries) MovedSince(ctx context.Context, entries []HistoryPlace) ([]id.Ticket, error) {
	args := make([]any, 0, 2*len(entries))
	for _, one := range entries {
		args = append(args, uint64(one.Ticket), uint64(one.Entry))
	}
	after := strings.Repeat(" OR v.ticket_id = ? AND v.id > ?", len(entries))[len(" OR "):]
	return q.ticketIDs(ctx, `SELECT DISTINCT v.ticket_id FROM activity v FORCE INDEX (ix_activity_ticket)
WHERE (`+after+`) AND v.kind IN ('moved', 'closed', 'reopened', 'deleted', 'restored') AND v.undone_at IS NULL`, args)
}
