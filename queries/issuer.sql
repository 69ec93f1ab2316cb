-- Issuers with their rules and identities.

-- name: CreateIssuer :execlastid
INSERT INTO issuer (company_id, url, client_id, name, groups_claim, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(url), sqlc.arg(client_id), sqlc.arg(name), sqlc.arg(groups_claim), sqlc.arg(created_at));

-- name: AddIssuerTo :exec
INSERT INTO issuer_company (company_id, issuer_id) VALUES (sqlc.arg(company_id), sqlc.arg(issuer_id));

-- name: IssuerByID :one
SELECT * FROM issuer WHERE id = sqlc.arg(id);

-- name: IssuersOfCompany :many
-- Those that count for a company; there are at most accounts.MaxIssuers of its own, and an operator's few.
SELECT i.*, c.join_by_domain, c.owners_by_group
FROM issuer_company c
JOIN issuer i ON i.id = c.issuer_id
WHERE c.company_id = sqlc.arg(company_id)
ORDER BY c.issuer_id
LIMIT ?;

-- name: IssuersOfSlug :many
-- Those that count for the company with a slug.
SELECT i.* FROM company o
JOIN issuer_company c ON c.company_id = o.id
JOIN issuer i ON i.id = c.issuer_id
WHERE o.slug = sqlc.arg(slug)
ORDER BY c.issuer_id
LIMIT ?;

-- name: IssuersOfOperators :many
SELECT * FROM issuer FORCE INDEX (ix_issuer_company) WHERE company_id IS NULL ORDER BY id LIMIT ?;

-- name: CompaniesOfIssuer :many
SELECT o.id, o.slug, o.name, c.join_by_domain, c.owners_by_group
FROM issuer_company c FORCE INDEX (ix_issuer_company_issuer)
JOIN company o ON o.id = c.company_id
WHERE c.issuer_id = sqlc.arg(issuer_id)
ORDER BY c.company_id
LIMIT ?;

-- name: SaveIssuer :exec
UPDATE issuer SET name = sqlc.arg(name), client_id = sqlc.arg(client_id), groups_claim = sqlc.arg(groups_claim)
WHERE id = sqlc.arg(id);

-- name: SaveIssuerFor :exec
UPDATE issuer_company SET join_by_domain = sqlc.arg(join_by_domain), owners_by_group = sqlc.arg(owners_by_group)
WHERE company_id = sqlc.arg(company_id) AND issuer_id = sqlc.arg(issuer_id);

-- name: DeleteIssuer :execrows
DELETE FROM issuer WHERE id = sqlc.arg(id);

-- name: CreateIssuerRule :exec
INSERT INTO issuer_rule (company_id, issuer_id, claim, role, group_id)
VALUES (sqlc.arg(company_id), sqlc.arg(issuer_id), sqlc.arg(claim), sqlc.arg(role), sqlc.arg(group_id));

-- name: IssuerRules :many
-- There are at most accounts.MaxIssuerRules.
SELECT r.id, r.claim, r.role, r.group_id, COALESCE(g.name, '') AS group_name
FROM issuer_rule r
LEFT JOIN people_group g ON g.id = r.group_id
WHERE r.company_id = sqlc.arg(company_id) AND r.issuer_id = sqlc.arg(issuer_id)
ORDER BY r.claim
LIMIT ?;

-- name: DeleteIssuerRule :execrows
DELETE FROM issuer_rule
WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id) AND issuer_id = sqlc.arg(issuer_id);

-- name: CreateIdentity :exec
INSERT INTO account_identity (issuer_id, subject, account_id, created_at, used_at)
VALUES (sqlc.arg(issuer_id), sqlc.arg(subject), sqlc.arg(account_id), sqlc.arg(created_at), sqlc.arg(used_at));

-- name: IdentityAccount :one
SELECT account_id FROM account_identity WHERE issuer_id = sqlc.arg(issuer_id) AND subject = sqlc.arg(subject);

-- name: UseIdentity :exec
UPDATE account_identity SET used_at = sqlc.arg(used_at) WHERE issuer_id = sqlc.arg(issuer_id) AND subject = sqlc.arg(subject);

-- name: IssuersOfAccount :many
-- The issuers of the companies of an account, each with the subject that the account is linked to, '' for none.
SELECT DISTINCT i.id, i.name, i.url, i.company_id, COALESCE(y.subject, '') AS subject
FROM membership m FORCE INDEX (ix_membership_account)
JOIN issuer_company c ON c.company_id = m.company_id
JOIN issuer i ON i.id = c.issuer_id
LEFT JOIN account_identity y ON y.account_id = m.account_id AND y.issuer_id = i.id
WHERE m.account_id = sqlc.arg(account_id)
ORDER BY i.id
LIMIT ?;

-- name: DeleteIdentity :execrows
DELETE FROM account_identity WHERE account_id = sqlc.arg(account_id) AND issuer_id = sqlc.arg(issuer_id);

-- name: CreateDomain :exec
INSERT INTO company_domain (company_id, name, code, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(name), sqlc.arg(code), sqlc.arg(created_at));

-- name: DomainsOfCompany :many
-- There are at most accounts.MaxDomains.
SELECT * FROM company_domain WHERE company_id = sqlc.arg(company_id) ORDER BY name LIMIT ?;

-- name: DomainByID :one
SELECT * FROM company_domain WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id);

-- name: HoldDomain :exec
-- Fails on uq_company_domain_held if another company holds it.
UPDATE company_domain SET held = name, checked_at = sqlc.arg(checked_at), due_at = sqlc.arg(due_at)
WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id);

-- name: LoseDomain :execrows
UPDATE company_domain SET held = NULL, due_at = NULL, checked_at = sqlc.arg(checked_at)
WHERE id = sqlc.arg(id) AND held IS NOT NULL;

-- name: DeleteDomain :execrows
DELETE FROM company_domain WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id);

-- name: HeldDomain :one
SELECT company_id FROM company_domain WHERE held = sqlc.arg(held);

-- name: DueDomains :many
SELECT * FROM company_domain WHERE due_at < sqlc.arg(now) ORDER BY due_at, id LIMIT ?;

-- name: TakeDueDomain :execrows
-- Of servers at once, one checks it.
UPDATE company_domain SET due_at = sqlc.arg(next) WHERE id = sqlc.arg(id) AND due_at = sqlc.arg(due_at);
