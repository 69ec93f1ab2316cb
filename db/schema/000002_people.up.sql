-- session_epoch ends all of a person's sessions when it grows: a session carries the one that it began in.
ALTER TABLE account
  ADD COLUMN session_epoch BIGINT UNSIGNED NOT NULL DEFAULT 1,
  ADD KEY ix_account_operator (operator);

-- handle is how a text names a member: @ana.
ALTER TABLE membership ADD COLUMN handle VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NULL;
-- By way of a table: a Galera server refuses to update a join with a derived one.
CREATE TABLE membership_handle (
  company_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  handle VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (company_id, account_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
INSERT INTO membership_handle (company_id, account_id, handle)
SELECT company_id, account_id, CONCAT(name, IF(nth > 1, CONCAT('-', nth), ''))
FROM (
  SELECT company_id, account_id, name,
         ROW_NUMBER() OVER (PARTITION BY company_id, name ORDER BY account_id) AS nth
  FROM (
    SELECT m.company_id, m.account_id,
           COALESCE(NULLIF(REGEXP_REPLACE(LOWER(LEFT(SUBSTRING_INDEX(a.email, '@', 1), 20)), '[^a-z0-9]+', ''), ''), 'person') AS name
    FROM membership m JOIN account a ON a.id = m.account_id
  ) one
) named;
UPDATE membership m JOIN membership_handle h ON h.company_id = m.company_id AND h.account_id = m.account_id SET m.handle = h.handle;
DROP TABLE membership_handle;
ALTER TABLE membership
  MODIFY COLUMN handle VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  ADD UNIQUE KEY uq_membership_handle (company_id, handle),
  ADD KEY ix_membership_role (role, company_id);

ALTER TABLE api_token
  ADD COLUMN expires_at DATETIME(6) NULL,
  ADD COLUMN last_used_at DATETIME(6) NULL,
  ADD COLUMN revoked_at DATETIME(6) NULL;

-- A link that makes whoever opens it a member. hash is SHA-256 of its secret. A max_uses of NULL is many times.
CREATE TABLE invitation (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  hash BINARY(32) NOT NULL,
  role VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  note VARCHAR(255) NOT NULL,
  max_uses INT UNSIGNED NULL,
  uses INT UNSIGNED NOT NULL DEFAULT 0,
  created_by BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  expires_at DATETIME(6) NOT NULL,
  revoked_at DATETIME(6) NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_invitation_hash (hash),
  KEY ix_invitation_company (company_id, id),
  KEY ix_invitation_author (created_by),
  CONSTRAINT fk_invitation_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_invitation_author FOREIGN KEY (created_by) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- A link that lets its reader choose a new password, once.
CREATE TABLE password_reset (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  hash BINARY(32) NOT NULL,
  created_by BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  expires_at DATETIME(6) NOT NULL,
  used_at DATETIME(6) NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_password_reset_hash (hash),
  KEY ix_password_reset_account (account_id),
  KEY ix_password_reset_company (company_id),
  KEY ix_password_reset_author (created_by),
  CONSTRAINT fk_password_reset_account FOREIGN KEY (account_id) REFERENCES account (id),
  CONSTRAINT fk_password_reset_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_password_reset_author FOREIGN KEY (created_by) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Failed sign-ins by what they have in common: name is SHA-256 of an account's and an address, or of one of them.
CREATE TABLE sign_in_limit (
  name BINARY(32) NOT NULL,
  failures INT UNSIGNED NOT NULL,
  last_at DATETIME(6) NOT NULL,
  PRIMARY KEY (name),
  KEY ix_sign_in_limit_last (last_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- What was done that bears on security, by company. account_id is who did it; detail is JSON.
CREATE TABLE audit (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  kind VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  detail TEXT NOT NULL,
  address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  KEY ix_audit_company (company_id, id),
  KEY ix_audit_account (account_id),
  CONSTRAINT fk_audit_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_audit_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
