-- What the list of a user's sessions shows. A session of before, or of a server of the release before, has no account
-- until its next use. id names a session in addresses; confirmed_at is when its user last proved who they are.
ALTER TABLE sessions
  ADD COLUMN id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  ADD COLUMN account_id BIGINT UNSIGNED NULL,
  ADD COLUMN epoch BIGINT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN device VARCHAR(80) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  ADD COLUMN address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  ADD COLUMN began_at DATETIME(6) NULL,
  ADD COLUMN used_at DATETIME(6) NULL,
  ADD COLUMN confirmed_at DATETIME(6) NULL,
  ADD UNIQUE KEY uq_sessions_id (id),
  ADD KEY ix_sessions_account (account_id, epoch, id);
