-- The columns that a ticket was in: one row for each stay, with until_at NULL for the present one. A ticket's stays follow
-- one another without a gap, but for the time in which it was deleted. account_id is who put it there. inferred says
-- that the column or the time was found in the history, which has no more.
CREATE TABLE ticket_stay (
  ticket_id BIGINT UNSIGNED NOT NULL,
  since_at DATETIME(6) NOT NULL,
  until_at DATETIME(6) NULL,
  board_id BIGINT UNSIGNED NOT NULL,
  column_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  inferred BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (ticket_id, since_at),
  CONSTRAINT fk_ticket_stay_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- stays_known: the stays of the ticket reach back to its opening.
ALTER TABLE ticket ADD COLUMN stays_known BOOLEAN NOT NULL DEFAULT FALSE;
