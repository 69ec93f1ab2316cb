-- name: CreateConsumer :execlastid
INSERT INTO feed_consumer (company_id, feed, name, epoch, position, began, created_by, created_at, seen_at)
VALUES (sqlc.arg(company_id), sqlc.arg(feed), sqlc.arg(name), sqlc.arg(epoch), sqlc.arg(position), sqlc.arg(began), sqlc.arg(created_by), NOW(6), NOW(6));

-- name: ConsumerByName :one
SELECT sqlc.embed(f), c.slug AS company_slug
FROM feed_consumer f JOIN company c ON c.id = f.company_id
WHERE f.company_id = sqlc.arg(company_id) AND f.feed = sqlc.arg(feed) AND f.name = sqlc.arg(name);

-- name: ConsumerByID :one
SELECT sqlc.embed(f), c.slug AS company_slug
FROM feed_consumer f JOIN company c ON c.id = f.company_id
WHERE f.id = sqlc.arg(id);

-- name: ConsumersOf :many
-- A page of a company's consumers.
SELECT sqlc.embed(f), c.slug AS company_slug
FROM feed_consumer f FORCE INDEX (ix_feed_consumer_company) STRAIGHT_JOIN company c ON c.id = f.company_id
WHERE f.company_id = sqlc.arg(company_id) AND f.id > sqlc.arg(after)
ORDER BY f.id
LIMIT ?;

-- name: AllConsumers :many
-- A page of the consumers of all companies.
SELECT sqlc.embed(f), c.slug AS company_slug
FROM feed_consumer f STRAIGHT_JOIN company c ON c.id = f.company_id
WHERE f.id > sqlc.arg(after)
ORDER BY f.id
LIMIT ?;

-- name: AdvanceConsumer :execrows
-- Only from the given position: of two advances from one position, one succeeds.
UPDATE feed_consumer SET epoch = sqlc.arg(epoch), position = sqlc.arg(position), began = sqlc.arg(began), seen_at = NOW(6)
WHERE id = sqlc.arg(id) AND epoch = sqlc.arg(from_epoch) AND position = sqlc.arg(from_position) AND began = sqlc.arg(from_began);

-- name: SeekConsumer :execrows
UPDATE feed_consumer SET epoch = sqlc.arg(epoch), position = sqlc.arg(position), began = sqlc.arg(began) WHERE id = sqlc.arg(id);

-- name: TouchConsumer :exec
-- Records reads to five seconds, so that not every read writes.
UPDATE feed_consumer SET seen_at = NOW(6) WHERE id = sqlc.arg(id) AND seen_at < NOW(6) - INTERVAL 5 SECOND;

-- name: PauseConsumer :execrows
UPDATE feed_consumer SET paused = sqlc.arg(paused) WHERE id = sqlc.arg(id);

-- name: DeleteConsumer :execrows
DELETE FROM feed_consumer WHERE id = sqlc.arg(id);
