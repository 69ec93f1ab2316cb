-- name: StoreFile :exec
-- Writes the row of a file, also of one that is there: a removal at the same time conflicts.
INSERT INTO stored_file (hash, bytes, content_type, image_type, image_bytes, width, height, created_at, generation)
VALUES (sqlc.arg(hash), sqlc.arg(bytes), sqlc.arg(content_type), sqlc.arg(image_type), sqlc.arg(image_bytes), sqlc.arg(width), sqlc.arg(height), sqlc.arg(created_at), sqlc.arg(generation))
ON DUPLICATE KEY UPDATE locks = locks + 1;

-- name: LockFile :execrows
UPDATE stored_file SET locks = locks + 1 WHERE hash = sqlc.arg(hash);

-- name: StoredFile :one
SELECT * FROM stored_file WHERE hash = sqlc.arg(hash);

-- name: StoredFilesAfter :many
SELECT hash FROM stored_file WHERE hash > sqlc.arg(after) ORDER BY hash LIMIT ?;

-- name: UsedFiles :many
-- Those of some files that an attachment refers to which is not deleted, or not for long, or that waits for its text.
SELECT DISTINCT hash FROM attachment FORCE INDEX (ix_attachment_file)
WHERE hash IN (sqlc.slice(hashes)) AND (deleted_at IS NULL OR deleted_at >= sqlc.arg(deleted_since))
  AND (ticket_id IS NOT NULL OR created_at >= sqlc.arg(created_since));

-- name: KnownFiles :many
SELECT hash, generation FROM stored_file WHERE hash IN (sqlc.slice(hashes));

-- name: AttachmentsOfFile :many
SELECT id, company_id, ticket_id, created_at, deleted_at FROM attachment FORCE INDEX (ix_attachment_file)
WHERE hash = sqlc.arg(hash) ORDER BY id LIMIT ?;

-- name: RemoveAttachments :execrows
DELETE FROM attachment WHERE id IN (sqlc.slice(ids));

-- name: RemoveFile :execrows
DELETE FROM stored_file WHERE hash = sqlc.arg(hash);

-- name: FilePlace :one
SELECT token FROM file_place WHERE id = 1;

-- name: SetFilePlace :execrows
INSERT IGNORE INTO file_place (id, token) VALUES (1, sqlc.arg(token));
