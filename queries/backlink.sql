-- name: SlugsNear :many
-- The slugs among these of the company that a board is of.
SELECT s.slug, s.board_id, s.imported, s.company_id FROM board b
STRAIGHT_JOIN board_slug s FORCE INDEX (PRIMARY) ON s.company_id = b.company_id AND s.slug IN (sqlc.slice(slugs))
WHERE b.id = sqlc.arg(board_id);

-- name: DropBacklinks :exec
DELETE FROM backlink WHERE from_id = sqlc.arg(from_id) AND comment_id = sqlc.arg(comment_id);

-- name: DropBacklinksOf :exec
DELETE FROM backlink WHERE from_id IN (sqlc.slice(tickets));

-- name: Backlinks :many
-- The newest tickets in sight, and not deleted, whose texts mention a ticket; of each the first text.
SELECT m.comment_id, t.id, b.slug AS board_slug, t.local_id, t.title, t.closed_at
FROM (
  SELECT from_id, CAST(MIN(comment_id) AS UNSIGNED) AS comment_id FROM backlink FORCE INDEX (PRIMARY)
  WHERE backlink.ticket_id = sqlc.arg(ticket_id)
  GROUP BY from_id ORDER BY from_id DESC LIMIT 75
) m
STRAIGHT_JOIN ticket t ON t.id = m.from_id
STRAIGHT_JOIN board b ON b.id = t.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE t.deleted_at IS NULL AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY t.id DESC
LIMIT ?;

-- name: CountComment :execrows
-- Adds to the count of a locked ticket, which is NULL if it was never counted, and too low if a version that does not count
-- wrote comments.
UPDATE ticket SET comments = GREATEST(CAST(comments AS SIGNED) + CAST(sqlc.arg(n) AS SIGNED), 0) WHERE id = sqlc.arg(id);

-- name: UncountComments :execrows
-- Locks some tickets of a board, whose comments are then counted.
UPDATE ticket SET comments = NULL
WHERE board_id >= sqlc.arg(board_id) AND board_id <= sqlc.arg(board_id) AND local_id > sqlc.arg(after) AND local_id <= sqlc.arg('to');

-- name: CountComments :execrows
UPDATE ticket SET comments = (SELECT COUNT(*) FROM comment c WHERE c.ticket_id = ticket.id AND c.deleted_at IS NULL)
WHERE ticket.id IN (sqlc.slice(tickets));

-- name: CommentsToIndex :many
-- Those of a ticket that members wrote.
SELECT id, body FROM comment FORCE INDEX (ix_comment_ticket)
WHERE ticket_id = sqlc.arg(ticket_id) AND id > sqlc.arg(after) AND deleted_at IS NULL AND from_requester = FALSE
ORDER BY id
LIMIT ?;

-- name: TicketsToIndex :many
-- Those of a board with some numbers, also deleted ones.
SELECT id, title, description, from_requester FROM ticket
WHERE board_id >= sqlc.arg(board_id) AND board_id <= sqlc.arg(board_id) AND local_id > sqlc.arg(after) AND local_id <= sqlc.arg('to')
ORDER BY board_id, local_id;
