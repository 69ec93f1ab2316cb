-- name: CreateCompany :execlastid
INSERT INTO company (slug, name, created_at) VALUES (sqlc.arg(slug), sqlc.arg(name), sqlc.arg(created_at));

-- name: RenameCompany :exec
UPDATE company SET name = sqlc.arg(name) WHERE id = sqlc.arg(id);

-- name: LockCompany :one
-- Changes of roles in a company hold this lock.
SELECT id FROM company WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: ClaimInstallation :exec
INSERT INTO installation (id, company_id, created_at) VALUES (1, sqlc.arg(company_id), sqlc.arg(created_at));

-- name: InstallationExists :one
SELECT EXISTS (SELECT 1 FROM installation WHERE id = 1);

-- name: LockInstallation :one
-- Changes of operators hold this lock.
SELECT id FROM installation WHERE id = 1 FOR UPDATE;

-- name: CompanyBySlug :one
SELECT * FROM company WHERE slug = sqlc.arg(slug);
