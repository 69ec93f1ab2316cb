-- name: CreateAccount :execlastid
INSERT INTO account (email, name, password_hash, operator, created_at)
VALUES (sqlc.arg(email), sqlc.arg(name), sqlc.arg(password_hash), sqlc.arg(operator), sqlc.arg(created_at));

-- name: AccountByEmail :one
SELECT * FROM account WHERE email = sqlc.arg(email);

-- name: AccountByID :one
SELECT * FROM account WHERE id = sqlc.arg(id);

-- name: CreateMembership :exec
INSERT INTO membership (company_id, account_id, role, handle, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(role), sqlc.arg(handle), sqlc.arg(created_at));

-- name: HandlesLike :many
-- Handles of a company that begin with a text, to find one that is free.
SELECT handle FROM membership WHERE company_id = sqlc.arg(company_id) AND handle LIKE sqlc.arg(beginning);

-- name: MemberBySlug :one
-- The account with its place in a company; no row for a stranger and for an unknown company alike.
SELECT a.id AS account_id, a.email, a.name AS account_name, a.operator,
       c.id AS company_id, c.slug AS company_slug, c.name AS company_name, m.role, m.handle
FROM company c
JOIN membership m ON m.company_id = c.id
JOIN account a ON a.id = m.account_id
WHERE c.slug = sqlc.arg(slug) AND m.account_id = sqlc.arg(account_id);

-- name: CompaniesOfAccount :many
SELECT c.id, c.slug, c.name, m.role
FROM membership m
JOIN company c ON c.id = m.company_id
WHERE m.account_id = sqlc.arg(account_id)
ORDER BY m.company_id
LIMIT 200;

-- name: CreateToken :exec
INSERT INTO api_token (company_id, account_id, name, hash, scopes, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(name), sqlc.arg(hash), sqlc.arg(scopes), sqlc.arg(created_at));

-- name: BearerByHash :one
-- The token with the account and company it speaks for, as long as the account is a member.
SELECT t.id AS token_id, t.scopes, a.id AS account_id, a.email, a.name AS account_name, a.operator,
       c.id AS company_id, c.slug AS company_slug, c.name AS company_name, m.role, m.handle
FROM api_token t
JOIN membership m ON m.company_id = t.company_id AND m.account_id = t.account_id
JOIN account a ON a.id = t.account_id
JOIN company c ON c.id = t.company_id
WHERE t.hash = sqlc.arg(hash);
