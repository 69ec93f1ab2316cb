-- name: CreateComment :execlastid
INSERT INTO comment (ticket_id, account_id, body, public, from_requester, created_at, updated_at)
VALUES (sqlc.arg(ticket_id), sqlc.arg(account_id), sqlc.arg(body), sqlc.arg(public), sqlc.arg(from_requester), sqlc.arg(now), sqlc.arg(now));

-- name: CommentOfTicket :one
SELECT sqlc.embed(comment), a.name AS author, a.avatar FROM comment
JOIN account a ON a.id = comment.account_id
WHERE comment.id = sqlc.arg(id) AND comment.ticket_id = sqlc.arg(ticket_id);

-- name: LockComment :one
SELECT * FROM comment WHERE id = sqlc.arg(id) AND ticket_id = sqlc.arg(ticket_id) FOR UPDATE;

-- name: EditComment :execrows
UPDATE comment SET body = sqlc.arg(body), version = version + 1, updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version) AND deleted_at IS NULL;

-- name: DeleteComment :execrows
-- The row stays without its text (KeepDeletedText).
UPDATE comment SET body = '', version = version + 1, deleted_at = sqlc.arg(deleted_at), updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND deleted_at IS NULL;

-- name: RestoreComment :execrows
UPDATE comment SET body = sqlc.arg(body), version = version + 1, restored = restored + 1, deleted_at = NULL, updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND deleted_at IS NOT NULL;

-- name: KeepDeletedText :exec
INSERT INTO deleted_comment (comment_id, ticket_id, account_id, body, deleted_at)
VALUES (sqlc.arg(comment_id), sqlc.arg(ticket_id), sqlc.arg(account_id), sqlc.arg(body), sqlc.arg(deleted_at));

-- name: LockDeletedText :one
SELECT * FROM deleted_comment WHERE comment_id = sqlc.arg(comment_id) FOR UPDATE;

-- name: DropDeletedText :execrows
DELETE FROM deleted_comment WHERE comment_id = sqlc.arg(comment_id);

-- name: ForgetDeletedTexts :execrows
DELETE FROM deleted_comment WHERE deleted_at < sqlc.arg(before) ORDER BY deleted_at LIMIT 1000;

-- name: OlderComments :one
-- A ticket's comments before one, counted up to a limit.
SELECT COUNT(*) FROM (
  SELECT c.id FROM comment c FORCE INDEX (ix_comment_ticket)
  WHERE c.ticket_id >= sqlc.arg(ticket_id) AND c.ticket_id <= sqlc.arg(ticket_id) AND c.id < sqlc.arg(before_id)
  LIMIT ?
) some;

-- name: RepublishComments :execrows
-- All of a ticket, because their published form depends on it. The caller holds the ticket's lock.
UPDATE comment SET feed_sync_id = NULL WHERE ticket_id = sqlc.arg(ticket_id);

-- name: RepublishCommentsOf :execrows
-- All comments of the tickets.
UPDATE comment SET feed_sync_id = NULL WHERE ticket_id IN (sqlc.slice(tickets));

-- name: RepublishCommentRange :execrows
-- The comments of a ticket in (after_id, to_id].
UPDATE comment SET feed_sync_id = NULL
WHERE ticket_id >= sqlc.arg(ticket_id) AND ticket_id <= sqlc.arg(ticket_id) AND id > sqlc.arg(after_id) AND id <= sqlc.arg(to_id);

-- name: CommentCounts :many
-- Tickets without comments have no row.
SELECT ticket_id, COUNT(*) AS comments FROM comment FORCE INDEX (ix_comment_ticket)
WHERE ticket_id IN (sqlc.slice(tickets))
GROUP BY ticket_id;

-- name: CommentIDsAfter :many
SELECT id FROM comment FORCE INDEX (ix_comment_ticket)
WHERE ticket_id >= sqlc.arg(ticket_id) AND ticket_id <= sqlc.arg(ticket_id) AND id > sqlc.arg(after_id)
ORDER BY ticket_id, id
LIMIT ?;

-- name: RepublishCommentRows :execrows
UPDATE comment SET feed_sync_id = NULL WHERE id IN (sqlc.slice(ids));

-- name: CommentsInSight :many
-- The comments in sight among these, in any order.
SELECT c.id FROM comment c FORCE INDEX (PRIMARY)
STRAIGHT_JOIN ticket t ON t.id = c.ticket_id
STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE c.id IN (sqlc.slice(ids)) AND b.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: CommentsBefore :many
-- Newest first, from below a comment; written for MariaDB as the pages of a column are (ticket.sql). counted is how many
-- there are, up to a page of 25 and 201 more.
SELECT sqlc.embed(comment), a.name AS author, a.avatar,
  (SELECT COUNT(*) FROM (
    SELECT c.id FROM comment c FORCE INDEX (ix_comment_ticket)
    WHERE c.ticket_id >= sqlc.arg(ticket_id) AND c.ticket_id <= sqlc.arg(ticket_id) AND c.id < sqlc.arg(before_id)
    LIMIT 226
  ) some) AS counted
FROM comment FORCE INDEX (ix_comment_ticket)
JOIN account a ON a.id = comment.account_id
WHERE comment.ticket_id >= sqlc.arg(ticket_id) AND comment.ticket_id <= sqlc.arg(ticket_id) AND comment.id < sqlc.arg(before_id)
ORDER BY comment.ticket_id DESC, comment.id DESC
LIMIT ?;

-- name: CommentsAfter :many
-- Oldest first, from above a comment.
SELECT sqlc.embed(comment), a.name AS author, a.avatar FROM comment FORCE INDEX (ix_comment_ticket)
JOIN account a ON a.id = comment.account_id
WHERE comment.ticket_id >= sqlc.arg(ticket_id) AND comment.ticket_id <= sqlc.arg(ticket_id) AND comment.id > sqlc.arg(after_id)
ORDER BY comment.ticket_id, comment.id
LIMIT ?;

-- name: React :exec
INSERT INTO comment_reaction (comment_id, kind, account_id, created_at)
VALUES (sqlc.arg(comment_id), sqlc.arg(kind), sqlc.arg(account_id), sqlc.arg(now))
ON DUPLICATE KEY UPDATE kind = VALUES(kind);

-- name: Unreact :exec
DELETE FROM comment_reaction WHERE comment_id = sqlc.arg(comment_id) AND kind = sqlc.arg(kind) AND account_id = sqlc.arg(account_id);

-- name: CountReactions :many
SELECT kind, COUNT(*) AS reactions FROM comment_reaction WHERE comment_id = sqlc.arg(comment_id) GROUP BY kind;

-- name: SetReactions :exec
UPDATE comment SET reactions = sqlc.arg(reactions), feed_sync_id = NULL WHERE id = sqlc.arg(id);

-- name: ReactionsTo :many
-- Those of comments in sight, by comment and kind, the first first: up to a number.
SELECT r.comment_id, r.kind, r.account_id, a.name FROM comment_reaction r FORCE INDEX (PRIMARY)
STRAIGHT_JOIN account a ON a.id = r.account_id
WHERE r.comment_id IN (sqlc.slice(comments))
ORDER BY r.comment_id, r.kind, r.account_id
LIMIT ?;
