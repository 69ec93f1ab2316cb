-- name: InboxWindow :many
-- Newest first, from below an entry; written for MariaDB as the pages of a column are (ticket.sql). newest is the
-- newest entry of the same ticket, one of an earlier window perhaps: it is read from the end of an index, without those
-- before it; of an entry about a board or the account, itself. visible: the account sees the board, or there is none.
SELECT n.id, CAST(COALESCE(n.ticket_id, 0) AS UNSIGNED) AS ticket_id, n.kind, n.unread, CAST(x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) OR b.id IS NULL AS SIGNED) AS visible,
  CAST(COALESCE((SELECT m.id FROM notification m FORCE INDEX (ix_notification_ticket)
   WHERE m.ticket_id = n.ticket_id AND m.account_id = n.account_id
   ORDER BY m.ticket_id DESC, m.account_id DESC, m.id DESC LIMIT 1), n.id) AS UNSIGNED) AS newest
FROM notification n FORCE INDEX (ix_notification_inbox)
LEFT JOIN ticket t ON t.id = n.ticket_id
LEFT JOIN board b ON b.id = COALESCE(t.board_id, n.board_id)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = n.account_id
WHERE n.account_id >= sqlc.arg(account_id) AND n.account_id <= sqlc.arg(account_id)
  AND n.company_id >= sqlc.arg(company_id) AND n.company_id <= sqlc.arg(company_id) AND n.id < sqlc.arg(before_id)
ORDER BY n.account_id DESC, n.company_id DESC, n.id DESC
LIMIT ?;

-- name: InboxOf :many
-- These entries, in any order.
SELECT n.id, n.kind, n.unread, n.created_at, n.comment_id,
       CAST(COALESCE(t.local_id, 0) AS UNSIGNED) AS local_id, COALESCE(t.title, b.title, n.detail) AS title, t.deleted_at, COALESCE(b.slug, '') AS board_slug, a.name AS actor_name, n.actor_id,
       LEFT(COALESCE(c.body, IF(n.kind = 'request', t.description, NULL), ''), 400) AS excerpt,
       COALESCE(c.from_requester, n.kind = 'request') AS from_requester
FROM notification n
LEFT JOIN ticket t ON t.id = n.ticket_id
LEFT JOIN board b ON b.id = COALESCE(t.board_id, n.board_id)
JOIN account a ON a.id = n.actor_id
LEFT JOIN comment c ON c.id = n.comment_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = n.account_id
WHERE n.id IN (sqlc.slice(ids)) AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) OR b.id IS NULL);

-- name: UnreadOf :one
-- The unread entries about what the account sees, counted up to a hundred, among three hundred unread ones.
SELECT CAST(LEAST(COUNT(*), 100) AS SIGNED) FROM (
  SELECT m.id, m.ticket_id, m.board_id, m.account_id FROM notification m
  WHERE m.account_id = sqlc.arg(account_id) AND m.company_id = sqlc.arg(company_id) AND m.unread = TRUE
  LIMIT 300
) n
LEFT JOIN ticket t ON t.id = n.ticket_id
LEFT JOIN board b ON b.id = COALESCE(t.board_id, n.board_id)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = n.account_id
WHERE x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) OR b.id IS NULL;

-- name: EntryTicket :one
SELECT CAST(COALESCE(n.ticket_id, 0) AS UNSIGNED) AS ticket_id FROM notification n
LEFT JOIN ticket t ON t.id = n.ticket_id
LEFT JOIN board b ON b.id = COALESCE(t.board_id, n.board_id)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = n.account_id
WHERE n.id = sqlc.arg(id) AND n.account_id = sqlc.arg(account_id) AND n.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) OR b.id IS NULL);

-- name: ReadEntry :exec
UPDATE notification SET unread = FALSE WHERE id = sqlc.arg(id) AND account_id = sqlc.arg(account_id);

-- name: ReadEntries :execrows
-- Marks up to five hundred entries up to one as read.
UPDATE notification SET unread = FALSE
WHERE account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id) AND unread = TRUE AND id <= sqlc.arg('to')
ORDER BY id
LIMIT 500;

-- name: ReadTicket :execrows
-- Marks up to five hundred entries up to one.
UPDATE notification SET unread = FALSE
WHERE ticket_id = sqlc.arg(ticket_id) AND account_id = sqlc.arg(account_id) AND unread = TRUE AND id <= sqlc.arg('to')
ORDER BY id
LIMIT 500;

-- name: NotifyAccount :exec
-- Adds an entry about an account to its inbox in each of its companies.
INSERT INTO notification (company_id, account_id, actor_id, kind, detail, created_at)
SELECT m.company_id, m.account_id, m.account_id, sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(created_at)
FROM membership m
WHERE m.account_id = sqlc.arg(account_id)
LIMIT 200;

-- name: NotifyMember :exec
INSERT INTO notification (company_id, account_id, actor_id, kind, detail, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(actor_id), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(created_at));
