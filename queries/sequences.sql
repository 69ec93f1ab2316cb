-- name: TakePositions :execresult
-- Hands out k positions of a feed and locks its row until the transaction ends. LastInsertId is the last of
-- them. It must match one row.
UPDATE sequences SET value = LAST_INSERT_ID(value + sqlc.arg(k)), version = version + 1 WHERE name = sqlc.arg(name);

-- name: Sequence :one
SELECT * FROM sequences WHERE name = sqlc.arg(name);

-- name: Sequences :many
SELECT * FROM sequences ORDER BY name;

-- name: NewEpoch :execrows
-- Refuses every cursor of before. Epochs of two copies of a database differ, for they are times.
UPDATE sequences SET epoch = GREATEST(epoch + 1, UNIX_TIMESTAMP()), version = version + 1;

-- name: RaiseHorizon :execrows
-- Up to there tombstones are gone.
UPDATE sequences SET horizon = GREATEST(horizon, CAST(sqlc.arg(horizon) AS UNSIGNED)) WHERE name = sqlc.arg(name);
