-- name: UpdateSession :execrows
UPDATE sessions SET data = sqlc.arg(data), expiry = sqlc.arg(expiry) WHERE token = sqlc.arg(token);

-- name: DeleteSession :execrows
DELETE FROM sessions WHERE token = sqlc.arg(token);

-- name: ForgetSessions :execrows
DELETE FROM sessions WHERE expiry < NOW(6) ORDER BY expiry LIMIT 1000;
