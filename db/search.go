package db

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// FoundTicket is a ticket that the search index found, as it is now.
type FoundTicket struct {
	ID          id.Ticket
	Slug, Board string
	LocalID     uint64
	Title       string
	ClosedAt    *time.Time
	UpdatedAt   time.Time
}

// FoundTickets returns those of some tickets that are in sight, not deleted, and meet a condition; in no order.
func (q *Queries) FoundTickets(ctx context.Context, by Sight, ids []id.Ticket, where TicketCondition) ([]FoundTicket, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list := uints(ids)
	args := slices.Concat([]any{uint64(by.Reader)}, anys(list), []any{uint64(by.Company), by.Reach}, where.args)
	rows, err := q.db.QueryContext(ctx, `SELECT t.id, b.slug, b.title, t.local_id, t.title, t.closed_at, t.updated_at
FROM ticket t FORCE INDEX (PRIMARY) STRAIGHT_JOIN board b ON b.id = t.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = ?
WHERE t.id IN `+listOf(list)+` AND t.deleted_at IS NULL AND b.company_id = ? AND (x.level IS NOT NULL OR b.privacy <= ?)`+where.and(),
		args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []FoundTicket
	for rows.Next() {
		var t FoundTicket
		if err := rows.Scan(&t.ID, &t.Slug, &t.Board, &t.LocalID, &t.Title, &t.ClosedAt, &t.UpdatedAt); err != nil {
			return nil, fmt.Errorf("scan found ticket: %w", err)
		}
		found = append(found, t)
	}
	return found, rows.Err()
}
