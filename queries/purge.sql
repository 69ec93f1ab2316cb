-- name: DeletedBefore :many
-- The tickets of a board deleted since a time and before another, in order.
SELECT id, local_id, deleted_at FROM ticket FORCE INDEX (ix_ticket_deleted)
WHERE board_id >= sqlc.arg(board_id) AND board_id <= sqlc.arg(board_id) AND deleted_at >= sqlc.arg(since) AND deleted_at < sqlc.arg(before)
  AND (deleted_at > sqlc.arg(since) OR id > sqlc.arg(after_id))
ORDER BY board_id, deleted_at, id
LIMIT ?;

-- name: OldBoardsSeen :many
-- The boards in sight that tickets had numbers on before they were moved.
SELECT a.board_id, a.ticket_id FROM ticket_alias a
JOIN board b ON b.id = a.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
LEFT JOIN webhook_board w ON w.webhook_id = sqlc.arg(webhook) AND w.board_id = b.id
WHERE a.ticket_id IN (sqlc.slice(tickets)) AND b.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) OR w.board_id IS NOT NULL);

-- name: OldNumbersOf :many
SELECT board_id, ticket_id FROM ticket_alias WHERE ticket_id IN (sqlc.slice(tickets));

-- name: LockIncrementers :many
SELECT board_id FROM board_ticket_incrementer WHERE board_id IN (sqlc.slice(boards)) ORDER BY board_id FOR UPDATE;

-- name: CountPurged :execrows
UPDATE board_ticket_incrementer SET purged = purged + sqlc.arg(n) WHERE board_id = sqlc.arg(board_id);

-- name: PurgeNotifications :exec
DELETE FROM notification WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeActivity :exec
DELETE FROM activity WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeDeletedTexts :exec
DELETE FROM deleted_comment WHERE ticket_id IN (sqlc.slice(tickets));

-- name: StorageOfTickets :many
SELECT a.company_id, CAST(SUM(f.bytes) AS UNSIGNED) AS bytes FROM attachment a FORCE INDEX (ix_attachment_ticket)
STRAIGHT_JOIN stored_file f ON f.hash = a.hash
WHERE a.ticket_id IN (sqlc.slice(tickets))
GROUP BY a.company_id;

-- name: PurgeAttachments :exec
DELETE FROM attachment WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeReactions :exec
DELETE r FROM comment_reaction r JOIN comment c ON c.id = r.comment_id WHERE c.ticket_id IN (sqlc.slice(tickets));

-- name: PurgeStays :exec
DELETE FROM ticket_stay WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeBacklinks :exec
DELETE FROM backlink WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeOccurrences :exec
DELETE FROM occurrence WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeRuleOccurrences :exec
DELETE o FROM occurrence o JOIN recurrence r ON r.id = o.recurrence_id WHERE r.ticket_id IN (sqlc.slice(tickets));

-- name: PurgeRecurrences :exec
DELETE FROM recurrence WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeComments :exec
DELETE FROM comment WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeAssignees :exec
DELETE FROM assignee WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeTicketLabels :exec
DELETE FROM ticket_label WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeRelations :exec
DELETE FROM ticket_relation WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeRelationsTo :exec
DELETE FROM ticket_relation WHERE other_id IN (sqlc.slice(tickets));

-- name: PurgeWatchers :exec
DELETE FROM watcher WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeAliases :exec
DELETE FROM ticket_alias WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgePictures :exec
DELETE FROM picture WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeOrigins :exec
DELETE FROM ticket_origin WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeTickets :execrows
DELETE FROM ticket WHERE id IN (sqlc.slice(tickets)) AND deleted_at IS NOT NULL;

-- name: NumberPurged :one
-- Whether an allocated number of a board in sight is neither a ticket's nor an alias of one.
SELECT EXISTS (
  SELECT 1 FROM board_slug s
  JOIN board b ON b.id = s.board_id
  JOIN board_ticket_incrementer i ON i.board_id = s.board_id
  LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
  WHERE s.company_id = sqlc.arg(company_id) AND s.slug = sqlc.arg(slug) AND s.imported = FALSE AND i.purged > 0
    AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
    AND sqlc.arg(local_id) <= i.max_ticket_id
    AND NOT EXISTS (SELECT 1 FROM ticket t WHERE t.board_id = s.board_id AND t.local_id = sqlc.arg(local_id))
    AND NOT EXISTS (SELECT 1 FROM ticket_alias l WHERE l.board_id = s.board_id AND l.local_id = sqlc.arg(local_id))
);

-- name: CommentsPublished :many
-- For tickets with comments: how many comments are unpublished, and the last position of the others.
SELECT ticket_id, CAST(COUNT(*) - COUNT(feed_sync_id) AS SIGNED) AS waiting, CAST(COALESCE(MAX(feed_sync_id), 0) AS UNSIGNED) AS last
FROM comment WHERE ticket_id IN (sqlc.slice(tickets))
GROUP BY ticket_id;

-- name: PassedByConsumers :one
-- The lowest position of a feed's consumers that can still continue from their cursors; the highest number if there are
-- none.
SELECT CAST(COALESCE(MIN(GREATEST(f.position, f.began)), 9223372036854775807) AS UNSIGNED) AS passed
FROM sequences s STRAIGHT_JOIN feed_consumer f FORCE INDEX (ix_feed_consumer_position) ON f.feed = s.name
WHERE s.name = sqlc.arg(feed) AND f.epoch = s.epoch AND GREATEST(f.position, f.began) >= s.horizon;

-- name: PassedByWebhooks :one
-- The same of webhooks.
SELECT CAST(COALESCE(MIN(GREATEST(w.position, w.began)), 9223372036854775807) AS UNSIGNED) AS passed
FROM sequences s STRAIGHT_JOIN webhook_cursor w FORCE INDEX (ix_webhook_cursor_position) ON w.feed = s.name
WHERE s.name = sqlc.arg(feed) AND w.epoch = s.epoch AND GREATEST(w.position, w.began) >= s.horizon;
