-- Whether a member is notified of a board's requests: as they chose, or because they replied to a requester. Without
-- a row, owners and admins are.
CREATE TABLE request_watcher (
  board_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  is_on BOOLEAN NOT NULL,
  PRIMARY KEY (board_id, account_id),
  KEY ix_request_watcher_on (board_id, is_on, account_id),
  KEY ix_request_watcher_account (account_id),
  CONSTRAINT fk_request_watcher_board FOREIGN KEY (board_id) REFERENCES board (id),
  CONSTRAINT fk_request_watcher_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Those who replied before.
INSERT INTO request_watcher (board_id, account_id, is_on)
SELECT DISTINCT t.board_id, c.account_id, TRUE
FROM ticket_request r
STRAIGHT_JOIN ticket t ON t.id = r.ticket_id
STRAIGHT_JOIN comment c FORCE INDEX (ix_comment_public) ON c.ticket_id = r.ticket_id AND c.public = TRUE
WHERE c.from_requester = FALSE;
