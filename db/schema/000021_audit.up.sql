-- contract: it makes the columns looser, and the release before reads only rows that have both.
-- An entry of the instance has no company. What the command line did, or a refused sign-in, has no account.
ALTER TABLE audit
  MODIFY company_id BIGINT UNSIGNED NULL,
  MODIFY account_id BIGINT UNSIGNED NULL;

-- Entries of the instance that are being copied into the list of each company, which took part up to after_company.
CREATE TABLE audit_spread (
  audit_id BIGINT UNSIGNED NOT NULL,
  after_company BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (audit_id),
  CONSTRAINT fk_audit_spread_audit FOREIGN KEY (audit_id) REFERENCES audit (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
