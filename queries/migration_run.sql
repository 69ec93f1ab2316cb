-- name: LockRun :one
SELECT * FROM migration_run WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: RunByID :one
SELECT * FROM migration_run WHERE id = sqlc.arg(id);

-- SetRunState counts the version, which workers act on.
-- name: SetRunState :exec
UPDATE migration_run
SET state = sqlc.arg(state), reason = sqlc.arg(reason), state_since = NOW(6), version = version + 1,
    active_key = sqlc.arg(active_key), canary_left = sqlc.arg(canary_left),
    started_at = IF(sqlc.arg(started), COALESCE(started_at, NOW(6)), started_at),
    finished_at = IF(sqlc.arg(finished), NOW(6), NULL)
WHERE id = sqlc.arg(id);

-- RunsIn reads the runs of the given states that are older than a run, newest first.
-- name: RunsIn :many
SELECT * FROM migration_run FORCE INDEX (ix_migration_run_state)
WHERE state = sqlc.arg(state) AND id < sqlc.arg(before)
ORDER BY id DESC
LIMIT ?;

-- RunNow is a run and the database's time.
-- name: RunNow :one
SELECT sqlc.embed(migration_run), NOW(6) AS at FROM migration_run WHERE id = sqlc.arg(id);

-- SetThrottleReason keeps the figures on the page true; that is no news for workers.
-- name: SetThrottleReason :execrows
UPDATE migration_run SET reason = sqlc.arg(reason) WHERE id = sqlc.arg(id) AND state = 'throttled';
