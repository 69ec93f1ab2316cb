-- Updates of live pages: the boards and tickets of the rows published in a range of a feed.

-- name: LiveTickets :many
-- assignees are their ids, labels themselves, as JSON.
SELECT t.id, b.company_id, t.board_id, b.privacy, t.column_id, t.title, t.moved_at, t.closed_at, t.priority, t.due_at, t.due_timed, t.items, t.items_checked, t.attachments, t.comments, t.feed_sync_id,
  CONCAT(COALESCE((SELECT JSON_ARRAYAGG(a.account_id) FROM assignee a WHERE a.ticket_id = t.id), '[]')) AS assignees,
  CONCAT(COALESCE((SELECT JSON_ARRAYAGG(JSON_OBJECT('id', h.id, 'name', h.name, 'color', h.color))
   FROM ticket_label y STRAIGHT_JOIN label l ON l.id = y.label_id STRAIGHT_JOIN label h ON h.id = IF(l.shown_as = 0, l.id, l.shown_as)
   WHERE y.ticket_id = t.id AND h.live = TRUE), '[]')) AS labels
FROM ticket t FORCE INDEX (uq_ticket_feed)
STRAIGHT_JOIN board b ON b.id = t.board_id
WHERE t.feed_sync_id > sqlc.arg(after) AND t.feed_sync_id <= sqlc.arg('to')
ORDER BY t.feed_sync_id
LIMIT ?;

-- name: LiveAliases :many
-- The former boards of tickets published in a range.
SELECT a.ticket_id, a.board_id, b.privacy
FROM ticket t FORCE INDEX (uq_ticket_feed)
STRAIGHT_JOIN ticket_alias a FORCE INDEX (ix_ticket_alias_ticket) ON a.ticket_id = t.id
STRAIGHT_JOIN board b ON b.id = a.board_id
WHERE t.feed_sync_id > sqlc.arg(after) AND t.feed_sync_id <= sqlc.arg('to')
LIMIT ?;

-- name: LiveRelated :many
-- The tickets that have relations to tickets published in a range.
SELECT o.id, b.company_id, o.board_id, b.privacy, o.column_id
FROM ticket t FORCE INDEX (uq_ticket_feed)
STRAIGHT_JOIN ticket_relation r ON r.ticket_id = t.id
STRAIGHT_JOIN ticket o ON o.id = r.other_id
STRAIGHT_JOIN board b ON b.id = o.board_id
WHERE t.feed_sync_id > sqlc.arg(after) AND t.feed_sync_id <= sqlc.arg('to')
LIMIT ?;

-- name: LiveMentioned :many
-- The tickets that descriptions of tickets published in a range mention.
SELECT o.id, b.company_id, o.board_id, b.privacy
FROM ticket t FORCE INDEX (uq_ticket_feed)
STRAIGHT_JOIN backlink m FORCE INDEX (ix_backlink_from) ON m.from_id = t.id AND m.comment_id = 0
STRAIGHT_JOIN ticket o ON o.id = m.ticket_id
STRAIGHT_JOIN board b ON b.id = o.board_id
WHERE t.feed_sync_id > sqlc.arg(after) AND t.feed_sync_id <= sqlc.arg('to')
LIMIT ?;

-- name: LiveMentionedInComments :many
-- The tickets that comments published in a range mention.
SELECT o.id, b.company_id, o.board_id, b.privacy
FROM comment c FORCE INDEX (uq_comment_feed)
STRAIGHT_JOIN backlink m FORCE INDEX (ix_backlink_from) ON m.from_id = c.ticket_id AND m.comment_id = c.id
STRAIGHT_JOIN ticket o ON o.id = m.ticket_id
STRAIGHT_JOIN board b ON b.id = o.board_id
WHERE c.feed_sync_id > sqlc.arg(after) AND c.feed_sync_id <= sqlc.arg('to')
LIMIT ?;

-- name: LiveComments :many
SELECT c.ticket_id, b.company_id, t.board_id, b.privacy, t.column_id, c.feed_sync_id
FROM comment c FORCE INDEX (uq_comment_feed)
STRAIGHT_JOIN ticket t ON t.id = c.ticket_id
STRAIGHT_JOIN board b ON b.id = t.board_id
WHERE c.feed_sync_id > sqlc.arg(after) AND c.feed_sync_id <= sqlc.arg('to')
ORDER BY c.feed_sync_id
LIMIT ?;

-- name: LiveBoards :many
SELECT id, company_id, privacy, feed_sync_id FROM board FORCE INDEX (uq_board_feed)
WHERE feed_sync_id > sqlc.arg(after) AND feed_sync_id <= sqlc.arg('to')
ORDER BY feed_sync_id
LIMIT ?;

-- name: ReadersOf :many
-- Who sees boards because these name them: of private boards all, of open ones guests.
SELECT x.board_id, x.account_id FROM board_access x
JOIN board b ON b.id = x.board_id
JOIN membership m ON m.company_id = b.company_id AND m.account_id = x.account_id
WHERE x.board_id IN (sqlc.slice(boards)) AND (b.privacy > 0 OR m.role = 'guest')
ORDER BY x.board_id, x.account_id;
