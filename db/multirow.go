package db

// What sqlc cannot write: statements whose shape depends on how many rows they carry.

import (
	"context"
	"fmt"
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
	ClosedAt     *time.Time
}

const insertTickets = `INSERT INTO ticket (board_id, local_id, column_id, rank_in_column, title, description, created_by, created_at, updated_at, moved_at, closed_at) VALUES `

// InsertTickets adds all rows in one statement.
func (tx *Tx) InsertTickets(ctx context.Context, rows []NewTicket) error {
	args := make([]any, 0, len(rows)*11)
	for _, r := range rows {
		args = append(args, uint64(r.BoardID), r.LocalID, uint64(r.ColumnID), r.RankInColumn, r.Title, r.Description, uint64(r.CreatedBy), tx.Now, tx.Now, tx.Now, r.ClosedAt)
	}
	_, err := tx.SQL.ExecContext(ctx, insertTickets+tuples(len(rows), 11), args...)
	return err
}

const rememberAnswers = `INSERT INTO idempotency (token_id, key_hash, request_hash, status, answer, created_at) VALUES `

// RememberAnswers adds all rows in one statement.
func (tx *Tx) RememberAnswers(ctx context.Context, rows []Idempotency) error {
	args := make([]any, 0, len(rows)*6)
	for _, r := range rows {
		args = append(args, uint64(r.TokenID), r.KeyHash, r.RequestHash, r.Status, r.Answer, r.CreatedAt)
	}
	_, err := tx.SQL.ExecContext(ctx, rememberAnswers+tuples(len(rows), 6), args...)
	return err
}

// Card is what a board shows of a ticket.
type Card struct {
	ID           id.Ticket
	LocalID      uint64
	ColumnID     id.Column
	RankInColumn int64
	Title        string
	CreatedAt    time.Time
	MovedAt      time.Time
	ClosedAt     *time.Time
}

// MariaDB plans, or at least explains, the parts of a union as if they had no LIMIT; so the index is named.
const topOfColumn = `(SELECT id, local_id, column_id, rank_in_column, title, created_at, moved_at, closed_at FROM ticket FORCE INDEX (uq_ticket_rank) WHERE column_id = ? ORDER BY rank_in_column LIMIT ?)`

// FirstCards returns the first cards of each column, at most limit of each, in board order within
// a column: one statement, whatever the number of columns.
func (q *Queries) FirstCards(ctx context.Context, columns []id.Column, limit int) ([]Card, error) {
	if len(columns) == 0 {
		return nil, nil
	}
	parts := make([]string, len(columns))
	args := make([]any, 0, 2*len(columns))
	for i, column := range columns {
		parts[i] = topOfColumn
		args = append(args, uint64(column), limit)
	}
	rows, err := q.db.QueryContext(ctx, strings.Join(parts, " UNION ALL "), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var cards []Card
	for rows.Next() {
		var c Card
		if err := rows.Scan(&c.ID, &c.LocalID, &c.ColumnID, &c.RankInColumn, &c.Title, &c.CreatedAt, &c.MovedAt, &c.ClosedAt); err != nil {
			return nil, fmt.Errorf("scan card: %w", err)
		}
		cards = append(cards, c)
	}
	return cards, rows.Err()
}

// tuples returns rows groups of columns placeholders: (?,?),(?,?).
func tuples(rows, columns int) string {
	one := "(" + strings.Repeat("?,", columns-1) + "?)"
	return strings.Repeat(one+",", rows-1) + one
}
