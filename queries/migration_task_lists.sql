-- TaskIDsIn reads ids alone, from ix_claim.
-- name: TaskIDsIn :many
SELECT id FROM migration_task FORCE INDEX (ix_claim)
WHERE run_id = sqlc.arg(run_id) AND state = sqlc.arg(state) AND id > sqlc.arg(after)
ORDER BY id
LIMIT ?;

-- TasksAmong filters tasks by their last worker and iteration; 0 is any. Of a payload it reads the beginning, with one
-- character more than is shown.
-- name: TasksAmong :many
SELECT id, run_id, state, fence, worker_id, attempt, iteration, line, SUBSTRING(payload, 1, 1001) AS payload, note, fingerprint, due_at, claimed_at, finished_at
FROM migration_task
WHERE id IN (sqlc.slice(ids)) AND (worker_id = sqlc.arg(worker_id) OR sqlc.arg(worker_id) = 0) AND (iteration = sqlc.arg(iteration) OR sqlc.arg(iteration) = 0)
ORDER BY id
LIMIT ?;

-- name: TaskOf :one
SELECT * FROM migration_task WHERE id = sqlc.arg(id) AND run_id = sqlc.arg(run_id);

-- LockTasksByID locks the tasks that are of the run.
-- name: LockTasksByID :many
SELECT id, state, fingerprint FROM migration_task FORCE INDEX (PRIMARY)
WHERE id IN (sqlc.slice(ids)) AND run_id = sqlc.arg(run_id)
ORDER BY id
FOR UPDATE;

-- name: LockTasksIn :many
SELECT id, fingerprint FROM migration_task FORCE INDEX (ix_claim)
WHERE run_id = sqlc.arg(run_id) AND state = sqlc.arg(state) AND id > sqlc.arg(after)
ORDER BY id
LIMIT ?
FOR UPDATE;

-- name: LockTasksOfFailure :many
SELECT id, fingerprint FROM migration_task FORCE INDEX (ix_failed)
WHERE run_id = sqlc.arg(run_id) AND fingerprint = sqlc.arg(fingerprint) AND id > sqlc.arg(after)
ORDER BY id
LIMIT ?
FOR UPDATE;

-- name: RetryTasks :execrows
UPDATE migration_task
SET state = 'open', iteration = iteration + 1, attempt = 0, fingerprint = NULL, due_at = NULL, finished_at = NULL, note = ''
WHERE id IN (sqlc.slice(ids)) AND state IN ('failed', 'skipped', 'waiting');

-- name: SkipTasks :execrows
UPDATE migration_task
SET state = 'skipped', fingerprint = NULL, due_at = NULL, finished_at = NOW(6)
WHERE id IN (sqlc.slice(ids)) AND state IN ('open', 'waiting', 'failed');

-- TaskIDsOfFailure reads ids alone.
-- name: TaskIDsOfFailure :many
SELECT id FROM migration_task FORCE INDEX (ix_failed)
WHERE run_id = sqlc.arg(run_id) AND fingerprint = sqlc.arg(fingerprint) AND id > sqlc.arg(after)
ORDER BY id
LIMIT ?;

-- FailedAmong reads failed tasks with the message of their last attempt, in any order.
-- name: FailedAmong :many
SELECT t.id, t.run_id, t.state, t.worker_id, t.attempt, t.iteration, t.line, SUBSTRING(t.payload, 1, 32000) AS payload, t.fingerprint, t.claimed_at, t.finished_at,
       CONCAT(COALESCE(a.message, '')) AS message
FROM migration_task t
LEFT JOIN migration_attempt a ON a.id = (SELECT MAX(b.id) FROM migration_attempt b WHERE b.task_id = t.id)
WHERE t.id IN (sqlc.slice(ids)) AND t.state = 'failed';

-- name: AttemptsOf :many
SELECT * FROM migration_attempt FORCE INDEX (ix_migration_attempt_task)
WHERE task_id = sqlc.arg(task_id)
ORDER BY id DESC
LIMIT ?;

-- FingerprintsOf returns the fingerprints of a run's groups.
-- name: FingerprintsOf :many
SELECT fingerprint FROM migration_failure WHERE run_id = sqlc.arg(run_id) LIMIT ?;

-- FailuresOf returns a run's groups of failures.
-- name: FailuresOf :many
SELECT * FROM migration_failure WHERE run_id = sqlc.arg(run_id) LIMIT ?;

-- name: SubtractFailures :exec
UPDATE migration_failure SET failed = IF(failed > sqlc.arg(tasks), failed - sqlc.arg(tasks), 0) WHERE run_id = sqlc.arg(run_id) AND fingerprint = sqlc.arg(fingerprint);

-- name: FailureCount :one
SELECT failed FROM migration_failure WHERE run_id = sqlc.arg(run_id) AND fingerprint = sqlc.arg(fingerprint);
