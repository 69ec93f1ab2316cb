-- Which account gained or lost the sight of a board: a row for each feed that tells its readers, published as the rows of
-- the feed are. What the account sees now is in board and board_access. account_id is 0 for readers without an account.
CREATE TABLE ticket_sight (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  board_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  feed_sync_id BIGINT UNSIGNED NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_ticket_sight (board_id, account_id),
  UNIQUE KEY uq_ticket_sight_feed (feed_sync_id),
  CONSTRAINT fk_ticket_sight_board FOREIGN KEY (board_id) REFERENCES board (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

CREATE TABLE comment_sight (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  board_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  feed_sync_id BIGINT UNSIGNED NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_comment_sight (board_id, account_id),
  UNIQUE KEY uq_comment_sight_feed (feed_sync_id),
  CONSTRAINT fk_comment_sight_board FOREIGN KEY (board_id) REFERENCES board (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

CREATE TABLE board_sight (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  board_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  feed_sync_id BIGINT UNSIGNED NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_board_sight (board_id, account_id),
  UNIQUE KEY uq_board_sight_feed (feed_sync_id),
  CONSTRAINT fk_board_sight_board FOREIGN KEY (board_id) REFERENCES board (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
