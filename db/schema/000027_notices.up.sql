-- A notification about the reader's account has neither a ticket nor a board; detail says which browser or token.
ALTER TABLE notification
  ADD COLUMN detail VARCHAR(300) NOT NULL DEFAULT '';

-- known_at is when the account first had a browser that is known: later ones are told. Accounts of before have one.
-- password_asked_at is when a user whose password breaks the rules was asked for another: once.
ALTER TABLE account
  ADD COLUMN known_at DATETIME(6) NULL,
  ADD COLUMN password_asked_at DATETIME(6) NULL;
UPDATE account SET known_at = created_at;
