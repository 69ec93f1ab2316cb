-- The text of a deleted comment while its deletion can be undone, by account_id, who deleted it. comment itself has no
-- text then, so nothing that reads comments can show it.
CREATE TABLE deleted_comment (
  comment_id BIGINT UNSIGNED NOT NULL,
  ticket_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  body MEDIUMTEXT NOT NULL,
  deleted_at DATETIME(6) NOT NULL,
  PRIMARY KEY (comment_id),
  KEY ix_deleted_comment_ticket (ticket_id),
  KEY ix_deleted_comment_account (account_id),
  KEY ix_deleted_comment_time (deleted_at),
  CONSTRAINT fk_deleted_comment_comment FOREIGN KEY (comment_id) REFERENCES comment (id),
  CONSTRAINT fk_deleted_comment_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id),
  CONSTRAINT fk_deleted_comment_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- restored counts the deletions that were undone: each has raised version by two without an edit.
ALTER TABLE comment ADD COLUMN restored INT UNSIGNED NOT NULL DEFAULT 0;
