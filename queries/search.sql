-- What the search index has of tickets, and which of them changed.

-- name: SearchCompanies :many
SELECT id FROM company WHERE id > sqlc.arg(after) ORDER BY id LIMIT ?;

-- name: SearchBoards :many
-- The boards of a company by slug, each with its last allocated number.
SELECT b.id, b.slug, i.max_ticket_id FROM board b FORCE INDEX (uq_board_slug)
STRAIGHT_JOIN board_ticket_incrementer i ON i.board_id = b.id
WHERE b.company_id = sqlc.arg(company_id) AND b.slug > sqlc.arg(after)
ORDER BY b.slug
LIMIT ?;

-- name: SearchTicketsOnBoard :many
-- The tickets of a board by number, not deleted ones.
SELECT t.id, t.board_id, b.slug, t.local_id, t.title, t.description, t.comments
FROM ticket t FORCE INDEX (uq_ticket_number) STRAIGHT_JOIN board b ON b.id = t.board_id
WHERE t.board_id = sqlc.arg(board_id) AND t.local_id > sqlc.arg(after) AND t.deleted_at IS NULL
ORDER BY t.local_id
LIMIT ?;

-- name: SearchTickets :many
-- Those of some tickets that are not deleted.
SELECT t.id, t.board_id, b.slug, t.local_id, t.title, t.description, t.comments
FROM ticket t FORCE INDEX (PRIMARY) STRAIGHT_JOIN board b ON b.id = t.board_id
WHERE t.id IN (sqlc.slice(ids)) AND t.deleted_at IS NULL;

-- name: SearchAliases :many
-- The keys that tickets had.
SELECT a.ticket_id, b.slug, a.local_id
FROM ticket_alias a FORCE INDEX (ix_ticket_alias_ticket) STRAIGHT_JOIN board b ON b.id = a.board_id
WHERE a.ticket_id IN (sqlc.slice(tickets));

-- name: SearchComments :many
-- Comments of some tickets, not deleted ones; of one ticket also from behind a comment.
SELECT c.ticket_id, c.id, c.body FROM comment c FORCE INDEX (ix_comment_ticket)
WHERE c.ticket_id IN (sqlc.slice(tickets)) AND c.id > sqlc.arg(after) AND c.deleted_at IS NULL
ORDER BY c.ticket_id, c.id
LIMIT ?;

-- name: SearchLatestComments :many
-- The latest comments of a ticket.
SELECT c.body FROM comment c FORCE INDEX (ix_comment_ticket)
WHERE c.ticket_id = sqlc.arg(ticket_id) AND c.deleted_at IS NULL
ORDER BY c.id DESC
LIMIT ?;

-- name: SearchFiles :many
SELECT a.ticket_id, a.name FROM attachment a FORCE INDEX (ix_attachment_ticket)
WHERE a.ticket_id IN (sqlc.slice(tickets)) AND a.deleted_at IS NULL
ORDER BY a.ticket_id, a.id;

-- name: SearchChangedTickets :many
-- The tickets published in a range of their feed.
SELECT t.feed_sync_id, t.id AS ticket_id, b.company_id
FROM ticket t FORCE INDEX (uq_ticket_feed) STRAIGHT_JOIN board b ON b.id = t.board_id
WHERE t.feed_sync_id > sqlc.arg(after) AND t.feed_sync_id <= sqlc.arg('to')
ORDER BY t.feed_sync_id
LIMIT ?;

-- name: SearchChangedComments :many
-- The tickets of the comments published in a range of their feed.
SELECT c.feed_sync_id, c.ticket_id, b.company_id
FROM comment c FORCE INDEX (uq_comment_feed)
STRAIGHT_JOIN ticket t ON t.id = c.ticket_id
STRAIGHT_JOIN board b ON b.id = t.board_id
WHERE c.feed_sync_id > sqlc.arg(after) AND c.feed_sync_id <= sqlc.arg('to')
ORDER BY c.feed_sync_id
LIMIT ?;

-- name: SearchedBoards :many
-- The boards of a company, archived ones too, and whether they are in sight.
SELECT b.id, CAST(x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) AS SIGNED) AS visible
FROM board b FORCE INDEX (uq_board_slug)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE b.company_id = sqlc.arg(company_id)
ORDER BY b.slug
LIMIT ?;

-- name: SearchedColumns :many
-- The columns of a name on boards in sight.
SELECT c.id FROM board b FORCE INDEX (uq_board_slug)
STRAIGHT_JOIN board_column c FORCE INDEX (uq_board_column_position) ON c.board_id = b.id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE b.company_id = sqlc.arg(company_id) AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach)) AND c.name = sqlc.arg(name)
ORDER BY b.slug
LIMIT ?;
