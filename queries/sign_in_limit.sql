-- name: LockLimit :exec
-- Locks the row of a limit, which is made if there is none.
INSERT INTO sign_in_limit (name, failures, last_at, known) VALUES (sqlc.arg(name), 0, sqlc.arg(now), FALSE)
ON DUPLICATE KEY UPDATE failures = failures;

-- name: Limit :one
SELECT failures, last_at FROM sign_in_limit WHERE name = sqlc.arg(name);

-- name: SetLimit :exec
UPDATE sign_in_limit SET failures = sqlc.arg(failures), last_at = sqlc.arg(last_at) WHERE name = sqlc.arg(name);

-- name: KeepLimit :exec
-- Marks a row as one that is kept for long.
UPDATE sign_in_limit SET failures = 1, last_at = sqlc.arg(last_at), known = TRUE WHERE name = sqlc.arg(name);

-- name: RefundLimit :exec
UPDATE sign_in_limit SET failures = failures - 1 WHERE name = sqlc.arg(name) AND failures > 0;

-- name: ForgetLimits :execrows
DELETE FROM sign_in_limit WHERE known = sqlc.arg(known) AND last_at < sqlc.arg(before) ORDER BY known, last_at LIMIT 1000;
