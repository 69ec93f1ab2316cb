-- name: OpenStays :execrows
-- The first stays of a board's new tickets with numbers in (after, to]. One that was opened elsewhere before is inferred.
INSERT INTO ticket_stay (ticket_id, since_at, board_id, column_id, account_id, inferred)
SELECT t.id, t.created_at, t.board_id, t.column_id, t.created_by, t.created_at <> sqlc.arg(now) FROM ticket t
WHERE t.board_id >= sqlc.arg(board_id) AND t.board_id <= sqlc.arg(board_id) AND t.local_id > sqlc.arg(after) AND t.local_id <= sqlc.arg('to');

-- name: EndStay :execrows
-- The present stay of a ticket. It has a microsecond at least, whatever the clocks of servers say.
UPDATE ticket_stay SET until_at = GREATEST(CAST(sqlc.arg(now) AS DATETIME(6)), since_at + INTERVAL 1 MICROSECOND)
WHERE ticket_id = sqlc.arg(ticket_id) AND until_at IS NULL
ORDER BY since_at DESC LIMIT 1;

-- name: EndStays :execrows
-- The same of many tickets.
UPDATE ticket_stay SET until_at = GREATEST(CAST(sqlc.arg(now) AS DATETIME(6)), since_at + INTERVAL 1 MICROSECOND)
WHERE ticket_id IN (sqlc.slice(tickets)) AND until_at IS NULL;

-- name: BeginStays :execrows
-- Where tickets are now, from the end of the stay before.
INSERT INTO ticket_stay (ticket_id, since_at, board_id, column_id, account_id)
SELECT t.id, GREATEST(CAST(sqlc.arg(now) AS DATETIME(6)), COALESCE((SELECT s.until_at FROM ticket_stay s WHERE s.ticket_id = t.id ORDER BY s.since_at DESC LIMIT 1), CAST(sqlc.arg(now) AS DATETIME(6)))),
  t.board_id, t.column_id, sqlc.arg(account_id)
FROM ticket t WHERE t.id IN (sqlc.slice(tickets));

-- name: MarkStaysKnown :execrows
-- It locks the tickets, on all servers of a cluster.
UPDATE ticket t SET t.stays_known = TRUE
WHERE t.board_id >= sqlc.arg(board_id) AND t.board_id <= sqlc.arg(board_id) AND t.local_id > sqlc.arg(after) AND t.local_id <= sqlc.arg('to') AND t.stays_known = FALSE;

-- name: Misplaced :many
-- Tickets with stays of which the present one is not where they are: a server of a version without stays moved them.
SELECT t.id FROM ticket t
WHERE t.board_id >= sqlc.arg(board_id) AND t.board_id <= sqlc.arg(board_id) AND t.local_id > sqlc.arg(after) AND t.local_id <= sqlc.arg('to')
  AND EXISTS (SELECT 1 FROM ticket_stay s WHERE s.ticket_id = t.id)
  AND NOT (t.column_id <=> (SELECT p.column_id FROM ticket_stay p WHERE p.ticket_id = t.id AND p.until_at IS NULL LIMIT 1))
ORDER BY t.board_id, t.local_id;

-- name: UnmarkStays :execrows
UPDATE ticket SET stays_known = FALSE WHERE id IN (sqlc.slice(tickets)) AND stays_known = TRUE;

-- name: Unfilled :many
-- Tickets whose stays do not reach back to their opening, with the first that is known, or the end of time.
SELECT t.id, t.board_id, t.column_id, t.created_at, t.created_by, t.deleted_at,
  CAST(COALESCE((SELECT MIN(s.since_at) FROM ticket_stay s WHERE s.ticket_id = t.id), '9999-12-31') AS DATETIME(6)) AS first
FROM ticket t
WHERE t.board_id >= sqlc.arg(board_id) AND t.board_id <= sqlc.arg(board_id) AND t.local_id > sqlc.arg(after) AND t.local_id <= sqlc.arg('to')
  AND NOT EXISTS (SELECT 1 FROM ticket_stay s WHERE s.ticket_id = t.id AND s.since_at <= t.created_at)
ORDER BY t.board_id, t.local_id;

-- name: Whereabouts :many
-- What the history of tickets says about their columns, in its order.
SELECT ticket_id, account_id, kind, detail, created_at FROM activity
WHERE ticket_id IN (sqlc.slice(tickets)) AND kind IN ('moved', 'closed', 'reopened', 'deleted', 'restored', 'undone')
ORDER BY ticket_id, id;

-- name: ColumnsNamed :many
-- The columns of boards, by name.
SELECT c.id, c.board_id, c.name FROM board_column c WHERE c.board_id IN (sqlc.slice(boards));

-- name: StaysOf :many
SELECT * FROM ticket_stay WHERE ticket_id = sqlc.arg(ticket_id) ORDER BY since_at;
