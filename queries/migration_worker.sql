-- LivingWorkers reads a few dozen rows. left_us is the rest of the lease.
-- name: LivingWorkers :many
SELECT sqlc.embed(migration_worker), CAST(TIMESTAMPDIFF(MICROSECOND, NOW(6), lease_until) AS SIGNED) AS left_us
FROM migration_worker FORCE INDEX (ix_migration_worker_state)
WHERE state IN ('active', 'draining') AND lease_until > NOW(6)
ORDER BY id
LIMIT 1000;

-- name: RegisterWorker :execlastid
INSERT INTO migration_worker (host, pid, version, knows, state, started_at, beat_at, lease_until, reads_sealed)
VALUES (sqlc.arg(host), sqlc.arg(pid), sqlc.arg(version), sqlc.arg(knows), sqlc.arg(state), NOW(6), NOW(6), NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND, TRUE);

-- RenewWorker finds no row once the worker was declared dead.
-- name: RenewWorker :execrows
UPDATE migration_worker
SET lease_until = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND, beat_at = NOW(6), in_flight = sqlc.arg(in_flight),
    finished = sqlc.arg(finished), per_second = sqlc.arg(per_second), claim_p99_us = sqlc.arg(claim_p99_us)
WHERE id = sqlc.arg(id) AND epoch = sqlc.arg(epoch) AND state <> 'stopped';

-- SignOffWorker ends a lease at once.
-- name: SignOffWorker :exec
UPDATE migration_worker
SET state = 'stopped', epoch = epoch + 1, lease_until = NOW(6), beat_at = NOW(6), in_flight = 0, finished = sqlc.arg(finished), per_second = 0
WHERE id = sqlc.arg(id) AND epoch = sqlc.arg(epoch);

-- Clock is the database's time.
-- name: Clock :one
SELECT CAST(NOW(6) AS DATETIME(6)) AS now;

-- WorkerCounts returns how many workers can claim, whether this one drains, the time, whether all runs are stopped, and
-- whether this worker was ended by that.
-- name: WorkerCounts :one
SELECT CAST(NOW(6) AS DATETIME(6)) AS time, CAST(COALESCE(SUM(w.state = 'active'), 0) AS SIGNED) AS active, CAST(COALESCE(SUM(w.id = sqlc.arg(id) AND w.state = 'draining'), 0) AS SIGNED) AS draining,
       EXISTS(SELECT 1 FROM migration_stop s WHERE s.id = 1) AS stopped, EXISTS(SELECT 1 FROM migration_worker h WHERE h.id = sqlc.arg(worker) AND h.halted) AS halted
FROM migration_worker w FORCE INDEX (ix_migration_worker_state)
WHERE w.state IN ('active', 'draining') AND w.lease_until > NOW(6);

-- WorkerLeases are those of the workers that have not stopped: when each was renewed, for how long, and whether it is
-- over by the database's clock.
-- name: WorkerLeases :many
SELECT id, epoch, beat_at, CAST(TIMESTAMPDIFF(MICROSECOND, beat_at, lease_until) AS SIGNED) AS lease_us,
       lease_until < NOW(6) AS expired, CAST(NOW(6) AS DATETIME(6)) AS now
FROM migration_worker FORCE INDEX (ix_migration_worker_state)
WHERE state IN ('active', 'draining')
ORDER BY id
LIMIT ?;

-- DeclareDead keeps a worker from renewing its lease, unless it did so since that was looked at.
-- name: DeclareDead :execrows
UPDATE migration_worker SET state = 'stopped', epoch = epoch + 1, in_flight = 0, per_second = 0
WHERE id = sqlc.arg(id) AND epoch = sqlc.arg(epoch) AND beat_at = sqlc.arg(beat_at);

-- name: WorkerNames :many
SELECT id, host, pid FROM migration_worker WHERE id IN (sqlc.slice(ids));

-- ForgetWorkers removes workers that stopped a week ago.
-- name: ForgetWorkers :execrows
DELETE FROM migration_worker WHERE state = 'stopped' AND lease_until < NOW(6) - INTERVAL 7 DAY ORDER BY id LIMIT ?;
