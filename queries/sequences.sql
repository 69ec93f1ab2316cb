-- name: AllocatePositions :execresult
-- Locks the feed's row until the transaction ends. LastInsertId is the last of the k positions. It must match one row.
UPDATE sequences SET value = LAST_INSERT_ID(value + sqlc.arg(k)), version = version + 1 WHERE name = sqlc.arg(name);

-- name: Sequence :one
-- head is how far readers may go: what is known to be durable.
SELECT s.name, s.value, s.epoch, s.horizon, CAST(LEAST(s.value, COALESCE(d.head, 0)) AS UNSIGNED) AS head
FROM sequences s LEFT JOIN feed_durable d ON d.feed = s.name
WHERE s.name = sqlc.arg(name);

-- name: Sequences :many
SELECT sequences.name, value, epoch, horizon, CAST(LEAST(value, COALESCE(d.head, 0)) AS UNSIGNED) AS head
FROM sequences LEFT JOIN feed_durable d ON d.feed = sequences.name
ORDER BY sequences.name;

-- name: NoteDurable :exec
-- For a position whose COMMIT has returned. It always writes: when it has returned, all that was visible before it is
-- durable.
INSERT INTO feed_durable (feed, head, notes) VALUES (sqlc.arg(feed), sqlc.arg(head), 1)
ON DUPLICATE KEY UPDATE head = GREATEST(head, VALUES(head)), notes = notes + 1;

-- name: NoteAllDurable :exec
-- For a database that nobody else uses, and whose commits have returned.
INSERT INTO feed_durable (feed, head, notes) SELECT name, value, 1 FROM sequences
ON DUPLICATE KEY UPDATE head = VALUES(head), notes = notes + 1;

-- name: NewEpoch :execrows
-- Refuses all earlier cursors. Epochs of two copies of a database differ, because they are times.
UPDATE sequences SET epoch = GREATEST(epoch + 1, UNIX_TIMESTAMP()), version = version + 1;

-- name: RaiseHorizon :execrows
-- Tombstones up to the horizon are gone.
UPDATE sequences SET horizon = GREATEST(horizon, CAST(sqlc.arg(horizon) AS UNSIGNED)) WHERE name = sqlc.arg(name);
