-- LastFailures reads the attempts that failed after a given one, the newest first, without those lost with their worker.
-- name: LastFailures :many
SELECT id, fingerprint, message FROM migration_attempt
WHERE run_id = sqlc.arg(run_id) AND id > sqlc.arg(after) AND outcome = 'failed'
ORDER BY id DESC
LIMIT ?;

-- name: LastAttempt :one
SELECT id FROM migration_attempt WHERE run_id = sqlc.arg(run_id) ORDER BY id DESC LIMIT 1;
