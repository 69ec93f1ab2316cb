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

-- CountersOf reads a few dozen rows: one for each worker who lives, and row 0.
-- name: CountersOf :many
SELECT * FROM migration_counter WHERE run_id = sqlc.arg(run_id) ORDER BY worker_id;

-- name: ProgressOfRuns :many
SELECT run_id, CAST(COALESCE(SUM(processing), 0) AS SIGNED) AS processing, CAST(COALESCE(SUM(waiting), 0) AS SIGNED) AS waiting,
       CAST(COALESCE(SUM(complete), 0) AS SIGNED) AS complete, CAST(COALESCE(SUM(failed), 0) AS SIGNED) AS failed,
       CAST(COALESCE(SUM(skipped), 0) AS SIGNED) AS skipped, CAST(COALESCE(SUM(errors), 0) AS SIGNED) AS errors,
       CAST(COALESCE(SUM(refused), 0) AS SIGNED) AS refused, CAST(COALESCE(SUM(reclaimed), 0) AS SIGNED) AS reclaimed
FROM migration_counter WHERE run_id IN (sqlc.slice(runs)) GROUP BY run_id;
