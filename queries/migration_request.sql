-- name: AddRequest :execlastid
INSERT INTO migration_request (run_id, kind, fingerprint, after_id, account_id, actor)
VALUES (sqlc.arg(run_id), sqlc.arg(kind), sqlc.arg(fingerprint), sqlc.arg(after_id), sqlc.arg(account_id), sqlc.arg(actor));

-- name: NextRequest :one
SELECT id FROM migration_request WHERE id > sqlc.arg(after) ORDER BY id LIMIT 1;

-- name: RunOfRequest :one
SELECT run_id FROM migration_request WHERE id = sqlc.arg(id);

-- name: LockRequest :one
SELECT * FROM migration_request WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: AdvanceRequest :exec
UPDATE migration_request SET after_id = sqlc.arg(after_id) WHERE id = sqlc.arg(id);

-- name: EndRequest :exec
DELETE FROM migration_request WHERE id = sqlc.arg(id);

-- AnyRequestOf returns a request of a run that is not finished.
-- name: AnyRequestOf :one
SELECT EXISTS(SELECT 1 FROM migration_request WHERE run_id = sqlc.arg(run_id)) AS found;
