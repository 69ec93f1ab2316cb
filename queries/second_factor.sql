-- name: SecondFactors :one
-- What an account has beside its password, and how many of its recovery codes are left.
SELECT EXISTS (SELECT 1 FROM account_totp t WHERE t.account_id = a.id) AS totp,
       (SELECT COUNT(*) FROM passkey p WHERE p.account_id = a.id) AS passkeys,
       (SELECT COUNT(*) FROM recovery_code c WHERE c.account_id = a.id AND c.used_at IS NULL) AS codes
FROM account a
WHERE a.id = sqlc.arg(account_id);

-- name: CreateTOTP :exec
INSERT INTO account_totp (account_id, last_step, created_at)
VALUES (sqlc.arg(account_id), sqlc.arg(last_step), sqlc.arg(created_at));

-- name: UseTOTPStep :execrows
-- Each step once, and none before the last.
UPDATE account_totp SET last_step = sqlc.arg(step) WHERE account_id = sqlc.arg(account_id) AND last_step < sqlc.arg(step);

-- name: DeleteTOTP :execrows
DELETE FROM account_totp WHERE account_id = sqlc.arg(account_id);

-- name: CreateRecoveryCode :exec
INSERT INTO recovery_code (account_id, hash, created_at)
VALUES (sqlc.arg(account_id), sqlc.arg(hash), sqlc.arg(created_at));

-- name: UseRecoveryCode :execrows
UPDATE recovery_code SET used_at = sqlc.arg(now)
WHERE account_id = sqlc.arg(account_id) AND hash = sqlc.arg(hash) AND used_at IS NULL;

-- name: DeleteRecoveryCodes :exec
DELETE FROM recovery_code WHERE account_id = sqlc.arg(account_id) ORDER BY hash LIMIT 100;
