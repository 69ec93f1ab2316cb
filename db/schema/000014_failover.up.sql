-- A failover to a server that may lack the last changes of the one before it. old is the address of that one, '' if it
-- is gone, and answer what it said. lost_us is how much may be lost, in microseconds; last_at the newest time that the
-- database knew, last_audit its last audit entry. pool and quarantined are how many codes were there at the beginning,
-- mint_run the run that makes new ones. sessions counts ended ones. ended_at is NULL until all is protected; report is
-- JSON, '' until then.
CREATE TABLE failover (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  old VARCHAR(500) NOT NULL,
  answer VARCHAR(500) NOT NULL,
  lost_us BIGINT UNSIGNED NOT NULL,
  last_at DATETIME(6) NOT NULL,
  last_audit BIGINT UNSIGNED NOT NULL,
  pool BIGINT UNSIGNED NOT NULL,
  quarantined BIGINT UNSIGNED NOT NULL,
  mint_run BIGINT UNSIGNED NOT NULL DEFAULT 0,
  sessions BIGINT UNSIGNED NOT NULL DEFAULT 0,
  began_at DATETIME(6) NOT NULL,
  ended_at DATETIME(6) NULL,
  report MEDIUMTEXT NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The numbers of a board that a failover skipped, behind last_number: they may have been handed out.
CREATE TABLE failover_board (
  failover_id BIGINT UNSIGNED NOT NULL,
  board_id BIGINT UNSIGNED NOT NULL,
  last_number BIGINT UNSIGNED NOT NULL,
  skipped BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (failover_id, board_id),
  KEY ix_failover_board_board (board_id),
  CONSTRAINT fk_failover_board_failover FOREIGN KEY (failover_id) REFERENCES failover (id),
  CONSTRAINT fk_failover_board_board FOREIGN KEY (board_id) REFERENCES board (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
