-- Positions in a feed by ranges of ids: readers prove with them that they missed nothing.

-- name: AuditTickets :many
SELECT t.id, t.feed_sync_id, t.version, t.updated_at, t.board_id, CAST(t.deleted_at IS NOT NULL AS SIGNED) AS gone
FROM ticket t FORCE INDEX (PRIMARY) STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE t.id > sqlc.arg(after) AND t.id <= sqlc.arg('to') AND b.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY t.id;

-- name: AuditComments :many
SELECT c.id, c.feed_sync_id, c.version, c.updated_at, t.board_id, CAST(c.deleted_at IS NOT NULL OR t.deleted_at IS NOT NULL AS SIGNED) AS gone
FROM comment c FORCE INDEX (PRIMARY) STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = c.ticket_id STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE c.id > sqlc.arg(after) AND c.id <= sqlc.arg('to') AND b.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY c.id;

-- name: AuditBoards :many
SELECT board.id, board.feed_sync_id, board.version, board.updated_at
FROM board FORCE INDEX (PRIMARY)
LEFT JOIN board_access x ON x.board_id = board.id AND x.account_id = sqlc.arg(reader)
WHERE board.id > sqlc.arg(after) AND board.id <= sqlc.arg('to') AND board.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR board.privacy <= sqlc.arg(reach))
ORDER BY board.id;

-- name: LastBoard :one
SELECT CAST(COALESCE(MAX(id), 0) AS UNSIGNED) FROM board;
