-- How many items the checklists of a description have, and how many of them are checked. items is NULL for a ticket
-- that was opened before this column and not edited since; the migration count-checklists counts those.
ALTER TABLE ticket
  ADD COLUMN items SMALLINT UNSIGNED NULL,
  ADD COLUMN items_checked SMALLINT UNSIGNED NOT NULL DEFAULT 0;
