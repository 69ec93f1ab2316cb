-- name: CreateAccount :execlastid
INSERT INTO account (email, name, password_hash, operator, created_at)
VALUES (sqlc.arg(email), sqlc.arg(name), sqlc.arg(password_hash), sqlc.arg(operator), sqlc.arg(created_at));

-- name: AccountByEmail :one
SELECT * FROM account WHERE email = sqlc.arg(email);

-- name: AccountByID :one
SELECT * FROM account WHERE id = sqlc.arg(id);

-- name: RenameAccount :exec
UPDATE account SET name = sqlc.arg(name) WHERE id = sqlc.arg(id);

-- name: AskForPassword :exec
UPDATE account SET password_asked_at = sqlc.arg(password_asked_at) WHERE id = sqlc.arg(id);

-- name: KnowAccount :exec
UPDATE account SET known_at = sqlc.arg(known_at) WHERE id = sqlc.arg(id) AND known_at IS NULL;

-- name: SetPassword :exec
UPDATE account SET password_hash = sqlc.arg(password_hash) WHERE id = sqlc.arg(id);

-- name: EndSessions :exec
UPDATE account SET session_epoch = session_epoch + 1 WHERE id = sqlc.arg(id);

-- name: LockEpoch :one
-- The epoch of an account's sessions, which does not change before the transaction ends.
SELECT session_epoch FROM account WHERE id = sqlc.arg(id) LOCK IN SHARE MODE;

-- name: Epochs :many
SELECT id, session_epoch FROM account WHERE id IN (sqlc.slice(ids));

-- name: SetOperator :exec
UPDATE account SET operator = sqlc.arg(operator) WHERE id = sqlc.arg(id);

-- name: FirstOperators :many
-- Two are enough to know whether there is another.
SELECT id FROM account WHERE operator = TRUE ORDER BY id LIMIT 2;

-- name: CreateMembership :exec
INSERT INTO membership (company_id, account_id, role, handle, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(role), sqlc.arg(handle), sqlc.arg(created_at));

-- name: HandlesAmong :many
-- Returns the handles among these that a company's members have.
SELECT handle FROM membership WHERE company_id = sqlc.arg(company_id) AND handle IN (sqlc.slice(handles));

-- name: MemberBySlug :many
-- The account with its membership of a company, whether it has an unread notification there (UnreadOf counts those that
-- it sees: to plan that takes longer than to find none), whether it has pinned views, and, for managers, whether a webhook
-- was stopped: a row for each other company of the account, one if it has none. No row for a non-member or an unknown company.
SELECT a.id AS account_id, a.email, a.name AS account_name, a.operator, a.session_epoch, a.theme, a.density, a.time_zone, a.dates, a.avatar,
       c.id AS company_id, c.slug AS company_slug, c.name AS company_name, c.second_factor, c.issuer_required, m.role, m.handle,
       COALESCE(o.id, 0) AS other_id, COALESCE(o.slug, '') AS other_slug, COALESCE(o.name, '') AS other_name,
       EXISTS (SELECT 1 FROM notification n WHERE n.company_id = c.id AND n.account_id = m.account_id AND n.unread = TRUE) AS unread,
       EXISTS (SELECT 1 FROM pinned_view v WHERE v.account_id = m.account_id AND v.company_id = c.id) AS pins,
       m.role IN ('owner', 'admin') AND EXISTS (SELECT 1 FROM webhook w WHERE w.company_id = c.id AND w.state = 'stopped') AS stopped
FROM company c
JOIN membership m ON m.company_id = c.id
JOIN account a ON a.id = m.account_id
LEFT JOIN membership p ON p.account_id = m.account_id AND p.company_id <> m.company_id
LEFT JOIN company o ON o.id = p.company_id
WHERE c.slug = sqlc.arg(slug) AND m.account_id = sqlc.arg(account_id) AND m.inactive = FALSE
ORDER BY p.company_id
LIMIT 200;

-- name: MemberByID :one
-- A member that a reader sees: any, or for a guest (reach below 0) one who sees a board that names the guest.
SELECT a.id, a.name, a.email, a.avatar, a.operator, m.role, m.handle, m.created_at, m.inactive
FROM membership m
JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.account_id = sqlc.arg(account_id)
  AND (sqlc.arg(reach) >= 0 OR m.account_id = sqlc.arg(reader) OR EXISTS (
    SELECT 1 FROM board_access mine
    JOIN board b ON b.id = mine.board_id
    LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = m.account_id
    WHERE mine.account_id = sqlc.arg(reader) AND b.company_id = m.company_id
      AND (x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0))));

-- name: FirstOwners :many
-- Two are enough to know whether there is another.
SELECT account_id FROM membership
WHERE company_id = sqlc.arg(company_id) AND role = 'owner' AND inactive = FALSE
ORDER BY account_id LIMIT 2;

-- name: ChangeRole :exec
UPDATE membership SET role = sqlc.arg(role) WHERE company_id = sqlc.arg(company_id) AND account_id = sqlc.arg(account_id);

-- name: DeleteMembership :execrows
DELETE FROM membership WHERE company_id = sqlc.arg(company_id) AND account_id = sqlc.arg(account_id);

-- name: CompaniesOfAccount :many
SELECT c.id, c.slug, c.name, m.role
FROM membership m
JOIN company c ON c.id = m.company_id
WHERE m.account_id = sqlc.arg(account_id)
ORDER BY m.company_id
LIMIT 200;

-- name: RolesBeside :many
-- The roles of one account in its companies, each with that of another account there, or NULL.
SELECT m.role, o.role AS other
FROM membership m
LEFT JOIN membership o ON o.company_id = m.company_id AND o.account_id = sqlc.arg(other)
WHERE m.account_id = sqlc.arg(account_id)
LIMIT 201;

-- name: AccountsAfter :many
-- Those of users: the others have no @ in the address.
SELECT * FROM account WHERE id > sqlc.arg(after) AND LOCATE('@', email) > 0 ORDER BY id LIMIT ?;

-- name: AccountsByEmail :many
-- The first accounts by a prefix of the address, a pattern of LIKE with ! as its escape.
SELECT * FROM account WHERE email LIKE sqlc.arg(prefix) ESCAPE '!' AND LOCATE('@', email) > 0 ORDER BY email LIMIT ?;

-- name: AccountsByName :many
-- Likewise by name.
SELECT * FROM account WHERE name LIKE sqlc.arg(prefix) ESCAPE '!' AND LOCATE('@', email) > 0 ORDER BY name, id LIMIT ?;

-- name: SetDeactivated :exec
UPDATE account SET deactivated_at = sqlc.arg(deactivated_at) WHERE id = sqlc.arg(id);

-- name: SetInactive :exec
-- In all companies of an account.
UPDATE membership SET inactive = sqlc.arg(inactive) WHERE account_id = sqlc.arg(account_id);

-- name: SetZone :exec
-- Of an account that has none.
UPDATE account SET time_zone = sqlc.arg(time_zone) WHERE id = sqlc.arg(id) AND time_zone = '';

-- name: SetDisplay :exec
UPDATE account SET theme = sqlc.arg(theme), density = sqlc.arg(density), time_zone = sqlc.arg(time_zone), dates = sqlc.arg(dates)
WHERE id = sqlc.arg(id);

-- name: SetEmail :exec
UPDATE account SET email = sqlc.arg(email) WHERE id = sqlc.arg(id);

-- name: SetHandle :exec
UPDATE membership SET handle = sqlc.arg(handle) WHERE company_id = sqlc.arg(company_id) AND account_id = sqlc.arg(account_id);
