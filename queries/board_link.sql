-- The public links of boards. Statements that show rows by one join board_link with the hash of the link: they find
-- nothing once it is revoked, and no requests, whose texts their requesters wrote for members.

-- name: LinkOfBoard :one
SELECT l.hash, l.created_at, l.created_by, a.name AS author FROM board_link l JOIN account a ON a.id = l.created_by
WHERE l.board_id = sqlc.arg(board_id);

-- name: SetBoardLink :exec
INSERT INTO board_link (board_id, hash, created_by, created_at)
VALUES (sqlc.arg(board_id), sqlc.arg(hash), sqlc.arg(created_by), sqlc.arg(created_at))
ON DUPLICATE KEY UPDATE hash = VALUES(hash), created_by = VALUES(created_by), created_at = VALUES(created_at);

-- name: DropBoardLink :execrows
DELETE FROM board_link WHERE board_id = sqlc.arg(board_id);

-- name: PublicBoard :many
-- The board of a link, with each of its columns.
SELECT b.id, b.slug, b.title, c.name AS company, k.id AS column_id, k.name AS column_name, k.done
FROM board_link l FORCE INDEX (uq_board_link_hash)
JOIN board b ON b.id = l.board_id
JOIN company c ON c.id = b.company_id
JOIN board_column k ON k.board_id = b.id
WHERE l.hash = sqlc.arg(hash) AND b.archived_at IS NULL
ORDER BY k.position;

-- name: PublicTicket :one
SELECT t.local_id, t.title, t.description, t.created_at, t.updated_at, t.closed_at, k.name AS column_name
FROM board_link l FORCE INDEX (uq_board_link_hash)
JOIN board b ON b.id = l.board_id
JOIN ticket t ON t.board_id = b.id
JOIN board_column k ON k.id = t.column_id
WHERE l.hash = sqlc.arg(hash) AND b.archived_at IS NULL
  AND t.local_id = sqlc.arg(local_id) AND t.deleted_at IS NULL AND t.from_requester = FALSE;
