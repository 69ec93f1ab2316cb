ALTER TABLE account DROP KEY ix_account_name;
