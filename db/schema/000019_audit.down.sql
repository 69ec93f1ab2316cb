DROP TABLE audit_sealer;
DROP TABLE audit_chain;
DROP TABLE audit_spread;
DELETE FROM audit WHERE company_id IS NULL OR account_id IS NULL;
ALTER TABLE audit
  DROP KEY ix_audit_seal,
  DROP KEY ix_audit_chain,
  DROP COLUMN seq,
  DROP COLUMN mac,
  DROP COLUMN existing,
  MODIFY company_id BIGINT UNSIGNED NOT NULL,
  MODIFY account_id BIGINT UNSIGNED NOT NULL;
