-- name: ImportSlug :exec
-- Reserves a slug for imported keys, unless it is reserved already.
INSERT INTO board_slug (company_id, slug, board_id, created_at, imported)
VALUES (sqlc.arg(company_id), sqlc.arg(slug), sqlc.arg(board_id), sqlc.arg(created_at), TRUE)
ON DUPLICATE KEY UPDATE imported = imported;

-- name: KnownSlugs :many
-- The reserved slugs among these, and whether for imported keys.
SELECT slug, imported FROM board_slug WHERE company_id = sqlc.arg(company_id) AND slug IN (sqlc.slice(slugs));

-- name: TicketsOfOrigins :many
-- The tickets that were imported from some keys, also deleted ones. The hint begins at the keys: from the board the
-- server would read all its tickets.
SELECT o.external_id, t.id, t.local_id, t.deleted_at, b.slug AS board_slug FROM ticket_origin o FORCE INDEX (PRIMARY)
STRAIGHT_JOIN ticket t ON t.id = o.ticket_id
STRAIGHT_JOIN board b ON b.id = t.board_id
WHERE o.company_id = sqlc.arg(company_id) AND o.external_id IN (sqlc.slice(external_ids));

-- name: TicketsNumbered :many
-- The ids of a board's tickets with the numbers in (after, to].
SELECT id, local_id FROM ticket
WHERE board_id = sqlc.arg(board_id) AND local_id > sqlc.arg(after) AND local_id <= sqlc.arg('to')
ORDER BY local_id;
