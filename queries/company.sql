-- name: CreateCompany :execlastid
INSERT INTO company (slug, name, created_at) VALUES (sqlc.arg(slug), sqlc.arg(name), sqlc.arg(created_at));

-- name: RenameCompany :exec
UPDATE company SET name = sqlc.arg(name) WHERE id = sqlc.arg(id);

-- name: RequireSecondFactor :execrows
UPDATE company SET second_factor = sqlc.arg(required) WHERE id = sqlc.arg(id) AND second_factor <> sqlc.arg(required);

-- name: RequireIssuer :execrows
UPDATE company SET issuer_required = sqlc.arg(required) WHERE id = sqlc.arg(id) AND issuer_required <> sqlc.arg(required);

-- name: LockCompany :exec
-- Changes of roles in a company hold this lock. It writes: a row that is only read is locked on one server of a cluster.
UPDATE company SET locks = locks + 1 WHERE id = sqlc.arg(id);

-- name: ClaimInstallation :exec
INSERT INTO installation (id, company_id, created_at) VALUES (1, sqlc.arg(company_id), sqlc.arg(created_at));

-- name: InstallationExists :one
SELECT EXISTS (SELECT 1 FROM installation WHERE id = 1);

-- name: LockInstallation :exec
-- Changes of operators hold this lock. It writes, as LockCompany does.
UPDATE installation SET locks = locks + 1 WHERE id = 1;

-- name: CompanyBySlug :one
SELECT * FROM company WHERE slug = sqlc.arg(slug);

-- name: FirstCompanies :many
-- Two, so that the caller knows whether there are several.
SELECT slug FROM company WHERE id > 0 ORDER BY id LIMIT 2;

-- name: CompaniesAfter :many
-- Enough to count them, as far as they are counted.
SELECT id FROM company WHERE id > sqlc.arg(after) ORDER BY id LIMIT ?;

-- name: ListCompanies :many
SELECT * FROM company WHERE id > sqlc.arg(after) ORDER BY id LIMIT ?;

-- name: CompanyFigures :one
-- How many members, boards and webhooks a company has, each up to a thousand and one.
SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM membership g WHERE g.company_id = sqlc.arg(company_id) LIMIT 1001) m) AS members,
       (SELECT COUNT(*) FROM (SELECT 1 FROM board d WHERE d.company_id = sqlc.arg(company_id) LIMIT 1001) b) AS boards,
       (SELECT COUNT(*) FROM (SELECT 1 FROM webhook h WHERE h.company_id = sqlc.arg(company_id) LIMIT 1001) w) AS webhooks;

-- name: OwnersOf :many
SELECT a.* FROM membership m
JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.role = 'owner'
ORDER BY m.account_id
LIMIT 21;
