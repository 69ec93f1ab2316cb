-- The change feeds: rows carry the position at which they were last published, NULL while they are not.

-- The last position that each feed gave out. epoch changes when positions may have been given out that
-- this database does not know (a restored backup, a failover), so that cursors of before are refused. Up to
-- horizon, tombstones are gone: who has not come so far may have missed deletions.
CREATE TABLE sequences (
  name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  value BIGINT UNSIGNED NOT NULL DEFAULT 0,
  version BIGINT UNSIGNED NOT NULL DEFAULT 0,
  epoch BIGINT UNSIGNED NOT NULL,
  horizon BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
INSERT INTO sequences (name, epoch) VALUES ('tickets', UNIX_TIMESTAMP()), ('comments', UNIX_TIMESTAMP()), ('boards', UNIX_TIMESTAMP());

ALTER TABLE ticket ADD COLUMN feed_sync_id BIGINT UNSIGNED NULL, ADD UNIQUE KEY uq_ticket_feed (feed_sync_id);
ALTER TABLE comment ADD COLUMN feed_sync_id BIGINT UNSIGNED NULL, ADD UNIQUE KEY uq_comment_feed (feed_sync_id);
ALTER TABLE board ADD COLUMN feed_sync_id BIGINT UNSIGNED NULL, ADD UNIQUE KEY uq_board_feed (feed_sync_id);

-- The batches in which positions were given out: hi is the last of k. Positions have no gaps, so what was
-- published between two times is the difference of their positions.
CREATE TABLE feed_batch (
  feed VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  hi BIGINT UNSIGNED NOT NULL,
  k INT UNSIGNED NOT NULL,
  committed_at DATETIME(6) NOT NULL,
  PRIMARY KEY (feed, hi),
  KEY ix_feed_batch_time (feed, committed_at, hi)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- A consumer whose cursor is kept here. began is the position at which it began to read from the start:
-- up to there it cannot have missed a deletion.
CREATE TABLE feed_consumer (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  feed VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name VARCHAR(80) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  epoch BIGINT UNSIGNED NOT NULL,
  position BIGINT UNSIGNED NOT NULL,
  began BIGINT UNSIGNED NOT NULL,
  paused BOOLEAN NOT NULL DEFAULT FALSE,
  created_by BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  seen_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_feed_consumer_name (company_id, feed, name),
  KEY ix_feed_consumer_company (company_id, id),
  KEY ix_feed_consumer_position (feed, position),
  KEY ix_feed_consumer_author (created_by),
  CONSTRAINT fk_feed_consumer_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_feed_consumer_author FOREIGN KEY (created_by) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- An address that a company's changes are sent to, in order. One process at a time sends to it: whoever
-- holds its lease, with the fence that it took. due_at is when there is something to try; failing_since is
-- NULL while it answers.
CREATE TABLE webhook (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  url VARCHAR(2000) NOT NULL,
  note VARCHAR(255) NOT NULL,
  feeds VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  board_id BIGINT UNSIGNED NULL,
  secret VARBINARY(64) NOT NULL,
  old_secret VARBINARY(64) NULL,
  old_secret_ends DATETIME(6) NULL,
  state VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  reason VARCHAR(255) NOT NULL DEFAULT '',
  version BIGINT UNSIGNED NOT NULL DEFAULT 1,
  failures INT UNSIGNED NOT NULL DEFAULT 0,
  failing_since DATETIME(6) NULL,
  due_at DATETIME(6) NOT NULL,
  lease_ends DATETIME(6) NOT NULL,
  fence BIGINT UNSIGNED NOT NULL DEFAULT 0,
  created_by BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  KEY ix_webhook_company (company_id, state),
  KEY ix_webhook_state (state),
  KEY ix_webhook_board (board_id),
  KEY ix_webhook_author (created_by),
  CONSTRAINT fk_webhook_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_webhook_board FOREIGN KEY (board_id) REFERENCES board (id),
  CONSTRAINT fk_webhook_author FOREIGN KEY (created_by) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- How far a webhook has come in each of its feeds. began is as in feed_consumer.
CREATE TABLE webhook_cursor (
  webhook_id BIGINT UNSIGNED NOT NULL,
  feed VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  epoch BIGINT UNSIGNED NOT NULL,
  position BIGINT UNSIGNED NOT NULL,
  began BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (webhook_id, feed),
  KEY ix_webhook_cursor_position (feed, position),
  CONSTRAINT fk_webhook_cursor_webhook FOREIGN KEY (webhook_id) REFERENCES webhook (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- What was sent to a webhook, and what it answered. subject is what people know the row by, such as a key.
-- status is NULL where there was no answer; row_id and position are 0 for what is about no row.
CREATE TABLE webhook_attempt (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  webhook_id BIGINT UNSIGNED NOT NULL,
  message VARCHAR(120) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  kind VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  subject VARCHAR(40) NOT NULL,
  feed VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  row_id BIGINT UNSIGNED NOT NULL,
  position BIGINT UNSIGNED NOT NULL,
  status SMALLINT UNSIGNED NULL,
  error VARCHAR(500) NOT NULL,
  response VARBINARY(2000) NOT NULL,
  milliseconds INT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  KEY ix_webhook_attempt (webhook_id, id),
  KEY ix_webhook_attempt_time (created_at),
  CONSTRAINT fk_webhook_attempt_webhook FOREIGN KEY (webhook_id) REFERENCES webhook (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
