package opstest

import (
	"testing"

	"github.com/counterfoil/counterfoil/db"
)

// followed is what remains after changes were published and read.
var followed = []string{
	`SET @p = 0`,
	`UPDATE ticket SET feed_sync_id = (@p := @p + 1) WHERE title <> 'End' ORDER BY id`,
	`INSERT INTO feed_batch (feed, hi, k, committed_at) SELECT 'tickets', @p - 2, @p - 2, '2026-01-01' UNION ALL SELECT 'tickets', @p, 2, '2026-01-02'`,
	`UPDATE sequences SET value = @p, version = 2 WHERE name = 'tickets'`,
	`SET @p = 0`,
	`UPDATE comment SET feed_sync_id = (@p := @p + 1) WHERE body <> 'It is done.' ORDER BY id`,
	`INSERT INTO feed_batch (feed, hi, k, committed_at) SELECT 'comments', @p, @p, '2026-01-01'`,
	`UPDATE sequences SET value = @p, version = 1 WHERE name = 'comments'`,
	`SET @p = 0`,
	`UPDATE board SET feed_sync_id = (@p := @p + 1) ORDER BY id`,
	`INSERT INTO feed_batch (feed, hi, k, committed_at) SELECT 'boards', @p, @p, '2026-01-01'`,
	`UPDATE sequences SET value = @p, version = 1 WHERE name = 'boards'`,
	`INSERT INTO ticket_sight (board_id, account_id) SELECT id, 1 FROM board LIMIT 1`,
	`INSERT INTO comment_sight (board_id, account_id) SELECT id, 1 FROM board LIMIT 1`,
	`INSERT INTO board_sight (board_id, account_id) SELECT id, 1 FROM board LIMIT 1`,
	`INSERT INTO feed_durable (feed, head) SELECT name, value FROM sequences`,
	`INSERT INTO feed_consumer (company_id, feed, name, epoch, position, began, created_by, created_at, seen_at)
		SELECT 1, name, 'warehouse', epoch, value - 1, 0, 1, '2026-01-01', '2026-01-02' FROM sequences WHERE name = 'tickets'`,
	`INSERT INTO webhook (id, company_id, url, note, feeds, board_id, secret, state, due_at, lease_ends, created_by, created_at, updated_at)
		SELECT 1, 1, 'https://hooks.example/größer', 'For the chat', 'tickets comments', MIN(id), UNHEX(SHA2('secret', 256)), 'on', '2026-01-02', '2026-01-02', 1, '2026-01-01', '2026-01-02' FROM board`,
	`INSERT INTO webhook_cursor (webhook_id, feed, epoch, position) SELECT 1, name, epoch, value FROM sequences WHERE name IN ('tickets', 'comments')`,
	`INSERT INTO webhook_board (webhook_id, board_id, tickets_after, comments_after, boards_after, added_by, created_at) SELECT 1, MIN(id), 1, 1, 1, 1, '2026-01-01' FROM board`,
	`INSERT INTO webhook_ticket (webhook_id, ticket_id) SELECT 1, MIN(id) FROM ticket`,
	`UPDATE webhook SET filter = 'priority:>=high -status:closed', compared_to = 7`,
	`INSERT INTO webhook_attempt (webhook_id, message, kind, type, subject, feed, row_id, position, status, error, response, milliseconds, created_at) VALUES
		(1, 'tickets:1:1', 'sent', 'ticket.changed', 'DEMO-1', 'tickets', 1, 1, NULL, 'no answer within 15 s', '', 15000, '2026-01-01'),
		(1, 'tickets:1:1', 'sent', 'ticket.changed', 'DEMO-1', 'tickets', 1, 1, 200, '', UNHEX('00FF'), 20, '2026-01-01')`,
}

func follow(t testing.TB, d *db.DB) {
	t.Helper()
	tx, err := d.SQL.Begin()
	must(t, err)
	defer tx.Rollback()
	for _, statement := range followed {
		if _, err := tx.Exec(statement); err != nil {
			t.Fatalf("%v\nin %s", err, statement)
		}
	}
	must(t, tx.Commit())
}
