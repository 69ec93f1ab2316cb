package db

// Statements that publish rows of any table with a feed. Such a table has the columns id and feed_sync_id, and the
// index uq_<table>_feed on the latter.

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Unpublished returns ids of at most limit unpublished rows of each of some feeds' tables, by table.
func (q *Queries) Unpublished(ctx context.Context, tables []string, limit int) (map[string][]uint64, error) {
	parts, args := make([]string, len(tables)), make([]any, len(tables))
	for i, table := range tables {
		parts[i] = `(SELECT ` + strconv.Itoa(i) + `, id FROM ` + table + ` FORCE INDEX (uq_` + table + `_feed) WHERE feed_sync_id IS NULL LIMIT ?)`
		args[i] = limit
	}
	rows, err := q.db.QueryContext(ctx, strings.Join(parts, " UNION ALL "), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string][]uint64{}
	for rows.Next() {
		var i int
		var row uint64
		if err := rows.Scan(&i, &row); err != nil {
			return nil, err
		}
		found[tables[i]] = append(found[tables[i]], row)
	}
	return found, rows.Err()
}

// LockUnpublished locks those of some rows that are unpublished and not locked, and returns them in ascending order.
// It uses the primary key alone: locking the index of positions first deadlocks with a writer of the row.
func (q *Queries) LockUnpublished(ctx context.Context, table string, rows []uint64) ([]uint64, error) {
	args := make([]any, len(rows))
	for i, row := range rows {
		args[i] = row
	}
	return q.ids(ctx, `SELECT id FROM `+table+byKey+`WHERE id IN (`+marks(
		len(rows))+`) AND feed_sync_id IS NULL ORDER BY id FOR UPDATE SKIP LOCKED`, args...)
}

// WaitForUnpublished waits for the lock of an unpublished row and returns the row; none if it was published meanwhile.
func (q *Queries) WaitForUnpublished(ctx context.Context, table string, row uint64) ([]uint64, error) {
	return q.ids(ctx, `SELECT id FROM `+table+byKey+`WHERE id = ? AND feed_sync_id IS NULL FOR UPDATE`, row)
}

// Publish gives locked rows the positions above base, in their order, and returns how many had none. The list comes
// first and leads to the rows by the primary key: a server that began with the unpublished rows would wait for those
// that another publisher, which waits for the sequence, has locked.
func (q *Queries) Publish(ctx context.Context, table string, rows []uint64, base uint64) (int64, error) {
	list, err := json.Marshal(rows)
	if err != nil {
		return 0, err
	}
	result, err := q.db.ExecContext(ctx, `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, id BIGINT UNSIGNED PATH '$')) j STRAIGHT_JOIN `+table+` t`+byKey+`ON t.id = j.id
SET t.feed_sync_id = ? + j.n WHERE t.feed_sync_id IS NULL`, string(list), base)
	if number(err) == notOnGalera {
		return q.publishInParts(ctx, table, rows, base)
	}
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// atOnceByField is small, because FIELD goes through its list for each row.
const atOnceByField = 100

// publishInParts is Publish without a join, which Galera refuses to update.
func (q *Queries) publishInParts(ctx context.Context, table string, rows []uint64, base uint64) (n int64, err error) {
	for part := range slices.Chunk(rows, atOnceByField) {
		places := marks(len(part))
		args := []any{base}
		for range 2 {
			for _, row := range part {
				args = append(args, row)
			}
		}
		result, err := q.db.ExecContext(ctx, `UPDATE `+table+` SET feed_sync_id = ? + FIELD(id, `+places+`)
WHERE id IN (`+places+`) AND feed_sync_id IS NULL`, args...)
		if err != nil {
			return n, err
		}
		changed, err := result.RowsAffected()
		if err != nil {
			return n, err
		}
		n, base = n+changed, base+uint64(len(part))
	}
	return n, nil
}

// PositionOf returns the position of a row of a feed's table, nil if it is not published.
func (q *Queries) PositionOf(ctx context.Context, table string, row uint64) (position *uint64, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT feed_sync_id FROM `+table+` WHERE id = ?`, row).Scan(&position)
	return position, err
}

func (q *Queries) ids(ctx context.Context, statement string, args ...any) (list []uint64, err error) {
	rows, err := q.db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var row uint64
		if err := rows.Scan(&row); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

// FeedHead is a feed as a statement saw it: the epoch, the head, which is durable, and the horizon.
type FeedHead struct{ Epoch, Head, Horizon uint64 }

// FeedBehind returns a feed as this statement sees it, and whether it sees a row of the feed's table in (after, to].
func (q *Queries) FeedBehind(ctx context.Context, feed, table string, after, to uint64) (at FeedHead, rows bool, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT s.epoch, LEAST(s.value, COALESCE(d.head, 0)), s.horizon,
EXISTS (SELECT 1 FROM `+table+` t FORCE INDEX (uq_`+table+`_feed) WHERE t.feed_sync_id > ? AND t.feed_sync_id <= ?)
FROM sequences s LEFT JOIN feed_durable d ON d.feed = s.name WHERE s.name = ?`, after, to, feed).Scan(&at.Epoch, &at.Head, &at.Horizon, &rows)
	return at, rows, err
}

