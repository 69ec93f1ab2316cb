DROP TABLE folded_column;
