-- The priority of a ticket (0 none, 1 low, 2 medium, 3 high, 4 urgent) and its dates. A date without a time of day is
-- midnight UTC of its day, and not timed.
ALTER TABLE ticket
  ADD COLUMN priority TINYINT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN start_at DATETIME(6) NULL,
  ADD COLUMN start_timed BOOLEAN NOT NULL DEFAULT FALSE,
  ADD COLUMN due_at DATETIME(6) NULL,
  ADD COLUMN due_timed BOOLEAN NOT NULL DEFAULT FALSE;
