-- name: RefIssue :one
SELECT * FROM ref_issue WHERE code = sqlc.arg(code);

-- name: RefInLedger :one
SELECT batch FROM ref_ledger WHERE code = sqlc.arg(code);
