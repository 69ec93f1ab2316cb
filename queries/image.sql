-- name: SaveImage :exec
-- The same image may be kept twice.
INSERT INTO image (company_id, hash, content_type, bytes, width, height, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(hash), sqlc.arg(content_type), sqlc.arg(bytes), sqlc.arg(width), sqlc.arg(height), sqlc.arg(created_at))
ON DUPLICATE KEY UPDATE bytes = bytes;

-- name: SaveImageSource :exec
-- An address that gave another image before leads to the last.
INSERT INTO image_source (company_id, url_hash, url, hash, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(url_hash), sqlc.arg(url), sqlc.arg(hash), sqlc.arg(created_at))
ON DUPLICATE KEY UPDATE hash = VALUES(hash), created_at = VALUES(created_at);

-- name: ImageByHash :one
SELECT * FROM image WHERE company_id = sqlc.arg(company_id) AND hash = sqlc.arg(hash);

-- name: ImageBySource :one
-- The image of an address, if it was read since a time.
SELECT i.* FROM image_source s
JOIN image i ON i.company_id = s.company_id AND i.hash = s.hash
WHERE s.company_id = sqlc.arg(company_id) AND s.url_hash = sqlc.arg(url_hash) AND s.created_at >= sqlc.arg(since);

-- name: DescriptionsWithImages :many
-- The company's tickets in (after, to] that may show images; none on archived boards, and none of requesters,
-- whose texts are shown as plain text.
SELECT t.id, b.slug, t.local_id, t.description FROM ticket t FORCE INDEX (PRIMARY)
JOIN board b ON b.id = t.board_id
WHERE t.id > sqlc.arg(after) AND t.id <= sqlc.arg('to') AND b.company_id = sqlc.arg(company_id) AND b.archived_at IS NULL
  AND t.deleted_at IS NULL AND t.from_requester = FALSE AND LOCATE('![', t.description) > 0
ORDER BY t.id;

-- name: CommentsWithImages :many
SELECT c.id, c.ticket_id, b.slug, t.local_id, c.body FROM comment c FORCE INDEX (PRIMARY)
JOIN ticket t ON t.id = c.ticket_id
JOIN board b ON b.id = t.board_id
WHERE c.id > sqlc.arg(after) AND c.id <= sqlc.arg('to') AND b.company_id = sqlc.arg(company_id) AND b.archived_at IS NULL
  AND t.deleted_at IS NULL AND c.deleted_at IS NULL AND c.from_requester = FALSE AND LOCATE('![', c.body) > 0
ORDER BY c.id;

-- name: LastTicket :one
SELECT CAST(COALESCE(MAX(id), 0) AS UNSIGNED) AS id FROM ticket;

-- name: LastComment :one
SELECT CAST(COALESCE(MAX(id), 0) AS UNSIGNED) AS id FROM comment;
