-- The rule by which a ticket is opened again: it is on the latest of its tickets. rule is an RRULE without times of day.
-- first_at is the due date with which the rule began, last_at that of the latest ticket, next_at that of the next one, NULL for
-- none; all are times of a clock in time_zone, at midnight unless they are timed. due_at is when the next ticket is to be opened: NULL until the ticket is
-- closed if opens says so, and while the rule is not active.
CREATE TABLE recurrence (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  ticket_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  rule VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  opens VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  time_zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  timed BOOLEAN NOT NULL,
  first_at DATETIME(6) NOT NULL,
  last_at DATETIME(6) NOT NULL,
  next_at DATETIME(6) NULL,
  due_at DATETIME(6) NULL,
  state VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'active',
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_recurrence_ticket (ticket_id),
  KEY ix_recurrence_due (due_at),
  KEY ix_recurrence_account (account_id),
  CONSTRAINT fk_recurrence_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id),
  CONSTRAINT fk_recurrence_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The tickets of a rule by their due dates: one for each.
CREATE TABLE occurrence (
  recurrence_id BIGINT UNSIGNED NOT NULL,
  occurs_at DATETIME(6) NOT NULL,
  ticket_id BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (recurrence_id, occurs_at),
  KEY ix_occurrence_ticket (ticket_id),
  CONSTRAINT fk_occurrence_recurrence FOREIGN KEY (recurrence_id) REFERENCES recurrence (id),
  CONSTRAINT fk_occurrence_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
