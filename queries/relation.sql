-- name: RelationsOfTickets :many
-- Those to tickets in sight that are not deleted.
SELECT r.ticket_id, r.kind, o.id AS other_id, b.slug AS board_slug, o.local_id, o.title, o.closed_at
FROM ticket_relation r
STRAIGHT_JOIN ticket o ON o.id = r.other_id
STRAIGHT_JOIN board b ON b.id = o.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
LEFT JOIN webhook_board w ON w.webhook_id = sqlc.arg(webhook) AND w.board_id = b.id
WHERE r.ticket_id IN (sqlc.slice(tickets)) AND o.deleted_at IS NULL AND b.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach) OR w.board_id IS NOT NULL);

-- name: RelationRows :many
-- All of a ticket.
SELECT kind, other_id FROM ticket_relation WHERE ticket_id = sqlc.arg(ticket_id);

-- name: RelatedBy :many
-- What tickets have as one kind, each once.
SELECT DISTINCT other_id FROM ticket_relation WHERE ticket_id IN (sqlc.slice(tickets)) AND kind = sqlc.arg(kind);

-- name: AddRelation :exec
INSERT INTO ticket_relation (ticket_id, kind, other_id, sole) VALUES (sqlc.arg(ticket_id), sqlc.arg(kind), sqlc.arg(other_id), sqlc.arg(sole));

-- name: DropRelation :execrows
DELETE FROM ticket_relation WHERE ticket_id = sqlc.arg(ticket_id) AND kind = sqlc.arg(kind) AND other_id = sqlc.arg(other_id);

-- name: WaitingFor :many
-- The open tickets that some tickets block, with the boards of both.
SELECT r.other_id, t.board_id, t.created_by, b.company_id, c.board_id AS blocker_board FROM ticket_relation r
STRAIGHT_JOIN ticket c ON c.id = r.ticket_id
STRAIGHT_JOIN ticket t ON t.id = r.other_id
STRAIGHT_JOIN board b ON b.id = t.board_id
WHERE r.ticket_id IN (sqlc.slice(tickets)) AND r.kind = 4 AND t.closed_at IS NULL AND t.deleted_at IS NULL
ORDER BY r.other_id, r.ticket_id
LIMIT 1000;
