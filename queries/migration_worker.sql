-- LivingWorkers reads a few dozen rows. left_us is what is left of the lease.
-- name: LivingWorkers :many
SELECT sqlc.embed(migration_worker), CAST(TIMESTAMPDIFF(MICROSECOND, NOW(6), lease_until) AS SIGNED) AS left_us
FROM migration_worker FORCE INDEX (ix_migration_worker_state)
WHERE state IN ('active', 'draining') AND lease_until > NOW(6)
ORDER BY id
LIMIT 1000;
