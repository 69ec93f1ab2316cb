ALTER TABLE invitation DROP COLUMN email;
ALTER TABLE sign_in_limit DROP KEY ix_sign_in_limit_known, DROP COLUMN known;
DROP TABLE signing_key;
