package db

// Statements of an import, with hundreds of rows.

import (
	"context"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// insertRows adds rows with some arguments each in one statement, or does nothing if there are none.
func (tx *Tx) insertRows(ctx context.Context, statement, end string, columns int, args []any) error {
	if len(args) == 0 {
		return nil
	}
	_, err := tx.SQL.ExecContext(ctx, statement+tuples(len(args)/columns, columns)+end, args...)
	return err
}

// NewOrigin is a row for KeepOrigins.
type NewOrigin struct {
	ExternalID string
	TicketID   id.Ticket
}

// KeepOrigins adds all rows. An existing one is a duplicate of PRIMARY.
func (tx *Tx) KeepOrigins(ctx context.Context, company id.Company, rows []NewOrigin) error {
	args := make([]any, 0, 4*len(rows))
	for _, r := range rows {
		args = append(args, uint64(company), r.ExternalID, uint64(r.TicketID), tx.Now)
	}
	return tx.insertRows(ctx, `INSERT INTO ticket_origin (company_id, external_id, ticket_id, created_at) VALUES `, "", 4,
		args)
}

// NewActivity is a row for RecordActivities.
type NewActivity struct {
	TicketID     id.Ticket
	AccountID    id.Account
	Kind, Detail string
}

// RecordActivities adds all rows.
func (tx *Tx) RecordActivities(ctx context.Context, rows []NewActivity) error {
	args := make([]any, 0, 5*len(rows))
	for _, r := range rows {
		args = append(args, uint64(r.TicketID), uint64(r.AccountID), r.Kind, r.Detail, tx.Now)
	}
	return tx.insertRows(ctx, `INSERT INTO activity (ticket_id, account_id, kind, detail, created_at) VALUES `, "", 5,
		args)
}

// AddStays adds all rows.
func (tx *Tx) AddStays(ctx context.Context, rows []TicketStay) error {
	for few := range slices.Chunk(rows, 1000) {
		args := make([]any, 0, 7*len(few))
		for _, r := range few {
			args = append(args, uint64(r.TicketID), r.SinceAt, r.UntilAt, uint64(r.BoardID), uint64(r.ColumnID), uint64(r.AccountID), r.Inferred)
		}
		err := tx.insertRows(ctx, `INSERT INTO ticket_stay (ticket_id, since_at, until_at, board_id, column_id, account_id, inferred) VALUES `, "", 7, args)
		if err != nil {
			return err
		}
	}
	return nil
}

// NewAssignee is a row for AssignAll.
type NewAssignee struct {
	TicketID  id.Ticket
	AccountID id.Account
	Current   bool
}

// AssignAll adds all rows, and makes the assignees watch their tickets.
func (tx *Tx) AssignAll(ctx context.Context, rows []NewAssignee) error {
	args, watching := make([]any, 0, 4*len(rows)), make([]any, 0, 2*len(rows))
	for _, r := range rows {
		args = append(args, uint64(r.TicketID), uint64(r.AccountID), r.Current, tx.Now)
		watching = append(watching, uint64(r.TicketID), uint64(r.AccountID))
	}
	if err := tx.insertRows(ctx, assign, "", 4, args); err != nil {
		return err
	}
	return tx.insertRows(ctx, watch, watchAgain, 2, watching)
}

// LabelAll adds all rows.
func (tx *Tx) LabelAll(ctx context.Context, rows []TicketLabel) error {
	args := make([]any, 0, 2*len(rows))
	for _, r := range rows {
		args = append(args, uint64(r.TicketID), uint64(r.LabelID))
	}
	return tx.insertRows(ctx, "INSERT INTO ticket_label (ticket_id, label_id) VALUES ", "", 2, args)
}

// NewComment is a row for AddComments.
type NewComment struct {
	TicketID  id.Ticket
	AccountID id.Account
	Body      string
	CreatedAt time.Time
}

// AddComments adds all rows, a statement for each mebibyte of texts.
func (tx *Tx) AddComments(ctx context.Context, rows []NewComment) error {
	for len(rows) > 0 {
		var args []any
		n, bytes := 0, 0
		for ; n < len(rows) && n < 1000 && (n == 0 || bytes+len(rows[n].Body) < 1<<20); n++ {
			r := rows[n]
			bytes += len(r.Body)
			args = append(args, uint64(r.TicketID), uint64(r.AccountID), r.Body, r.CreatedAt, r.CreatedAt)
		}
		if err := tx.insertRows(ctx, `INSERT INTO comment (ticket_id, account_id, body, created_at, updated_at) VALUES `, "",
			5, args); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// AddBacklinks adds all rows.
func (tx *Tx) AddBacklinks(ctx context.Context, rows []Backlink) error {
	args := make([]any, 0, len(rows)*3)
	for _, r := range rows {
		args = append(args, uint64(r.TicketID), uint64(r.FromID), uint64(r.CommentID))
	}
	return tx.insertRows(ctx, "INSERT INTO backlink (ticket_id, from_id, comment_id) VALUES ", "", 3, args)
}
