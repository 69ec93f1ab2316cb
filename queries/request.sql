-- name: FormOfBoard :one
SELECT is_on, intro, proof, updated_at FROM request_form WHERE board_id = sqlc.arg(board_id);

-- name: AddForm :exec
INSERT INTO request_form (board_id, is_on, intro, proof, updated_at)
VALUES (sqlc.arg(board_id), sqlc.arg(is_on), sqlc.arg(intro), sqlc.arg(proof), sqlc.arg(now));

-- name: SetForm :execrows
-- Changes a form of the given version.
UPDATE request_form SET is_on = sqlc.arg(is_on), intro = sqlc.arg(intro), proof = sqlc.arg(proof), updated_at = sqlc.arg(updated_at)
WHERE board_id = sqlc.arg(board_id) AND updated_at = sqlc.arg(seen);

-- name: OpenForm :one
-- The enabled form of an unarchived board that has or had the slug. No row for any other or unknown board.
SELECT b.id AS board_id, b.title, f.intro, f.proof, c.id AS company_id, c.slug AS company_slug, c.name AS company_name
FROM company c
JOIN board_slug s ON s.company_id = c.id
JOIN board b ON b.id = s.board_id
JOIN request_form f ON f.board_id = b.id
WHERE c.slug = sqlc.arg(company) AND s.slug = sqlc.arg(slug) AND s.imported = FALSE AND b.archived_at IS NULL AND f.is_on = TRUE;

-- name: CreateRequest :exec
INSERT INTO ticket_request (ticket_id, code, email, form_hash, token_hash, created_at)
VALUES (sqlc.arg(ticket_id), sqlc.arg(code), sqlc.arg(email), sqlc.arg(form_hash), sqlc.arg(token_hash), sqlc.arg(created_at));

-- name: RequestByForm :one
-- The result of a form that was sent before.
SELECT code, token_hash FROM ticket_request WHERE form_hash = sqlc.arg(form_hash);

-- name: RequestOfTicket :one
SELECT * FROM ticket_request WHERE ticket_id = sqlc.arg(ticket_id);

-- name: TrackedByCode :one
-- The ticket of a code, unless it was deleted. at_start: it is in its board's first column.
SELECT r.ticket_id, r.code, r.created_at, r.replied_at, t.board_id, t.local_id, t.title, t.entered_at, t.closed_at,
  CAST(k.position = (SELECT MIN(f.position) FROM board_column f WHERE f.board_id = t.board_id) AS SIGNED) AS at_start,
  b.slug AS board_slug, b.archived_at, b.company_id
FROM ticket_request r FORCE INDEX (uq_ticket_request_code)
JOIN ticket t ON t.id = r.ticket_id
JOIN board_column k ON k.id = t.column_id
JOIN board b ON b.id = t.board_id
WHERE r.code = sqlc.arg(code) AND t.deleted_at IS NULL;

-- name: TrackedByLink :one
-- The same by a private link: found by its token, so that a wrong one takes no longer for an existing code.
SELECT r.ticket_id, r.code, r.created_at, r.replied_at, t.board_id, t.local_id, t.title, t.entered_at, t.closed_at,
  CAST(k.position = (SELECT MIN(f.position) FROM board_column f WHERE f.board_id = t.board_id) AS SIGNED) AS at_start,
  b.slug AS board_slug, b.archived_at, b.company_id
FROM ticket_request r FORCE INDEX (uq_ticket_request_token)
JOIN ticket t ON t.id = r.ticket_id
JOIN board_column k ON k.id = t.column_id
JOIN board b ON b.id = t.board_id
WHERE r.token_hash = sqlc.arg(token_hash) AND r.code = sqlc.arg(code) AND t.deleted_at IS NULL;

-- name: RequestTexts :one
SELECT title, description FROM ticket WHERE id = sqlc.arg(ticket_id);

-- name: LockTicketRequest :one
SELECT token_hash, reply_hash FROM ticket_request WHERE ticket_id = sqlc.arg(ticket_id) FOR UPDATE;

-- name: SetRequestToken :execrows
-- Gives a request another private link, or none.
UPDATE ticket_request SET token_hash = sqlc.arg(token_hash), revoked_at = sqlc.arg(revoked_at) WHERE ticket_id = sqlc.arg(ticket_id);

-- name: TouchRequest :execrows
UPDATE ticket_request SET replied_at = sqlc.arg(replied_at) WHERE ticket_id = sqlc.arg(ticket_id);

-- name: RecordReply :exec
UPDATE ticket_request SET replied_at = sqlc.arg(replied_at), reply_hash = sqlc.arg(reply_hash) WHERE ticket_id = sqlc.arg(ticket_id);

