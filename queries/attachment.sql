-- name: CreateAttachment :execlastid
INSERT INTO attachment (company_id, ticket_id, account_id, hash, name, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(ticket_id), sqlc.arg(account_id), sqlc.arg(hash), sqlc.arg(name), sqlc.arg(created_at));

-- name: AttachmentsOfTickets :many
-- Those that are not deleted, each ticket's in their order.
SELECT a.id, a.ticket_id, a.comment_id, a.account_id, a.name, a.created_at, p.name AS author, f.bytes, f.content_type, f.image_type, f.width, f.height
FROM attachment a FORCE INDEX (ix_attachment_ticket)
STRAIGHT_JOIN stored_file f ON f.hash = a.hash
STRAIGHT_JOIN account p ON p.id = a.account_id
WHERE a.ticket_id IN (sqlc.slice(tickets)) AND a.deleted_at IS NULL
ORDER BY a.ticket_id, a.id;

-- name: AttachmentsInSight :many
-- Those of tickets in sight among some, and the reader's own that no text has yet.
SELECT sqlc.embed(a), p.name AS author, sqlc.embed(f)
FROM attachment a FORCE INDEX (PRIMARY)
STRAIGHT_JOIN stored_file f ON f.hash = a.hash
STRAIGHT_JOIN account p ON p.id = a.account_id
LEFT JOIN ticket t ON t.id = a.ticket_id
LEFT JOIN board b ON b.id = t.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE a.id IN (sqlc.slice(ids)) AND a.company_id = sqlc.arg(company_id) AND a.deleted_at IS NULL
  AND (a.ticket_id IS NULL AND a.account_id = sqlc.arg(reader)
    OR t.deleted_at IS NULL AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach)));

-- name: BindAttachments :execrows
-- Gives files that their author uploaded for a text to the ticket of the text.
UPDATE attachment SET ticket_id = sqlc.arg(ticket_id), comment_id = sqlc.arg(comment_id)
WHERE id IN (sqlc.slice(ids)) AND company_id = sqlc.arg(company_id) AND account_id = sqlc.arg(account_id)
  AND ticket_id IS NULL AND deleted_at IS NULL;

-- name: CountAttachments :execrows
UPDATE ticket SET attachments = CAST(attachments AS SIGNED) + CAST(sqlc.arg(n) AS SIGNED), updated_at = sqlc.arg(now), feed_sync_id = NULL WHERE id = sqlc.arg(id);

-- name: DeleteAttachment :execrows
UPDATE attachment SET deleted_at = sqlc.arg(now) WHERE id = sqlc.arg(id) AND ticket_id = sqlc.arg(ticket_id) AND deleted_at IS NULL;

-- name: RestoreAttachment :execrows
UPDATE attachment SET deleted_at = NULL WHERE id = sqlc.arg(id) AND ticket_id = sqlc.arg(ticket_id) AND deleted_at IS NOT NULL;

-- name: AttachmentOfTicket :one
-- Also a deleted one.
SELECT * FROM attachment WHERE id = sqlc.arg(id) AND ticket_id = sqlc.arg(ticket_id);

-- name: DeleteAttachmentsOf :execrows
-- With a comment that is deleted.
UPDATE attachment SET deleted_at = sqlc.arg(now) WHERE comment_id = sqlc.arg(comment_id) AND deleted_at IS NULL;

-- name: RestoreAttachmentsOf :execrows
-- Those that were deleted with a comment.
UPDATE attachment SET deleted_at = NULL WHERE comment_id = sqlc.arg(comment_id) AND deleted_at = sqlc.arg(deleted_at);

-- name: StorageOf :one
SELECT used, quota FROM company_storage WHERE company_id = sqlc.arg(company_id);

-- name: TakeStorage :exec
INSERT INTO company_storage (company_id, used) VALUES (sqlc.arg(company_id), sqlc.arg(bytes))
ON DUPLICATE KEY UPDATE used = used + VALUES(used);

-- name: ReleaseStorage :execrows
UPDATE company_storage SET used = used - sqlc.arg(bytes) WHERE company_id = sqlc.arg(company_id);

-- name: SetQuota :exec
INSERT INTO company_storage (company_id, quota) VALUES (sqlc.arg(company_id), sqlc.arg(quota))
ON DUPLICATE KEY UPDATE quota = VALUES(quota);

-- name: LargestStorages :many
SELECT c.slug, c.name, s.used, s.quota FROM company_storage s FORCE INDEX (ix_company_storage_used)
STRAIGHT_JOIN company c ON c.id = s.company_id
WHERE s.used > 0
ORDER BY s.used DESC LIMIT ?;
