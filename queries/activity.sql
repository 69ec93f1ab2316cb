-- name: RecordOpened :execrows
-- The first entry of every ticket numbered in (after, to], each by its author. None on an archived board:
-- the insert of the tickets has locked the board's row for its foreign key, so none is archived after this.
INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
SELECT t.id, t.created_by, 'opened', '{}', t.created_at FROM board b JOIN ticket t ON t.board_id = b.id
WHERE b.id = sqlc.arg(board_id) AND b.archived_at IS NULL AND t.local_id > sqlc.arg(after) AND t.local_id <= sqlc.arg('to');

-- name: RecordActivity :execlastid
INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
VALUES (sqlc.arg(ticket_id), sqlc.arg(account_id), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(created_at));

-- name: ActivityOfTicket :many
-- Newest first, from below an entry. Descriptions are left out: with them a page could have megabytes.
SELECT v.id, v.kind, CONCAT(IF(v.kind IN ('edited', 'checked'), COALESCE(JSON_REPLACE(v.detail, '$.description.old', '', '$.description.new', ''), v.detail), v.detail)) AS detail,
  v.created_at, v.undone_at, v.account_id, a.name AS account_name
FROM activity v
JOIN account a ON a.id = v.account_id
WHERE v.ticket_id = sqlc.arg(ticket_id) AND v.id < sqlc.arg(before_id)
ORDER BY v.id DESC
LIMIT ?;

-- name: LastActivity :one
-- The newest entry of a kind.
SELECT v.id, v.kind, v.detail, v.created_at, v.undone_at, v.account_id, a.name AS account_name
FROM activity v
JOIN account a ON a.id = v.account_id
WHERE v.ticket_id = sqlc.arg(ticket_id) AND v.kind = sqlc.arg(kind)
ORDER BY v.id DESC
LIMIT 1;

-- name: LastLocations :many
-- The newest entries with a location of a ticket.
SELECT detail FROM activity
WHERE ticket_id = sqlc.arg(ticket_id) AND kind IN ('moved', 'closed', 'undone')
ORDER BY id DESC
LIMIT 20;

-- name: LastEdits :many
-- The newest edits of a ticket's texts.
SELECT v.id, v.kind, v.detail, v.created_at, v.undone_at, v.account_id, a.name AS account_name
FROM activity v
JOIN account a ON a.id = v.account_id
WHERE v.ticket_id = sqlc.arg(ticket_id) AND v.kind IN ('edited', 'checked')
ORDER BY v.id DESC
LIMIT ?;

-- name: FirstEdits :many
-- The oldest edits of a ticket's texts.
SELECT detail FROM activity
WHERE ticket_id = sqlc.arg(ticket_id) AND kind IN ('edited', 'checked')
ORDER BY id
LIMIT ?;

-- name: ActivitiesByID :many
SELECT v.id, v.ticket_id, v.kind, v.detail, v.created_at, v.undone_at, v.account_id, a.name AS account_name
FROM activity v
JOIN account a ON a.id = v.account_id
JOIN ticket t ON t.id = v.ticket_id
JOIN board b ON b.id = t.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE v.id IN (sqlc.slice(ids)) AND b.company_id = sqlc.arg(company_id) AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: LastActions :many
-- The last actions of an account, in any company, and whether they can be undone and the board of the ticket is seen.
SELECT v.id, v.kind, v.created_at, v.undone_at, b.company_id,
  CAST(v.kind IN ('moved', 'closed', 'reopened', 'deleted') AND v.detail LIKE '%"from":%' OR v.kind = 'set' OR v.kind IN ('checked', 'related', 'attached') AND v.detail NOT LIKE '%"undid":%' AND v.detail NOT LIKE '%"mirror":%' OR v.kind = 'assigned' AND v.detail LIKE '%"assigned":%' AND v.detail NOT LIKE '%"undid":%' AS SIGNED) AS undoable,
  CAST(v.detail LIKE '%"bulk_edit":%' AS SIGNED) AS bulk,
  CAST(x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) AS SIGNED) AS visible
FROM activity v FORCE INDEX (ix_activity_account)
JOIN ticket t ON t.id = v.ticket_id
JOIN board b ON b.id = t.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = v.account_id
WHERE v.account_id = sqlc.arg(account_id)
ORDER BY v.id DESC
LIMIT 50;

-- name: ActivityDetails :many
SELECT id, kind, detail FROM activity WHERE id IN (sqlc.slice(ids));

-- name: MarkUndone :execrows
UPDATE activity SET undone_at = sqlc.arg(undone_at) WHERE id = sqlc.arg(id) AND undone_at IS NULL;

-- name: MarkAllUndone :execrows
UPDATE activity SET undone_at = sqlc.arg(undone_at) WHERE id IN (sqlc.slice(ids)) AND undone_at IS NULL;

-- name: UndoneAmong :many
SELECT id FROM activity WHERE id IN (sqlc.slice(ids)) AND undone_at IS NOT NULL;

-- name: ChangeSince :one
-- The first entry after another that changed a ticket's location and was not undone.
SELECT v.kind, v.account_id, a.name AS account_name
FROM activity v
JOIN account a ON a.id = v.account_id
WHERE v.ticket_id = sqlc.arg(ticket_id) AND v.id > sqlc.arg(after_id)
  AND v.kind IN ('moved', 'closed', 'reopened', 'deleted', 'restored') AND v.undone_at IS NULL
ORDER BY v.id
LIMIT 1;

-- name: RecordOfMany :execrows
-- The same entry for many tickets.
INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
SELECT t.id, sqlc.arg(account_id), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(created_at) FROM ticket t
WHERE t.id IN (sqlc.slice(tickets)) ORDER BY t.id;
