-- name: SaveImage :exec
-- The same image may be kept twice; whoever saw it sees it still.
INSERT INTO image (company_id, hash, content_type, bytes, width, height, created_at, everyone)
VALUES (sqlc.arg(company_id), sqlc.arg(hash), sqlc.arg(content_type), sqlc.arg(bytes), sqlc.arg(width), sqlc.arg(height), sqlc.arg(created_at), sqlc.arg(everyone))
ON DUPLICATE KEY UPDATE everyone = everyone OR VALUES(everyone);

-- name: SaveImageSource :exec
-- An address that gave another image before leads to the last.
INSERT INTO image_source (company_id, url_hash, url, hash, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(url_hash), sqlc.arg(url), sqlc.arg(hash), sqlc.arg(created_at))
ON DUPLICATE KEY UPDATE hash = VALUES(hash), created_at = VALUES(created_at);

-- name: ImageByHash :one
-- An image that all members see, or that a ticket in sight shows.
SELECT i.* FROM image i
WHERE i.company_id = sqlc.arg(company_id) AND i.hash = sqlc.arg(hash)
  AND (i.everyone = TRUE AND sqlc.arg(reach) >= 0 OR EXISTS (
    SELECT 1 FROM picture p FORCE INDEX (ix_picture_image)
    STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = p.ticket_id
    STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
    LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
    WHERE p.company_id = i.company_id AND p.hash = i.hash AND t.deleted_at IS NULL AND b.company_id = i.company_id
      AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))));

-- name: ImageBySource :one
-- The image of an address, if it was read since a time.
SELECT i.* FROM image_source s
JOIN image i ON i.company_id = s.company_id AND i.hash = s.hash
WHERE s.company_id = sqlc.arg(company_id) AND s.url_hash = sqlc.arg(url_hash) AND s.created_at >= sqlc.arg(since);

-- name: DescriptionsWithImages :many
-- The company's tickets in (after, to] that may show images; none of requesters, whose texts are shown as plain text.
SELECT t.id, b.slug, t.local_id, t.description FROM ticket t FORCE INDEX (PRIMARY)
STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
WHERE t.id > sqlc.arg(after) AND t.id <= sqlc.arg('to') AND b.company_id = sqlc.arg(company_id)
  AND t.deleted_at IS NULL AND t.from_requester = FALSE AND LOCATE('![', t.description) > 0
ORDER BY t.id;

-- name: CommentsWithImages :many
SELECT c.id, c.ticket_id, b.slug, t.local_id, c.body FROM comment c FORCE INDEX (PRIMARY)
STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = c.ticket_id
STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
WHERE c.id > sqlc.arg(after) AND c.id <= sqlc.arg('to') AND b.company_id = sqlc.arg(company_id)
  AND t.deleted_at IS NULL AND c.deleted_at IS NULL AND c.from_requester = FALSE AND LOCATE('![', c.body) > 0
ORDER BY c.id;

-- name: LastTicket :one
SELECT CAST(COALESCE(MAX(id), 0) AS UNSIGNED) AS id FROM ticket;

-- name: LastComment :one
SELECT CAST(COALESCE(MAX(id), 0) AS UNSIGNED) AS id FROM comment;

-- name: QueuePicture :exec
-- Has a picture fetched. One that was given up is tried again an hour after it was queued.
INSERT INTO picture (ticket_id, url_hash, url, company_id, account_id, due_at, queued_at)
VALUES (sqlc.arg(ticket_id), sqlc.arg(url_hash), sqlc.arg(url), sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(due_at), sqlc.arg(now))
ON DUPLICATE KEY UPDATE
  attempts = IF(hash IS NULL AND due_at IS NULL AND queued_at < VALUES(queued_at) - INTERVAL 1 HOUR, 0, attempts),
  due_at = IF(hash IS NULL AND due_at IS NULL AND queued_at < VALUES(queued_at) - INTERVAL 1 HOUR, VALUES(due_at), due_at),
  queued_at = IF(due_at = VALUES(due_at), VALUES(queued_at), queued_at);

