-- Reference codes: short names, each given out once. A code is compared byte by byte: ukrEP and UkrEP are two.

-- What one mint, or one file, brought: the codes of a lot have one length and are taken out of use together.
-- drawn are the codes that were tried, blocked those left out for their words, collided those that there were
-- before; expected is how many collisions chance makes of so many, in thousandths. sweep_run is the run that takes the codes of a lot in
-- quarantine out of the pool.
CREATE TABLE ref_lot (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  run_id BIGINT UNSIGNED NOT NULL,
  source VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  length TINYINT UNSIGNED NOT NULL,
  codes BIGINT UNSIGNED NOT NULL DEFAULT 0,
  drawn BIGINT UNSIGNED NOT NULL DEFAULT 0,
  blocked BIGINT UNSIGNED NOT NULL DEFAULT 0,
  collided BIGINT UNSIGNED NOT NULL DEFAULT 0,
  expected BIGINT UNSIGNED NOT NULL DEFAULT 0,
  quarantined BIGINT UNSIGNED NOT NULL DEFAULT 0,
  quarantined_at DATETIME(6) NULL,
  sweep_run BIGINT UNSIGNED NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_ref_lot_run (run_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- One for each transaction that adds to the ledger, so that it knows which codes are its own.
CREATE TABLE ref_batch (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  lot_id BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (id),
  KEY ix_ref_batch_lot (lot_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Every code that ever was. Nothing is ever removed: a code enters the pool in the transaction that put it here,
-- and in no other. There are tens of millions; no foreign key makes them dearer.
CREATE TABLE ref_ledger (
  code VARCHAR(6) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  batch INT UNSIGNED NOT NULL,
  PRIMARY KEY (code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Codes that can be given out.
CREATE TABLE ref_pool (
  code VARCHAR(6) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Codes that were given out, and to whom: of company, ticket and API token those that there are, otherwise 0. They
-- stay when the ticket is purged.
CREATE TABLE ref_issue (
  code VARCHAR(6) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  issued_at DATETIME(6) NOT NULL,
  company_id BIGINT UNSIGNED NOT NULL,
  ticket_id BIGINT UNSIGNED NOT NULL,
  token_id BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Codes that were taken out of the pool with their lot.
CREATE TABLE ref_quarantine (
  code VARCHAR(6) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- How many codes there are, kept by whoever adds or takes some; in parts (slots), so that they do not wait for one
-- another. guarded says that a lot is being taken out: whoever takes codes then looks which lots they are of.
CREATE TABLE ref_counter (
  length TINYINT UNSIGNED NOT NULL,
  slot TINYINT UNSIGNED NOT NULL,
  minted BIGINT NOT NULL DEFAULT 0,
  issued BIGINT NOT NULL DEFAULT 0,
  quarantined BIGINT NOT NULL DEFAULT 0,
  guarded BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (length, slot)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
INSERT INTO ref_counter (length, slot)
  SELECT l.length, s.slot
  FROM (SELECT 5 AS length UNION ALL SELECT 6) l,
       (SELECT 0 AS slot UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7
        UNION ALL SELECT 8 UNION ALL SELECT 9 UNION ALL SELECT 10 UNION ALL SELECT 11 UNION ALL SELECT 12 UNION ALL SELECT 13 UNION ALL SELECT 14 UNION ALL SELECT 15) s;

-- How the pool is kept filled. wanted: somebody gives codes out, so there have to be some. at_least is how many at any
-- time; low_hours is for how long codes must last at least, high_hours for how long they last after a refill.
-- refill_run and
-- sweep_run are the last runs that filled it by themselves, and that take a lot out; canary_key decides which codes are traps that are never given out; it is made at the first mint.
-- The counters are held against the tables now and then: count_began_at is when somebody began that last, which is also
-- who it is; count_ended_at when it was over, NULL until then. counted_at is of the last that was complete: it found
-- the counters off by counted_off codes, and counted_lost in the ledger and nowhere else, or elsewhere and not there.
CREATE TABLE ref_policy (
  id TINYINT UNSIGNED NOT NULL,
  wanted BOOLEAN NOT NULL DEFAULT FALSE,
  paused BOOLEAN NOT NULL DEFAULT FALSE,
  at_least BIGINT UNSIGNED NOT NULL DEFAULT 100000,
  low_hours INT UNSIGNED NOT NULL DEFAULT 24,
  high_hours INT UNSIGNED NOT NULL DEFAULT 168,
  canary_key BINARY(16) NULL,
  refill_run BIGINT UNSIGNED NOT NULL DEFAULT 0,
  sweep_run BIGINT UNSIGNED NOT NULL DEFAULT 0,
  count_began_at DATETIME(6) NULL,
  count_ended_at DATETIME(6) NULL,
  counted_at DATETIME(6) NULL,
  counted_off BIGINT UNSIGNED NOT NULL DEFAULT 0,
  counted_lost BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
INSERT INTO ref_policy (id) VALUES (1);

-- What a process saw in a minute: how many codes it gave out, how often there were none, and how long it took.
CREATE TABLE ref_sample (
  at DATETIME NOT NULL,
  source BIGINT UNSIGNED NOT NULL,
  popped INT UNSIGNED NOT NULL,
  empties INT UNSIGNED NOT NULL,
  p50_us INT UNSIGNED NOT NULL,
  p99_us INT UNSIGNED NOT NULL,
  PRIMARY KEY (at, source)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
