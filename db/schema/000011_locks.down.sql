ALTER TABLE migration_run DROP COLUMN locks;
ALTER TABLE installation DROP COLUMN locks;
ALTER TABLE company DROP COLUMN locks;
