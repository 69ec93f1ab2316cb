ALTER TABLE request_form DROP COLUMN proof;
DROP TABLE invitation_reservation;
ALTER TABLE image DROP COLUMN everyone;
DROP TABLE picture;
