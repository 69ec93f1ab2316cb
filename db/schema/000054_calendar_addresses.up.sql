-- The addresses by which calendar programs read due dates as a member sees them: those of a saved view, or of the tickets
-- that the member is assigned to if view_id is 0. hash is the SHA-256 of the address's secret. There is no foreign key to
-- the view: the address of one that was deleted finds nothing.
CREATE TABLE calendar_address (
  account_id BIGINT UNSIGNED NOT NULL,
  company_id BIGINT UNSIGNED NOT NULL,
  view_id BIGINT UNSIGNED NOT NULL,
  hash BINARY(32) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (account_id, company_id, view_id),
  UNIQUE KEY uq_calendar_address_hash (hash),
  KEY ix_calendar_address_company (company_id),
  CONSTRAINT fk_calendar_address_account FOREIGN KEY (account_id) REFERENCES account (id),
  CONSTRAINT fk_calendar_address_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
