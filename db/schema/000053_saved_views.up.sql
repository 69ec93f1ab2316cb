-- A query of the tickets of a board and its layout, under a name. shared: everyone who sees the board sees it; else only
-- its owner, account_id.
CREATE TABLE saved_view (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  board_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  name VARCHAR(60) NOT NULL,
  layout VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  query VARCHAR(500) NOT NULL,
  lanes VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  shared BOOLEAN NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_saved_view_name (account_id, company_id, name),
  KEY ix_saved_view_shared (company_id, shared, name),
  KEY ix_saved_view_board (board_id),
  CONSTRAINT fk_saved_view_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_saved_view_board FOREIGN KEY (board_id) REFERENCES board (id),
  CONSTRAINT fk_saved_view_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The views in a member's navigation. There is no foreign key to the view, which may be deleted without a lock of all
-- its pins; a pin of no view is removed when its member pins the next.
CREATE TABLE pinned_view (
  account_id BIGINT UNSIGNED NOT NULL,
  company_id BIGINT UNSIGNED NOT NULL,
  view_id BIGINT UNSIGNED NOT NULL,
  pinned_at DATETIME(6) NOT NULL,
  PRIMARY KEY (account_id, company_id, view_id),
  CONSTRAINT fk_pinned_view_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
