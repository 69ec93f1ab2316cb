-- name: StoredResponse :one
SELECT request_hash, status, answer, created_at FROM idempotency
WHERE token_id = sqlc.arg(token_id) AND key_hash = sqlc.arg(key_hash);

-- name: DeleteResponse :execrows
DELETE FROM idempotency
WHERE token_id = sqlc.arg(token_id) AND key_hash = sqlc.arg(key_hash) AND created_at < sqlc.arg(before);

-- name: DeleteResponses :execrows
DELETE FROM idempotency WHERE created_at < sqlc.arg(before) ORDER BY created_at LIMIT 1000;
