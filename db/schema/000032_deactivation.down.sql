ALTER TABLE membership DROP COLUMN inactive;
ALTER TABLE account DROP COLUMN deactivated_at;
