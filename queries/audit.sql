-- name: CreateAudit :execlastid
-- An entry of a company, or of the instance if company_id is NULL.
INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
VALUES (sqlc.narg(company_id), sqlc.narg(account_id), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(address), sqlc.arg(created_at));

-- name: CreateAuditEverywhere :exec
-- An entry by an account in each company that another, or the same, belongs to.
INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
SELECT m.company_id, sqlc.narg(by_account), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(address), sqlc.arg(created_at)
FROM membership m
WHERE m.account_id = sqlc.arg(account_id);

-- name: AuditPage :many
-- A page of a company's entries, or of the instance's if company_id is NULL, the newest first.
SELECT u.id, u.kind, u.detail, u.address, u.created_at, u.account_id, COALESCE(a.name, '') AS name, COALESCE(a.email, '') AS email
FROM audit u
LEFT JOIN account a ON a.id = u.account_id
WHERE u.company_id <=> sqlc.narg(company_id) AND u.id < sqlc.arg(before)
ORDER BY u.id DESC
LIMIT ?;

-- name: SpreadAudit :exec
-- The entry is to be copied into the list of each company.
INSERT INTO audit_spread (audit_id, after_company) VALUES (sqlc.arg(audit_id), 0);

-- name: AnySpread :one
SELECT audit_id FROM audit_spread WHERE audit_id > 0 ORDER BY audit_id LIMIT 1;

-- name: NextSpread :one
SELECT s.audit_id, s.after_company, u.account_id, u.kind, u.detail, u.address, u.created_at
FROM audit_spread s
STRAIGHT_JOIN audit u ON u.id = s.audit_id
WHERE s.audit_id > 0
ORDER BY s.audit_id
LIMIT 1
FOR UPDATE;

-- name: CompaniesBefore :many
-- A page of the companies that were there at a time.
SELECT id FROM company FORCE INDEX (PRIMARY)
WHERE id > sqlc.arg(after) AND created_at <= sqlc.arg(at)
ORDER BY id
LIMIT ?;

-- name: AdvanceSpread :execrows
UPDATE audit_spread SET after_company = sqlc.arg('to') WHERE audit_id = sqlc.arg(audit_id) AND after_company = sqlc.arg('from');

-- name: EndSpread :exec
DELETE FROM audit_spread WHERE audit_id = sqlc.arg(audit_id);

-- name: CopyAudit :exec
-- Copies an entry into the lists of companies.
INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
SELECT c.id, u.account_id, u.kind, u.detail, u.address, u.created_at
FROM audit u
STRAIGHT_JOIN company c FORCE INDEX (PRIMARY)
WHERE u.id = sqlc.arg(id) AND c.id IN (sqlc.slice(companies));
