-- name: LeaseRenewed :one
SELECT renewed_at FROM migration_lease WHERE name = sqlc.arg(name);

-- name: AddLease :exec
INSERT INTO migration_lease (name, worker_id, renewed_at, lease_until) VALUES (sqlc.arg(name), 0, NOW(6), NOW(6))
ON DUPLICATE KEY UPDATE name = VALUES(name);

-- AcquireLease renews the holder's lease, and gives it to another worker once it is over, or if it was not renewed since
-- the time unrenewed.
-- name: AcquireLease :execrows
UPDATE migration_lease
SET worker_id = sqlc.arg(worker_id), renewed_at = NOW(6), lease_until = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND
WHERE name = sqlc.arg(name) AND (worker_id = sqlc.arg(worker_id) OR lease_until < NOW(6) OR renewed_at = sqlc.arg(unrenewed));

-- name: EndLease :exec
UPDATE migration_lease SET lease_until = NOW(6) - INTERVAL 1 MICROSECOND WHERE name = sqlc.arg(name) AND worker_id = sqlc.arg(worker_id);
