-- name: CreateCompany :execlastid
INSERT INTO company (slug, name, created_at) VALUES (sqlc.arg(slug), sqlc.arg(name), sqlc.arg(created_at));

-- name: ClaimInstallation :exec
INSERT INTO installation (id, company_id, created_at) VALUES (1, sqlc.arg(company_id), sqlc.arg(created_at));

-- name: InstallationExists :one
SELECT EXISTS (SELECT 1 FROM installation WHERE id = 1);

-- name: CompanyBySlug :one
SELECT * FROM company WHERE slug = sqlc.arg(slug);

-- name: CompanyByID :one
SELECT * FROM company WHERE id = sqlc.arg(id);
