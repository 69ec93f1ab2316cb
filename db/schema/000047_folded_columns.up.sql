-- Columns that an account sees folded on their boards.
CREATE TABLE folded_column (
  account_id BIGINT UNSIGNED NOT NULL,
  column_id BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (account_id, column_id),
  KEY ix_folded_column_column (column_id),
  CONSTRAINT fk_folded_column_account FOREIGN KEY (account_id) REFERENCES account (id),
  CONSTRAINT fk_folded_column_column FOREIGN KEY (column_id) REFERENCES board_column (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
