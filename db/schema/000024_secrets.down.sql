ALTER TABLE migration_worker DROP COLUMN reads_sealed;
DROP TABLE secret_key;
DROP TABLE sealed_secret;
