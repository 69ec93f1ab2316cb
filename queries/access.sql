-- Who is named on boards. Statements that show rows of boards join board_access: see docs/access.md.

-- name: BoardNames :one
-- Whether a board names members, or is private.
SELECT CAST(b.privacy > 0 OR EXISTS (SELECT 1 FROM board_access x WHERE x.board_id = b.id) AS SIGNED) > 0 AS named
FROM board b WHERE b.id = sqlc.arg(board_id);

-- name: GrantsOn :many
-- What a board says of some members.
SELECT m.account_id, b.privacy, CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level
FROM board b
JOIN membership m FORCE INDEX (PRIMARY) ON m.company_id = b.company_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = m.account_id
WHERE b.id = sqlc.arg(board_id) AND m.account_id IN (sqlc.slice(accounts));

-- name: BoardMembers :many
-- Who a board names: members first, then groups, each with its name.
SELECT x.kind, x.member_id, x.level, COALESCE(a.name, g.name, '') AS name, COALESCE(m.handle, '') AS handle, COALESCE(m.role, '') AS role
FROM board_member x
JOIN board b ON b.id = x.board_id
LEFT JOIN account a ON x.kind = 'account' AND a.id = x.member_id
LEFT JOIN membership m ON x.kind = 'account' AND m.company_id = b.company_id AND m.account_id = x.member_id
LEFT JOIN people_group g ON x.kind = 'group' AND g.id = x.member_id
WHERE x.board_id = sqlc.arg(board_id)
ORDER BY x.kind, name, x.member_id
LIMIT ?;

-- name: BoardMembersAfter :many
-- A page of who a board names: accounts by their ids, then groups by theirs; up to a kind, because guests see no groups.
SELECT x.kind, x.member_id, x.level, COALESCE(a.name, g.name, '') AS name, COALESCE(m.handle, '') AS handle
FROM board_member x
JOIN board b ON b.id = x.board_id
LEFT JOIN account a ON x.kind = 'account' AND a.id = x.member_id
LEFT JOIN membership m ON x.kind = 'account' AND m.company_id = b.company_id AND m.account_id = x.member_id
LEFT JOIN people_group g ON x.kind = 'group' AND g.id = x.member_id
WHERE x.board_id = sqlc.arg(board_id) AND (x.kind > sqlc.arg(kind) OR x.kind = sqlc.arg(kind) AND x.member_id > sqlc.arg(member_id))
  AND x.kind <= sqlc.arg(last_kind)
ORDER BY x.kind, x.member_id
LIMIT ?;

-- name: PrivateBoards :many
-- The private boards of a company, without what is on them: managed says that an active member administers the board.
SELECT b.id, b.slug, b.title, b.archived_at,
  CAST(EXISTS (SELECT 1 FROM board_access x JOIN membership m ON m.company_id = b.company_id AND m.account_id = x.account_id
    WHERE x.board_id = b.id AND x.level = 3 AND m.role <> 'viewer' AND m.inactive = FALSE) AS SIGNED) AS managed
FROM board b
WHERE b.company_id = sqlc.arg(company_id) AND b.privacy > 0
ORDER BY b.slug
LIMIT 1000;

-- name: BoardHasAdmin :one
-- Whether an active member administers a board: named as an admin, or on an open one as an owner or admin of the company that it
-- does not name.
SELECT EXISTS (
  SELECT 1 FROM board b
  JOIN membership m ON m.company_id = b.company_id
  LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = m.account_id
  WHERE b.id = sqlc.arg(board_id) AND m.role <> 'viewer' AND m.inactive = FALSE
    AND (x.level = 3 OR x.level IS NULL AND b.privacy = 0 AND m.role IN ('owner', 'admin'))
) AS managed;

-- name: BoardAdmins :many
-- The active members that administer a board, as BoardHasAdmin has it: first those whom it names.
SELECT x.account_id FROM board b
STRAIGHT_JOIN board_access x FORCE INDEX (PRIMARY) ON x.board_id = b.id
STRAIGHT_JOIN membership m FORCE INDEX (PRIMARY) ON m.company_id = b.company_id AND m.account_id = x.account_id
WHERE b.id = sqlc.arg(board_id) AND x.level = 3 AND m.role <> 'viewer' AND m.inactive = FALSE
UNION ALL
SELECT m.account_id FROM board b
STRAIGHT_JOIN membership m FORCE INDEX (ix_membership_role) ON m.company_id = b.company_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = m.account_id
WHERE b.id = sqlc.arg(board_id) AND b.privacy = 0 AND m.role IN ('owner', 'admin') AND m.inactive = FALSE AND x.level IS NULL
LIMIT ?;

-- name: SetBoardMember :exec
INSERT INTO board_member (board_id, kind, member_id, level)
VALUES (sqlc.arg(board_id), sqlc.arg(kind), sqlc.arg(member_id), sqlc.arg(level))
ON DUPLICATE KEY UPDATE level = VALUES(level);

-- name: CopyBoardMembers :exec
-- To a board that names nobody.
INSERT INTO board_member (board_id, kind, member_id, level)
SELECT sqlc.arg(to_board), x.kind, x.member_id, x.level FROM board_member x WHERE x.board_id = sqlc.arg(from_board);

