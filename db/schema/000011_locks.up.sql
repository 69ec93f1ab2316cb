-- A lock that guards other rows changes its own: on a cluster of several servers a row that is only read is locked on
-- one of them.
ALTER TABLE company ADD COLUMN locks BIGINT UNSIGNED NOT NULL DEFAULT 0;
ALTER TABLE installation ADD COLUMN locks BIGINT UNSIGNED NOT NULL DEFAULT 0;
ALTER TABLE migration_run ADD COLUMN locks BIGINT UNSIGNED NOT NULL DEFAULT 0;
