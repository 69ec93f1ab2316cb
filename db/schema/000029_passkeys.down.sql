DROP TABLE used_challenge;
DROP TABLE passkey;
