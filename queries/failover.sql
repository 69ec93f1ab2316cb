-- name: OpenFailover :execlastid
INSERT INTO failover (old, answer, lost_us, last_at, last_audit, pool, quarantined, began_at, report)
VALUES (sqlc.arg(old), sqlc.arg(answer), sqlc.arg(lost_us), sqlc.arg(last_at), sqlc.arg(last_audit), sqlc.arg(pool), sqlc.arg(quarantined),
        sqlc.arg(began_at), '');

-- name: LastFailover :one
SELECT * FROM failover WHERE id > 0 ORDER BY id DESC LIMIT 1;

-- name: EndFailover :exec
UPDATE failover SET report = sqlc.arg(report), ended_at = sqlc.arg(ended_at) WHERE id = sqlc.arg(id);

-- name: SetFailoverMint :exec
UPDATE failover SET mint_run = sqlc.arg(mint_run) WHERE id = sqlc.arg(id);

-- name: CountEndedSessions :exec
UPDATE failover SET sessions = sessions + sqlc.arg(n) WHERE id = sqlc.arg(id);

-- name: EndBrowserSessions :execrows
DELETE FROM sessions WHERE token > '' ORDER BY token LIMIT ?;

-- name: LastTimes :many
-- When the last rows of some kinds were written, by clocks of servers and of the database.
(SELECT created_at AS at FROM audit WHERE id > 0 ORDER BY id DESC LIMIT 1)
UNION ALL (SELECT created_at FROM activity WHERE id > 0 ORDER BY id DESC LIMIT 1)
UNION ALL (SELECT committed_at FROM feed_batch WHERE feed = 'tickets' ORDER BY hi DESC LIMIT 1)
UNION ALL (SELECT committed_at FROM feed_batch WHERE feed = 'comments' ORDER BY hi DESC LIMIT 1)
UNION ALL (SELECT renewed_at FROM migration_lease ORDER BY name LIMIT 10);

-- name: NumbersHandedOut :many
-- A page of the boards, with the last number that each handed out and what a failover skipped of it: 0 before that.
SELECT i.board_id, i.max_ticket_id, COALESCE(f.skipped, 0) AS skipped
FROM board_ticket_incrementer i
LEFT JOIN failover_board f ON f.failover_id = sqlc.arg(failover_id) AND f.board_id = i.board_id
WHERE i.board_id > sqlc.arg(after)
ORDER BY i.board_id
LIMIT ?;

-- name: NumberTimes :many
-- A page of the tickets of a board, the highest numbers first, with when each was opened, imported, and last moved from
-- another board: it got its number at the latest of these.
SELECT t.local_id, t.created_at,
       CAST(COALESCE((SELECT MAX(o.created_at) FROM ticket_origin o WHERE o.ticket_id = t.id), t.created_at) AS DATETIME(6)) AS imported_at,
       CAST(COALESCE((SELECT MAX(a.created_at) FROM ticket_alias a WHERE a.ticket_id = t.id), t.created_at) AS DATETIME(6)) AS moved_at
FROM ticket t FORCE INDEX (uq_ticket_number)
WHERE t.board_id = sqlc.arg(board_id) AND t.local_id < sqlc.arg(below)
ORDER BY t.local_id DESC
LIMIT ?;

-- name: SkipNumbers :execrows
UPDATE board_ticket_incrementer SET max_ticket_id = max_ticket_id + sqlc.arg(k) WHERE board_id = sqlc.arg(board_id);

-- name: RecordSkipped :exec
INSERT INTO failover_board (failover_id, board_id, last_number, skipped)
VALUES (sqlc.arg(failover_id), sqlc.arg(board_id), sqlc.arg(last_number), sqlc.arg(skipped));

-- name: SkippedNumbers :many
-- A page of the boards of a failover.
SELECT f.board_id, f.last_number, f.skipped, b.slug, c.slug AS company
FROM failover_board f FORCE INDEX (PRIMARY)
STRAIGHT_JOIN board b ON b.id = f.board_id
STRAIGHT_JOIN company c ON c.id = b.company_id
WHERE f.failover_id = sqlc.arg(failover_id) AND f.board_id > sqlc.arg(after)
ORDER BY f.board_id
LIMIT ?;

-- name: WebhookIDs :many
SELECT id FROM webhook WHERE id > sqlc.arg(after) ORDER BY id LIMIT ?;

-- name: FenceWebhooks :execrows
UPDATE webhook SET fence = fence + sqlc.arg(by_n) WHERE id IN (sqlc.slice(ids));

-- name: FenceFill :exec
-- A worker that fills the run cannot go on.
UPDATE migration_run SET fill_fence = fill_fence + sqlc.arg(by_n), fill_worker = 0 WHERE id = sqlc.arg(id);

-- name: ProcessingTasks :many
SELECT id FROM migration_task FORCE INDEX (ix_claim)
WHERE run_id = sqlc.arg(run_id) AND state = 'processing' AND id > sqlc.arg(after)
ORDER BY id
LIMIT ?;

-- name: FenceTasks :execrows
-- The worker stays recorded; its own fence has a number.
UPDATE migration_task SET fence = (fence >> 32) << 32 WHERE id IN (sqlc.slice(ids)) AND state = 'processing';

-- name: AuditOfAll :many
-- A page of the entries of all companies and of the instance, the newest first.
SELECT u.id, u.kind, u.detail, u.created_at, COALESCE(a.email, '') AS email, COALESCE(c.slug, '') AS company
FROM audit u
LEFT JOIN account a ON a.id = u.account_id
LEFT JOIN company c ON c.id = u.company_id
WHERE u.id <= sqlc.arg('to')
ORDER BY u.id DESC
LIMIT ?;

-- name: LastAudit :one
SELECT CAST(COALESCE(MAX(id), 0) AS UNSIGNED) AS last FROM audit;

-- name: CompanyIDs :many
SELECT id FROM company WHERE id > sqlc.arg(after) ORDER BY id LIMIT ?;

-- name: AuditedSince :one
-- Whether a company has an entry of a kind since another.
SELECT EXISTS (
  SELECT 1 FROM audit WHERE company_id = sqlc.arg(company_id) AND id > sqlc.arg(after) AND kind = sqlc.arg(kind)
);
