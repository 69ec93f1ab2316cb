-- What the migrations that come with Counterfoil need: imported keys, purged numbers, spread columns,
-- stored images.

-- A slug whose keys were imported leads to tickets by ticket_origin; no board may take it any more.
-- board_id is then the board that the import went to.
ALTER TABLE board_slug ADD COLUMN imported BOOLEAN NOT NULL DEFAULT FALSE;

-- What a ticket was called where it was imported from, such as OLD-123: found again by a repeated
-- import, and opened as a key where its slug is imported.
CREATE TABLE ticket_origin (
  company_id BIGINT UNSIGNED NOT NULL,
  external_id VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  ticket_id BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (company_id, external_id),
  KEY ix_ticket_origin_ticket (ticket_id),
  CONSTRAINT fk_ticket_origin_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_ticket_origin_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Numbers whose tickets, or old keys, were purged: handed out, and never again.
ALTER TABLE board_ticket_incrementer ADD COLUMN purged BIGINT UNSIGNED NOT NULL DEFAULT 0;

-- The run that last spread a column's tickets anew, from the foot up; those with a rank from spread_from
-- on have been.
ALTER TABLE board_column
  ADD COLUMN spread_run BIGINT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN spread_from BIGINT NOT NULL DEFAULT 0;

-- An image that a company keeps, stored under its hash.
CREATE TABLE image (
  company_id BIGINT UNSIGNED NOT NULL,
  hash BINARY(32) NOT NULL,
  content_type VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  bytes BIGINT UNSIGNED NOT NULL,
  width INT UNSIGNED NOT NULL,
  height INT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (company_id, hash),
  CONSTRAINT fk_image_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Which stored image an address gave.
CREATE TABLE image_source (
  company_id BIGINT UNSIGNED NOT NULL,
  url_hash BINARY(32) NOT NULL,
  url TEXT NOT NULL,
  hash BINARY(32) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (company_id, url_hash),
  KEY ix_image_source_image (company_id, hash),
  CONSTRAINT fk_image_source_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
