-- By which ways a session proved whose it is. company_id is 0 for the account itself; what an issuer of one company
-- vouches for counts for that company alone. session_id is random, and in the session's data.
CREATE TABLE session_way (
  session_id BINARY(16) NOT NULL,
  company_id BIGINT UNSIGNED NOT NULL,
  way VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  at DATETIME(6) NOT NULL,
  PRIMARY KEY (session_id, company_id, way),
  KEY ix_session_way_at (at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The authenticator app of an account; its secret is in sealed_secret. last_step is the step of the last code that was
-- used: an earlier one is refused, and the same one, too.
CREATE TABLE account_totp (
  account_id BIGINT UNSIGNED NOT NULL,
  last_step BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (account_id),
  CONSTRAINT fk_account_totp_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Codes for a lost second factor, each for one use. hash is SHA-256 of the code.
CREATE TABLE recovery_code (
  account_id BIGINT UNSIGNED NOT NULL,
  hash BINARY(32) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  used_at DATETIME(6) NULL,
  PRIMARY KEY (account_id, hash),
  CONSTRAINT fk_recovery_code_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- second_factor: the company opens to sessions with a second factor alone.
ALTER TABLE company ADD COLUMN second_factor BOOLEAN NOT NULL DEFAULT FALSE;
