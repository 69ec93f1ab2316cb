-- Migrations: bulk work in tasks, its runs, and the workers who do it.

-- A run is one execution of a migration. version counts what operators and the engine changed about
-- it (state, knobs); workers say in migration_counter which version they have seen. active_key is the
-- hash of name and parameters while the run is active: one active run of each, unless the migration
-- allows more (then, and once finished, it is NULL). fill_fence counts who took over its filling.
CREATE TABLE migration_run (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  name VARCHAR(60) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  params TEXT NOT NULL,
  same_key BINARY(32) NULL,
  active_key BINARY(32) NULL,
  listed VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'active',
  state VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  reason VARCHAR(1000) NOT NULL DEFAULT '',
  state_since DATETIME(6) NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1,
  dry BOOLEAN NOT NULL DEFAULT FALSE,
  canary_left INT UNSIGNED NULL,
  knobs TEXT NOT NULL,
  total BIGINT UNSIGNED NOT NULL DEFAULT 0,
  rejected BIGINT UNSIGNED NOT NULL DEFAULT 0,
  fill_cursor VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  fill_worker BIGINT UNSIGNED NOT NULL DEFAULT 0,
  fill_fence BIGINT UNSIGNED NOT NULL DEFAULT 0,
  upload VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  upload_name VARCHAR(255) NOT NULL DEFAULT '',
  upload_hash BINARY(32) NULL,
  account_id BIGINT UNSIGNED NULL,
  actor VARCHAR(255) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  started_at DATETIME(6) NULL,
  finished_at DATETIME(6) NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_migration_run_active (active_key),
  KEY ix_migration_run_state (state, id),
  KEY ix_migration_run_listed (listed, id),
  KEY ix_migration_run_account (account_id),
  CONSTRAINT fk_migration_run_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- One piece of a run's work. fence is the token of its claim: whoever completes, fails or returns it
-- names the token. iteration counts from 1 and grows when an operator retries it; attempt counts the
-- claims of an iteration. due_at is set while it waits, fingerprint while it is failed: so ix_claim is
-- the only index that claiming and completing write.
CREATE TABLE migration_task (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  run_id BIGINT UNSIGNED NOT NULL,
  state ENUM('open', 'processing', 'waiting', 'complete', 'failed', 'skipped') CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'open',
  fence BIGINT UNSIGNED NOT NULL DEFAULT 0,
  worker_id BIGINT UNSIGNED NOT NULL DEFAULT 0,
  attempt INT UNSIGNED NOT NULL DEFAULT 0,
  iteration INT UNSIGNED NOT NULL DEFAULT 1,
  line BIGINT UNSIGNED NOT NULL DEFAULT 0,
  payload MEDIUMTEXT NOT NULL,
  note VARCHAR(1000) NOT NULL DEFAULT '',
  fingerprint BINARY(8) NULL,
  due_at DATETIME(6) NULL,
  claimed_at DATETIME(6) NULL,
  finished_at DATETIME(6) NULL,
  PRIMARY KEY (id),
  KEY ix_claim (run_id, state, id),
  KEY ix_due (run_id, due_at),
  KEY ix_failed (run_id, fingerprint, id),
  CONSTRAINT fk_migration_task_run FOREIGN KEY (run_id) REFERENCES migration_run (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- How many tasks of a run are in which state: the sum over its rows, one for each worker, changed in
-- the transaction that changes the tasks. A single row may be negative. Row 0 is for what operators and
-- the keeper do, and takes in the rows of workers that are gone. What is left of the total is open.
-- seen is the run's version that the worker acts on.
CREATE TABLE migration_counter (
  run_id BIGINT UNSIGNED NOT NULL,
  worker_id BIGINT UNSIGNED NOT NULL,
  processing BIGINT NOT NULL DEFAULT 0,
  waiting BIGINT NOT NULL DEFAULT 0,
  complete BIGINT NOT NULL DEFAULT 0,
  failed BIGINT NOT NULL DEFAULT 0,
  skipped BIGINT NOT NULL DEFAULT 0,
  errors BIGINT NOT NULL DEFAULT 0,
  refused BIGINT NOT NULL DEFAULT 0,
  reclaimed BIGINT NOT NULL DEFAULT 0,
  seen BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (run_id, worker_id),
  CONSTRAINT fk_migration_counter_run FOREIGN KEY (run_id) REFERENCES migration_run (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- A process that works. It lives while lease_until is to come, by the database's clock; epoch grows
-- when it is declared dead, and then it cannot renew any more. claim_p99_us is how long 99 of 100 of its
-- last claims took at most, in microseconds; 0 before the first.
-- knows has the names of the migrations that it can work on, with a space between.
CREATE TABLE migration_worker (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  host VARCHAR(255) NOT NULL,
  pid INT UNSIGNED NOT NULL,
  version VARCHAR(100) NOT NULL,
  knows VARCHAR(8000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  state VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  epoch BIGINT UNSIGNED NOT NULL DEFAULT 1,
  in_flight INT UNSIGNED NOT NULL DEFAULT 0,
  finished BIGINT UNSIGNED NOT NULL DEFAULT 0,
  per_second DOUBLE NOT NULL DEFAULT 0,
  claim_p99_us BIGINT UNSIGNED NOT NULL DEFAULT 0,
  started_at DATETIME(6) NOT NULL,
  beat_at DATETIME(6) NOT NULL,
  lease_until DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  KEY ix_migration_worker_state (state, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Who does what one worker does for all, such as the keeper, until when.
CREATE TABLE migration_lease (
  name VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  worker_id BIGINT UNSIGNED NOT NULL,
  renewed_at DATETIME(6) NOT NULL,
  lease_until DATETIME(6) NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- An attempt that did not complete its task: what failed, or was lost with its worker.
CREATE TABLE migration_attempt (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  run_id BIGINT UNSIGNED NOT NULL,
  task_id BIGINT UNSIGNED NOT NULL,
  iteration INT UNSIGNED NOT NULL,
  attempt INT UNSIGNED NOT NULL,
  outcome VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  worker_id BIGINT UNSIGNED NOT NULL,
  worker VARCHAR(300) NOT NULL,
  started_at DATETIME(6) NOT NULL,
  took_us BIGINT UNSIGNED NOT NULL,
  fingerprint BINARY(8) NOT NULL,
  message VARCHAR(2000) NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (id),
  KEY ix_migration_attempt_task (task_id, id),
  KEY ix_migration_attempt_run (run_id, id),
  CONSTRAINT fk_migration_attempt_task FOREIGN KEY (task_id) REFERENCES migration_task (id),
  CONSTRAINT fk_migration_attempt_run FOREIGN KEY (run_id) REFERENCES migration_run (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Errors of a run that are alike: how many attempts ended so, and how many tasks are failed so now.
CREATE TABLE migration_failure (
  run_id BIGINT UNSIGNED NOT NULL,
  fingerprint BINARY(8) NOT NULL,
  message VARCHAR(2000) NOT NULL,
  task_id BIGINT UNSIGNED NOT NULL,
  errors BIGINT UNSIGNED NOT NULL DEFAULT 0,
  failed BIGINT UNSIGNED NOT NULL DEFAULT 0,
  first_at DATETIME(6) NOT NULL,
  last_at DATETIME(6) NOT NULL,
  PRIMARY KEY (run_id, fingerprint),
  KEY ix_migration_failure_task (task_id),
  CONSTRAINT fk_migration_failure_run FOREIGN KEY (run_id) REFERENCES migration_run (id),
  CONSTRAINT fk_migration_failure_task FOREIGN KEY (task_id) REFERENCES migration_task (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- What filling would not make a task of, the first ten thousand of a run; number counts from 1.
CREATE TABLE migration_rejection (
  run_id BIGINT UNSIGNED NOT NULL,
  number BIGINT UNSIGNED NOT NULL,
  line BIGINT UNSIGNED NOT NULL,
  reason VARCHAR(1000) NOT NULL,
  content VARCHAR(1000) NOT NULL,
  PRIMARY KEY (run_id, number),
  CONSTRAINT fk_migration_rejection_run FOREIGN KEY (run_id) REFERENCES migration_run (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- A retry or skip of many tasks that is not through yet: those with an id up to after_id are done. A
-- fingerprint of NULL is all that are failed. The keeper goes on with it and removes it at its end.
CREATE TABLE migration_request (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  run_id BIGINT UNSIGNED NOT NULL,
  kind VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  fingerprint BINARY(8) NULL,
  after_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NULL,
  actor VARCHAR(255) NOT NULL,
  PRIMARY KEY (id),
  KEY ix_migration_request_run (run_id),
  KEY ix_migration_request_account (account_id),
  CONSTRAINT fk_migration_request_run FOREIGN KEY (run_id) REFERENCES migration_run (id),
  CONSTRAINT fk_migration_request_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Who did what to a run, operators and the engine alike; never changed, and removed when the run is purged.
CREATE TABLE migration_event (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  run_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NULL,
  actor VARCHAR(255) NOT NULL,
  kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  detail VARCHAR(1000) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  KEY ix_migration_event_run (run_id, id),
  KEY ix_migration_event_account (account_id),
  CONSTRAINT fk_migration_event_run FOREIGN KEY (run_id) REFERENCES migration_run (id),
  CONSTRAINT fk_migration_event_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- A run's counters every few seconds while it is active.
CREATE TABLE migration_sample (
  run_id BIGINT UNSIGNED NOT NULL,
  at DATETIME(6) NOT NULL,
  complete BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  skipped BIGINT NOT NULL,
  errors BIGINT NOT NULL,
  processing BIGINT NOT NULL,
  PRIMARY KEY (run_id, at),
  CONSTRAINT fk_migration_sample_run FOREIGN KEY (run_id) REFERENCES migration_run (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Hosts that asked to be left alone until then.
CREATE TABLE migration_upstream (
  host VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  blocked_until DATETIME(6) NOT NULL,
  reason VARCHAR(255) NOT NULL,
  PRIMARY KEY (host),
  KEY ix_migration_upstream_until (blocked_until)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
