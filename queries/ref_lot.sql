-- name: OpenLot :execlastid
-- The lot of a run, added if there is none.
INSERT INTO ref_lot (run_id, source, length, created_at) VALUES (sqlc.arg(run_id), sqlc.arg(source), sqlc.arg(length), sqlc.arg(now))
ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id);

-- name: LotOfRun :one
SELECT * FROM ref_lot WHERE run_id = sqlc.arg(run_id);

-- name: OpenBatch :execlastid
INSERT INTO ref_batch (lot_id) VALUES (sqlc.arg(lot_id));

-- AddToLot locks the lot, and adds nothing to one in quarantine.
-- name: AddToLot :execrows
UPDATE ref_lot SET codes = codes + sqlc.arg(codes), drawn = drawn + sqlc.arg(drawn), blocked = blocked + sqlc.arg(blocked),
  collided = collided + sqlc.arg(collided), expected = expected + sqlc.arg(expected) WHERE id = sqlc.arg(id) AND quarantined_at IS NULL;

-- name: Lot :one
SELECT * FROM ref_lot WHERE id = sqlc.arg(id);

-- Lots has the newest first.
-- name: Lots :many
SELECT * FROM ref_lot WHERE id < sqlc.arg(before) ORDER BY id DESC LIMIT ?;

-- name: QuarantineLot :execrows
UPDATE ref_lot SET quarantined_at = sqlc.arg(now), sweep_run = sqlc.arg(sweep_run) WHERE id = sqlc.arg(id) AND quarantined_at IS NULL;

-- name: AddQuarantinedToLot :execrows
UPDATE ref_lot SET quarantined = quarantined + sqlc.arg(n) WHERE id = sqlc.arg(id);
