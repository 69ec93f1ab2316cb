ALTER TABLE migration_run
  DROP COLUMN company_id,
  DROP COLUMN board_id;

DELETE FROM notification WHERE ticket_id IS NULL;
ALTER TABLE notification
  MODIFY ticket_id BIGINT UNSIGNED NOT NULL,
  DROP COLUMN board_id;
