ALTER TABLE company DROP COLUMN second_factor;
DELETE FROM sealed_secret WHERE kind = 'totp';
DROP TABLE recovery_code;
DROP TABLE account_totp;
DROP TABLE session_way;
