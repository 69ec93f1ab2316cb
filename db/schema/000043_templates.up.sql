-- What new tickets of a board can begin with. column_id is 0 for the board's first column, and is read as such when that
-- column was removed. public says that the board's public form offers it.
CREATE TABLE ticket_template (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  board_id BIGINT UNSIGNED NOT NULL,
  name VARCHAR(60) NOT NULL,
  title VARCHAR(255) NOT NULL,
  description TEXT NOT NULL,
  column_id BIGINT UNSIGNED NOT NULL,
  priority TINYINT UNSIGNED NOT NULL,
  public BOOLEAN NOT NULL DEFAULT FALSE,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_ticket_template_name (board_id, name),
  CONSTRAINT fk_ticket_template_board FOREIGN KEY (board_id) REFERENCES board (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

CREATE TABLE template_label (
  template_id BIGINT UNSIGNED NOT NULL,
  label_id BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (template_id, label_id),
  KEY ix_template_label_label (label_id),
  CONSTRAINT fk_template_label_template FOREIGN KEY (template_id) REFERENCES ticket_template (id),
  CONSTRAINT fk_template_label_label FOREIGN KEY (label_id) REFERENCES label (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

CREATE TABLE template_assignee (
  template_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (template_id, account_id),
  KEY ix_template_assignee_account (account_id),
  CONSTRAINT fk_template_assignee_template FOREIGN KEY (template_id) REFERENCES ticket_template (id),
  CONSTRAINT fk_template_assignee_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
