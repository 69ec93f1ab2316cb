ALTER TABLE comment DROP COLUMN restored;
DROP TABLE deleted_comment;
