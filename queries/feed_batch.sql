-- name: RecordBatch :exec
-- By the database's clock, under the lock of the sequence: later positions have no earlier time.
INSERT INTO feed_batch (feed, hi, k, committed_at) VALUES (sqlc.arg(feed), sqlc.arg(hi), sqlc.arg(k), NOW(6));

-- name: BatchBefore :one
-- The last position that was given out before a time.
SELECT hi FROM feed_batch WHERE feed = sqlc.arg(feed) AND committed_at < sqlc.arg(time) ORDER BY committed_at DESC, hi DESC LIMIT 1;
