ALTER TABLE account DROP COLUMN theme, DROP COLUMN density, DROP COLUMN time_zone, DROP COLUMN dates;
