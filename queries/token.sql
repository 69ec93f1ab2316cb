-- name: CreateToken :exec
INSERT INTO api_token (company_id, account_id, name, hash, scopes, created_at, expires_at)
VALUES (sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(name), sqlc.arg(hash), sqlc.arg(scopes), sqlc.arg(created_at), sqlc.arg(expires_at));

-- name: BearerByHash :one
-- The token with its account and company, while it is valid and the account is an active member, or a service account.
SELECT t.id AS token_id, t.scopes, t.last_used_at, a.id AS account_id, a.email, a.name AS account_name, a.operator, a.session_epoch,
       c.id AS company_id, c.slug AS company_slug, c.name AS company_name, COALESCE(m.role, '') AS role, COALESCE(m.handle, '') AS handle,
       CAST(s.account_id IS NOT NULL AS SIGNED) AS service, COALESCE(s.per_day, 0) AS per_day
FROM api_token t
LEFT JOIN membership m ON m.company_id = t.company_id AND m.account_id = t.account_id AND m.inactive = FALSE
LEFT JOIN service_account s ON s.account_id = t.account_id AND s.company_id = t.company_id AND s.ended_at IS NULL
JOIN account a ON a.id = t.account_id
JOIN company c ON c.id = t.company_id
WHERE t.hash = sqlc.arg(hash) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > sqlc.arg(now))
  AND (m.account_id IS NOT NULL OR s.account_id IS NOT NULL);

-- name: UseToken :exec
UPDATE api_token SET last_used_at = sqlc.arg(now)
WHERE id = sqlc.arg(id) AND (last_used_at IS NULL OR last_used_at < sqlc.arg(before));

-- name: TokensOf :many
-- A page of a member's tokens, the newest first.
SELECT t.id, t.name, t.scopes, t.created_at, t.expires_at, t.last_used_at, a.id AS account_id, a.name AS account_name
FROM api_token t
JOIN account a ON a.id = t.account_id
WHERE t.account_id = sqlc.arg(account_id) AND t.company_id = sqlc.arg(company_id) AND t.revoked_at IS NULL AND t.id < sqlc.arg(before)
ORDER BY t.id DESC
LIMIT ?;

-- name: TokensOfOthers :many
-- A page of the tokens of a company that are not one member's, the newest first.
SELECT t.id, t.name, t.scopes, t.created_at, t.expires_at, t.last_used_at, a.id AS account_id, a.name AS account_name
FROM api_token t
JOIN account a ON a.id = t.account_id
WHERE t.company_id = sqlc.arg(company_id) AND t.account_id <> sqlc.arg(account_id) AND t.revoked_at IS NULL AND t.id < sqlc.arg(before)
ORDER BY t.id DESC
LIMIT ?;

-- name: LiveToken :one
SELECT id, account_id, name, hash FROM api_token
WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id) AND revoked_at IS NULL
FOR UPDATE;

-- name: LiveTokensOf :many
SELECT id, hash FROM api_token
WHERE account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id) AND revoked_at IS NULL
ORDER BY id
FOR UPDATE;

-- name: RevokeToken :exec
UPDATE api_token SET revoked_at = sqlc.arg(now) WHERE id = sqlc.arg(id);

-- name: TokensOfAccount :many
-- A page of an account's tokens in all companies, the newest first.
SELECT t.id, t.name, t.scopes, t.created_at, t.expires_at, t.last_used_at, c.slug AS company_slug, c.name AS company_name
FROM api_token t
JOIN company c ON c.id = t.company_id
WHERE t.account_id = sqlc.arg(account_id) AND t.revoked_at IS NULL AND t.id < sqlc.arg(before)
ORDER BY t.id DESC
LIMIT ?;

-- name: LiveTokenOfAccount :one
SELECT id, company_id, name, hash FROM api_token
WHERE id = sqlc.arg(id) AND account_id = sqlc.arg(account_id) AND revoked_at IS NULL
FOR UPDATE;

-- name: RevokeTokensOfAccount :execrows
UPDATE api_token SET revoked_at = sqlc.arg(now) WHERE account_id = sqlc.arg(account_id) AND revoked_at IS NULL;

-- name: ValidTokens :many
-- Those of some tokens that a program may use.
SELECT id FROM api_token
WHERE id IN (sqlc.slice(ids)) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > sqlc.arg(now));
