package db

// Statements beyond sqlc: their shape depends on their number of rows.

import (
	"context"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// NewTicket is a row for InsertTickets.
type NewTicket struct {
	BoardID      id.Board
	LocalID      uint64
	ColumnID     id.Column
	RankInColumn int64
	Title        string
	Description  string
	CreatedBy    id.Account
	CreatedAt    time.Time
	UpdatedAt    time.Time
	ClosedAt     *time.Time
	// FromRequester says that it came by a form.
	FromRequester bool
	Priority      uint8
	StartAt       *time.Time
	StartTimed    bool
	DueAt         *time.Time
	DueTimed      bool
	Items         uint16
	ItemsChecked  uint16
}

const insertTickets = `INSERT INTO ticket (board_id, local_id, column_id, rank_in_column, title, description, created_by, created_at, updated_at, moved_at, closed_at, from_requester, priority, start_at, start_timed, due_at, due_timed, items, items_checked, comments, stays_known) VALUES `

// InsertTickets adds all rows in one statement, or in one for each mebibyte or so of texts, because servers limit the
// length of a statement.
func (tx *Tx) InsertTickets(ctx context.Context, rows []NewTicket) error {
	for len(rows) > 0 {
		args := make([]any, 0, len(rows)*21)
		n, bytes := 0, 0
		for ; n < len(rows) && bytes < 1<<20; n++ {
			r := rows[n]
			bytes += len(r.Title) + len(r.Description)
			args = append(args, uint64(r.BoardID), r.LocalID, uint64(r.ColumnID), r.RankInColumn, r.Title, r.Description,
				uint64(r.CreatedBy), r.CreatedAt, r.UpdatedAt, tx.Now, r.ClosedAt, r.FromRequester,
				r.Priority, r.StartAt, r.StartTimed, r.DueAt, r.DueTimed, r.Items, r.ItemsChecked, 0, true)
		}
		if _, err := tx.SQL.ExecContext(ctx, insertTickets+tuples(n, 21), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

const rememberAnswers = `INSERT INTO idempotency (token_id, key_hash, request_hash, status, answer, created_at) VALUES `

// StoreResponses adds all rows in one statement.
func (tx *Tx) StoreResponses(ctx context.Context, rows []Idempotency) error {
	args := make([]any, 0, len(rows)*6)
	for _, r := range rows {
		args = append(args, uint64(r.TokenID), r.KeyHash, r.RequestHash, r.Status, r.Answer, r.CreatedAt)
	}
	_, err := tx.SQL.ExecContext(ctx, rememberAnswers+tuples(len(rows), 6), args...)
	return err
}

// tuples returns rows groups of columns placeholders: (?,?),(?,?).
func tuples(rows, columns int) string {
	one := "(" + strings.Repeat("?,", columns-1) + "?)"
	return strings.Repeat(one+",", rows-1) + one
}
