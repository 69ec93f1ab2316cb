-- Files of attachments. Each is stored once for its content, under a name made of its SHA-256 and of a random generation:
-- what is stored after a removal has another name. image_type and what follows are of its copy for pages, which the server
-- made anew; '' and 0 for a file without one. locks counts the transactions that needed the row.
CREATE TABLE stored_file (
  hash BINARY(32) NOT NULL,
  bytes BIGINT UNSIGNED NOT NULL,
  content_type VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  image_type VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  image_bytes BIGINT UNSIGNED NOT NULL,
  width INT UNSIGNED NOT NULL,
  height INT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  generation INT UNSIGNED NOT NULL,
  locks INT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- ticket_id is NULL until the text that was written with the file is saved, and comment_id for a file of no comment.
CREATE TABLE attachment (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  ticket_id BIGINT UNSIGNED NULL,
  comment_id BIGINT UNSIGNED NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  hash BINARY(32) NOT NULL,
  name VARCHAR(255) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  deleted_at DATETIME(6) NULL,
  PRIMARY KEY (id),
  KEY ix_attachment_ticket (ticket_id, id),
  KEY ix_attachment_comment (comment_id),
  KEY ix_attachment_file (hash, id),
  KEY ix_attachment_company (company_id, id),
  KEY ix_attachment_account (account_id),
  CONSTRAINT fk_attachment_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_attachment_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id),
  CONSTRAINT fk_attachment_comment FOREIGN KEY (comment_id) REFERENCES comment (id),
  CONSTRAINT fk_attachment_account FOREIGN KEY (account_id) REFERENCES account (id),
  CONSTRAINT fk_attachment_file FOREIGN KEY (hash) REFERENCES stored_file (hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- used is the size of all attachments of a company that have a row, quota how much they may have.
CREATE TABLE company_storage (
  company_id BIGINT UNSIGNED NOT NULL,
  used BIGINT UNSIGNED NOT NULL DEFAULT 0,
  quota BIGINT UNSIGNED NOT NULL DEFAULT 10737418240,
  PRIMARY KEY (company_id),
  KEY ix_company_storage_used (used),
  CONSTRAINT fk_company_storage_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The text of a file in the place where files are kept: a server with another place has another or none.
CREATE TABLE file_place (
  id TINYINT UNSIGNED NOT NULL,
  token CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- How many attachments it has that are not deleted.
ALTER TABLE ticket ADD COLUMN attachments SMALLINT UNSIGNED NOT NULL DEFAULT 0;
