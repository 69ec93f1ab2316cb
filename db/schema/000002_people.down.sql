DROP TABLE audit;
DROP TABLE sign_in_limit;
DROP TABLE password_reset;
DROP TABLE invitation;
ALTER TABLE api_token DROP COLUMN expires_at, DROP COLUMN last_used_at, DROP COLUMN revoked_at;
-- Sessions of an ended epoch must not live again.
DELETE FROM sessions;
-- uq_membership_handle begins with company_id, but so does the primary key, which the foreign key can use.
ALTER TABLE membership DROP KEY uq_membership_handle, DROP KEY ix_membership_role, DROP COLUMN handle;
ALTER TABLE account DROP KEY ix_account_operator, DROP COLUMN session_epoch;
