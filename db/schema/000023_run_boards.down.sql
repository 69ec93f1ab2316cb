ALTER TABLE migration_run
  DROP COLUMN company_id,
  DROP COLUMN board_id;
