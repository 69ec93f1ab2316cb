-- name: AddSigningKey :exec
-- Stores a key, unless there is one.
INSERT INTO signing_key (id, secret, created_at) VALUES (1, sqlc.arg(secret), sqlc.arg(now))
ON DUPLICATE KEY UPDATE id = id;

-- name: SigningKey :one
SELECT secret FROM signing_key WHERE id = 1;
