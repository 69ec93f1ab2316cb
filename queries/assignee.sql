-- name: AssigneesOf :many
-- Of many tickets at once. An account that left the company has no handle.
SELECT s.ticket_id, s.account_id, a.name, a.avatar, COALESCE(m.handle, '') AS handle
FROM assignee s
JOIN account a ON a.id = s.account_id
LEFT JOIN membership m ON m.company_id = sqlc.arg(company_id) AND m.account_id = s.account_id
WHERE s.ticket_id IN (sqlc.slice(tickets))
ORDER BY s.ticket_id, s.account_id;

-- name: Unassign :execrows
DELETE FROM assignee WHERE ticket_id = sqlc.arg(ticket_id) AND account_id IN (sqlc.slice(accounts));

-- name: AssignedTickets :many
-- The open tickets that an account is assigned to, newest first, with ids below before_id.
SELECT t.id, t.local_id, t.title, t.board_id, t.column_id, t.rank_in_column, t.priority, t.due_at, t.due_timed, b.slug AS board_slug, b.title AS board_title, c.name AS column_name, c.position
FROM assignee s FORCE INDEX (ix_assignee_work)
STRAIGHT_JOIN ticket t ON t.id = s.ticket_id
JOIN board b ON b.id = t.board_id
JOIN board_column c ON c.id = t.column_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = s.account_id
WHERE s.account_id = sqlc.arg(account_id) AND s.current >= TRUE AND s.current <= TRUE AND s.ticket_id < sqlc.arg(before_id)
  AND b.company_id = sqlc.arg(company_id) AND b.archived_at IS NULL AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY s.current DESC, s.ticket_id DESC
LIMIT ?;

-- name: TicketsAssignedTo :many
-- Those of an account, open work first.
SELECT ticket_id FROM assignee FORCE INDEX (ix_assignee_work)
WHERE account_id = sqlc.arg(account_id)
ORDER BY current DESC, ticket_id DESC
LIMIT ?;

-- name: SetCurrentOf :execrows
-- Marks all assignees of tickets by whether these are open work.
UPDATE assignee SET current = sqlc.arg(current) WHERE ticket_id IN (sqlc.slice(tickets));

-- name: AssignmentsOf :many
-- The open work of an account in all companies, by ticket.
SELECT s.ticket_id, b.company_id FROM assignee s FORCE INDEX (ix_assignee_work)
STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = s.ticket_id
STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
WHERE s.account_id = sqlc.arg(account_id) AND s.current >= TRUE AND s.current <= TRUE AND s.ticket_id > sqlc.arg(after)
ORDER BY s.current, s.ticket_id
LIMIT ?;
