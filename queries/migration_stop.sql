-- name: PresentStop :one
SELECT * FROM migration_stop WHERE id = 1;

-- name: AddStop :exec
INSERT INTO migration_stop (id, reason, account_id, actor, stopped_at)
VALUES (1, sqlc.arg(reason), sqlc.arg(account_id), sqlc.arg(actor), NOW(6));

-- name: RemoveStop :execrows
DELETE FROM migration_stop WHERE id = 1;

-- HaltWorkers keeps all workers from renewing their leases. It changes no more than the limit.
-- name: HaltWorkers :execrows
UPDATE migration_worker SET state = 'stopped', epoch = epoch + 1, halted = TRUE, in_flight = 0, per_second = 0
WHERE state IN ('active', 'draining')
ORDER BY id
LIMIT ?;

-- name: WorkerHalted :one
SELECT EXISTS(SELECT 1 FROM migration_worker WHERE id = sqlc.arg(id) AND halted) AS halted;

-- LockFreeRun finds no row if another transaction has locked it, which may stand still.
-- name: LockFreeRun :many
SELECT * FROM migration_run WHERE id = sqlc.arg(id) FOR UPDATE SKIP LOCKED;

-- EndFill has the batches of the worker that fills the run refused.
-- name: EndFill :exec
UPDATE migration_run SET fill_worker = 0, fill_fence = fill_fence + 1 WHERE id = sqlc.arg(id) AND state = 'filling';

-- HaltedTasks are claimed tasks, beyond an id, of workers that a stop ended.
-- name: HaltedTasks :many
SELECT t.id, t.fence
FROM migration_task t FORCE INDEX (ix_claim)
JOIN migration_worker w ON w.id = t.worker_id
WHERE t.run_id = sqlc.arg(run_id) AND t.state = 'processing' AND t.id > sqlc.arg(after) AND w.halted
ORDER BY t.id
LIMIT ?;
