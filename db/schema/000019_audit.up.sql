-- contract: it makes the columns looser, and the release before reads only rows that have both.
-- An entry of the instance has no company. What the command line did, or a refused sign-in, has no account.
-- seq and mac are the entry's position in the chain of its company, or of the instance, and its HMAC, once it is sealed.
-- existing marks entries that were there before there were chains.
ALTER TABLE audit
  MODIFY company_id BIGINT UNSIGNED NULL,
  MODIFY account_id BIGINT UNSIGNED NULL,
  ADD COLUMN seq BIGINT UNSIGNED NULL,
  ADD COLUMN mac VARBINARY(32) NULL,
  ADD COLUMN existing BOOLEAN NOT NULL DEFAULT FALSE,
  ADD KEY ix_audit_seal (seq, id),
  ADD KEY ix_audit_chain (company_id, seq);

-- Entries of the instance that are being copied into the list of each company, which took part up to after_company.
CREATE TABLE audit_spread (
  audit_id BIGINT UNSIGNED NOT NULL,
  after_company BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (audit_id),
  CONSTRAINT fk_audit_spread_audit FOREIGN KEY (audit_id) REFERENCES audit (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The heads of the chains, by company; 0 is the instance's. Entries up to purged_seq were purged. Each end is signed.
CREATE TABLE audit_chain (
  chain BIGINT UNSIGNED NOT NULL,
  last_seq BIGINT UNSIGNED NOT NULL,
  last_mac VARBINARY(32) NOT NULL,
  head_mac VARBINARY(32) NOT NULL,
  purged_seq BIGINT UNSIGNED NOT NULL,
  purged_mac VARBINARY(32) NOT NULL,
  purge_mac VARBINARY(32) NOT NULL,
  PRIMARY KEY (chain)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The process that seals entries, and its key. Entries up to existing_to were there before.
CREATE TABLE audit_sealer (
  id TINYINT UNSIGNED NOT NULL,
  existing_to BIGINT UNSIGNED NOT NULL,
  secret VARBINARY(32) NOT NULL,
  owner BIGINT UNSIGNED NOT NULL,
  lease_until DATETIME(6) NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

INSERT INTO audit_sealer (id, existing_to, secret, owner, lease_until)
SELECT 1, COALESCE(MAX(id), 0), '', 0, '2000-01-01' FROM audit;
