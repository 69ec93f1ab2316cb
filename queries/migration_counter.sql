-- ProgressOf adds up a few dozen rows: the run's workers.
-- name: ProgressOf :one
SELECT CAST(COALESCE(SUM(processing), 0) AS SIGNED) AS processing, CAST(COALESCE(SUM(waiting), 0) AS SIGNED) AS waiting,
       CAST(COALESCE(SUM(complete), 0) AS SIGNED) AS complete, CAST(COALESCE(SUM(failed), 0) AS SIGNED) AS failed,
       CAST(COALESCE(SUM(skipped), 0) AS SIGNED) AS skipped, CAST(COALESCE(SUM(errors), 0) AS SIGNED) AS errors,
       CAST(COALESCE(SUM(refused), 0) AS SIGNED) AS refused, CAST(COALESCE(SUM(reclaimed), 0) AS SIGNED) AS reclaimed
FROM migration_counter WHERE run_id = sqlc.arg(run_id);

-- AddToCounter adds, or takes away, in the transaction of the tasks that it counts.
-- name: AddToCounter :exec
INSERT INTO migration_counter (run_id, worker_id, processing, waiting, complete, failed, skipped, errors, refused, reclaimed)
VALUES (sqlc.arg(run_id), sqlc.arg(worker_id), sqlc.arg(processing), sqlc.arg(waiting), sqlc.arg(complete), sqlc.arg(failed),
        sqlc.arg(skipped), sqlc.arg(errors), sqlc.arg(refused), sqlc.arg(reclaimed))
ON DUPLICATE KEY UPDATE processing = processing + VALUES(processing), waiting = waiting + VALUES(waiting),
  complete = complete + VALUES(complete), failed = failed + VALUES(failed), skipped = skipped + VALUES(skipped),
  errors = errors + VALUES(errors), refused = refused + VALUES(refused), reclaimed = reclaimed + VALUES(reclaimed);

-- CountersOf reads a few dozen rows: one for each living worker, and row 0.
-- name: CountersOf :many
SELECT * FROM migration_counter WHERE run_id = sqlc.arg(run_id) ORDER BY worker_id;

-- name: ProgressOfRuns :many
SELECT run_id, CAST(COALESCE(SUM(processing), 0) AS SIGNED) AS processing, CAST(COALESCE(SUM(waiting), 0) AS SIGNED) AS waiting,
       CAST(COALESCE(SUM(complete), 0) AS SIGNED) AS complete, CAST(COALESCE(SUM(failed), 0) AS SIGNED) AS failed,
       CAST(COALESCE(SUM(skipped), 0) AS SIGNED) AS skipped, CAST(COALESCE(SUM(errors), 0) AS SIGNED) AS errors,
       CAST(COALESCE(SUM(refused), 0) AS SIGNED) AS refused, CAST(COALESCE(SUM(reclaimed), 0) AS SIGNED) AS reclaimed
FROM migration_counter WHERE run_id IN (sqlc.slice(runs)) GROUP BY run_id;

-- AcknowledgeRun records that a worker acts on a version of the run and has no tasks of it.
-- name: AcknowledgeRun :exec
INSERT INTO migration_counter (run_id, worker_id, seen) VALUES (sqlc.arg(run_id), sqlc.arg(worker_id), sqlc.arg(seen))
ON DUPLICATE KEY UPDATE seen = GREATEST(seen, VALUES(seen));

-- CountUnawareWorkers counts the living workers that have not seen the version of the run.
-- name: CountUnawareWorkers :one
SELECT COUNT(*) FROM migration_worker w FORCE INDEX (ix_migration_worker_state)
LEFT JOIN migration_counter c ON c.run_id = sqlc.arg(run_id) AND c.worker_id = w.id
WHERE w.state IN ('active', 'draining') AND w.lease_until > NOW(6) AND COALESCE(c.seen, 0) < sqlc.arg(version);

-- StaleCounters returns the stopped workers that have a row.
-- name: StaleCounters :many
SELECT c.worker_id FROM migration_counter c
LEFT JOIN migration_worker w ON w.id = c.worker_id
WHERE c.run_id = sqlc.arg(run_id) AND c.worker_id > 0 AND (w.id IS NULL OR w.state = 'stopped')
ORDER BY c.worker_id
LIMIT ?;

-- LockCounters skips locked rows.
-- name: LockCounters :many
SELECT * FROM migration_counter WHERE run_id = sqlc.arg(run_id) AND worker_id IN (sqlc.slice(workers)) FOR UPDATE SKIP LOCKED;

-- name: DropCounters :execrows
DELETE FROM migration_counter WHERE run_id = sqlc.arg(run_id) AND worker_id IN (sqlc.slice(workers));
