-- TaskIDsIn reads ids alone, from ix_claim.
-- name: TaskIDsIn :many
SELECT id FROM migration_task FORCE INDEX (ix_claim)
WHERE run_id = sqlc.arg(run_id) AND state = sqlc.arg(state) AND id > sqlc.arg(after)
ORDER BY id
LIMIT ?;

-- The lists below say with each task whether an operator sees its payload (seen): whether it sees the board of the ticket
-- that the payload names, as it is now, or else the board of the run, or else the board that the payload names or, if
-- there is none, is in the run's company. A membership is needed for each.

-- TasksAmong filters tasks by their last worker and iteration; 0 is any. Of a payload it reads the beginning, with one
-- character more than is shown.
-- name: TasksAmong :many
SELECT t.id, t.run_id, t.state, t.fence, t.worker_id, t.attempt, t.iteration, t.line, SUBSTRING(t.payload, 1, 1001) AS payload, t.note, t.fingerprint, t.due_at, t.claimed_at, t.finished_at,
       r.name, CAST(COALESCE(x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0), m.role <> 'guest', FALSE) AND m.account_id IS NOT NULL AS SIGNED) > 0 AS seen
FROM migration_task t
JOIN migration_run r ON r.id = t.run_id
LEFT JOIN ticket k ON k.id = CAST(JSON_UNQUOTE(JSON_EXTRACT(IF(JSON_VALID(t.payload), t.payload, '{}'), '$.ticket')) AS UNSIGNED)
LEFT JOIN board b ON b.id = COALESCE(k.board_id, r.board_id, CAST(JSON_UNQUOTE(JSON_EXTRACT(IF(JSON_VALID(t.payload), t.payload, '{}'), '$.board')) AS UNSIGNED))
LEFT JOIN membership m ON m.company_id = COALESCE(b.company_id, r.company_id) AND m.account_id = sqlc.arg(reader)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE t.id IN (sqlc.slice(ids)) AND (t.worker_id = sqlc.arg(worker_id) OR sqlc.arg(worker_id) = 0) AND (t.iteration = sqlc.arg(iteration) OR sqlc.arg(iteration) = 0)
ORDER BY t.id
LIMIT ?;

-- name: TaskOf :one
SELECT sqlc.embed(t), r.name, CAST(COALESCE(x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0), m.role <> 'guest', FALSE) AND m.account_id IS NOT NULL AS SIGNED) > 0 AS seen
FROM migration_task t
JOIN migration_run r ON r.id = t.run_id
LEFT JOIN ticket k ON k.id = CAST(JSON_UNQUOTE(JSON_EXTRACT(IF(JSON_VALID(t.payload), t.payload, '{}'), '$.ticket')) AS UNSIGNED)
LEFT JOIN board b ON b.id = COALESCE(k.board_id, r.board_id, CAST(JSON_UNQUOTE(JSON_EXTRACT(IF(JSON_VALID(t.payload), t.payload, '{}'), '$.board')) AS UNSIGNED))
LEFT JOIN membership m ON m.company_id = COALESCE(b.company_id, r.company_id) AND m.account_id = sqlc.arg(reader)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE t.id = sqlc.arg(id) AND t.run_id = sqlc.arg(run_id);

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
       CONCAT(COALESCE(a.message, '')) AS message, r.name, CAST(COALESCE(x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0), m.role <> 'guest', FALSE) AND m.account_id IS NOT NULL AS SIGNED) > 0 AS seen
FROM migration_task t
JOIN migration_run r ON r.id = t.run_id
LEFT JOIN ticket k ON k.id = CAST(JSON_UNQUOTE(JSON_EXTRACT(IF(JSON_VALID(t.payload), t.payload, '{}'), '$.ticket')) AS UNSIGNED)
LEFT JOIN board b ON b.id = COALESCE(k.board_id, r.board_id, CAST(JSON_UNQUOTE(JSON_EXTRACT(IF(JSON_VALID(t.payload), t.payload, '{}'), '$.board')) AS UNSIGNED))
LEFT JOIN membership m ON m.company_id = COALESCE(b.company_id, r.company_id) AND m.account_id = sqlc.arg(reader)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
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