// BatchAges returns for each of some positions how many microseconds ago the next batch was published, -1 if there is
// none.
func (q *Queries) BatchAges(ctx context.Context, positions []FeedPosition) ([]int64, error) {
	var args []any
	parts := make([]string, len(positions))
	for i, position := range positions {
		parts[i] = `(SELECT ` + strconv.Itoa(i) +
			` AS n, TIMESTAMPDIFF(MICROSECOND, committed_at, NOW(6)) AS age FROM feed_batch WHERE feed = ? AND hi > ? ORDER BY hi LIMIT 1)`
		args = append(args, position.Feed, position.Position)
	}
	ages := make([]int64, len(positions))
	for i := range ages {
		ages[i] = -1
	}
	if len(positions) == 0 {
		return ages, nil
	}
	rows, err := q.db.QueryContext(ctx, strings.Join(parts, ` UNION ALL `), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n, age int64
		if err := rows.Scan(&n, &age); err != nil {
			return nil, err
		}
		ages[n] = max(age, 0)
	}
	return ages, rows.Err()
}

// FeedPosition is a position of a feed.
type FeedPosition struct {
	Feed     string
	Position uint64
}

// PositionsAgo returns the heads of a feed some numbers of seconds ago, 0 before the first batch. There is at least
// one.
func (q *Queries) PositionsAgo(ctx context.Context, feed string, seconds []int) ([]uint64, error) {
	var args []any
	parts := make([]string, len(seconds))
	for i, ago := range seconds { // bounds in a form that makes MariaDB begin with the time
		parts[i] = `(SELECT ` + strconv.Itoa(i) + ` AS n, hi FROM feed_batch FORCE INDEX (ix_feed_batch_time)
WHERE feed >= ? AND feed <= ? AND committed_at < NOW(6) - INTERVAL ? SECOND ORDER BY feed DESC, committed_at DESC, hi DESC LIMIT 1)`
		args = append(args, feed, feed, ago)
	}
	rows, err := q.db.QueryContext(ctx, strings.Join(parts, ` UNION ALL `), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	positions := make([]uint64, len(seconds))
	for rows.Next() {
		var n int
		var hi uint64
		if err := rows.Scan(&n, &hi); err != nil {
			return nil, err
		}
		positions[n] = hi
	}
	return positions, rows.Err()
}

// TicketKey is a board's slug and a number there.
type TicketKey struct {
	Slug    string `json:"slug"`
	LocalID uint64 `json:"local_id"`
}

// TicketsByKeys returns the tickets in sight by present or former keys, deleted ones too, by the indexes of the keys in
// the list. It is TicketByKey for many.
func (q *Queries) TicketsByKeys(ctx context.Context, by Sight, keys []TicketKey) (map[int]id.Ticket, error) {
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	rows, err := q.db.QueryContext(ctx, `SELECT k.n, COALESCE(own.id, old.ticket_id, o.ticket_id) AS ticket_id
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, slug VARCHAR(10) PATH '$.slug', local_id BIGINT UNSIGNED PATH '$.local_id')) k
STRAIGHT_JOIN board_slug s FORCE INDEX (PRIMARY) ON s.company_id = ? AND s.slug = CONVERT(k.slug USING ascii) COLLATE ascii_bin
LEFT JOIN ticket own ON own.board_id = s.board_id AND own.local_id = k.local_id AND s.imported = FALSE
LEFT JOIN ticket_alias old ON old.board_id = s.board_id AND old.local_id = k.local_id AND s.imported = FALSE
LEFT JOIN ticket_origin o ON o.company_id = s.company_id AND o.external_id = CONVERT(CONCAT(k.slug, '-', k.local_id) USING utf8mb4) COLLATE utf8mb4_bin AND s.imported = TRUE
STRAIGHT_JOIN ticket ON ticket.id = COALESCE(own.id, old.ticket_id, o.ticket_id)
STRAIGHT_JOIN board b ON b.id = ticket.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = ?
WHERE x.level IS NOT NULL OR b.privacy <= ?`, string(list), uint64(by.Company), uint64(by.Reader), by.Reach)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := make(map[int]id.Ticket, len(keys))
	for rows.Next() {
		var n int
		var ticket id.Ticket
		if err := rows.Scan(&n, &ticket); err != nil {
			return nil, err
		}
		found[n-1] = ticket
	}
	return found, rows.Err()
}
