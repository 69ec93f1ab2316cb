-- How many days a ticket may be in the column before its card says that it is stale; 0 for any number.
ALTER TABLE board_column ADD COLUMN stale_days SMALLINT UNSIGNED NOT NULL DEFAULT 0;
