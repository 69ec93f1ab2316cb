-- A key pair of an account, of which an authenticator has the private key (WebAuthn). user_handle is what the
-- authenticator knows the account by. flags are those of its registration; sign_count of its last use. cloned_at: an answer had a
-- count that should not be, so a copy of the key may be in use.
CREATE TABLE passkey (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  account_id BIGINT UNSIGNED NOT NULL,
  credential_id VARBINARY(1023) NOT NULL,
  user_handle BINARY(32) NOT NULL,
  public_key VARBINARY(2000) NOT NULL,
  sign_count INT UNSIGNED NOT NULL,
  flags TINYINT UNSIGNED NOT NULL,
  name VARCHAR(255) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  used_at DATETIME(6) NULL,
  cloned_at DATETIME(6) NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_passkey_credential (credential_id),
  KEY ix_passkey_account (account_id, id),
  CONSTRAINT fk_passkey_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Challenges that were answered, until they are too old to be: each has one answer. hash is SHA-256 of one.
CREATE TABLE used_challenge (
  hash BINARY(32) NOT NULL,
  at DATETIME(6) NOT NULL,
  PRIMARY KEY (hash),
  KEY ix_used_challenge_at (at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
