-- name: AllocatePositions :execresult
-- Locks the feed's row until the transaction ends. LastInsertId is the last of the k positions. It must match one row.
UPDATE sequences SET value = LAST_INSERT_ID(value + sqlc.arg(k)), version = version + 1 WHERE name = sqlc.arg(name);

-- name: Sequence :one
SELECT * FROM sequences WHERE name = sqlc.arg(name);

-- name: Sequences :many
SELECT * FROM sequences ORDER BY name;

-- name: NewEpoch :execrows
-- Refuses all earlier cursors. Epochs of two copies of a database differ, because they are times.
UPDATE sequences SET epoch = GREATEST(epoch + 1, UNIX_TIMESTAMP()), version = version + 1;

-- name: RaiseHorizon :execrows
-- Tombstones up to the horizon are gone.
UPDATE sequences SET horizon = GREATEST(horizon, CAST(sqlc.arg(horizon) AS UNSIGNED)) WHERE name = sqlc.arg(name);
