-- LockOpenTasks is the first half of a claim: the next tasks, by ix_claim alone, however many there are;
-- locked tasks are skipped. It begins behind an id, so that it does not walk over
-- claimed entries that are not purged yet. For run_id = ? MariaDB would do a lookup from the run's first task; for a
-- range it uses the whole index.
-- name: LockOpenTasks :many
SELECT id, attempt, iteration, line, payload FROM migration_task FORCE INDEX (ix_claim)
WHERE run_id >= sqlc.arg(run_id) AND run_id <= sqlc.arg(run_id) AND state = 'open' AND id > sqlc.arg(after)
ORDER BY run_id, state, id
LIMIT ?
FOR UPDATE SKIP LOCKED;

-- AnyTaskIn reports whether a run has a task in the state.
-- name: AnyTaskIn :one
SELECT EXISTS(SELECT 1 FROM migration_task FORCE INDEX (ix_claim) WHERE run_id = sqlc.arg(run_id) AND state = sqlc.arg(state)) AS found;

-- AnyTaskLeft reports whether a run has a task that is open, waiting or processing, all at one time.
-- name: AnyTaskLeft :one
SELECT EXISTS(SELECT 1 FROM migration_task FORCE INDEX (ix_claim)
  WHERE run_id = sqlc.arg(run_id) AND state IN ('open', 'waiting', 'processing')) AS found;

-- LostTasks are claimed tasks, beyond an id, whose worker is gone, but for those of HaltedTasks, or registered after the
-- claim (ids of workers restart in a restored database). One that registered in the future did so before the clock was
-- set back.
-- name: LostTasks :many
SELECT t.id, t.fence, t.worker_id
FROM migration_task t FORCE INDEX (ix_claim)
LEFT JOIN migration_worker w ON w.id = t.worker_id
WHERE t.run_id = sqlc.arg(run_id) AND t.state = 'processing' AND t.id > sqlc.arg(after)
  AND (w.id IS NULL OR w.state = 'stopped' AND NOT w.halted OR t.claimed_at < w.started_at AND w.started_at <= NOW(6))
ORDER BY t.id
LIMIT ?;

-- LockLostTasks skips locked tasks.
-- name: LockLostTasks :many
SELECT t.id, t.fence, t.attempt, t.iteration, t.worker_id,
       CAST(GREATEST(TIMESTAMPDIFF(MICROSECOND, t.claimed_at, NOW(6)), 0) AS UNSIGNED) AS held_us
FROM migration_task t FORCE INDEX (PRIMARY)
WHERE t.id IN (sqlc.slice(ids)) AND t.state = 'processing'
ORDER BY t.id
FOR UPDATE SKIP LOCKED;

-- LockDueTasks locks tasks of a run that have waited long enough.
-- name: LockDueTasks :many
SELECT id FROM migration_task FORCE INDEX (ix_due)
WHERE run_id = sqlc.arg(run_id) AND due_at <= NOW(6)
ORDER BY due_at
LIMIT ?
FOR UPDATE SKIP LOCKED;

-- LockWaitingTasks locks tasks of a run that wait for their next attempt, beyond an id.
-- name: LockWaitingTasks :many
SELECT id FROM migration_task FORCE INDEX (ix_claim)
WHERE run_id = sqlc.arg(run_id) AND state = 'waiting' AND id > sqlc.arg(after)
ORDER BY id
LIMIT ?
FOR UPDATE SKIP LOCKED;

-- name: ShiftDueTasks :exec
UPDATE migration_task SET due_at = due_at + INTERVAL sqlc.arg(shift_us) MICROSECOND
WHERE id IN (sqlc.slice(ids)) AND state = 'waiting';

-- name: OpenDueTasks :execrows
UPDATE migration_task SET state = 'open', due_at = NULL WHERE id IN (sqlc.slice(ids)) AND state = 'waiting';
