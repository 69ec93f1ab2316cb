-- A deactivated account signs in nowhere. In each of its companies it is inactive: its members neither assign nor mention
-- it, and it counts neither as an owner nor as the admin of a board.
ALTER TABLE account ADD COLUMN deactivated_at DATETIME(6) NULL;
ALTER TABLE membership ADD COLUMN inactive BOOLEAN NOT NULL DEFAULT FALSE;
