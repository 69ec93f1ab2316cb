ALTER TABLE board_column DROP COLUMN color;
