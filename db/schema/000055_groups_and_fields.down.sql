ALTER TABLE saved_view DROP COLUMN grouped_by, DROP COLUMN fields;
