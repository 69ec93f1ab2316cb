-- The public link of a board, which is read by it without an account; a board without a row has none. hash is SHA-256 of
-- the secret in the link.
CREATE TABLE board_link (
  board_id BIGINT UNSIGNED NOT NULL,
  hash BINARY(32) NOT NULL,
  created_by BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (board_id),
  UNIQUE KEY uq_board_link_hash (hash),
  KEY ix_board_link_account (created_by),
  CONSTRAINT fk_board_link_board FOREIGN KEY (board_id) REFERENCES board (id),
  CONSTRAINT fk_board_link_account FOREIGN KEY (created_by) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
