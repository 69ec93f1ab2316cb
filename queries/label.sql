-- Labels, and those of tickets. A ticket shows the label that its own is shown as, if that is live.

-- name: CreateLabel :execlastid
INSERT INTO label (company_id, board_id, name, color, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(board_id), sqlc.arg(name), sqlc.arg(color), sqlc.arg(created_at));

-- name: CountLabels :one
-- There are at most labels.MaxLabels.
SELECT COUNT(*) FROM label FORCE INDEX (ix_label_live) WHERE company_id = sqlc.arg(company_id) AND live = TRUE;

-- name: LabelsOn :many
-- Those that tickets of a board can get, by name; there are at most labels.MaxLabels.
SELECT id, board_id, name, color FROM label FORCE INDEX (ix_label_live)
WHERE company_id = sqlc.arg(company_id) AND live = TRUE AND board_id IN (0, sqlc.arg(board_id))
ORDER BY name, id
LIMIT ?;

-- name: LabelsShown :many
-- The live labels that some labels are shown as.
SELECT l.id AS of_label, h.id, h.name, h.color
FROM label l STRAIGHT_JOIN label h ON h.id = IF(l.shown_as = 0, l.id, l.shown_as)
WHERE l.id IN (sqlc.slice(ids)) AND h.live = TRUE;

-- name: LabelsInSight :many
-- Those of all boards, and of boards in sight, by name; there are at most labels.MaxLabels.
SELECT l.id, l.board_id, l.name, l.color, COALESCE(b.slug, '') AS board_slug
FROM label l FORCE INDEX (ix_label_live)
LEFT JOIN board b ON b.id = l.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE l.company_id = sqlc.arg(company_id) AND l.live = TRUE AND (l.board_id = 0 OR x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY l.name, l.id
LIMIT ?;

-- name: EndedLabels :many
-- Those in sight that were deleted or merged since, the last first.
SELECT l.id, l.board_id, l.name, l.color, l.ended_at, COALESCE(t.name, '') AS merged_name, COALESCE(b.slug, '') AS board_slug
FROM label l FORCE INDEX (ix_label_ended)
LEFT JOIN label t ON t.id = l.leads_to
LEFT JOIN board b ON b.id = l.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE l.company_id = sqlc.arg(company_id) AND l.renamed = FALSE AND l.ended_at > sqlc.arg(since)
  AND (l.board_id = 0 OR x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY l.ended_at DESC, l.id DESC
LIMIT ?;

-- name: LabelByID :one
-- Live or not, if it is of all boards or its board is in sight.
SELECT sqlc.embed(label), COALESCE(b.slug, '') AS board_slug
FROM label
LEFT JOIN board b ON b.id = label.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE label.id = sqlc.arg(id) AND label.company_id = sqlc.arg(company_id) AND (label.board_id = 0 OR x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: LabelsNamed :many
-- Those of all boards or of one that have, or had, a name: live ones first, then the latest.
SELECT * FROM label FORCE INDEX (uq_label_name)
WHERE company_id = sqlc.arg(company_id) AND board_id IN (0, sqlc.arg(board_id)) AND name = sqlc.arg(name)
ORDER BY live DESC, id DESC
LIMIT ?;

-- name: LockLabels :exec
-- They stay as they are until the transaction ends. It writes, as LockCompany does.
UPDATE label FORCE INDEX (PRIMARY) SET locks = locks + 1 WHERE id IN (sqlc.slice(ids)) AND company_id = sqlc.arg(company_id);

-- name: LabelsByID :many
SELECT * FROM label WHERE id IN (sqlc.slice(ids)) AND company_id = sqlc.arg(company_id) ORDER BY id;

-- name: RenameLabel :exec
UPDATE label SET name = sqlc.arg(name), color = sqlc.arg(color) WHERE id = sqlc.arg(id);

-- name: DropOldNames :exec
-- The old names of a label that a name replaces.
DELETE FROM label WHERE shown_as = sqlc.arg(label) AND leads_to = shown_as AND renamed = TRUE AND name = sqlc.arg(name);

-- name: KeepOldName :exec
INSERT INTO label (company_id, board_id, name, color, live, renamed, leads_to, shown_as, created_at, ended_at)
SELECT company_id, board_id, name, color, NULL, TRUE, id, id, created_at, sqlc.arg(ended_at) FROM label WHERE label.id = sqlc.arg(label);

-- name: EndLabel :exec
-- Deletes a label, or merges it.
UPDATE label SET live = NULL, ended_at = sqlc.arg(ended_at), leads_to = sqlc.arg(leads_to), shown_as = sqlc.arg(leads_to)
WHERE id = sqlc.arg(id);

-- name: ReviveLabel :exec
UPDATE label SET live = TRUE, ended_at = NULL, leads_to = 0, shown_as = 0 WHERE id = sqlc.arg(id);

-- name: ShownAs :many
-- The labels that are shown as one, which was live.
SELECT id, leads_to, renamed, shown_as FROM label FORCE INDEX (ix_label_shown)
WHERE shown_as = sqlc.arg(label)
ORDER BY shown_as, id
LIMIT ?;

-- name: ShowAs :exec
UPDATE label SET shown_as = sqlc.arg(shown_as) WHERE id IN (sqlc.slice(ids));

-- name: LabelsOfTickets :many
SELECT y.ticket_id, y.label_id, h.id, h.name, h.color
FROM ticket_label y STRAIGHT_JOIN label l ON l.id = y.label_id STRAIGHT_JOIN label h ON h.id = IF(l.shown_as = 0, l.id, l.shown_as)
WHERE y.ticket_id IN (sqlc.slice(tickets)) AND h.live = TRUE
ORDER BY y.ticket_id, y.label_id;

-- name: LabelTicket :exec
-- One that it has already stays.
INSERT INTO ticket_label (ticket_id, label_id) VALUES (sqlc.arg(ticket_id), sqlc.arg(label_id))
ON DUPLICATE KEY UPDATE label_id = VALUES(label_id);

-- name: UnlabelTicket :exec
DELETE FROM ticket_label WHERE ticket_id = sqlc.arg(ticket_id) AND label_id IN (sqlc.slice(labels));

-- name: TouchTicket :execrows
UPDATE ticket SET updated_at = sqlc.arg(now), feed_sync_id = NULL WHERE id = sqlc.arg(id) AND deleted_at IS NULL;

-- name: LabelledTickets :many
-- The tickets of a label, deleted ones, too, with ids above after.
SELECT ticket_id FROM ticket_label FORCE INDEX (ix_ticket_label_label)
WHERE label_id >= sqlc.arg(label_id) AND label_id <= sqlc.arg(label_id) AND ticket_id > sqlc.arg(after)
ORDER BY label_id, ticket_id
LIMIT ?;

-- name: CountLabelled :one
-- How many tickets have one of some labels, and are not deleted: no more than some number.
SELECT COUNT(*) FROM (
  SELECT DISTINCT y.ticket_id FROM ticket_label y FORCE INDEX (ix_ticket_label_label)
  STRAIGHT_JOIN ticket t ON t.id = y.ticket_id
  WHERE y.label_id IN (sqlc.slice(labels)) AND t.deleted_at IS NULL
  LIMIT ?
) some;

-- name: TicketsWithLabels :many
-- Those that have one of some labels; one with several comes several times.
SELECT ticket_id FROM ticket_label FORCE INDEX (ix_ticket_label_label)
WHERE label_id IN (sqlc.slice(labels))
LIMIT ?;
