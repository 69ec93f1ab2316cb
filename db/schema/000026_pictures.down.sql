ALTER TABLE request_form DROP COLUMN proof;
ALTER TABLE image DROP COLUMN everyone;
DROP TABLE picture;
