-- name: RefInLedger :one
SELECT batch FROM ref_ledger WHERE code = sqlc.arg(code);

-- name: RefIssueInSight :one
-- A popped code with its token, for the account of the token and for operators. The ticket is named if it is in sight.
SELECT i.code, i.issued_at, i.token_id, i.purpose, COALESCE(t.name, '') AS token_name, COALESCE(a.name, '') AS account_name,
  COALESCE(b.slug, '') AS board_slug, COALESCE(k.local_id, 0) AS local_id,
  CAST(COALESCE(x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach), FALSE) AS SIGNED) AS visible
FROM ref_issue i
JOIN account r ON r.id = sqlc.arg(reader)
LEFT JOIN api_token t ON t.id = i.token_id
LEFT JOIN account a ON a.id = t.account_id
LEFT JOIN ticket k ON k.id = i.ticket_id AND k.deleted_at IS NULL
LEFT JOIN board b ON b.id = k.board_id AND b.company_id = sqlc.arg(company_id)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE i.code = sqlc.arg(code) AND (r.operator = TRUE OR t.account_id = r.id);
