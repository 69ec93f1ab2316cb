-- name: LeaseRenewed :one
SELECT renewed_at FROM migration_lease WHERE name = sqlc.arg(name);
