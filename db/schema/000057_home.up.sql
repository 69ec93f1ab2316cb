-- The boards that a member has pinned.
CREATE TABLE pinned_board (
  account_id BIGINT UNSIGNED NOT NULL,
  board_id BIGINT UNSIGNED NOT NULL,
  pinned_at DATETIME(6) NOT NULL,
  PRIMARY KEY (account_id, board_id),
  KEY ix_pinned_board_board (board_id),
  CONSTRAINT fk_pinned_board_account FOREIGN KEY (account_id) REFERENCES account (id),
  CONSTRAINT fk_pinned_board_board FOREIGN KEY (board_id) REFERENCES board (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- When a member looked at the home page of a company: last_at is the last time, since_at the last time of the visit before
-- this one, NULL in the first visit.
CREATE TABLE home_visit (
  account_id BIGINT UNSIGNED NOT NULL,
  company_id BIGINT UNSIGNED NOT NULL,
  since_at DATETIME(6) NULL,
  last_at DATETIME(6) NOT NULL,
  PRIMARY KEY (account_id, company_id),
  KEY ix_home_visit_company (company_id),
  CONSTRAINT fk_home_visit_account FOREIGN KEY (account_id) REFERENCES account (id),
  CONSTRAINT fk_home_visit_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
