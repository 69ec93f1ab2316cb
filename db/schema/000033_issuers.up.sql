-- An issuer signs users in (OpenID Connect). It belongs to a company; one without was configured by an operator and may
-- count for several. Its client secret, if it has one, is in sealed_secret.
CREATE TABLE issuer (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NULL,
  url VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  client_id VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  name VARCHAR(100) NOT NULL,
  groups_claim VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  KEY ix_issuer_company (company_id, id),
  CONSTRAINT fk_issuer_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The companies that an issuer counts for. join_by_domain: strangers with an address of a verified domain of the company
-- join it. owners_by_group: a group may give the role of an owner.
CREATE TABLE issuer_company (
  company_id BIGINT UNSIGNED NOT NULL,
  issuer_id BIGINT UNSIGNED NOT NULL,
  join_by_domain BOOLEAN NOT NULL DEFAULT FALSE,
  owners_by_group BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (company_id, issuer_id),
  KEY ix_issuer_company_issuer (issuer_id, company_id),
  CONSTRAINT fk_issuer_company_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_issuer_company_issuer FOREIGN KEY (issuer_id) REFERENCES issuer (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- What a group at the issuer gives in a company: a role ('' for none), membership of a group, or both.
CREATE TABLE issuer_rule (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  issuer_id BIGINT UNSIGNED NOT NULL,
  claim VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  role VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  group_id BIGINT UNSIGNED NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_issuer_rule_claim (company_id, issuer_id, claim),
  KEY ix_issuer_rule_issuer (issuer_id),
  KEY ix_issuer_rule_group (group_id),
  CONSTRAINT fk_issuer_rule_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_issuer_rule_issuer FOREIGN KEY (issuer_id) REFERENCES issuer (id) ON DELETE CASCADE,
  CONSTRAINT fk_issuer_rule_group FOREIGN KEY (group_id) REFERENCES people_group (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- An account as an issuer knows it: by its subject, never by an address.
CREATE TABLE account_identity (
  issuer_id BIGINT UNSIGNED NOT NULL,
  subject VARBINARY(255) NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  used_at DATETIME(6) NULL,
  PRIMARY KEY (issuer_id, subject),
  UNIQUE KEY uq_account_identity_account (account_id, issuer_id),
  CONSTRAINT fk_account_identity_issuer FOREIGN KEY (issuer_id) REFERENCES issuer (id) ON DELETE CASCADE,
  CONSTRAINT fk_account_identity_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- A mail domain of a company. held is its name once a DNS record showed that it is the company's: one company holds
-- it. due_at is when that is checked again.
CREATE TABLE company_domain (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  name VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  code VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  held VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NULL,
  created_at DATETIME(6) NOT NULL,
  checked_at DATETIME(6) NULL,
  due_at DATETIME(6) NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_company_domain_name (company_id, name),
  UNIQUE KEY uq_company_domain_held (held),
  KEY ix_company_domain_due (due_at, id),
  CONSTRAINT fk_company_domain_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- issuer_required: the company opens to sessions that one of its issuers opened alone.
ALTER TABLE company ADD COLUMN issuer_required BOOLEAN NOT NULL DEFAULT FALSE;
