-- name: MembersByHandle :many
-- Those that a reader sees, as in MemberByID.
SELECT m.account_id, m.handle, m.role, a.name, a.avatar FROM membership m
JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.handle IN (sqlc.slice(handles)) AND m.inactive = FALSE
  AND (sqlc.arg(reach) >= 0 OR m.account_id = sqlc.arg(reader) OR EXISTS (
    SELECT 1 FROM board_access mine
    JOIN board b ON b.id = mine.board_id
    LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = m.account_id
    WHERE mine.account_id = sqlc.arg(reader) AND b.company_id = m.company_id
      AND (x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0))))
ORDER BY m.account_id;

-- name: MembersByAccount :many
-- Those that a reader sees, as in MemberByID.
SELECT m.account_id, m.handle, m.role, a.name, a.avatar FROM membership m FORCE INDEX (PRIMARY)
JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.account_id IN (sqlc.slice(accounts))
  AND (sqlc.arg(reach) >= 0 OR m.account_id = sqlc.arg(reader) OR EXISTS (
    SELECT 1 FROM board_access mine
    JOIN board b ON b.id = mine.board_id
    LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = m.account_id
    WHERE mine.account_id = sqlc.arg(reader) AND b.company_id = m.company_id
      AND (x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0))))
ORDER BY m.account_id;

-- name: LockMembers :many
-- Keeps members from being removed or deactivated until the transaction ends.
SELECT account_id, handle, role FROM membership FORCE INDEX (PRIMARY)
WHERE company_id = sqlc.arg(company_id) AND account_id IN (sqlc.slice(accounts)) AND inactive = FALSE
ORDER BY account_id
LOCK IN SHARE MODE;

-- name: GuestsAmong :many
-- Where some accounts are guests.
SELECT company_id, account_id FROM membership FORCE INDEX (ix_membership_account)
WHERE account_id IN (sqlc.slice(accounts)) AND role = 'guest';
