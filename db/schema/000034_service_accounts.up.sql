-- Accounts of programs: no members, with tokens of one scope. ended_at: it is deleted, and its name stays with what it did.
-- per_day and per_call bound the reference codes that it may pop, 0: none; spent were popped on the day spent_on, in UTC.
CREATE TABLE service_account (
  account_id BIGINT UNSIGNED NOT NULL,
  company_id BIGINT UNSIGNED NOT NULL,
  created_by BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  ended_at DATETIME(6) NULL,
  per_day INT UNSIGNED NOT NULL DEFAULT 0,
  per_call INT UNSIGNED NOT NULL DEFAULT 0,
  spent_on DATE NOT NULL DEFAULT '1970-01-01',
  spent INT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id),
  KEY ix_service_account_company (company_id, ended_at, account_id),
  KEY ix_service_account_ended (ended_at, account_id),
  CONSTRAINT fk_service_account_account FOREIGN KEY (account_id) REFERENCES account (id),
  CONSTRAINT fk_service_account_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- What a program popped a code for, in its words.
ALTER TABLE ref_issue ADD COLUMN purpose VARCHAR(200) NOT NULL DEFAULT '';

-- Images that runs stored, each with the address that it came from. url_hash is SHA-256 of url.
CREATE TABLE run_image (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  run_id BIGINT UNSIGNED NOT NULL,
  company_id BIGINT UNSIGNED NOT NULL,
  url_hash BINARY(32) NOT NULL,
  url TEXT NOT NULL,
  hash BINARY(32) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_run_image_address (run_id, company_id, url_hash),
  CONSTRAINT fk_run_image_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
