-- Bulk edits: changes of many tickets by runs, and what became of each ticket.

-- name: CreateBulkEdit :execlastid
INSERT INTO bulk_edit (company_id, board_id, account_id, run_id, undoes, dry, query, edit, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(board_id), sqlc.arg(account_id), sqlc.arg(run_id), sqlc.arg(undoes), sqlc.arg(dry),
  sqlc.arg(query), sqlc.arg(edit), sqlc.arg(created_at));

-- name: BulkEditByID :one
-- On a board in sight, or on all.
SELECT sqlc.embed(e), COALESCE(b.slug, '') AS slug, COALESCE(b.title, '') AS title, CAST(COALESCE(b.privacy, 0) AS UNSIGNED) AS privacy,
  CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level, b.archived_at, a.name AS account_name, r.state, r.reason, r.total, r.canary_left, r.knobs
FROM bulk_edit e
LEFT JOIN board b ON b.id = e.board_id
JOIN account a ON a.id = e.account_id
JOIN migration_run r ON r.id = e.run_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE e.id = sqlc.arg(id) AND e.company_id = sqlc.arg(company_id) AND (e.board_id IS NULL OR x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: BulkEditOfRun :one
SELECT * FROM bulk_edit WHERE run_id = sqlc.arg(run_id);

-- name: OwnBulkEdits :many
-- Those of the reader on boards in sight, and on all, newest first, from below one.
SELECT sqlc.embed(e), COALESCE(b.slug, '') AS slug, COALESCE(b.title, '') AS title, CAST(COALESCE(b.privacy, 0) AS UNSIGNED) AS privacy,
  CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level, b.archived_at, a.name AS account_name, r.state, r.reason, r.total, r.canary_left, r.knobs
FROM bulk_edit e FORCE INDEX (ix_bulk_edit_account)
STRAIGHT_JOIN account a ON a.id = e.account_id
STRAIGHT_JOIN migration_run r ON r.id = e.run_id
LEFT JOIN board b ON b.id = e.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE e.account_id = sqlc.arg(reader) AND e.company_id = sqlc.arg(company_id) AND e.id < sqlc.arg(before_id)
  AND (e.board_id IS NULL OR x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY e.id DESC
LIMIT ?;

-- name: BoardBulkEdits :many
-- Those of a board in sight, newest first, from below one.
SELECT sqlc.embed(e), COALESCE(b.slug, '') AS slug, COALESCE(b.title, '') AS title, CAST(COALESCE(b.privacy, 0) AS UNSIGNED) AS privacy,
  CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level, b.archived_at, a.name AS account_name, r.state, r.reason, r.total, r.canary_left, r.knobs
FROM bulk_edit e FORCE INDEX (ix_bulk_edit_board)
STRAIGHT_JOIN board b ON b.id = e.board_id
STRAIGHT_JOIN account a ON a.id = e.account_id
STRAIGHT_JOIN migration_run r ON r.id = e.run_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE e.board_id = sqlc.arg(board_id) AND e.company_id = sqlc.arg(company_id) AND e.id < sqlc.arg(before_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY e.id DESC
LIMIT ?;

-- name: CompanyBulkEdits :many
-- Those of a company, newest first, from below one. visible: the reader sees its board; not of one of all boards.
SELECT sqlc.embed(e), COALESCE(b.slug, '') AS slug, COALESCE(b.title, '') AS title, CAST(COALESCE(b.privacy, 0) AS UNSIGNED) AS privacy,
  CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level, b.archived_at, a.name AS account_name, r.state, r.reason, r.total, r.canary_left, r.knobs,
  CAST(COALESCE(x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach), FALSE) AS SIGNED) AS visible
FROM bulk_edit e FORCE INDEX (ix_bulk_edit_company)
STRAIGHT_JOIN account a ON a.id = e.account_id
STRAIGHT_JOIN migration_run r ON r.id = e.run_id
LEFT JOIN board b ON b.id = e.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE e.company_id >= sqlc.arg(company_id) AND e.company_id <= sqlc.arg(company_id) AND e.id < sqlc.arg(before_id)
ORDER BY e.company_id DESC, e.id DESC
LIMIT ?;

-- name: LastUndoOf :one
-- The newest bulk edit that takes another back, dry runs left out; among its last twenty.
SELECT u.id FROM (
  SELECT e.id, e.dry FROM bulk_edit e FORCE INDEX (ix_bulk_edit_undoes) WHERE e.undoes = sqlc.arg(undoes) ORDER BY e.undoes DESC, e.id DESC LIMIT 20
) u
WHERE u.dry = FALSE
ORDER BY u.id DESC
LIMIT 1;

-- name: CountBulkEdit :exec
UPDATE bulk_edit
SET changed = changed + sqlc.arg(changed), unchanged = unchanged + sqlc.arg(unchanged), refused = refused + sqlc.arg(refused)
WHERE id = sqlc.arg(id);

-- name: TicketsOfBulkEdit :many
-- Which of some tickets have an item.
SELECT ticket_id FROM bulk_edit_item WHERE bulk_edit_id = sqlc.arg(bulk_edit_id) AND ticket_id IN (sqlc.slice(tickets));

-- name: BulkEditItems :many
-- Items with an outcome, by ticket, from behind one. visible: the reader sees the ticket, and it was not purged.
SELECT i.ticket_id, i.activity_id, i.outcome, i.reason, i.kind, i.detail,
  CAST(COALESCE(x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach), FALSE) AS SIGNED) AS visible,
  COALESCE(b.slug, '') AS slug, CAST(COALESCE(t.local_id, 0) AS UNSIGNED) AS local_id, COALESCE(t.title, '') AS title, t.deleted_at
FROM bulk_edit_item i FORCE INDEX (ix_bulk_edit_item_outcome)
LEFT JOIN ticket t ON t.id = i.ticket_id
LEFT JOIN board b ON b.id = t.board_id AND b.company_id = sqlc.arg(company_id)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE i.bulk_edit_id = sqlc.arg(bulk_edit_id) AND i.outcome = sqlc.arg(outcome) AND i.ticket_id > sqlc.arg(after_id)
ORDER BY i.ticket_id
LIMIT ?;

-- name: ChangesOfBulkEdit :many
-- What it changed: the tickets, from behind one, each with the entry of its history.
SELECT ticket_id, activity_id FROM bulk_edit_item FORCE INDEX (ix_bulk_edit_item_outcome)
WHERE bulk_edit_id = sqlc.arg(bulk_edit_id) AND outcome = 'changed' AND ticket_id > sqlc.arg(after_id)
ORDER BY ticket_id
LIMIT ?;

-- name: TakeBulkEditNotice :execrows
-- Whether an account was not notified of the bulk edit before.
INSERT IGNORE INTO bulk_edit_notice (bulk_edit_id, account_id) VALUES (sqlc.arg(bulk_edit_id), sqlc.arg(account_id));

-- name: OldBulkEdits :many
-- Those made before a time, the oldest first.
SELECT id FROM bulk_edit FORCE INDEX (ix_bulk_edit_created) WHERE created_at < sqlc.arg(before) ORDER BY created_at LIMIT 20;

-- name: ForgetBulkEditItems :execrows
DELETE FROM bulk_edit_item WHERE bulk_edit_id = sqlc.arg(bulk_edit_id) LIMIT 1000;

-- name: ForgetBulkEditNotices :execrows
DELETE FROM bulk_edit_notice WHERE bulk_edit_id = sqlc.arg(bulk_edit_id) LIMIT 1000;

-- name: ForgetBulkEdit :exec
DELETE FROM bulk_edit WHERE id = sqlc.arg(id);