-- name: DropBoardMember :execrows
DELETE FROM board_member WHERE board_id = sqlc.arg(board_id) AND kind = sqlc.arg(kind) AND member_id = sqlc.arg(member_id);

-- name: DropBoardMemberEverywhere :exec
-- From all boards of a company.
DELETE x FROM board_member x JOIN board b ON b.id = x.board_id
WHERE x.kind = sqlc.arg(kind) AND x.member_id = sqlc.arg(member_id) AND b.company_id = sqlc.arg(company_id);

-- name: SetPrivacy :execrows
UPDATE board SET privacy = sqlc.arg(privacy), version = version + 1, updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- board_access is what board_member comes to. It is made anew for a board or an account of a company, under the lock of
-- the company, by a Clear and a Fill.

-- name: ClearAccessTo :exec
DELETE FROM board_access WHERE board_id = sqlc.arg(board_id);

-- name: FillAccessTo :exec
INSERT INTO board_access (board_id, account_id, level)
SELECT sqlc.arg(board_id), n.account_id, MAX(n.level) FROM (
  SELECT x.member_id AS account_id, x.level FROM board_member x WHERE x.board_id = sqlc.arg(board_id) AND x.kind = 'account'
  UNION ALL
  SELECT g.account_id, x.level FROM board_member x
  STRAIGHT_JOIN people_group_member g ON g.group_id = x.member_id
  WHERE x.board_id = sqlc.arg(board_id) AND x.kind = 'group'
) n GROUP BY n.account_id;

-- name: ClearAccessOf :exec
DELETE x FROM board_access x JOIN board b ON b.id = x.board_id
WHERE x.account_id = sqlc.arg(account_id) AND b.company_id = sqlc.arg(company_id);

-- name: FillAccessOf :exec
INSERT INTO board_access (board_id, account_id, level)
SELECT n.board_id, sqlc.arg(account_id), MAX(n.level) FROM (
  SELECT x.board_id, x.level FROM board_member x
  JOIN board b ON b.id = x.board_id
  WHERE x.kind = 'account' AND x.member_id = sqlc.arg(member_id) AND b.company_id = sqlc.arg(company_id)
  UNION ALL
  SELECT x.board_id, x.level FROM people_group_member g
  JOIN board_member x ON x.kind = 'group' AND x.member_id = g.group_id
  JOIN board b ON b.id = x.board_id
  WHERE g.account_id = sqlc.arg(account_id) AND b.company_id = sqlc.arg(company_id)
) n GROUP BY n.board_id;

-- name: BoardReaders :many
-- The members whom a board of a company names, by themselves or by a group, in the order of their ids.
SELECT x.account_id FROM board_access x FORCE INDEX (PRIMARY)
STRAIGHT_JOIN membership m ON m.company_id = sqlc.arg(company_id) AND m.account_id = x.account_id
WHERE x.board_id = sqlc.arg(board_id) AND x.account_id <> sqlc.arg(without)
ORDER BY x.account_id
LIMIT ?;

-- name: AccountsThatSee :many
-- The members among some accounts that see a board.
SELECT m.account_id FROM board b
JOIN membership m FORCE INDEX (PRIMARY) ON m.company_id = b.company_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = m.account_id
WHERE b.id = sqlc.arg(board_id) AND m.account_id IN (sqlc.slice(accounts))
  AND (x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0));

-- name: ReadersNamed :many
-- The members with tokens, who may read feeds, that see a board because it names them.
SELECT x.account_id FROM board b
STRAIGHT_JOIN board_access x FORCE INDEX (PRIMARY) ON x.board_id = b.id
STRAIGHT_JOIN membership m FORCE INDEX (PRIMARY) ON m.company_id = b.company_id AND m.account_id = x.account_id
WHERE b.id = sqlc.arg(board_id) AND b.privacy > IF(m.role = 'guest', -1, 0)
  AND EXISTS (SELECT 1 FROM api_token t WHERE t.account_id = x.account_id AND t.company_id = b.company_id);

-- name: BoardsNamingReader :many
-- The boards that a member with tokens sees because they name it.
SELECT b.id FROM membership m
STRAIGHT_JOIN board_access x FORCE INDEX (ix_board_access_account) ON x.account_id = m.account_id
STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = x.board_id
WHERE m.company_id = sqlc.arg(company_id) AND m.account_id = sqlc.arg(account_id) AND b.company_id = m.company_id
  AND b.privacy > IF(m.role = 'guest', -1, 0)
  AND EXISTS (SELECT 1 FROM api_token t WHERE t.account_id = m.account_id AND t.company_id = m.company_id);

-- name: ReadersThatSee :many
-- The members with tokens, who may read feeds, that see a board.
SELECT m.account_id FROM board b
JOIN membership m ON m.company_id = b.company_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = m.account_id
WHERE b.id = sqlc.arg(board_id) AND EXISTS (SELECT 1 FROM api_token t WHERE t.account_id = m.account_id AND t.company_id = b.company_id)
  AND (x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0));

-- name: BoardsSeenByReader :many
-- The boards that a member with tokens sees.
SELECT b.id FROM membership m
STRAIGHT_JOIN board b FORCE INDEX (uq_board_slug) ON b.company_id = m.company_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.account_id = sqlc.arg(account_id)
  AND EXISTS (SELECT 1 FROM api_token t WHERE t.account_id = m.account_id AND t.company_id = m.company_id)
  AND (x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0));
