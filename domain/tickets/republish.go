package tickets

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Republish has those of some tickets published again that are a company's, and returns how many.
func Republish(ctx context.Context, tx *db.Tx, company id.Company, list []ID) (int64, error) {
	own, err := tx.TicketsOfCompany(ctx, list, company)
	if err != nil || len(own) == 0 {
		return 0, err
	}
	slices.Sort(own)
	return tx.RepublishTickets(ctx, own)
}

// IDsByKeys returns the tickets of a company that have some keys, or had them once, also where they were imported
// from, and deleted ones too. It returns UnknownKey.
func IDsByKeys(ctx context.Context, q *db.Queries, company id.Company, texts []string) ([]uint64, error) {
	keys := make([]db.TicketKey, len(texts))
	for i, text := range texts {
		key, err := ParseKey(text)
		if err != nil {
			return nil, UnknownKey{Key: text}
		}
		keys[i] = db.TicketKey{Slug: key.Board, LocalID: key.Number}
	}
	found, err := db.Read(q.TicketsByKeys(ctx, company, keys))
	if err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	list := make([]uint64, len(texts))
	for i, text := range texts {
		ticket, ok := found[i]
		if !ok {
			return nil, UnknownKey{Key: text}
		}
		list[i] = uint64(ticket)
	}
	return list, nil
}

// RepublishComments has those of some comments published again that are on a company's tickets, and returns how
// many.
func RepublishComments(ctx context.Context, tx *db.Tx, company id.Company, list []id.Comment) (int64, error) {
	own, err := tx.CommentsOfCompany(ctx, list, company)
	if err != nil || len(own) == 0 {
		return 0, err
	}
	slices.Sort(own)
	return tx.RepublishCommentRows(ctx, own)
}

// RepublishNumbers has the tickets of a board with the numbers from after + 1 to upto published again, and returns
// how many these are. Deleted ones are among them.
func RepublishNumbers(ctx context.Context, tx *db.Tx, board id.Board, after, upto uint64) (int64, error) {
	return onNumbers(ctx, tx, board, after, upto, tx.RepublishTickets)
}

// RepublishCommentsOfNumbers is RepublishNumbers for the comments of these tickets.
func RepublishCommentsOfNumbers(ctx context.Context, tx *db.Tx, board id.Board, after, upto uint64) (int64, error) {
	return onNumbers(ctx, tx, board, after, upto, tx.RepublishCommentsOf)
}

func onNumbers(ctx context.Context, tx *db.Tx, board id.Board, after, upto uint64, republish func(context.Context, []ID) (int64, error)) (int64, error) {
	rows, err := tx.TicketsNumbered(ctx, db.TicketsNumberedParams{BoardID: board, After: after, Upto: upto})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	list := make([]ID, len(rows))
	for i, row := range rows {
		list[i] = row.ID
	}
	slices.Sort(list)
	n, err := republish(ctx, list)
	if err != nil {
		return 0, fmt.Errorf("republish: %w", err)
	}
	return n, nil
}
