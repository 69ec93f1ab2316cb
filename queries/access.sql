-- Who is named on boards. Statements that show rows of boards join board_access: see docs/access.md.

-- name: BoardNames :one
-- Whether a board names members, or is private.
SELECT CAST(b.privacy > 0 OR EXISTS (SELECT 1 FROM board_access x WHERE x.board_id = b.id) AS SIGNED) > 0 AS named
FROM board b WHERE b.id = sqlc.arg(board_id);

-- name: GrantsOn :many
-- What a board says of some members.
SELECT m.account_id, b.privacy, CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level
FROM board b
JOIN membership m ON m.company_id = b.company_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = m.account_id
WHERE b.id = sqlc.arg(board_id) AND m.account_id IN (sqlc.slice(accounts));
