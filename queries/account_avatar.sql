-- name: SetPicture :exec
UPDATE account SET picture = sqlc.arg(picture) WHERE id = sqlc.arg(id);

-- name: StoreAccountPicture :exec
INSERT INTO account_picture (account_id, content_type, content, created_at)
VALUES (sqlc.arg(account_id), sqlc.arg(content_type), sqlc.arg(content), sqlc.arg(now))
ON DUPLICATE KEY UPDATE content_type = VALUES(content_type), content = VALUES(content), created_at = VALUES(created_at);

-- name: DeleteAccountPicture :exec
DELETE FROM account_picture WHERE account_id = sqlc.arg(account_id);

-- AccountPicture is the present picture of an account, for whoever knows its address: pages show it beside the name.
-- name: AccountPicture :one
SELECT p.content_type, p.content FROM account a
JOIN account_picture p ON p.account_id = a.id
WHERE a.id = sqlc.arg(account_id) AND a.picture = sqlc.arg(picture) AND a.picture <> '';
