-- name: SetAvatar :exec
UPDATE account SET avatar = sqlc.arg(avatar) WHERE id = sqlc.arg(id);

-- name: StoreAvatar :exec
INSERT INTO account_avatar (account_id, content_type, content, created_at)
VALUES (sqlc.arg(account_id), sqlc.arg(content_type), sqlc.arg(content), sqlc.arg(now))
ON DUPLICATE KEY UPDATE content_type = VALUES(content_type), content = VALUES(content), created_at = VALUES(created_at);

-- name: DeleteAvatar :exec
DELETE FROM account_avatar WHERE account_id = sqlc.arg(account_id);

-- AvatarOf is the present picture of an account, for whoever knows its address: pages show it beside the name.
-- name: AvatarOf :one
SELECT p.content_type, p.content FROM account a
JOIN account_avatar p ON p.account_id = a.id
WHERE a.id = sqlc.arg(account_id) AND a.avatar = sqlc.arg(avatar) AND a.avatar <> '';
