-- name: MembersByHandle :many
SELECT m.account_id, m.handle, m.role, a.name FROM membership m
JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.handle IN (sqlc.slice(handles))
ORDER BY m.account_id;

-- name: MembersByAccount :many
SELECT m.account_id, m.handle, m.role, a.name FROM membership m FORCE INDEX (PRIMARY)
JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.account_id IN (sqlc.slice(accounts))
ORDER BY m.account_id;

-- name: LockMembers :many
-- Keeps members from being removed until the transaction ends.
SELECT account_id, handle, role FROM membership FORCE INDEX (PRIMARY)
WHERE company_id = sqlc.arg(company_id) AND account_id IN (sqlc.slice(accounts))
ORDER BY account_id
LOCK IN SHARE MODE;

-- name: MembersWithHandle :many
-- Members whose handle is in a range, for suggestions.
SELECT m.account_id, m.handle, m.role, a.name FROM membership m
JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.handle >= sqlc.arg(from_handle) AND m.handle <= sqlc.arg(to_handle) AND m.role <> sqlc.arg(without)
ORDER BY m.handle
LIMIT ?;
