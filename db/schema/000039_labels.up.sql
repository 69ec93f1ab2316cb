-- The labels of a company, of all its boards (board_id 0) or of one. A row whose live is NULL is no label any more: it
-- was merged into leads_to, is an old name of leads_to (renamed), or was deleted (leads_to is 0). shown_as is the end of
-- that way, which tickets with the label show; 0 is itself.
CREATE TABLE label (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  board_id BIGINT UNSIGNED NOT NULL DEFAULT 0,
  name VARCHAR(40) NOT NULL,
  color TINYINT UNSIGNED NOT NULL,
  live BOOLEAN NULL DEFAULT TRUE,
  renamed BOOLEAN NOT NULL DEFAULT FALSE,
  shown_as BIGINT UNSIGNED NOT NULL DEFAULT 0,
  leads_to BIGINT UNSIGNED NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL,
  ended_at DATETIME(6) NULL,
  locks BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  UNIQUE KEY uq_label_name (company_id, board_id, name, live),
  KEY ix_label_live (company_id, live, name, id),
  KEY ix_label_ended (company_id, renamed, ended_at, id),
  KEY ix_label_shown (shown_as, id),
  CONSTRAINT fk_label_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

CREATE TABLE ticket_label (
  ticket_id BIGINT UNSIGNED NOT NULL,
  label_id BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (ticket_id, label_id),
  KEY ix_ticket_label_label (label_id, ticket_id),
  CONSTRAINT fk_ticket_label_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id),
  CONSTRAINT fk_ticket_label_label FOREIGN KEY (label_id) REFERENCES label (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
