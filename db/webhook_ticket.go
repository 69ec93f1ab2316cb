package db

import (
	"context"
	"slices"

	"github.com/counterfoil/counterfoil/domain/id"
)

// TrackTickets adds tickets to those that a webhook with a filter was sent; some may be there.
func (tx *Tx) TrackTickets(ctx context.Context, webhook id.Webhook, tickets []id.Ticket) error {
	if len(tickets) == 0 {
		return nil
	}
	args := make([]any, 0, 2*len(tickets))
	for _, ticket := range tickets {
		args = append(args, uint64(webhook), uint64(ticket))
	}
	_, err := tx.SQL.ExecContext(ctx, `INSERT INTO webhook_ticket (webhook_id, ticket_id) VALUES `+tuples(len(tickets), 2)+
		` ON DUPLICATE KEY UPDATE ticket_id = VALUES(ticket_id)`, args...)
	return err
}

// TicketsMeeting returns those of some tickets that are not deleted and meet a condition; in no order. The caller has
// read the tickets in sight.
func (q *Queries) TicketsMeeting(ctx context.Context, ids []id.Ticket, where TicketCondition) ([]id.Ticket, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list := uints(ids)
	return q.ticketIDs(ctx, `SELECT t.id FROM ticket t FORCE INDEX (PRIMARY)
WHERE t.id IN `+listOf(list)+` AND t.deleted_at IS NULL`+where.and(), slices.Concat(anys(list), where.args))
}

// TicketsToTrack returns the tickets with ids in (after, to] that a webhook sees, of one board or, if that is 0, of
// all, and that are not deleted and meet a condition.
func (q *Queries) TicketsToTrack(
	ctx context.Context, by Sight, board id.Board, after, to id.Ticket, where TicketCondition,
) ([]id.Ticket, error) {
	args := []any{uint64(by.Reader), uint64(by.Webhook), uint64(after), uint64(to), uint64(by.Company), by.Reach,
		uint64(board), uint64(board)}
	return q.ticketIDs(ctx, `SELECT t.id FROM ticket t FORCE INDEX (PRIMARY) STRAIGHT_JOIN board b ON b.id = t.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = ?
LEFT JOIN webhook_board w ON w.webhook_id = ? AND w.board_id = b.id
WHERE t.id > ? AND t.id <= ? AND t.deleted_at IS NULL AND b.company_id = ?
	AND (x.level IS NOT NULL OR b.privacy <= ? OR w.board_id IS NOT NULL)
	AND (? = 0 OR t.board_id = ?)`+where.and(), slices.Concat(args, where.args))
}

func (q *Queries) ticketIDs(ctx context.Context, statement string, args []any) ([]id.Ticket, error) {
	rows, err := q.db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []id.Ticket
	for rows.Next() {
		var ticket id.Ticket
		if err := rows.Scan(&ticket); err != nil {
			return nil, err
		}
		list = append(list, ticket)
	}
	return list, rows.Err()
}
