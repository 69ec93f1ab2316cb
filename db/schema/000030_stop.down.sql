ALTER TABLE migration_worker DROP COLUMN halted;
DROP TABLE migration_stop;
