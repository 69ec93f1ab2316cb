-- How pages look for an account. time_zone and dates are empty for those of the browser, and English.
ALTER TABLE account
  ADD COLUMN theme VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'system',
  ADD COLUMN density VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'comfortable',
  ADD COLUMN time_zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  ADD COLUMN dates VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';
