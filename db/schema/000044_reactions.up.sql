-- Who reacted to a comment. kind is a reaction's place in tickets.Reactions, from 1.
CREATE TABLE comment_reaction (
  comment_id BIGINT UNSIGNED NOT NULL,
  kind TINYINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (comment_id, kind, account_id),
  KEY ix_comment_reaction_account (account_id),
  CONSTRAINT fk_comment_reaction_comment FOREIGN KEY (comment_id) REFERENCES comment (id),
  CONSTRAINT fk_comment_reaction_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- How many there are of each kind, with commas between them; '' for none at all.
ALTER TABLE comment ADD COLUMN reactions VARCHAR(60) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';
