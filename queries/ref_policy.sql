-- name: RefPolicy :one
SELECT * FROM ref_policy WHERE id = 1;

-- name: RefPolicyForUpdate :one
SELECT * FROM ref_policy WHERE id = 1 FOR UPDATE;

-- name: RequestRefill :execrows
UPDATE ref_policy SET wanted = TRUE WHERE id = 1 AND wanted = FALSE;

-- name: SetRefPolicy :exec
UPDATE ref_policy SET paused = sqlc.arg(paused), at_least = sqlc.arg(at_least), low_hours = sqlc.arg(low_hours), high_hours = sqlc.arg(high_hours) WHERE id = 1;

-- name: SetRefill :exec
UPDATE ref_policy SET refill_run = sqlc.arg(run_id) WHERE id = 1;

-- SetSweep records the newest run that quarantines lots.
-- name: SetSweep :exec
UPDATE ref_policy SET sweep_run = GREATEST(sweep_run, CAST(sqlc.arg(run_id) AS UNSIGNED)) WHERE id = 1;

-- MakeCanaryKey is done once.
-- name: MakeCanaryKey :execrows
UPDATE ref_policy SET canary_key = sqlc.arg(canary_key) WHERE id = 1 AND canary_key IS NULL;

-- BeginRefCount needs the policy's lock.
-- name: BeginRefCount :exec
UPDATE ref_policy SET count_began_at = sqlc.arg(now), count_ended_at = NULL WHERE id = 1;

-- name: AbandonRefCount :execrows
UPDATE ref_policy SET count_ended_at = sqlc.arg(now) WHERE id = 1 AND count_began_at = sqlc.arg(began_at) AND count_ended_at IS NULL;

-- name: EndRefCount :execrows
UPDATE ref_policy SET count_ended_at = sqlc.arg(now), counted_at = sqlc.arg(counted_at), counted_off = sqlc.arg(counted_off), counted_lost = sqlc.arg(counted_lost)
WHERE id = 1 AND count_began_at = sqlc.arg(began_at) AND count_ended_at IS NULL;
