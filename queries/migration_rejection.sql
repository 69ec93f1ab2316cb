-- name: RejectionsOf :many
-- seen is as in the lists of tasks.
SELECT n.number, n.line, n.reason, n.content, r.name, CAST(COALESCE(x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0), m.role <> 'guest', FALSE) AND m.account_id IS NOT NULL AS SIGNED) > 0 AS seen
FROM migration_rejection n
JOIN migration_run r ON r.id = n.run_id
LEFT JOIN board b ON b.id = r.board_id
LEFT JOIN membership m ON m.company_id = r.company_id AND m.account_id = sqlc.arg(reader)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE n.run_id = sqlc.arg(run_id) AND n.number > sqlc.arg(after)
ORDER BY n.number
LIMIT ?;
