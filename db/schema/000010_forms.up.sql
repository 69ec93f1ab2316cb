-- The table also has the first results of browser forms, under the token 0, which is none.
ALTER TABLE idempotency DROP FOREIGN KEY fk_idempotency_token;
