-- AddSample records the run's counters.
-- name: AddSample :exec
INSERT INTO migration_sample (run_id, at, complete, failed, skipped, errors, processing)
SELECT r.id, NOW(6), COALESCE(SUM(c.complete), 0), COALESCE(SUM(c.failed), 0), COALESCE(SUM(c.skipped), 0),
       COALESCE(SUM(c.errors), 0), COALESCE(SUM(c.processing), 0)
FROM migration_run r LEFT JOIN migration_counter c ON c.run_id = r.id
WHERE r.id = sqlc.arg(run_id)
GROUP BY r.id;

-- name: LastSamples :many
SELECT * FROM migration_sample WHERE run_id = sqlc.arg(run_id) ORDER BY at DESC LIMIT ?;

-- ThinSamples leaves about one in five minutes.
-- name: ThinSamples :execrows
DELETE FROM migration_sample
WHERE run_id = sqlc.arg(run_id) AND at >= sqlc.arg(since) AND at < sqlc.arg(before) AND (SECOND(at) >= 5 OR MINUTE(at) % 5 <> 0)
ORDER BY at
LIMIT ?;
