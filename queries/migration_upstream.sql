-- BlockUpstream never shortens a block.
-- name: BlockUpstream :exec
INSERT INTO migration_upstream (host, blocked_until, reason)
VALUES (sqlc.arg(host), NOW(6) + INTERVAL sqlc.arg(micros) MICROSECOND, sqlc.arg(reason))
ON DUPLICATE KEY UPDATE reason = IF(VALUES(blocked_until) > blocked_until, VALUES(reason), reason),
  blocked_until = GREATEST(blocked_until, VALUES(blocked_until));

-- BlockedUpstreams has the longest blocks first.
-- name: BlockedUpstreams :many
SELECT host, reason, CAST(TIMESTAMPDIFF(MICROSECOND, NOW(6), blocked_until) AS SIGNED) AS left_us
FROM migration_upstream FORCE INDEX (ix_migration_upstream_until)
WHERE blocked_until > NOW(6)
ORDER BY blocked_until DESC
LIMIT ?;

-- name: ExpiredUpstreams :many
SELECT host FROM migration_upstream FORCE INDEX (ix_migration_upstream_until) WHERE blocked_until < NOW(6) ORDER BY blocked_until LIMIT ?;

-- name: ForgetUpstreams :exec
DELETE FROM migration_upstream WHERE host IN (sqlc.slice(hosts)) AND blocked_until < NOW(6);
