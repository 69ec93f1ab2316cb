-- name: CreateInvitation :execlastid
INSERT INTO invitation (company_id, hash, role, note, email, max_uses, created_by, created_at, expires_at)
VALUES (sqlc.arg(company_id), sqlc.arg(hash), sqlc.arg(role), sqlc.arg(note), sqlc.arg(email), sqlc.arg(max_uses), sqlc.arg(created_by), sqlc.arg(created_at), sqlc.arg(expires_at));

-- name: LiveInvitations :many
-- A page of the invitations that can be used, also by an account that a use waits for, the newest first.
SELECT i.id, i.role, i.note, i.email, i.max_uses, i.uses, i.created_at, i.expires_at, a.name AS author
FROM invitation i
JOIN account a ON a.id = i.created_by
WHERE i.company_id = sqlc.arg(company_id) AND i.revoked_at IS NULL AND i.expires_at > sqlc.arg(now)
  AND (i.max_uses IS NULL OR i.uses < i.max_uses OR COALESCE((SELECT r.account_id FROM invitation_reservation r WHERE r.invitation_id = i.id LIMIT 1), 0) > 0)
ORDER BY i.id DESC
LIMIT 100;

-- name: InvitationByHash :one
SELECT i.id, i.role, i.email, i.max_uses, i.uses, i.expires_at, i.revoked_at, c.id AS company_id, c.slug AS company_slug, c.name AS company_name
FROM invitation i
JOIN company c ON c.id = i.company_id
WHERE i.hash = sqlc.arg(hash);

-- name: InvitationByID :one
SELECT id, role, note, created_by FROM invitation
WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id);

-- name: UseInvitation :execrows
-- One use, if there is one left.
UPDATE invitation SET uses = uses + 1
WHERE id = sqlc.arg(id) AND revoked_at IS NULL AND expires_at > sqlc.arg(now) AND (max_uses IS NULL OR uses < max_uses);

-- name: GiveInvitationBack :exec
-- The use that a reservation took.
UPDATE invitation SET uses = uses - 1 WHERE id = sqlc.arg(id) AND uses > 0;

-- name: ReserveInvitation :exec
INSERT INTO invitation_reservation (invitation_id, account_id, created_at)
VALUES (sqlc.arg(invitation_id), sqlc.arg(account_id), sqlc.arg(created_at))
ON DUPLICATE KEY UPDATE created_at = VALUES(created_at);

-- name: InvitationReserved :one
-- Whether a use of an invitation waits for an account.
SELECT EXISTS (SELECT 1 FROM invitation_reservation WHERE invitation_id = sqlc.arg(invitation_id) AND account_id = sqlc.arg(account_id));

-- name: TakeReservation :execrows
DELETE FROM invitation_reservation WHERE invitation_id = sqlc.arg(invitation_id) AND account_id = sqlc.arg(account_id);

-- name: DropReservationsOf :exec
-- What waits for an account in a company.
DELETE r FROM invitation_reservation r JOIN invitation i ON i.id = r.invitation_id
WHERE r.account_id = sqlc.arg(account_id) AND i.company_id = sqlc.arg(company_id);

-- name: RevokeInvitation :execrows
UPDATE invitation SET revoked_at = sqlc.arg(now) WHERE id = sqlc.arg(id) AND revoked_at IS NULL;

-- name: RevokeInvitationsBy :exec
-- The invitations that an account made in a company.
UPDATE invitation SET revoked_at = sqlc.arg(now)
WHERE created_by = sqlc.arg(created_by) AND company_id = sqlc.arg(company_id) AND revoked_at IS NULL;
