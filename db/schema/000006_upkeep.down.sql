DROP TABLE image_source;
DROP TABLE image;
ALTER TABLE board_column DROP COLUMN spread_run, DROP COLUMN spread_from;
ALTER TABLE board_ticket_incrementer DROP COLUMN purged;
DROP TABLE ticket_origin;
DELETE FROM board_slug WHERE imported;
ALTER TABLE board_slug DROP COLUMN imported;
