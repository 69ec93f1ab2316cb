-- name: CreatePasskey :exec
INSERT INTO passkey (account_id, credential_id, user_handle, public_key, sign_count, flags, name, created_at)
VALUES (sqlc.arg(account_id), sqlc.arg(credential_id), sqlc.arg(user_handle), sqlc.arg(public_key), sqlc.arg(sign_count),
        sqlc.arg(flags), sqlc.arg(name), sqlc.arg(created_at));

-- name: PasskeysOf :many
-- As many as an account may have, and one more.
SELECT * FROM passkey WHERE account_id = sqlc.arg(account_id) ORDER BY id LIMIT 21;

-- name: PasskeyByCredential :one
SELECT * FROM passkey WHERE credential_id = sqlc.arg(credential_id);

-- name: UsePasskey :execrows
-- Of two answers with one count, the first.
UPDATE passkey SET sign_count = sqlc.arg(count), used_at = sqlc.arg(now)
WHERE id = sqlc.arg(id) AND (sign_count < sqlc.arg(count) OR sign_count = 0 AND sqlc.arg(count) = 0);

-- name: MarkPasskeyCloned :exec
UPDATE passkey SET cloned_at = sqlc.arg(now) WHERE id = sqlc.arg(id);

-- name: RenamePasskey :execrows
UPDATE passkey SET name = sqlc.arg(name) WHERE id = sqlc.arg(id) AND account_id = sqlc.arg(account_id);

-- name: DeletePasskey :execrows
DELETE FROM passkey WHERE id = sqlc.arg(id) AND account_id = sqlc.arg(account_id);

-- name: DeletePasskeysOf :exec
DELETE FROM passkey WHERE account_id = sqlc.arg(account_id) ORDER BY id LIMIT 100;

-- name: UseChallenge :exec
INSERT INTO used_challenge (hash, at) VALUES (sqlc.arg(hash), sqlc.arg(at));

-- name: ForgetChallenges :execrows
DELETE FROM used_challenge WHERE at < sqlc.arg(before) ORDER BY at LIMIT 1000;
