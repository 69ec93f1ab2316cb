-- name: SetMuted :exec
INSERT INTO watcher (ticket_id, account_id, muted)
VALUES (sqlc.arg(ticket_id), sqlc.arg(account_id), sqlc.arg(muted))
ON DUPLICATE KEY UPDATE muted = VALUES(muted);

-- name: Watchers :many
-- The members that are notified of replies on a ticket.
SELECT w.account_id FROM watcher w
STRAIGHT_JOIN membership m FORCE INDEX (PRIMARY) ON m.company_id = sqlc.arg(company_id) AND m.account_id = w.account_id
WHERE w.ticket_id = sqlc.arg(ticket_id) AND w.muted = FALSE
ORDER BY w.account_id
LIMIT ?;

-- name: AuthorWatches :one
-- Whether a ticket's author is a member and has not muted it.
SELECT COUNT(*) FROM membership m
LEFT JOIN watcher w ON w.ticket_id = sqlc.arg(ticket_id) AND w.account_id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.account_id = sqlc.arg(account_id) AND COALESCE(w.muted, FALSE) = FALSE;
