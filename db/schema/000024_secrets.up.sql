-- Secrets that the program reads back, encrypted with a key that is not in the database. kind and owner_id say whose a
-- secret is, and are authenticated with it, so that it is of no use in another row.
CREATE TABLE sealed_secret (
  kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  owner_id BIGINT UNSIGNED NOT NULL,
  key_id CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  sealed VARBINARY(1000) NOT NULL,
  PRIMARY KEY (kind, owner_id),
  KEY ix_sealed_secret_key (key_id, kind, owner_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The key that new secrets are encrypted with, by its id. It has no row until there is one. uses grows with each secret,
-- so that none is encrypted beside a change of the key.
CREATE TABLE secret_key (
  id TINYINT UNSIGNED NOT NULL,
  key_id CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  uses BIGINT UNSIGNED NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- reads_sealed: the process reads sealed_secret. While one lives that does not, of the release before, secrets stay
-- where it finds them: in webhook.secret and webhook.old_secret, audit_sealer.secret and signing_key.
ALTER TABLE migration_worker ADD COLUMN reads_sealed BOOLEAN NOT NULL DEFAULT FALSE;
