-- Companies are walls: whatever belongs to one names it or hangs below a row that does.
CREATE TABLE company (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  slug VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name VARCHAR(255) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_company_slug (slug)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- One row, taken by the first setup: two at once cannot both be first.
CREATE TABLE installation (
  id TINYINT UNSIGNED NOT NULL,
  company_id BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT fk_installation_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

CREATE TABLE account (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  name VARCHAR(255) NOT NULL,
  password_hash VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  operator BOOLEAN NOT NULL DEFAULT FALSE,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_account_email (email)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

CREATE TABLE membership (
  company_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  role VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (company_id, account_id),
  KEY ix_membership_account (account_id),
  CONSTRAINT fk_membership_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_membership_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Browser sessions; the token column holds a hash (github.com/alexedwards/scs names and reads this table).
CREATE TABLE sessions (
  token CHAR(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  data BLOB NOT NULL,
  expiry TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (token),
  KEY sessions_expiry_idx (expiry)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- hash is SHA-256 of the token; the token itself is shown once and never stored.
CREATE TABLE api_token (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  name VARCHAR(255) NOT NULL,
  hash BINARY(32) NOT NULL,
  scopes VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_api_token_hash (hash),
  KEY ix_api_token_company (company_id),
  KEY ix_api_token_account (account_id),
  CONSTRAINT fk_api_token_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_api_token_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- version counts the edits of the row.
CREATE TABLE board (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  slug VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  title VARCHAR(255) NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_board_slug (company_id, slug),
  CONSTRAINT fk_board_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The last ticket number handed out on a board. Created with the board, never lowered.
CREATE TABLE board_ticket_incrementer (
  board_id BIGINT UNSIGNED NOT NULL,
  max_ticket_id BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (board_id),
  CONSTRAINT fk_incrementer_board FOREIGN KEY (board_id) REFERENCES board (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- ticket_count and last_rank are kept by whoever holds the row's lock, so no request counts tickets.
-- last_rank is at least the highest rank in the column.
CREATE TABLE board_column (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  board_id BIGINT UNSIGNED NOT NULL,
  name VARCHAR(80) NOT NULL,
  position INT NOT NULL,
  done BOOLEAN NOT NULL DEFAULT FALSE,
  wip_limit INT UNSIGNED NULL,
  ticket_count BIGINT NOT NULL DEFAULT 0,
  last_rank BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  UNIQUE KEY uq_board_column_position (board_id, position),
  CONSTRAINT fk_board_column_board FOREIGN KEY (board_id) REFERENCES board (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- local_id is the number in the key. A deleted ticket keeps its row and number and has no column.
CREATE TABLE ticket (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  board_id BIGINT UNSIGNED NOT NULL,
  local_id BIGINT UNSIGNED NOT NULL,
  column_id BIGINT UNSIGNED NULL,
  rank_in_column BIGINT NULL,
  title VARCHAR(255) NOT NULL,
  description TEXT NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1,
  created_by BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  moved_at DATETIME(6) NOT NULL,
  deleted_at DATETIME(6) NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_ticket_number (board_id, local_id),
  UNIQUE KEY uq_ticket_rank (column_id, rank_in_column),
  CONSTRAINT fk_ticket_board FOREIGN KEY (board_id) REFERENCES board (id),
  CONSTRAINT fk_ticket_column FOREIGN KEY (column_id) REFERENCES board_column (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Who did what to a ticket, when. detail holds old and new values as JSON.
CREATE TABLE activity (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  ticket_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  detail MEDIUMTEXT NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  KEY ix_activity_ticket (ticket_id, id),
  CONSTRAINT fk_activity_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The first answer to a POST that carried an Idempotency-Key, written in the transaction of what it did.
CREATE TABLE idempotency (
  token_id BIGINT UNSIGNED NOT NULL,
  key_hash BINARY(32) NOT NULL,
  request_hash BINARY(32) NOT NULL,
  status SMALLINT UNSIGNED NOT NULL,
  answer MEDIUMBLOB NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (token_id, key_hash),
  KEY ix_idempotency_created (created_at),
  CONSTRAINT fk_idempotency_token FOREIGN KEY (token_id) REFERENCES api_token (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
