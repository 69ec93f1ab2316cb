DELETE FROM idempotency WHERE token_id = 0;
ALTER TABLE idempotency ADD CONSTRAINT fk_idempotency_token FOREIGN KEY (token_id) REFERENCES api_token (id);
