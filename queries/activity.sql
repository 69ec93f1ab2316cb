-- name: RecordOpened :execrows
-- The first entry of every ticket numbered in (after, upto], each by its author.
INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
SELECT id, created_by, 'opened', '{}', created_at FROM ticket
WHERE board_id = sqlc.arg(board_id) AND local_id > sqlc.arg(after) AND local_id <= sqlc.arg(upto);

-- name: RecordActivity :execlastid
INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
VALUES (sqlc.arg(ticket_id), sqlc.arg(account_id), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(created_at));

-- name: ActivityOfTicket :many
-- Newest first, from below an entry.
SELECT v.id, v.kind, v.detail, v.created_at, v.account_id, a.name AS account_name
FROM activity v
JOIN account a ON a.id = v.account_id
WHERE v.ticket_id = sqlc.arg(ticket_id) AND v.id < sqlc.arg(before_id)
ORDER BY v.id DESC
LIMIT ?;
