ALTER TABLE ticket DROP COLUMN priority, DROP COLUMN start_at, DROP COLUMN start_timed, DROP COLUMN due_at, DROP COLUMN due_timed;
