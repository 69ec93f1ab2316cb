-- The home page: pinned boards, when a member looked at it, and what changed since.

-- name: PinnedBoards :many
-- The boards in sight that the reader has pinned, in the order of pinning.
SELECT p.board_id FROM pinned_board p
STRAIGHT_JOIN board b ON b.id = p.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE p.account_id = sqlc.arg(reader) AND b.company_id = sqlc.arg(company_id) AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY p.pinned_at, p.board_id
LIMIT ?;

-- name: PinBoard :exec
INSERT INTO pinned_board (account_id, board_id, pinned_at) VALUES (sqlc.arg(account_id), sqlc.arg(board_id), sqlc.arg(now))
ON DUPLICATE KEY UPDATE pinned_at = pinned_at;

-- name: UnpinBoard :exec
DELETE FROM pinned_board WHERE account_id = sqlc.arg(account_id) AND board_id = sqlc.arg(board_id);

-- name: HomeVisit :one
SELECT since_at, last_at FROM home_visit WHERE account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id);

-- name: SaveHomeVisit :exec
INSERT INTO home_visit (account_id, company_id, since_at, last_at)
VALUES (sqlc.arg(account_id), sqlc.arg(company_id), sqlc.arg(since_at), sqlc.arg(last_at))
ON DUPLICATE KEY UPDATE since_at = sqlc.arg(since_at), last_at = sqlc.arg(last_at);

-- name: ChangedTickets :many
-- Tickets of some boards in sight that were published in a range, the latest first.
SELECT t.id, t.local_id, t.title, t.closed_at, b.slug
FROM ticket t FORCE INDEX (uq_ticket_feed)
STRAIGHT_JOIN board b ON b.id = t.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE t.feed_sync_id > sqlc.arg(after) AND t.feed_sync_id <= sqlc.arg('to') AND t.deleted_at IS NULL
  AND t.board_id IN (sqlc.slice(boards)) AND b.company_id = sqlc.arg(company_id) AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY t.feed_sync_id DESC
LIMIT ?;

-- name: ChangesByOthers :many
-- Entries of the histories of some tickets after one, by others than an account, since a time. Descriptions are left out:
-- with them they could have megabytes.
SELECT v.ticket_id, v.id, v.kind, CONCAT(IF(v.kind IN ('edited', 'checked'), COALESCE(JSON_REPLACE(v.detail, '$.description.old', '', '$.description.new', ''), v.detail), v.detail)) AS detail,
  v.created_at, v.undone_at, v.account_id, a.name AS account_name
FROM activity v FORCE INDEX (ix_activity_ticket)
STRAIGHT_JOIN account a ON a.id = v.account_id
WHERE v.ticket_id IN (sqlc.slice(tickets)) AND v.id > sqlc.arg(after) AND v.created_at > sqlc.arg(since) AND v.account_id <> sqlc.arg(reader)
LIMIT ?;

-- name: NewestActivity :one
SELECT CAST(COALESCE(MAX(id), 0) AS UNSIGNED) AS id FROM activity;

-- name: CommentsByOthers :many
-- Comments on tickets of some boards in sight that were published in a range, made by others than the reader since a time,
-- the latest first.
SELECT c.id, c.ticket_id, c.account_id, c.from_requester, c.created_at, a.name AS account_name, t.local_id, t.title, t.closed_at, b.slug
FROM comment c FORCE INDEX (uq_comment_feed)
STRAIGHT_JOIN ticket t ON t.id = c.ticket_id
STRAIGHT_JOIN board b ON b.id = t.board_id
STRAIGHT_JOIN account a ON a.id = c.account_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE c.feed_sync_id > sqlc.arg(after) AND c.feed_sync_id <= sqlc.arg('to') AND c.deleted_at IS NULL AND c.created_at > sqlc.arg(since)
  AND (c.account_id <> sqlc.arg(reader) OR c.from_requester = TRUE) AND t.deleted_at IS NULL
  AND t.board_id IN (sqlc.slice(boards)) AND b.company_id = sqlc.arg(company_id) AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY c.feed_sync_id DESC
LIMIT ?;
