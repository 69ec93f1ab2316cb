ALTER TABLE account
  DROP COLUMN known_at,
  DROP COLUMN password_asked_at;

DELETE FROM notification WHERE ticket_id IS NULL AND board_id IS NULL;
ALTER TABLE notification
  DROP COLUMN detail;
