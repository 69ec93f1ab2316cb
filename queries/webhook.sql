-- name: CreateWebhook :execlastid
INSERT INTO webhook (company_id, url, note, feeds, board_id, filter, compared_to, secret, state, due_at, lease_ends, created_by, created_at, updated_at)
VALUES (sqlc.arg(company_id), sqlc.arg(url), sqlc.arg(note), sqlc.arg(feeds), sqlc.arg(board_id), sqlc.arg(filter), IF(sqlc.arg(filter) = '', NULL, 0), sqlc.arg(secret), 'on', NOW(6), NOW(6),
        sqlc.arg(created_by), sqlc.arg(now), sqlc.arg(now));

-- name: CreateWebhookCursor :exec
INSERT INTO webhook_cursor (webhook_id, feed, epoch, position) VALUES (sqlc.arg(webhook_id), sqlc.arg(feed), sqlc.arg(epoch), sqlc.arg(position));

-- name: WebhooksOfCompany :many
SELECT sqlc.embed(w), COALESCE(b.slug, '') AS board_slug, CAST(GREATEST(TIMESTAMPDIFF(SECOND, NOW(6), w.due_at), 0) AS SIGNED) AS wait_seconds
FROM webhook w
LEFT JOIN board b ON b.id = w.board_id
WHERE w.company_id = sqlc.arg(company_id)
ORDER BY w.id
LIMIT ?;

-- name: WebhookByID :one
SELECT sqlc.embed(w), COALESCE(b.slug, '') AS board_slug, CAST(GREATEST(TIMESTAMPDIFF(SECOND, NOW(6), w.due_at), 0) AS SIGNED) AS wait_seconds
FROM webhook w
LEFT JOIN board b ON b.id = w.board_id
WHERE w.id = sqlc.arg(id) AND w.company_id = sqlc.arg(company_id);

-- name: WebhooksAfter :many
-- A page of the webhooks of all companies.
SELECT sqlc.embed(w), c.slug AS company_slug, COALESCE(b.slug, '') AS board_slug, CAST(GREATEST(TIMESTAMPDIFF(SECOND, NOW(6), w.due_at), 0) AS SIGNED) AS wait_seconds
FROM webhook w
JOIN company c ON c.id = w.company_id
LEFT JOIN board b ON b.id = w.board_id
WHERE w.id > sqlc.arg(after)
ORDER BY w.id
LIMIT ?;

-- name: StoppedWebhooks :many
-- The first stopped webhooks of all companies.
SELECT id FROM webhook WHERE state = 'stopped' ORDER BY id LIMIT ?;

-- name: CursorsOfWebhooks :many
SELECT * FROM webhook_cursor WHERE webhook_id IN (sqlc.slice(webhooks)) ORDER BY webhook_id, feed;

-- name: BoardsOfWebhook :many
-- A page of the private boards that were added to a webhook, by slug, with what each says of a reader.
SELECT b.id, b.slug, b.title, b.privacy, CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level, w.created_at
FROM webhook_board w
JOIN board b ON b.id = w.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE w.webhook_id = sqlc.arg(webhook_id) AND b.slug > sqlc.arg(after)
ORDER BY b.slug
LIMIT ?;

-- name: WebhooksOfBoard :many
-- The webhooks of a board's company; those that it was added to with the name of who did that.
SELECT w.id, w.url, w.note, w.board_id AS only_board, CAST(x.board_id IS NOT NULL AS SIGNED) AS added, COALESCE(a.name, '') AS added_by, COALESCE(x.created_at, w.created_at) AS added_at
FROM board b
JOIN webhook w ON w.company_id = b.company_id
LEFT JOIN webhook_board x ON x.webhook_id = w.id AND x.board_id = b.id
LEFT JOIN account a ON a.id = x.added_by
WHERE b.id = sqlc.arg(board_id)
ORDER BY w.id
LIMIT ?;

-- name: AddWebhookBoard :exec
INSERT INTO webhook_board (webhook_id, board_id, tickets_after, comments_after, boards_after, added_by, created_at)
VALUES (sqlc.arg(webhook_id), sqlc.arg(board_id), sqlc.arg(tickets_after), sqlc.arg(comments_after), sqlc.arg(boards_after), sqlc.arg(added_by), sqlc.arg(now));

-- name: DropWebhookBoard :execrows
DELETE FROM webhook_board WHERE webhook_id = sqlc.arg(webhook_id) AND board_id = sqlc.arg(board_id);

