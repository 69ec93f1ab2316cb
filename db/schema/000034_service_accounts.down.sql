DROP TABLE run_image;
ALTER TABLE ref_issue DROP COLUMN purpose;
UPDATE api_token SET revoked_at = COALESCE(revoked_at, created_at) WHERE account_id IN (SELECT account_id FROM service_account);
-- The accounts stay, for what they wrote, without a password: with addresses in a domain that never is.
UPDATE account SET email = LOWER(CONCAT(email, '@service.invalid')) WHERE id IN (SELECT account_id FROM service_account);
DROP TABLE service_account;
