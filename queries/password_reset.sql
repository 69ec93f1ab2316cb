-- name: CreateReset :exec
INSERT INTO password_reset (company_id, account_id, hash, created_by, created_at, expires_at)
VALUES (sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(hash), sqlc.arg(created_by), sqlc.arg(created_at), sqlc.arg(expires_at));

-- name: ResetByHash :one
SELECT r.id, r.account_id, r.company_id, r.created_by, r.expires_at, r.used_at, a.email, a.name
FROM password_reset r
JOIN account a ON a.id = r.account_id
WHERE r.hash = sqlc.arg(hash);

-- name: UseReset :execrows
UPDATE password_reset SET used_at = sqlc.arg(used_at)
WHERE id = sqlc.arg(id) AND used_at IS NULL AND expires_at > sqlc.arg(now);

-- name: EndResetsOf :exec
-- Ends the links for an account.
UPDATE password_reset SET used_at = sqlc.arg(now) WHERE account_id = sqlc.arg(account_id) AND used_at IS NULL;

-- name: EndResetsBy :exec
-- Ends the links that an account made in a company.
UPDATE password_reset SET used_at = sqlc.arg(now)
WHERE created_by = sqlc.arg(created_by) AND company_id = sqlc.arg(company_id) AND used_at IS NULL;
