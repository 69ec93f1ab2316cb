-- The colour of the column: one of domain/color, or NULL for none.
ALTER TABLE board_column ADD COLUMN color TINYINT UNSIGNED NULL;
