-- name: RecurrencesOf :many
SELECT sqlc.embed(recurrence), a.name AS author FROM recurrence
JOIN account a ON a.id = recurrence.account_id
WHERE recurrence.ticket_id IN (sqlc.slice(tickets));

-- name: AddRecurrence :execlastid
INSERT INTO recurrence (ticket_id, account_id, rule, opens, time_zone, timed, first_at, last_at, next_at, due_at, created_at)
VALUES (sqlc.arg(ticket_id), sqlc.arg(account_id), sqlc.arg(rule), sqlc.arg(opens), sqlc.arg(time_zone), sqlc.arg(timed), sqlc.arg(first_at), sqlc.arg(first_at), sqlc.arg(next_at), sqlc.arg(due_at), sqlc.arg(created_at));

-- name: AddOccurrence :exec
INSERT INTO occurrence (recurrence_id, occurs_at, ticket_id) VALUES (sqlc.arg(recurrence_id), sqlc.arg(occurs_at), sqlc.arg(ticket_id));

-- name: DropOccurrences :exec
DELETE FROM occurrence WHERE recurrence_id = sqlc.arg(recurrence_id);

-- name: DropRecurrence :execrows
DELETE FROM recurrence WHERE id = sqlc.arg(id);

-- name: DueRecurrences :many
-- What is to be opened by now, on tickets that may be closed or deleted.
SELECT r.id, r.account_id, r.last_at, sqlc.embed(ticket), b.slug AS board_slug, b.archived_at IS NOT NULL AS archived, c.slug AS company_slug, c.id AS company_id
FROM recurrence r FORCE INDEX (ix_recurrence_due)
STRAIGHT_JOIN ticket ON ticket.id = r.ticket_id
STRAIGHT_JOIN board b ON b.id = ticket.board_id
STRAIGHT_JOIN company c ON c.id = b.company_id
WHERE r.due_at <= sqlc.arg(now)
ORDER BY r.due_at, r.id
LIMIT ?;

-- name: ClaimRecurrence :execrows
-- Keeps other servers off a rule for a while.
UPDATE recurrence SET due_at = sqlc.arg(later) WHERE id = sqlc.arg(id) AND due_at <= sqlc.arg(now);

-- name: PostponeRecurrence :execrows
UPDATE recurrence SET due_at = sqlc.arg(due_at) WHERE id = sqlc.arg(id) AND last_at = sqlc.arg(last_at) AND state = 'active';

-- name: Recur :execrows
UPDATE recurrence SET ticket_id = sqlc.arg(ticket_id), last_at = sqlc.arg(now_at), next_at = sqlc.arg(next_at), due_at = sqlc.arg(due_at)
WHERE id = sqlc.arg(id) AND ticket_id = sqlc.arg(seen_ticket) AND last_at = sqlc.arg(last_at) AND state = 'active';

-- name: PauseRecurrence :execrows
UPDATE recurrence SET state = sqlc.arg(state), due_at = NULL
WHERE id = sqlc.arg(id) AND last_at = sqlc.arg(last_at) AND state = 'active';

-- name: ClosedRecurrences :exec
-- Has the next tickets opened after those that were just closed.
UPDATE recurrence SET due_at = sqlc.arg(now)
WHERE ticket_id IN (sqlc.slice(tickets)) AND opens = 'closed' AND state = 'active' AND due_at IS NULL;
