ALTER TABLE ticket DROP COLUMN items, DROP COLUMN items_checked;
