-- Positions in a feed by ranges of ids: readers prove with them that they missed nothing.

-- name: AuditTickets :many
SELECT t.id, t.feed_sync_id, t.version, t.updated_at, t.board_id, CAST(t.deleted_at IS NOT NULL AS SIGNED) AS gone
FROM ticket t FORCE INDEX (PRIMARY) STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
WHERE t.id > sqlc.arg(after) AND t.id <= sqlc.arg('to') AND b.company_id = sqlc.arg(company_id)
ORDER BY t.id;

-- name: AuditComments :many
SELECT c.id, c.feed_sync_id, c.version, c.updated_at, t.board_id, CAST(c.deleted_at IS NOT NULL OR t.deleted_at IS NOT NULL AS SIGNED) AS gone
FROM comment c FORCE INDEX (PRIMARY) STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = c.ticket_id STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
WHERE c.id > sqlc.arg(after) AND c.id <= sqlc.arg('to') AND b.company_id = sqlc.arg(company_id)
ORDER BY c.id;

-- name: AuditBoards :many
SELECT id, feed_sync_id, version, updated_at
FROM board FORCE INDEX (PRIMARY)
WHERE id > sqlc.arg(after) AND id <= sqlc.arg('to') AND company_id = sqlc.arg(company_id)
ORDER BY id;

-- name: LastBoard :one
SELECT CAST(COALESCE(MAX(id), 0) AS UNSIGNED) FROM board;
