-- The picture of an account: a small square image made anew by the server. account.avatar is the beginning of its SHA-256
-- in hexadecimal, which is part of its address, and empty without one.
CREATE TABLE account_avatar (
  account_id BIGINT UNSIGNED NOT NULL,
  content_type VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  content MEDIUMBLOB NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (account_id),
  CONSTRAINT fk_account_avatar_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
ALTER TABLE account ADD COLUMN avatar CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';
