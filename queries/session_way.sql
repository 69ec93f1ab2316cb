-- name: AddSessionWay :exec
INSERT INTO session_way (session_id, company_id, way, at)
VALUES (sqlc.arg(session_id), sqlc.arg(company_id), sqlc.arg(way), sqlc.arg(at))
ON DUPLICATE KEY UPDATE at = VALUES(at);

-- name: SessionWays :many
-- By which ways a session proved its account, and those that count for a company alone: by an issuer as long as it counts
-- for the company.
SELECT w.way FROM session_way w
WHERE w.session_id = sqlc.arg(session_id) AND w.company_id IN (0, sqlc.arg(company_id))
  AND (w.company_id = 0 OR EXISTS (
    SELECT 1 FROM issuer_company c WHERE c.company_id = w.company_id AND w.way = CONCAT('oidc-', c.issuer_id)))
LIMIT 20;

-- name: DeleteSessionWays :execrows
DELETE FROM session_way WHERE session_id = sqlc.arg(session_id) ORDER BY company_id, way LIMIT 200;

-- name: DeleteSessionWay :exec
DELETE FROM session_way
WHERE session_id = sqlc.arg(session_id) AND company_id = 0 AND way = sqlc.arg(way);

-- name: ForgetSessionWays :execrows
-- Those of sessions that have ended by their age.
DELETE FROM session_way WHERE at < sqlc.arg(before) ORDER BY at LIMIT 1000;
