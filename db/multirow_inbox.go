package db

// Statements of comments, assignees and the inbox that sqlc cannot write: dozens of rows.

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/id"
)

const (
	watch = `INSERT INTO watcher (ticket_id, account_id) VALUES `
	// A muted ticket stays muted.
	watchAgain = ` ON DUPLICATE KEY UPDATE muted = muted`
)

// Watch makes accounts watch a ticket, unless they muted it. They are in ascending order.
func (tx *Tx) Watch(ctx context.Context, ticket id.Ticket, accounts []id.Account) error {
	if len(accounts) == 0 {
		return nil
	}
	args := make([]any, 0, 2*len(accounts))
	for _, account := range accounts {
		args = append(args, uint64(ticket), uint64(account))
	}
	_, err := tx.SQL.ExecContext(ctx, watch+tuples(len(accounts), 2)+watchAgain, args...)
	return err
}

const assign = `INSERT INTO assignee (ticket_id, account_id, current, created_at) VALUES `

// Assign adds assignees to a ticket. They are in ascending order.
func (tx *Tx) Assign(ctx context.Context, ticket id.Ticket, accounts []id.Account, current bool) error {
	if len(accounts) == 0 {
		return nil
	}
	args := make([]any, 0, 4*len(accounts))
	for _, account := range accounts {
		args = append(args, uint64(ticket), uint64(account), current, tx.Now)
	}
	_, err := tx.SQL.ExecContext(ctx, assign+tuples(len(accounts), 4), args...)
	return err
}

const notify = `INSERT INTO notification (company_id, account_id, ticket_id, board_id, comment_id, actor_id, kind, created_at) VALUES `

// Notify adds all rows, in ascending order of their accounts, in one statement. Each has a ticket or a board.
func (tx *Tx) Notify(ctx context.Context, rows []Notification) error {
	if len(rows) == 0 {
		return nil
	}
	args := make([]any, 0, 8*len(rows))
	for _, r := range rows {
		var comment any
		if r.CommentID != nil {
			comment = uint64(*r.CommentID)
		}
		args = append(args, uint64(r.CompanyID), uint64(r.AccountID), orNull(r.TicketID), orNull(r.BoardID), comment,
			uint64(r.ActorID), r.Kind, tx.Now)
	}
	_, err := tx.SQL.ExecContext(ctx, notify+tuples(len(rows), 8), args...)
	return err
}

// orNull is an id as an argument, NULL for 0.
func orNull[T ~uint64](n T) any {
	if n == 0 {
		return nil
	}
	return uint64(n)
}
