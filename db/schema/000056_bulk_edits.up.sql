-- A change of many tickets of a board by a run of the migration bulk-edit: who asked for it, which tickets, and what was
-- to be done with each (edit: JSON, as bulkedits.Edit says). undoes is the bulk edit that this one takes back, 0 for none;
-- dry: nothing was to be changed. The counts are those of its items by outcome. There is no foreign key to the run.
CREATE TABLE bulk_edit (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  board_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  run_id BIGINT UNSIGNED NOT NULL,
  undoes BIGINT UNSIGNED NOT NULL DEFAULT 0,
  dry BOOLEAN NOT NULL,
  query VARCHAR(500) NOT NULL,
  edit TEXT NOT NULL,
  changed INT UNSIGNED NOT NULL DEFAULT 0,
  unchanged INT UNSIGNED NOT NULL DEFAULT 0,
  refused INT UNSIGNED NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_bulk_edit_run (run_id),
  KEY ix_bulk_edit_account (account_id, company_id, id),
  KEY ix_bulk_edit_board (board_id, id),
  KEY ix_bulk_edit_undoes (undoes, id),
  KEY ix_bulk_edit_company (company_id),
  KEY ix_bulk_edit_created (created_at),
  CONSTRAINT fk_bulk_edit_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_bulk_edit_board FOREIGN KEY (board_id) REFERENCES board (id),
  CONSTRAINT fk_bulk_edit_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The outcome of a bulk edit for a ticket, written in the transaction that changes it: changed, with the entry of the
-- ticket's history, by which it can be taken back; unchanged; or refused, with the reason. detail is that of the entry. A
-- dry run has entries of no history: activity_id is 0. The ticket may have been purged since.
CREATE TABLE bulk_edit_item (
  bulk_edit_id BIGINT UNSIGNED NOT NULL,
  ticket_id BIGINT UNSIGNED NOT NULL,
  activity_id BIGINT UNSIGNED NOT NULL,
  outcome VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  reason VARCHAR(500) NOT NULL,
  kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (bulk_edit_id, ticket_id),
  KEY ix_bulk_edit_item_outcome (bulk_edit_id, outcome, ticket_id),
  CONSTRAINT fk_bulk_edit_item_bulk_edit FOREIGN KEY (bulk_edit_id) REFERENCES bulk_edit (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Who has been notified of a bulk edit: each once, however many of its tickets concern them.
CREATE TABLE bulk_edit_notice (
  bulk_edit_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (bulk_edit_id, account_id),
  KEY ix_bulk_edit_notice_account (account_id),
  CONSTRAINT fk_bulk_edit_notice_bulk_edit FOREIGN KEY (bulk_edit_id) REFERENCES bulk_edit (id),
  CONSTRAINT fk_bulk_edit_notice_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
