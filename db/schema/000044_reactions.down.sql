ALTER TABLE comment DROP COLUMN reactions;
DROP TABLE comment_reaction;
