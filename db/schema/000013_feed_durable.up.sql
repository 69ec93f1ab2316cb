-- How far each feed is known to be durable: readers go no further. A publisher notes it once its COMMIT has returned,
-- because without a binary log a commit is visible before it is on disk, and a crash takes it back. notes counts. It is
-- a table of its own because publishers hold the rows of sequences.
CREATE TABLE feed_durable (
  feed VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  head BIGINT UNSIGNED NOT NULL,
  notes BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (feed)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
