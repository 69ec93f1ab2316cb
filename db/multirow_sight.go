package db

import (
	"context"
	"database/sql"
	"slices"

	"github.com/counterfoil/counterfoil/domain/id"
)

// sightChange is an account, 0 for readers without one, that gained or lost the sight of a board.
type sightChange struct {
	board   id.Board
	account id.Account
}

// publishSight clears the positions of changes of sight in all feeds.
func (tx *Tx) publishSight(ctx context.Context, changes []sightChange) error {
	for part := range slices.Chunk(changes, 1000) {
		args := make([]any, 0, len(part)*2)
		for _, c := range part {
			args = append(args, uint64(c.board), uint64(c.account))
		}
		rows := tuples(len(part), 2)
		for _, statement := range []string{
			`INSERT INTO ticket_sight (board_id, account_id) VALUES ` + rows + ` ON DUPLICATE KEY UPDATE feed_sync_id = NULL`,
			`INSERT INTO comment_sight (board_id, account_id) VALUES ` + rows + ` ON DUPLICATE KEY UPDATE feed_sync_id = NULL`,
			`INSERT INTO board_sight (board_id, account_id) VALUES ` + rows + ` ON DUPLICATE KEY UPDATE feed_sync_id = NULL`,
		} {
			if _, err := tx.SQL.ExecContext(ctx, statement, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// SightChange is a change of sight at its position in a feed.
type SightChange struct {
	Position uint64
	Board    id.Board
	Own      bool // of the reader
	Visible  bool // the board is in sight now
}

// SightChanges returns the first changes of sight in a feed with positions in (after, to], those of all readers and in any
// order, from the table that the feed has for them, and the feed as the statement saw it. A webhook sees a private
// board from the position at which it was added, so that a loss of before, which is published later, ends nothing.
func (q *Queries) SightChanges(
	ctx context.Context, feed, table string, by Sight, after, to uint64, limit int,
) (list []SightChange, seen FeedHead, err error) {
	rows, err := q.db.QueryContext(ctx, `SELECT s.epoch, LEAST(s.value, COALESCE(d.head, 0)), s.horizon, n.feed_sync_id, n.board_id,
n.account_id = ? AND b.company_id = ?,
x.level IS NOT NULL OR b.privacy <= ? OR w.board_id IS NOT NULL AND n.feed_sync_id > w.`+feed+`_after AS visible
FROM sequences s LEFT JOIN feed_durable d ON d.feed = s.name
LEFT JOIN (SELECT feed_sync_id, board_id, account_id FROM `+table+` FORCE INDEX (uq_`+table+`_feed)
	WHERE feed_sync_id > ? AND feed_sync_id <= ? ORDER BY feed_sync_id LIMIT ?) n ON TRUE
LEFT JOIN board b ON b.id = n.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = ?
LEFT JOIN webhook_board w ON w.webhook_id = ? AND w.board_id = b.id
WHERE s.name = ?`,
		uint64(by.Reader), uint64(by.Company), by.Reach, after, to, limit, uint64(by.Reader),
		uint64(by.Webhook), feed)
	if err != nil {
		return nil, seen, err
	}
	defer rows.Close()
	for rows.Next() {
		var position, board sql.Null[uint64]
		var own, visible sql.Null[bool]
		if err := rows.Scan(&seen.Epoch, &seen.Head, &seen.Horizon, &position, &board, &own, &visible); err != nil {
			return nil, seen, err
		}
		if position.Valid {
			list = append(list, SightChange{Position: position.V, Board: id.Board(board.V), Own: own.V, Visible: visible.V})
		}
	}
	return list, seen, rows.Err()
}