-- name: PurgeRequests :exec
DELETE FROM ticket_request WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PublicCommentsBefore :many
-- Newest first, from below a comment: those that the ticket's requester reads.
SELECT sqlc.embed(comment), a.name AS author FROM comment FORCE INDEX (ix_comment_public)
JOIN account a ON a.id = comment.account_id
WHERE comment.ticket_id >= sqlc.arg(ticket_id) AND comment.ticket_id <= sqlc.arg(ticket_id)
  AND comment.public >= TRUE AND comment.public <= TRUE AND comment.id < sqlc.arg(before_id)
ORDER BY comment.ticket_id DESC, comment.public DESC, comment.id DESC
LIMIT ?;

-- name: PublicLimits :many
SELECT name, used, last_at FROM public_limit WHERE name IN (sqlc.slice(names));

-- name: UsePublicLimit :exec
-- Adds the cost; a limit last used before a time begins anew.
INSERT INTO public_limit (name, used, last_at) VALUES (sqlc.arg(name), sqlc.arg(cost), sqlc.arg(now))
ON DUPLICATE KEY UPDATE used = LEAST(IF(last_at < sqlc.arg(forgotten), 0, used) + VALUES(used), 1000000), last_at = VALUES(last_at);

-- name: ForgetPublicLimits :execrows
DELETE FROM public_limit WHERE last_at < sqlc.arg(before) ORDER BY last_at LIMIT 1000;

-- name: CountLookups :exec
INSERT INTO lookup_hour (hour, hits, misses, refused, canaries)
VALUES (sqlc.arg(hour), sqlc.arg(hits), sqlc.arg(misses), sqlc.arg(refused), sqlc.arg(canaries))
ON DUPLICATE KEY UPDATE hits = hits + VALUES(hits), misses = misses + VALUES(misses), refused = refused + VALUES(refused), canaries = canaries + VALUES(canaries);

-- name: LookupsSince :one
SELECT CAST(COALESCE(SUM(hits), 0) AS SIGNED) AS hits, CAST(COALESCE(SUM(misses), 0) AS SIGNED) AS misses,
  CAST(COALESCE(SUM(refused), 0) AS SIGNED) AS refused, CAST(COALESCE(SUM(canaries), 0) AS SIGNED) AS canaries
FROM lookup_hour WHERE hour >= sqlc.arg(since);

-- name: ForgetLookups :execrows
DELETE FROM lookup_hour WHERE hour < sqlc.arg(before) ORDER BY hour LIMIT 1000;

-- name: RequestWatch :one
-- What a member chose about a board's requests.
SELECT is_on FROM request_watcher WHERE board_id = sqlc.arg(board_id) AND account_id = sqlc.arg(account_id);

-- name: SetRequestWatch :exec
INSERT INTO request_watcher (board_id, account_id, is_on)
VALUES (sqlc.arg(board_id), sqlc.arg(account_id), sqlc.arg(is_on))
ON DUPLICATE KEY UPDATE is_on = VALUES(is_on);

-- name: StartRequestWatch :exec
-- A choice stays.
INSERT INTO request_watcher (board_id, account_id, is_on) VALUES (sqlc.arg(board_id), sqlc.arg(account_id), TRUE)
ON DUPLICATE KEY UPDATE is_on = is_on;

-- name: RequestWatchers :many
-- The members that are to be notified of a board's requests, without those who muted the ticket.
SELECT w.account_id FROM request_watcher w FORCE INDEX (ix_request_watcher_on)
STRAIGHT_JOIN membership m FORCE INDEX (PRIMARY) ON m.company_id = sqlc.arg(company_id) AND m.account_id = w.account_id
LEFT JOIN watcher v ON v.ticket_id = sqlc.arg(ticket_id) AND v.account_id = w.account_id
WHERE w.board_id = sqlc.arg(board_id) AND w.is_on = TRUE AND COALESCE(v.muted, FALSE) = FALSE
ORDER BY w.account_id
LIMIT ?;

-- name: UndecidedManagers :many
-- The owners and admins that chose nothing about a board's requests, without those who muted the ticket.
SELECT m.account_id FROM membership m FORCE INDEX (ix_membership_role)
LEFT JOIN request_watcher w ON w.board_id = sqlc.arg(board_id) AND w.account_id = m.account_id
LEFT JOIN watcher v ON v.ticket_id = sqlc.arg(ticket_id) AND v.account_id = m.account_id
WHERE m.role IN ('owner', 'admin') AND m.company_id = sqlc.arg(company_id)
  AND w.account_id IS NULL AND COALESCE(v.muted, FALSE) = FALSE
LIMIT ?;
