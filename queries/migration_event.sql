-- name: AddRunEvent :exec
INSERT INTO migration_event (run_id, account_id, actor, kind, detail, created_at)
VALUES (sqlc.arg(run_id), sqlc.arg(account_id), sqlc.arg(actor), sqlc.arg(kind), sqlc.arg(detail), NOW(6));

-- name: RunEventsOf :many
SELECT * FROM migration_event FORCE INDEX (ix_migration_event_run)
WHERE run_id = sqlc.arg(run_id) AND id < sqlc.arg(before)
ORDER BY id DESC
LIMIT ?;
