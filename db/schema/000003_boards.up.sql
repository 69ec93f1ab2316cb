-- An archived board is read, not written.
ALTER TABLE board ADD COLUMN archived_at DATETIME(6) NULL;

-- Every slug that a board ever had, so that old keys work and no other board gets it.
CREATE TABLE board_slug (
  company_id BIGINT UNSIGNED NOT NULL,
  slug VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  board_id BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (company_id, slug),
  KEY ix_board_slug_board (board_id),
  CONSTRAINT fk_board_slug_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_board_slug_board FOREIGN KEY (board_id) REFERENCES board (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
INSERT INTO board_slug (company_id, slug, board_id, created_at) SELECT company_id, slug, id, created_at FROM board;

-- A wip_limit of NULL is none; a hard one refuses, another only warns.
ALTER TABLE board_column ADD COLUMN wip_hard BOOLEAN NOT NULL DEFAULT FALSE;
