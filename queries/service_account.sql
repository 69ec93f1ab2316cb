-- name: CreateServiceAccount :exec
INSERT INTO service_account (account_id, company_id, created_by, created_at)
VALUES (sqlc.arg(account_id), sqlc.arg(company_id), sqlc.arg(created_by), sqlc.arg(created_at));

-- name: ServiceAccounts :many
-- A page of a company's service accounts, the newest first.
SELECT s.account_id, s.company_id, c.slug AS company_slug, c.name AS company_name, a.name, s.created_at, s.per_day, s.per_call
FROM service_account s FORCE INDEX (ix_service_account_company)
JOIN account a ON a.id = s.account_id
JOIN company c ON c.id = s.company_id
WHERE s.company_id = sqlc.arg(company_id) AND s.ended_at IS NULL AND s.account_id < sqlc.arg(before)
ORDER BY s.account_id DESC
LIMIT ?;

-- name: AllServiceAccounts :many
-- A page of the service accounts of all companies, the newest first.
SELECT s.account_id, s.company_id, c.slug AS company_slug, c.name AS company_name, a.name, s.created_at, s.per_day, s.per_call
FROM service_account s FORCE INDEX (ix_service_account_ended)
STRAIGHT_JOIN account a ON a.id = s.account_id
STRAIGHT_JOIN company c ON c.id = s.company_id
WHERE s.ended_at IS NULL AND s.account_id < sqlc.arg(before)
ORDER BY s.account_id DESC
LIMIT ?;

-- name: ServiceAccount :one
SELECT s.account_id, s.company_id, c.slug AS company_slug, c.name AS company_name, a.name, s.created_at, s.per_day, s.per_call
FROM service_account s
JOIN account a ON a.id = s.account_id
JOIN company c ON c.id = s.company_id
WHERE s.account_id = sqlc.arg(account_id) AND s.ended_at IS NULL;

-- name: LockServiceAccount :one
-- Its grant stays until the transaction ends. today is the database's, because several servers count by it.
SELECT company_id, per_day, per_call, CAST(IF(spent_on < CAST(NOW(6) AS DATE), 0, spent) AS UNSIGNED) AS spent,
  CAST(TIMESTAMPDIFF(SECOND, NOW(6), CAST(NOW(6) AS DATE) + INTERVAL 1 DAY) AS SIGNED) AS seconds_left
FROM service_account WHERE account_id = sqlc.arg(account_id) AND ended_at IS NULL FOR UPDATE;

-- name: SpendRefs :exec
-- The row is locked, with what was spent on its day before.
UPDATE service_account SET spent = sqlc.arg(spent), spent_on = GREATEST(spent_on, CAST(NOW(6) AS DATE))
WHERE account_id = sqlc.arg(account_id);

-- name: GrantRefs :exec
UPDATE service_account SET per_day = sqlc.arg(per_day), per_call = sqlc.arg(per_call) WHERE account_id = sqlc.arg(account_id);

-- name: EndServiceAccount :exec
UPDATE service_account SET ended_at = sqlc.arg(now) WHERE account_id = sqlc.arg(account_id);

-- name: ServicesThatSee :many
-- The service accounts, which may read feeds, that see a board because it is open.
SELECT s.account_id FROM board b
STRAIGHT_JOIN service_account s FORCE INDEX (ix_service_account_company) ON s.company_id = b.company_id AND s.ended_at IS NULL
WHERE b.id = sqlc.arg(board_id) AND b.privacy <= 0;
