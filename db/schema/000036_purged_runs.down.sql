ALTER TABLE migration_run DROP COLUMN purged_at;
