-- name: CreateAudit :exec
INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(address), sqlc.arg(created_at));

-- name: CreateAuditEverywhere :exec
-- An entry in each company that the account belongs to.
INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
SELECT m.company_id, m.account_id, sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(address), sqlc.arg(created_at)
FROM membership m
WHERE m.account_id = sqlc.arg(account_id);

-- name: AuditPage :many
-- A page of a company's entries, the newest first.
SELECT u.id, u.kind, u.detail, u.address, u.created_at, u.account_id, a.name, a.email
FROM audit u
JOIN account a ON a.id = u.account_id
WHERE u.company_id = sqlc.arg(company_id) AND u.id < sqlc.arg(before)
ORDER BY u.id DESC
LIMIT ?;
