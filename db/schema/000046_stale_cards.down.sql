ALTER TABLE board_column DROP COLUMN stale_days;
