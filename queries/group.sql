-- Groups of members.

-- name: CreateGroup :execlastid
INSERT INTO people_group (company_id, name, created_at) VALUES (sqlc.arg(company_id), sqlc.arg(name), sqlc.arg(created_at));

-- name: RenameGroup :execrows
UPDATE people_group SET name = sqlc.arg(name) WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id);

-- name: GroupByID :one
SELECT * FROM people_group WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id);

-- name: GroupsOfCompany :many
-- By name; there are at most accounts.MaxGroups. boards counts those in sight.
SELECT g.id, g.name, g.created_at,
  (SELECT COUNT(*) FROM people_group_member m WHERE m.group_id = g.id) AS members,
  (SELECT COUNT(*) FROM board_member n
   JOIN board b ON b.id = n.board_id
   LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
   WHERE n.kind = 'group' AND n.member_id = g.id AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))) AS boards
FROM people_group g
WHERE g.company_id = sqlc.arg(company_id)
ORDER BY g.name, g.id
LIMIT ?;

-- name: GroupMembers :many
-- By name; there are at most accounts.MaxGroupMembers.
SELECT a.id, a.name, a.email, m.role, m.handle
FROM people_group_member x
JOIN people_group g ON g.id = x.group_id
JOIN account a ON a.id = x.account_id
JOIN membership m ON m.company_id = g.company_id AND m.account_id = a.id
WHERE x.group_id = sqlc.arg(group_id)
ORDER BY a.name, a.id
LIMIT ?;

-- name: GroupsAfter :many
-- A page by id, of the company's few: the primary key would lead through those of others.
SELECT * FROM people_group FORCE INDEX (uq_people_group_name) WHERE company_id = sqlc.arg(company_id) AND id > sqlc.arg(after) ORDER BY id LIMIT ?;

-- name: GroupMembersAfter :many
SELECT a.id, a.name, m.role, m.handle
FROM people_group_member x
JOIN people_group g ON g.id = x.group_id
JOIN account a ON a.id = x.account_id
JOIN membership m ON m.company_id = g.company_id AND m.account_id = a.id
WHERE x.group_id = sqlc.arg(group_id) AND x.account_id > sqlc.arg(after)
ORDER BY x.account_id
LIMIT ?;

-- name: GroupAccounts :many
SELECT account_id FROM people_group_member WHERE group_id = sqlc.arg(group_id) ORDER BY account_id LIMIT ?;

-- name: AddToGroup :exec
INSERT INTO people_group_member (group_id, account_id) VALUES (sqlc.arg(group_id), sqlc.arg(account_id))
ON DUPLICATE KEY UPDATE account_id = account_id;

-- name: DropFromGroup :execrows
DELETE FROM people_group_member WHERE group_id = sqlc.arg(group_id) AND account_id = sqlc.arg(account_id);

-- name: DropFromGroups :exec
-- From all groups of a company.
DELETE x FROM people_group_member x JOIN people_group g ON g.id = x.group_id
WHERE x.account_id = sqlc.arg(account_id) AND g.company_id = sqlc.arg(company_id);

-- name: EmptyGroup :exec
DELETE FROM people_group_member WHERE group_id = sqlc.arg(group_id);

-- name: DeleteGroup :execrows
DELETE FROM people_group WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id);

-- name: BoardsOfGroup :many
SELECT board_id FROM board_member WHERE kind = 'group' AND member_id = sqlc.arg(group_id) ORDER BY board_id LIMIT ?;
