-- Published rows by position. One statement reads a position together with its row, and with how far its feed has come
-- for whoever answers that statement.

-- name: PublishedTickets :many
-- Also deleted ones, and those that the reader does not see.
SELECT sqlc.embed(ticket), b.company_id, CAST(x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) OR w.board_id IS NOT NULL AND ticket.feed_sync_id > w.tickets_after AS SIGNED) AS visible, b.slug AS board_slug, c.slug AS company_slug, s.epoch, CAST(LEAST(s.value, COALESCE(d.head, 0)) AS UNSIGNED) AS head, s.horizon
FROM sequences s LEFT JOIN feed_durable d ON d.feed = s.name STRAIGHT_JOIN ticket FORCE INDEX (uq_ticket_feed) ON s.name = 'tickets'
STRAIGHT_JOIN board b ON b.id = ticket.board_id
STRAIGHT_JOIN company c ON c.id = b.company_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
LEFT JOIN webhook_board w ON w.webhook_id = sqlc.arg(webhook) AND w.board_id = b.id
WHERE ticket.feed_sync_id > sqlc.arg(after) AND ticket.feed_sync_id <= sqlc.arg('to')
ORDER BY ticket.feed_sync_id
LIMIT ?;

-- name: PublishedComments :many
-- Also deleted ones, those of deleted tickets, and those that the reader does not see.
SELECT sqlc.embed(comment), a.name AS author, t.board_id, t.local_id, t.deleted_at AS ticket_deleted_at, b.company_id, CAST(x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) OR w.board_id IS NOT NULL AND comment.feed_sync_id > w.comments_after AS SIGNED) AS visible, b.slug AS board_slug, c.slug AS company_slug,
  s.epoch, CAST(LEAST(s.value, COALESCE(d.head, 0)) AS UNSIGNED) AS head, s.horizon
FROM sequences s LEFT JOIN feed_durable d ON d.feed = s.name STRAIGHT_JOIN comment FORCE INDEX (uq_comment_feed) ON s.name = 'comments'
STRAIGHT_JOIN ticket t ON t.id = comment.ticket_id
STRAIGHT_JOIN board b ON b.id = t.board_id
STRAIGHT_JOIN company c ON c.id = b.company_id
STRAIGHT_JOIN account a ON a.id = comment.account_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
LEFT JOIN webhook_board w ON w.webhook_id = sqlc.arg(webhook) AND w.board_id = b.id
WHERE comment.feed_sync_id > sqlc.arg(after) AND comment.feed_sync_id <= sqlc.arg('to')
ORDER BY comment.feed_sync_id
LIMIT ?;

-- name: PublishedBoards :many
-- Also those that the reader does not see.
SELECT sqlc.embed(board), CAST(x.level IS NOT NULL OR board.privacy <= sqlc.arg(reach) OR w.board_id IS NOT NULL AND board.feed_sync_id > w.boards_after AS SIGNED) AS visible, c.slug AS company_slug, s.epoch, CAST(LEAST(s.value, COALESCE(d.head, 0)) AS UNSIGNED) AS head, s.horizon
FROM sequences s LEFT JOIN feed_durable d ON d.feed = s.name STRAIGHT_JOIN board FORCE INDEX (uq_board_feed) ON s.name = 'boards'
STRAIGHT_JOIN company c ON c.id = board.company_id
LEFT JOIN board_access x ON x.board_id = board.id AND x.account_id = sqlc.arg(reader)
LEFT JOIN webhook_board w ON w.webhook_id = sqlc.arg(webhook) AND w.board_id = board.id
WHERE board.feed_sync_id > sqlc.arg(after) AND board.feed_sync_id <= sqlc.arg('to')
ORDER BY board.feed_sync_id
LIMIT ?;

-- Rows of a board, for readers that got to see it. Their positions may be unknown, or beyond the head.

-- name: SnapshotTickets :many
-- Tickets of a board in sight by number, also deleted ones.
SELECT sqlc.embed(ticket), b.company_id, CAST(x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) AS SIGNED) AS visible, b.slug AS board_slug, c.slug AS company_slug, s.epoch, CAST(LEAST(s.value, COALESCE(d.head, 0)) AS UNSIGNED) AS head, s.horizon
FROM sequences s LEFT JOIN feed_durable d ON d.feed = s.name STRAIGHT_JOIN board b ON s.name = 'tickets'
STRAIGHT_JOIN ticket FORCE INDEX (uq_ticket_number) ON ticket.board_id = b.id
STRAIGHT_JOIN company c ON c.id = b.company_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE b.id = sqlc.arg(board_id) AND b.company_id = sqlc.arg(company_id) AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
  AND ticket.board_id = sqlc.arg(board_id) AND ticket.local_id > sqlc.arg(after)
ORDER BY ticket.local_id
LIMIT ?;

-- name: SnapshotNumbers :many
-- The tickets of a board whose numbers are in a range.
SELECT id, local_id FROM ticket FORCE INDEX (uq_ticket_number)
WHERE board_id = sqlc.arg(board_id) AND local_id > sqlc.arg(after) AND local_id <= sqlc.arg('to')
ORDER BY local_id
LIMIT ?;

-- name: SnapshotComments :many
-- Comments in sight of some tickets, also deleted ones, by ticket and id.
SELECT sqlc.embed(comment), a.name AS author, t.board_id, t.local_id, t.deleted_at AS ticket_deleted_at, b.company_id, CAST(x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) AS SIGNED) AS visible, b.slug AS board_slug, c.slug AS company_slug,
  s.epoch, CAST(LEAST(s.value, COALESCE(d.head, 0)) AS UNSIGNED) AS head, s.horizon
FROM sequences s LEFT JOIN feed_durable d ON d.feed = s.name STRAIGHT_JOIN comment FORCE INDEX (ix_comment_ticket) ON s.name = 'comments'
STRAIGHT_JOIN ticket t ON t.id = comment.ticket_id
STRAIGHT_JOIN board b ON b.id = t.board_id
STRAIGHT_JOIN company c ON c.id = b.company_id
STRAIGHT_JOIN account a ON a.id = comment.account_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE comment.ticket_id IN (sqlc.slice(tickets)) AND comment.id > sqlc.arg(after) AND b.id = sqlc.arg(board_id) AND b.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY comment.ticket_id, comment.id
LIMIT ?;
