-- A ticket in a done column is closed; one in another column may be.
ALTER TABLE ticket
  ADD COLUMN closed_at DATETIME(6) NULL,
  ADD KEY ix_ticket_deleted (board_id, deleted_at);
UPDATE ticket t JOIN board_column c ON c.id = t.column_id SET t.closed_at = t.moved_at WHERE c.done;

-- A key that a ticket had before it moved to another board. Numbers are never handed out again.
CREATE TABLE ticket_alias (
  board_id BIGINT UNSIGNED NOT NULL,
  local_id BIGINT UNSIGNED NOT NULL,
  ticket_id BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (board_id, local_id),
  KEY ix_ticket_alias_ticket (ticket_id),
  CONSTRAINT fk_ticket_alias_board FOREIGN KEY (board_id) REFERENCES board (id),
  CONSTRAINT fk_ticket_alias_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Who works on a ticket. current says that the ticket is neither closed nor deleted: what is someone's work
-- is then found without reading all that they ever did.
CREATE TABLE assignee (
  ticket_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  current BOOLEAN NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (ticket_id, account_id),
  KEY ix_assignee_work (account_id, current, ticket_id),
  CONSTRAINT fk_assignee_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id),
  CONSTRAINT fk_assignee_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- A deleted comment keeps its row without its text. version counts the edits.
CREATE TABLE comment (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  ticket_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  body MEDIUMTEXT NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  deleted_at DATETIME(6) NULL,
  PRIMARY KEY (id),
  KEY ix_comment_ticket (ticket_id, id),
  KEY ix_comment_account (account_id),
  CONSTRAINT fk_comment_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id),
  CONSTRAINT fk_comment_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Who hears of replies on a ticket, or wants not to. Its author hears of them without a row.
CREATE TABLE watcher (
  ticket_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  muted BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (ticket_id, account_id),
  KEY ix_watcher_account (account_id),
  CONSTRAINT fk_watcher_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id),
  CONSTRAINT fk_watcher_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- What a person is told in a company's inbox. actor_id is who did it.
CREATE TABLE notification (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  ticket_id BIGINT UNSIGNED NOT NULL,
  comment_id BIGINT UNSIGNED NULL,
  actor_id BIGINT UNSIGNED NOT NULL,
  kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  unread BOOLEAN NOT NULL DEFAULT TRUE,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  KEY ix_notification_inbox (account_id, company_id, id),
  KEY ix_notification_unread (account_id, company_id, unread, id),
  KEY ix_notification_company (company_id),
  KEY ix_notification_ticket (ticket_id, account_id),
  KEY ix_notification_comment (comment_id),
  KEY ix_notification_actor (actor_id),
  CONSTRAINT fk_notification_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_notification_account FOREIGN KEY (account_id) REFERENCES account (id),
  CONSTRAINT fk_notification_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id),
  CONSTRAINT fk_notification_comment FOREIGN KEY (comment_id) REFERENCES comment (id),
  CONSTRAINT fk_notification_actor FOREIGN KEY (actor_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- What was undone cannot be undone again; a person's last actions are found by the index.
ALTER TABLE activity
  ADD COLUMN undone_at DATETIME(6) NULL,
  ADD KEY ix_activity_account (account_id, id);
