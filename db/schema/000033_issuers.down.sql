ALTER TABLE company DROP COLUMN issuer_required;
DROP TABLE company_domain;
DROP TABLE account_identity;
DROP TABLE issuer_rule;
DROP TABLE issuer_company;
-- A session that an issuer opened would be the account's own to the release before: all end.
DELETE FROM sessions;
DELETE FROM session_way WHERE way LIKE 'oidc-%';
DELETE FROM sealed_secret WHERE kind = 'issuer';
DROP TABLE issuer;
