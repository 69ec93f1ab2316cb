-- The private boards that their admins added to a webhook: it is sent their changes behind the positions, which are those
-- of the feeds when the board was added. A program of the release before deletes a webhook without looking here.
CREATE TABLE webhook_board (
  webhook_id BIGINT UNSIGNED NOT NULL,
  board_id BIGINT UNSIGNED NOT NULL,
  tickets_after BIGINT UNSIGNED NOT NULL,
  comments_after BIGINT UNSIGNED NOT NULL,
  boards_after BIGINT UNSIGNED NOT NULL,
  added_by BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (webhook_id, board_id),
  KEY ix_webhook_board_board (board_id),
  KEY ix_webhook_board_author (added_by),
  CONSTRAINT fk_webhook_board_webhook FOREIGN KEY (webhook_id) REFERENCES webhook (id) ON DELETE CASCADE,
  CONSTRAINT fk_webhook_board_board FOREIGN KEY (board_id) REFERENCES board (id),
  CONSTRAINT fk_webhook_board_author FOREIGN KEY (added_by) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