-- name: BindPicture :exec
-- Records that a ticket shows a stored image.
INSERT INTO picture (ticket_id, url_hash, url, company_id, account_id, hash, queued_at)
VALUES (sqlc.arg(ticket_id), sqlc.arg(url_hash), sqlc.arg(url), sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(hash), sqlc.arg(now))
ON DUPLICATE KEY UPDATE hash = VALUES(hash), due_at = NULL;

-- name: PicturesShown :many
-- The stored images of some addresses in texts of a ticket.
SELECT url_hash, hash FROM picture
WHERE ticket_id = sqlc.arg(ticket_id) AND url_hash IN (sqlc.slice(addresses)) AND hash IS NOT NULL;

-- name: PicturesKnown :many
-- Those of some addresses in texts of a ticket that are stored, waited for, or given up.
SELECT url_hash FROM picture WHERE ticket_id = sqlc.arg(ticket_id) AND url_hash IN (sqlc.slice(addresses));

-- name: DuePictures :many
-- The longest due, but none of some companies.
SELECT ticket_id, url_hash, url, company_id, account_id, due_at, attempts FROM picture FORCE INDEX (ix_picture_due)
WHERE due_at <= NOW(6) AND company_id NOT IN (sqlc.slice(but))
ORDER BY due_at
LIMIT ?;

-- name: ClaimPicture :execrows
-- Takes a due picture for a while: nobody else does unless that ends first.
UPDATE picture SET due_at = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND, attempts = attempts + 1
WHERE ticket_id = sqlc.arg(ticket_id) AND url_hash = sqlc.arg(url_hash) AND due_at = sqlc.arg(due_at);

-- name: PostponePicture :exec
UPDATE picture SET due_at = NOW(6) + INTERVAL sqlc.arg(wait_us) MICROSECOND, attempts = sqlc.arg(attempts)
WHERE ticket_id = sqlc.arg(ticket_id) AND url_hash = sqlc.arg(url_hash) AND hash IS NULL;

-- name: DropPicture :exec
-- Gives a picture up.
UPDATE picture SET due_at = NULL WHERE ticket_id = sqlc.arg(ticket_id) AND url_hash = sqlc.arg(url_hash);

-- name: StorePicture :exec
UPDATE picture SET hash = sqlc.arg(hash), due_at = NULL WHERE ticket_id = sqlc.arg(ticket_id) AND url_hash = sqlc.arg(url_hash);

-- name: SizeOfImages :one
-- The stored images, as far as they are counted, and their bytes.
SELECT COUNT(*) AS images, CAST(COALESCE(SUM(some.bytes), 0) AS UNSIGNED) AS bytes
FROM (SELECT bytes FROM image WHERE company_id > 0 ORDER BY company_id, hash LIMIT 10001) some;

-- name: SaveRunImage :exec
INSERT INTO run_image (run_id, company_id, url_hash, url, hash, created_at)
VALUES (sqlc.arg(run_id), sqlc.arg(company_id), sqlc.arg(url_hash), sqlc.arg(url), sqlc.arg(hash), sqlc.arg(created_at))
ON DUPLICATE KEY UPDATE hash = VALUES(hash);

-- name: RunImages :many
-- A page of the images that runs stored, the newest first. visible: the reader may see it, as in ImageByHash.
SELECT g.id, g.run_id, g.url, g.hash, g.created_at, i.bytes, i.width, i.height, c.slug AS company_slug, c.name AS company_name,
  CAST(m.account_id IS NOT NULL AND (i.everyone = TRUE AND m.role <> 'guest' OR EXISTS (
    SELECT 1 FROM picture p FORCE INDEX (ix_picture_image)
    STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = p.ticket_id
    STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
    LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
    WHERE p.company_id = g.company_id AND p.hash = g.hash AND t.deleted_at IS NULL AND b.company_id = g.company_id
      AND (x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0)))) AS SIGNED) AS visible
FROM run_image g FORCE INDEX (PRIMARY)
STRAIGHT_JOIN image i FORCE INDEX (PRIMARY) ON i.company_id = g.company_id AND i.hash = g.hash
STRAIGHT_JOIN company c ON c.id = g.company_id
LEFT JOIN membership m ON m.company_id = g.company_id AND m.account_id = sqlc.arg(reader)
WHERE g.id < sqlc.arg(before)
ORDER BY g.id DESC
LIMIT ?;
