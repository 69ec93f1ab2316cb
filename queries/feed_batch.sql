-- name: RecordBatch :exec
-- By the database's clock, under the lock of the sequence: later positions have no earlier time.
INSERT INTO feed_batch (feed, hi, k, committed_at) VALUES (sqlc.arg(feed), sqlc.arg(hi), sqlc.arg(k), NOW(6));

-- name: BatchBefore :one
-- The last position allocated before a time.
SELECT hi FROM feed_batch WHERE feed = sqlc.arg(feed) AND committed_at < sqlc.arg(time) ORDER BY committed_at DESC, hi DESC LIMIT 1;

-- name: OldBatches :many
-- Batches of a feed that are older than 90 days, the oldest first; the newest of all is never one.
SELECT b.hi FROM feed_batch b FORCE INDEX (ix_feed_batch_time)
WHERE b.feed = sqlc.arg(feed) AND b.committed_at < NOW(6) - INTERVAL 90 DAY AND b.hi < (SELECT s.value FROM sequences s WHERE s.name = sqlc.arg(feed))
ORDER BY b.committed_at, b.hi
LIMIT ?;

-- name: ForgetBatches :execrows
DELETE FROM feed_batch WHERE feed = sqlc.arg(feed) AND hi IN (sqlc.slice(batches));

-- name: NewestBatch :one
-- The time of the last batch up to a position.
SELECT committed_at FROM feed_batch WHERE feed = sqlc.arg(feed) ORDER BY hi DESC LIMIT 1;