-- name: DropBoardFromWebhooks :exec
DELETE FROM webhook_board WHERE board_id = sqlc.arg(board_id);

-- name: LockWebhook :one
SELECT * FROM webhook WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id) FOR UPDATE;

-- A change of a webhook fences off its sender, and lets the next begin once a running request has surely ended.

-- name: EditWebhook :exec
-- A new address has no failures, and with a new filter all tickets are to be compared.
UPDATE webhook
SET compared_to = IF(sqlc.arg(refiltered), 0, compared_to), filter = sqlc.arg(filter), failures = IF(sqlc.arg(moved), 0, failures), failing_since = IF(sqlc.arg(moved), NULL, failing_since), url = sqlc.arg(url), note = sqlc.arg(note), feeds = sqlc.arg(feeds), board_id = sqlc.arg(board_id), version = version + 1, updated_at = sqlc.arg(now),
    fence = fence + 1, lease_ends = LEAST(lease_ends, NOW(6) + INTERVAL 20 SECOND), due_at = NOW(6)
WHERE id = sqlc.arg(id);

-- name: SetWebhookState :exec
UPDATE webhook
SET state = sqlc.arg(state), reason = '', failures = 0, failing_since = NULL, version = version + 1, updated_at = sqlc.arg(now),
    fence = fence + 1, lease_ends = LEAST(lease_ends, NOW(6) + INTERVAL 20 SECOND), due_at = NOW(6)
WHERE id = sqlc.arg(id);

-- name: RotateWebhookSecret :exec
-- The sender uses the new secret from the next message on.
UPDATE webhook
SET old_secret = secret, old_secret_ends = sqlc.arg(ends), secret = sqlc.arg(secret), version = version + 1, updated_at = sqlc.arg(now)
WHERE id = sqlc.arg(id);

-- name: DeleteWebhookCursor :exec
DELETE FROM webhook_cursor WHERE webhook_id = sqlc.arg(webhook_id) AND feed = sqlc.arg(feed);

-- name: DeleteWebhookCursors :exec
DELETE FROM webhook_cursor WHERE webhook_id = sqlc.arg(webhook_id);

-- name: DeleteWebhookBoards :exec
DELETE FROM webhook_board WHERE webhook_id = sqlc.arg(webhook_id);

-- name: DeleteWebhook :exec
DELETE FROM webhook WHERE id = sqlc.arg(id);

-- name: DueWebhooks :many
-- A page of the webhooks that can be sent to now and have no sender. Their cursors show whether there is something to
-- send. One without failures waits for nothing, and a lease that ends later than two of them was taken before the clock
-- was set back. (Later than one is not enough: NOW is when the statement began, and it may have waited for the row since.)
SELECT id, company_id, compared_to FROM webhook FORCE INDEX (ix_webhook_state)
WHERE state = 'on' AND id > sqlc.arg(after) AND (failures = 0 OR due_at <= NOW(6))
  AND (lease_ends <= NOW(6) OR lease_ends > NOW(6) + INTERVAL 2 * sqlc.arg(lease_us) MICROSECOND)
ORDER BY id
LIMIT ?;

-- name: LeaseWebhook :execresult
-- LastInsertId is the fence. It must match one row. The condition is that of DueWebhooks.
UPDATE webhook SET fence = LAST_INSERT_ID(fence + 1), lease_ends = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND
WHERE id = sqlc.arg(id) AND state = 'on' AND (failures = 0 OR due_at <= NOW(6))
  AND (lease_ends <= NOW(6) OR lease_ends > NOW(6) + INTERVAL 2 * sqlc.arg(lease_us) MICROSECOND);

-- name: LeasedWebhook :one
SELECT * FROM webhook WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: WebhookSent :execrows
-- The lease begins anew.
UPDATE webhook SET failures = 0, failing_since = NULL, lease_ends = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND
WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: RenewWebhook :execrows
UPDATE webhook SET lease_ends = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: WebhookFailed :execrows
-- The lease ends, and the next attempt is due after a while.
UPDATE webhook SET failures = failures + 1, failing_since = COALESCE(failing_since, NOW(6)), due_at = NOW(6) + INTERVAL sqlc.arg(wait_us) MICROSECOND,
  lease_ends = NOW(6)
WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: StopWebhook :execrows
-- For the holder of the lease, which ends: no request is under way.
UPDATE webhook SET state = 'stopped', reason = sqlc.arg(reason), version = version + 1, fence = fence + 1, lease_ends = NOW(6)
WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: WebhooksOnAfter :many
-- A page of the webhooks of all companies that are on.
SELECT * FROM webhook FORCE INDEX (ix_webhook_state) WHERE state = 'on' AND id > sqlc.arg(after) ORDER BY id LIMIT ?;

-- name: RefuseWebhook :execrows
-- Of one that was not changed since it was read. Its sender is fenced off as by a change.
UPDATE webhook
SET state = 'stopped', reason = sqlc.arg(reason), version = version + 1, updated_at = sqlc.arg(now),
    fence = fence + 1, lease_ends = LEAST(lease_ends, NOW(6) + INTERVAL 20 SECOND)
WHERE id = sqlc.arg(id) AND state = 'on' AND version = sqlc.arg(version);

-- name: StopFailingWebhook :execrows
UPDATE webhook SET state = 'stopped', reason = sqlc.arg(reason), version = version + 1, fence = fence + 1
WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence) AND failing_since <= NOW(6) - INTERVAL sqlc.arg(patience_us) MICROSECOND;

-- name: ReleaseWebhook :execrows
UPDATE webhook SET lease_ends = NOW(6) WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: MoveWebhookCursor :execrows
-- For the holder of the lease.
UPDATE webhook_cursor SET epoch = sqlc.arg(epoch), position = sqlc.arg(position), began = sqlc.arg(began)
WHERE webhook_id = sqlc.arg(webhook_id) AND feed = sqlc.arg(feed);

-- name: TrackedTickets :many
SELECT ticket_id FROM webhook_ticket FORCE INDEX (ix_webhook_ticket_ticket) WHERE webhook_id = sqlc.arg(webhook_id) AND ticket_id IN (sqlc.slice(tickets));

-- name: UntrackTicket :exec
DELETE FROM webhook_ticket WHERE webhook_id = sqlc.arg(webhook_id) AND ticket_id = sqlc.arg(ticket_id);

-- name: UntrackTickets :execrows
DELETE FROM webhook_ticket WHERE webhook_id = sqlc.arg(webhook_id) LIMIT ?;

-- name: SetCompared :execrows
-- For the holder of the lease, which begins anew.
UPDATE webhook SET compared_to = sqlc.arg(compared_to), lease_ends = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND
WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: CompareAgain :exec
UPDATE webhook SET compared_to = 0 WHERE id = sqlc.arg(id) AND filter <> '';

-- name: CreateWebhookAttempt :execlastid
INSERT INTO webhook_attempt (webhook_id, message, kind, type, subject, feed, row_id, position, status, error, response, milliseconds, created_at)
VALUES (sqlc.arg(webhook_id), sqlc.arg(message), sqlc.arg(kind), sqlc.arg(type), sqlc.arg(subject), sqlc.arg(feed), sqlc.arg(row_id), sqlc.arg(position),
        sqlc.arg(status), sqlc.arg(error), sqlc.arg(response), sqlc.arg(milliseconds), sqlc.arg(created_at));

-- name: WebhookAttempts :many
-- A page, the newest first, each with whether the reader sees the board that its subject names. One without a subject, as
-- of a deletion, is of the board that its row is on, and nobody sees it once that is purged.
SELECT sqlc.embed(webhook_attempt), CAST(webhook_attempt.row_id = 0 OR COALESCE(x.level IS NOT NULL OR b.privacy <= IF(COALESCE(m.role, 'guest') = 'guest', -1, 0), FALSE) AS SIGNED) AS visible
FROM webhook_attempt
JOIN webhook w ON w.id = webhook_attempt.webhook_id
LEFT JOIN membership m ON m.company_id = w.company_id AND m.account_id = sqlc.arg(reader)
LEFT JOIN board_slug s ON s.company_id = w.company_id AND s.slug = CONVERT(SUBSTRING_INDEX(webhook_attempt.subject, '-', 1) USING ascii) COLLATE ascii_bin
LEFT JOIN comment n ON n.id = IF(webhook_attempt.feed = 'comments', webhook_attempt.row_id, NULL)
LEFT JOIN ticket t ON t.id = IF(webhook_attempt.feed = 'tickets', webhook_attempt.row_id, n.ticket_id)
LEFT JOIN board b ON b.id = COALESCE(s.board_id, t.board_id, IF(webhook_attempt.feed = 'boards', webhook_attempt.row_id, NULL))
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE webhook_attempt.webhook_id = sqlc.arg(webhook_id) AND webhook_attempt.id < sqlc.arg(before)
ORDER BY webhook_attempt.id DESC
LIMIT ?;

