-- name: FindSession :one
SELECT * FROM sessions WHERE token = sqlc.arg(token) AND expiry > NOW(6);

-- name: BeginSession :exec
INSERT INTO sessions (token, data, expiry, account_id, epoch, device, address, began_at, used_at, confirmed_at)
VALUES (sqlc.arg(token), sqlc.arg(data), sqlc.arg(expiry), sqlc.arg(account_id), sqlc.arg(epoch), sqlc.arg(device),
        sqlc.arg(address), sqlc.arg(began_at), sqlc.arg(used_at), sqlc.arg(confirmed_at));

-- name: UpdateSession :execrows
UPDATE sessions SET data = sqlc.arg(data), expiry = sqlc.arg(expiry) WHERE token = sqlc.arg(token);

-- name: UseSession :exec
-- Of requests at once, the first writes.
UPDATE sessions
SET expiry = sqlc.arg(expiry), account_id = sqlc.arg(account_id), epoch = sqlc.arg(epoch), device = sqlc.arg(device),
    address = sqlc.arg(address), began_at = sqlc.arg(began_at), used_at = sqlc.arg(used_at)
WHERE id = sqlc.arg(id) AND (used_at IS NULL OR used_at < sqlc.arg(used_before));

-- name: ConfirmSession :exec
UPDATE sessions SET confirmed_at = sqlc.arg(confirmed_at) WHERE id = sqlc.arg(id);

-- name: SessionsOf :many
SELECT id, device, address, began_at, used_at, confirmed_at FROM sessions
WHERE account_id = sqlc.arg(account_id) AND epoch = sqlc.arg(epoch) AND id < sqlc.arg(before_id) AND expiry > NOW(6)
ORDER BY id DESC
LIMIT ?;

-- name: EndSession :execrows
DELETE FROM sessions WHERE id = sqlc.arg(id) AND account_id = sqlc.arg(account_id);

-- name: DeleteSession :execrows
DELETE FROM sessions WHERE token = sqlc.arg(token);

-- name: ForgetSessions :execrows
DELETE FROM sessions WHERE expiry < NOW(6) ORDER BY expiry LIMIT 1000;
