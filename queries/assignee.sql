-- name: SetCurrent :execrows
-- Whether a ticket is its assignees' work by now.
UPDATE assignee SET current = sqlc.arg(current) WHERE ticket_id = sqlc.arg(ticket_id);