-- name: WebhookAttempt :one
SELECT sqlc.embed(webhook_attempt), CAST(webhook_attempt.row_id = 0 OR COALESCE(x.level IS NOT NULL OR b.privacy <= IF(COALESCE(m.role, 'guest') = 'guest', -1, 0), FALSE) AS SIGNED) AS visible
FROM webhook_attempt
JOIN webhook w ON w.id = webhook_attempt.webhook_id
LEFT JOIN membership m ON m.company_id = w.company_id AND m.account_id = sqlc.arg(reader)
LEFT JOIN board_slug s ON s.company_id = w.company_id AND s.slug = CONVERT(SUBSTRING_INDEX(webhook_attempt.subject, '-', 1) USING ascii) COLLATE ascii_bin
LEFT JOIN comment n ON n.id = IF(webhook_attempt.feed = 'comments', webhook_attempt.row_id, NULL)
LEFT JOIN ticket t ON t.id = IF(webhook_attempt.feed = 'tickets', webhook_attempt.row_id, n.ticket_id)
LEFT JOIN board b ON b.id = COALESCE(s.board_id, t.board_id, IF(webhook_attempt.feed = 'boards', webhook_attempt.row_id, NULL))
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE webhook_attempt.id = sqlc.arg(id) AND webhook_attempt.webhook_id = sqlc.arg(webhook_id);

-- name: WebhookAttemptsBehind :many
-- The newest attempt behind the thousand that are kept.
SELECT id FROM webhook_attempt WHERE webhook_id = sqlc.arg(webhook_id) ORDER BY id DESC LIMIT 1 OFFSET 1000;

-- name: DeleteWebhookAttempts :execrows
DELETE FROM webhook_attempt WHERE webhook_id = sqlc.arg(webhook_id) AND id <= sqlc.arg('to') ORDER BY id LIMIT ?;

-- name: ForgetWebhookAttempts :execrows
DELETE FROM webhook_attempt WHERE created_at < sqlc.arg(before) ORDER BY created_at LIMIT ?;

-- name: CompaniesOfTickets :many
-- The companies of the tickets in a range of positions.
SELECT t.feed_sync_id, b.company_id FROM ticket t FORCE INDEX (uq_ticket_feed)
JOIN board b ON b.id = t.board_id
WHERE t.feed_sync_id > sqlc.arg(after) AND t.feed_sync_id <= sqlc.arg('to')
ORDER BY t.feed_sync_id
LIMIT ?;

-- name: CompaniesOfComments :many
SELECT c.feed_sync_id, b.company_id FROM comment c FORCE INDEX (uq_comment_feed)
JOIN ticket t ON t.id = c.ticket_id
JOIN board b ON b.id = t.board_id
WHERE c.feed_sync_id > sqlc.arg(after) AND c.feed_sync_id <= sqlc.arg('to')
ORDER BY c.feed_sync_id
LIMIT ?;

-- name: CompaniesOfBoards :many
SELECT feed_sync_id, company_id FROM board FORCE INDEX (uq_board_feed)
WHERE feed_sync_id > sqlc.arg(after) AND feed_sync_id <= sqlc.arg('to')
ORDER BY feed_sync_id
LIMIT ?;

-- name: CompaniesOfTicketSights :many
SELECT n.feed_sync_id, b.company_id FROM ticket_sight n FORCE INDEX (uq_ticket_sight_feed)
JOIN board b ON b.id = n.board_id
WHERE n.feed_sync_id > sqlc.arg(after) AND n.feed_sync_id <= sqlc.arg('to')
ORDER BY n.feed_sync_id
LIMIT ?;

-- name: CompaniesOfCommentSights :many
SELECT n.feed_sync_id, b.company_id FROM comment_sight n FORCE INDEX (uq_comment_sight_feed)
JOIN board b ON b.id = n.board_id
WHERE n.feed_sync_id > sqlc.arg(after) AND n.feed_sync_id <= sqlc.arg('to')
ORDER BY n.feed_sync_id
LIMIT ?;

-- name: CompaniesOfBoardSights :many
SELECT n.feed_sync_id, b.company_id FROM board_sight n FORCE INDEX (uq_board_sight_feed)
JOIN board b ON b.id = n.board_id
WHERE n.feed_sync_id > sqlc.arg(after) AND n.feed_sync_id <= sqlc.arg('to')
ORDER BY n.feed_sync_id
LIMIT ?;
