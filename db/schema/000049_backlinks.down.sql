ALTER TABLE ticket DROP COLUMN comments;
DROP TABLE backlink;
