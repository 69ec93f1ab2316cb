ALTER TABLE account DROP COLUMN picture;
DROP TABLE account_picture;
