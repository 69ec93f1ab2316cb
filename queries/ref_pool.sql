-- name: RefInLedger :one
SELECT batch FROM ref_ledger WHERE code = sqlc.arg(code);
