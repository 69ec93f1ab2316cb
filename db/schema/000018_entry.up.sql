-- What the servers of one database sign with: setup codes and cookies of known browsers. The
-- first server that needs it makes it. It is of no use elsewhere, so backups leave it out.
CREATE TABLE signing_key (
  id TINYINT UNSIGNED NOT NULL,
  secret BINARY(32) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- known: the row is kept for a month, any other for a day. Rows from before, and of servers of the release before, live
-- as long as they did.
ALTER TABLE sign_in_limit
  ADD COLUMN known BOOLEAN NOT NULL DEFAULT TRUE,
  ADD KEY ix_sign_in_limit_known (known, last_at);

-- email is the only address that may join by the link; '' is any.
ALTER TABLE invitation
  ADD COLUMN email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '';
