-- name: CreateAudit :execlastid
-- An entry of a company, or of the instance if company_id is NULL.
INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
VALUES (sqlc.narg(company_id), sqlc.narg(account_id), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(address), sqlc.arg(created_at));

-- name: CreateAuditEverywhere :exec
-- An entry by an account in each company that another, or the same, belongs to.
INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
SELECT m.company_id, sqlc.narg(by_account), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(address), sqlc.arg(created_at)
FROM membership m
WHERE m.account_id = sqlc.arg(account_id);

-- name: AuditPage :many
-- A page of a company's entries, or of the instance's if company_id is NULL, the newest first.
SELECT u.id, u.kind, u.detail, u.address, u.created_at, u.account_id, u.seq, u.mac, u.existing, COALESCE(a.name, '') AS name, COALESCE(a.email, '') AS email
FROM audit u
LEFT JOIN account a ON a.id = u.account_id
WHERE u.company_id <=> sqlc.narg(company_id) AND u.id < sqlc.arg(before)
ORDER BY u.id DESC
LIMIT ?;

-- name: SpreadAudit :exec
-- The entry is to be copied into the list of each company.
INSERT INTO audit_spread (audit_id, after_company) VALUES (sqlc.arg(audit_id), 0);

-- name: AnySpread :one
SELECT audit_id FROM audit_spread WHERE audit_id > 0 ORDER BY audit_id LIMIT 1;

-- name: NextSpread :one
SELECT s.audit_id, s.after_company, u.account_id, u.kind, u.detail, u.address, u.created_at
FROM audit_spread s
STRAIGHT_JOIN audit u ON u.id = s.audit_id
WHERE s.audit_id > 0
ORDER BY s.audit_id
LIMIT 1
FOR UPDATE;

-- name: CompaniesBefore :many
-- A page of the companies that were there at a time.
SELECT id FROM company FORCE INDEX (PRIMARY)
WHERE id > sqlc.arg(after) AND created_at <= sqlc.arg(at)
ORDER BY id
LIMIT ?;

-- name: AdvanceSpread :execrows
UPDATE audit_spread SET after_company = sqlc.arg('to') WHERE audit_id = sqlc.arg(audit_id) AND after_company = sqlc.arg('from');

-- name: EndSpread :exec
DELETE FROM audit_spread WHERE audit_id = sqlc.arg(audit_id);

-- name: CopyAudit :exec
-- Copies an entry into the lists of companies.
INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
SELECT c.id, u.account_id, u.kind, u.detail, u.address, u.created_at
FROM audit u
STRAIGHT_JOIN company c FORCE INDEX (PRIMARY)
WHERE u.id = sqlc.arg(id) AND c.id IN (sqlc.slice(companies));

-- name: AcquireSealer :execrows
-- Renews the sealer's lease, or takes it once it is over. It holds the row to the end of the transaction.
UPDATE audit_sealer
SET owner = sqlc.arg(owner), lease_until = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND
WHERE id = 1 AND (owner = sqlc.arg(owner) OR lease_until < NOW(6));

-- name: Sealer :one
SELECT existing_to, secret FROM audit_sealer WHERE id = 1;

-- name: BeginChainsAnew :exec
-- Entries up to the newest are to be a first stretch again.
UPDATE audit_sealer SET existing_to = (SELECT COALESCE(MAX(u.id), 0) FROM audit u) WHERE id = 1;

-- name: UnsealAudit :execrows
UPDATE audit FORCE INDEX (ix_audit_seal) SET seq = NULL, mac = NULL, existing = FALSE WHERE seq > 0 ORDER BY seq, id LIMIT ?;

-- name: DeleteAuditChain :exec
DELETE FROM audit_chain WHERE chain = sqlc.arg(chain);

-- name: UnsealedAudit :many
SELECT id, company_id, account_id, kind, detail, address, created_at
FROM audit FORCE INDEX (ix_audit_seal)
WHERE seq IS NULL AND id > 0
ORDER BY id
LIMIT ?;

-- name: AddAuditChain :exec
INSERT INTO audit_chain (chain, last_seq, last_mac, head_mac, purged_seq, purged_mac, purge_mac)
VALUES (sqlc.arg(chain), 0, '', '', 0, '', '')
ON DUPLICATE KEY UPDATE chain = VALUES(chain);

-- name: AuditChain :one
SELECT * FROM audit_chain WHERE chain = sqlc.arg(chain);

-- name: AuditChainsAfter :many
SELECT * FROM audit_chain WHERE chain > sqlc.arg(after) ORDER BY chain LIMIT ?;

-- name: SetAuditHead :exec
UPDATE audit_chain SET last_seq = sqlc.arg(last_seq), last_mac = sqlc.arg(last_mac), head_mac = sqlc.arg(head_mac)
WHERE chain = sqlc.arg(chain);

-- name: SetAuditPurged :execrows
UPDATE audit_chain SET purged_seq = sqlc.arg(purged_seq), purged_mac = sqlc.arg(purged_mac), purge_mac = sqlc.arg(purge_mac)
WHERE chain = sqlc.arg(chain) AND purged_seq = sqlc.arg('from');

-- name: SealedAudit :many
-- A page of a chain, by position, from above after.
SELECT id, company_id, account_id, kind, detail, address, created_at, seq, mac, existing
FROM audit FORCE INDEX (ix_audit_chain)
WHERE company_id <=> sqlc.narg(company_id) AND seq > sqlc.arg(after)
ORDER BY seq
LIMIT ?;

-- name: DeleteAudit :exec
DELETE FROM audit WHERE id IN (sqlc.slice(ids));
