-- name: WorkersIn :many
SELECT sqlc.embed(migration_worker), CAST(TIMESTAMPDIFF(MICROSECOND, NOW(6), lease_until) AS SIGNED) AS left_us
FROM migration_worker FORCE INDEX (ix_migration_worker_state)
WHERE state = sqlc.arg(state)
ORDER BY id DESC
LIMIT ?;

-- name: LockWorker :one
SELECT * FROM migration_worker WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: DrainWorker :exec
UPDATE migration_worker SET state = sqlc.arg(state) WHERE id = sqlc.arg(id);
