-- Which tickets the text of another mentions by their keys: its description if comment_id is 0, or else a comment. There
-- is no foreign key to what is mentioned, whose row it would lock. ticket.comments is NULL until they are counted.
CREATE TABLE backlink (
  ticket_id BIGINT UNSIGNED NOT NULL,
  from_id BIGINT UNSIGNED NOT NULL,
  comment_id BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (ticket_id, from_id, comment_id),
  KEY ix_backlink_from (from_id, comment_id),
  CONSTRAINT fk_backlink_from FOREIGN KEY (from_id) REFERENCES ticket (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

ALTER TABLE ticket ADD COLUMN comments INT UNSIGNED NULL;
