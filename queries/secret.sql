-- name: SecretKey :one
SELECT key_id FROM secret_key WHERE id = 1;

-- name: LockSecretKey :execrows
-- Until the transaction ends no other encrypts, and the key does not change. It is a change, so that this holds on all
-- servers of a cluster.
UPDATE secret_key SET uses = uses + 1 WHERE id = 1;

-- name: AddSecretKey :exec
-- Stores the id of a key, unless there is one.
INSERT INTO secret_key (id, key_id, created_at) VALUES (1, sqlc.arg(key_id), sqlc.arg(now))
ON DUPLICATE KEY UPDATE id = id;

-- name: ChangeSecretKey :execrows
UPDATE secret_key SET key_id = sqlc.arg('to'), created_at = sqlc.arg(now) WHERE id = 1 AND key_id = sqlc.arg('from');

-- name: DeleteSecretKey :exec
-- Once no secret needs it.
DELETE FROM secret_key WHERE id = 1;

-- name: SealedSecret :one
SELECT key_id, sealed FROM sealed_secret WHERE kind = sqlc.arg(kind) AND owner_id = sqlc.arg(owner_id);

-- name: PutSealedSecret :exec
INSERT INTO sealed_secret (kind, owner_id, key_id, sealed) VALUES (sqlc.arg(kind), sqlc.arg(owner_id), sqlc.arg(key_id), sqlc.arg(sealed))
ON DUPLICATE KEY UPDATE key_id = VALUES(key_id), sealed = VALUES(sealed);

-- name: ResealSecret :execrows
UPDATE sealed_secret SET key_id = sqlc.arg('to'), sealed = sqlc.arg(sealed)
WHERE kind = sqlc.arg(kind) AND owner_id = sqlc.arg(owner_id) AND key_id = sqlc.arg('from');

-- name: DeleteSealedSecret :exec
DELETE FROM sealed_secret WHERE kind = sqlc.arg(kind) AND owner_id = sqlc.arg(owner_id);

-- name: SealedSecretsOfKey :many
SELECT kind, owner_id, sealed FROM sealed_secret FORCE INDEX (ix_sealed_secret_key)
WHERE key_id = sqlc.arg(key_id)
ORDER BY kind, owner_id
LIMIT ?;

-- name: SealedSecretsAfter :many
-- A page of the secrets of a kind.
SELECT owner_id, key_id, sealed FROM sealed_secret FORCE INDEX (PRIMARY)
WHERE kind = sqlc.arg(kind) AND owner_id > sqlc.arg(after)
ORDER BY owner_id
LIMIT ?;

-- name: NextKeyOfSecrets :one
-- The next of the keys that secrets are encrypted with.
SELECT key_id FROM sealed_secret FORCE INDEX (ix_sealed_secret_key) WHERE key_id > sqlc.arg(after) ORDER BY key_id LIMIT 1;

-- name: NextKindOfSecrets :one
SELECT kind FROM sealed_secret FORCE INDEX (PRIMARY) WHERE kind > sqlc.arg(after) ORDER BY kind LIMIT 1;

-- name: ServerBeforeSealing :one
-- A living server that does not read encrypted secrets.
SELECT id FROM migration_worker FORCE INDEX (ix_migration_worker_state)
WHERE state IN ('active', 'draining') AND lease_until > NOW(6) AND reads_sealed = FALSE
LIMIT 1;

-- name: WebhookSecrets :one
SELECT w.secret, w.old_secret, w.old_secret_ends, s.key_id, s.sealed, o.key_id AS old_key_id, o.sealed AS old_sealed
FROM webhook w
LEFT JOIN sealed_secret s ON s.kind = 'webhook' AND s.owner_id = w.id
LEFT JOIN sealed_secret o ON o.kind = 'webhook-old' AND o.owner_id = w.id
WHERE w.id = sqlc.arg(id);

-- name: WebhooksWithSecretsAfter :many
-- A page of the webhooks of all companies: whether a secret is in the clear, and the key of the one that is not.
SELECT w.id, w.company_id, c.slug AS company_slug, w.url, w.state, CAST(w.secret <> '' OR w.old_secret IS NOT NULL AS SIGNED) AS plain, COALESCE(s.key_id, '') AS key_id, COALESCE(o.key_id, '') AS old_key_id
FROM webhook w FORCE INDEX (PRIMARY)
STRAIGHT_JOIN company c ON c.id = w.company_id
LEFT JOIN sealed_secret s ON s.kind = 'webhook' AND s.owner_id = w.id
LEFT JOIN sealed_secret o ON o.kind = 'webhook-old' AND o.owner_id = w.id
WHERE w.id > sqlc.arg(after)
ORDER BY w.id
LIMIT ?;

-- name: LockWebhookSecrets :one
SELECT secret, old_secret FROM webhook WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: EmptyWebhookSecrets :exec
-- Once both are encrypted.
UPDATE webhook SET secret = '', old_secret = NULL WHERE id = sqlc.arg(id);

-- name: ReplaceWebhookSecret :exec
-- The new secret and the old one are in sealed_secret.
UPDATE webhook
SET secret = '', old_secret = NULL, old_secret_ends = sqlc.arg(ends), version = version + 1, updated_at = sqlc.arg(now)
WHERE id = sqlc.arg(id);

-- name: StopWebhookWithoutSecret :execrows
UPDATE webhook SET state = 'stopped', reason = sqlc.arg(reason), old_secret_ends = NULL, version = version + 1, fence = fence + 1
WHERE id = sqlc.arg(id) AND (state <> 'stopped' OR reason <> sqlc.arg(reason));

-- name: EmptySealerSecret :exec
UPDATE audit_sealer SET secret = '' WHERE id = 1;

-- name: DeleteSigningKey :exec
DELETE FROM signing_key WHERE id = 1;

-- name: SecretsOfGoneWebhooks :many
-- A page of the secrets of webhooks: whether the webhook is gone.
SELECT s.owner_id, CAST(w.id IS NULL AS SIGNED) AS gone
FROM sealed_secret s FORCE INDEX (PRIMARY)
LEFT JOIN webhook w ON w.id = s.owner_id
WHERE s.kind = 'webhook' AND s.owner_id > sqlc.arg(after)
ORDER BY s.owner_id
LIMIT ?;
