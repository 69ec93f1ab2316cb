-- name: RejectionsOf :many
SELECT * FROM migration_rejection
WHERE run_id = sqlc.arg(run_id) AND number > sqlc.arg(after)
ORDER BY number
LIMIT ?;
