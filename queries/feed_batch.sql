-- name: RecordBatch :exec
-- By the database's clock, under the lock of the sequence: later positions have no earlier time.
INSERT INTO feed_batch (feed, hi, k, committed_at) VALUES (sqlc.arg(feed), sqlc.arg(hi), sqlc.arg(k), NOW(6));
