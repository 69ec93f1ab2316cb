-- There is a row, with the id 1, while all runs on all servers are stopped: who did it, and why.
CREATE TABLE migration_stop (
  id TINYINT UNSIGNED NOT NULL,
  reason VARCHAR(1000) NOT NULL,
  account_id BIGINT UNSIGNED NULL,
  actor VARCHAR(255) NOT NULL,
  stopped_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  KEY ix_migration_stop_account (account_id),
  CONSTRAINT fk_migration_stop_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- halted: a stop ended the worker, so its tasks go back without the loss of an attempt.
ALTER TABLE migration_worker ADD COLUMN halted BOOLEAN NOT NULL DEFAULT FALSE;
