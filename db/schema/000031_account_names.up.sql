-- Operators find accounts by the beginning of their names.
ALTER TABLE account ADD KEY ix_account_name (name, id);
