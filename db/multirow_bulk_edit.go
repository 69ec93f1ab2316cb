package db

import "context"

const addBulkEditItems = `INSERT INTO bulk_edit_item (bulk_edit_id, ticket_id, activity_id, outcome, reason, kind, detail) VALUES `

// AddBulkEditItems adds outcomes of tickets, the caller's few.
func (tx *Tx) AddBulkEditItems(ctx context.Context, rows []BulkEditItem) error {
	if len(rows) == 0 {
		return nil
	}
	args := make([]any, 0, 7*len(rows))
	for _, r := range rows {
		args = append(args, uint64(r.BulkEditID), uint64(r.TicketID), uint64(r.ActivityID), r.Outcome, r.Reason, r.Kind, r.Detail)
	}
	_, err := tx.SQL.ExecContext(ctx, addBulkEditItems+tuples(len(rows), 7), args...)
	return err
}
