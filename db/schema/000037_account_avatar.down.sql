ALTER TABLE account DROP COLUMN avatar;
DROP TABLE account_avatar;
