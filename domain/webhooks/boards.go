package webhooks

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Board is a private board that one of its admins added to a webhook.
type Board struct {
	ID      id.Board
	Slug    string
	Title   string
	Grant   db.Grant // of the reader
	AddedAt time.Time
}

// BoardsAtOnce is how many boards Boards returns at most.
const BoardsAtOnce = 1000

// Boards returns the private boards of a webhook by slug, the first behind a slug, each with what it says of a reader.
func Boards(
	ctx context.Context, q *db.Queries, webhook id.Webhook, reader id.Account, after string,
) ([]Board, error) {
	rows, err := db.Read(q.BoardsOfWebhook(ctx, db.BoardsOfWebhookParams{Reader: reader, WebhookID: webhook,
		After: after, Limit: BoardsAtOnce}))
	if err != nil {
		return nil, fmt.Errorf("read boards of the webhook: %w", err)
	}
	list := make([]Board, len(rows))
	for i, row := range rows {
		list[i] = Board{ID: row.ID, Slug: row.Slug, Title: row.Title, AddedAt: row.CreatedAt,
			Grant: db.Grant{Private: row.Privacy > db.ReachOpen, Level: int(row.Level)}}
	}
	return list, nil
}

// Receiver is a webhook as the admins of a board see it, who need not manage webhooks.
type Receiver struct {
	ID      id.Webhook
	Host    string
	Note    string
	Added   bool   // the board is among the webhook's
	AddedBy string // the name of who added it
	AddedAt time.Time
}

// Receivers returns the webhooks of a board's company, the oldest first, but those that are about another board.
func Receivers(ctx context.Context, q *db.Queries, board id.Board) ([]Receiver, error) {
	rows, err := db.Read(q.WebhooksOfBoard(ctx, board, Max))
	if err != nil {
		return nil, fmt.Errorf("read webhooks of the board: %w", err)
	}
	var list []Receiver
	for _, row := range rows {
		if row.Added == 0 && row.OnlyBoard != nil && *row.OnlyBoard != board {
			continue
		}
		list = append(list, Receiver{ID: row.ID, Host: host(row.Url), Note: row.Note, Added: row.Added > 0,
			AddedBy: row.AddedBy, AddedAt: row.AddedAt})
	}
	return list, nil
}

// AddBoard adds a private board to a locked webhook, which is sent what changes on it from now on. The caller holds the
// lock of the company. It reports whether the board was not there.
func AddBoard(ctx context.Context, tx *db.Tx, locked Webhook, board id.Board, by id.Account) (bool, error) {
	rows, err := tx.Sequences(ctx)
	if err != nil {
		return false, fmt.Errorf("read sequences: %w", err)
	}
	published := map[string]uint64{} // also what is not durable: it is the past, too
	for _, row := range rows {
		published[row.Name] = row.Value
	}
	err = tx.AddWebhookBoard(ctx, db.AddWebhookBoardParams{
		WebhookID: locked.ID, BoardID: board, AddedBy: by, Now: tx.Now, TicketsAfter: published["tickets"],
		CommentsAfter: published["comments"], BoardsAfter: published["boards"],
	})
	if db.IsDuplicate(err, "PRIMARY") {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("add board to webhook: %w", err)
	}
	if err := tx.CompareAgain(ctx, locked.ID); err != nil {
		return false, fmt.Errorf("add board to webhook: %w", err)
	}
	return true, nil
}

// DropBoard removes a board from a webhook, and reports whether it was there.
func DropBoard(ctx context.Context, tx *db.Tx, webhook id.Webhook, board id.Board) (bool, error) {
	n, err := tx.DropWebhookBoard(ctx, webhook, board)
	if err != nil {
		return false, fmt.Errorf("remove board from webhook: %w", err)
	}
	return n > 0, nil
}

// DropBoardFromAll removes a board from all webhooks.
func DropBoardFromAll(ctx context.Context, tx *db.Tx, board id.Board) error {
	if err := tx.DropBoardFromWebhooks(ctx, board); err != nil {
		return fmt.Errorf("remove board from webhooks: %w", err)
	}
	return nil
}
