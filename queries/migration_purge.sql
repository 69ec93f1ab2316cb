-- RunsToPurge are runs that ended before a time, in the order of ids: those that are not purged, and those of which a
-- purge left rows.
-- name: RunsToPurge :many
SELECT r.id, r.name, r.finished_at FROM migration_run r
WHERE r.id > sqlc.arg(after) AND r.state IN ('complete', 'cancelled') AND r.finished_at < sqlc.arg(before)
  AND (r.purged_at IS NULL OR (SELECT t.id FROM migration_task t WHERE t.run_id = r.id LIMIT 1) IS NOT NULL
    OR (SELECT s.run_id FROM migration_sample s WHERE s.run_id = r.id LIMIT 1) IS NOT NULL
    OR (SELECT e.id FROM migration_event e WHERE e.run_id = r.id LIMIT 1) IS NOT NULL)
ORDER BY r.id
LIMIT ?;

-- PurgeRun keeps of a run what its page shows.
-- name: PurgeRun :exec
UPDATE migration_run
SET purged_at = NOW(6), params = sqlc.arg(params), same_key = NULL, upload = '', upload_hash = NULL, fill_cursor = '', listed = 'finished'
WHERE id = sqlc.arg(id);

-- name: PurgeRunCounters :exec
DELETE FROM migration_counter WHERE run_id = sqlc.arg(run_id);

-- name: PurgeRunRejections :exec
DELETE FROM migration_rejection WHERE run_id = sqlc.arg(run_id);

-- name: PurgeRunSamples :exec
DELETE FROM migration_sample WHERE run_id = sqlc.arg(run_id) ORDER BY at LIMIT ?;

-- name: PurgeRunEvents :exec
DELETE FROM migration_event WHERE run_id = sqlc.arg(run_id) ORDER BY id LIMIT ?;

-- name: PurgeTaskAttempts :exec
DELETE FROM migration_attempt WHERE task_id IN (sqlc.slice(tasks));

-- name: PurgeTaskFailures :exec
DELETE FROM migration_failure WHERE task_id IN (sqlc.slice(tasks));

-- name: PurgeTasks :exec
DELETE FROM migration_task WHERE run_id = sqlc.arg(run_id) AND id IN (sqlc.slice(tasks));
