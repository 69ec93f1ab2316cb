-- Templates of tickets, with their labels and assignees.

-- name: CreateTemplate :execlastid
INSERT INTO ticket_template (board_id, name, title, description, column_id, priority, public, created_at, updated_at)
VALUES (sqlc.arg(board_id), sqlc.arg(name), sqlc.arg(title), sqlc.arg(description), sqlc.arg(column_id), sqlc.arg(priority),
  sqlc.arg(public), sqlc.arg(now), sqlc.arg(now));

-- name: SaveTemplate :execrows
UPDATE ticket_template
SET name = sqlc.arg(name), title = sqlc.arg(title), description = sqlc.arg(description), column_id = sqlc.arg(column_id),
  priority = sqlc.arg(priority), public = sqlc.arg(public), updated_at = sqlc.arg(now), version = version + 1
WHERE id = sqlc.arg(id) AND board_id = sqlc.arg(board_id) AND live = TRUE AND version = sqlc.arg(version);

-- name: DeleteTemplate :execrows
-- It can be restored for tickets.RestoreTemplateFor.
UPDATE ticket_template SET live = NULL, deleted_at = sqlc.arg(now)
WHERE id = sqlc.arg(id) AND board_id = sqlc.arg(board_id) AND live = TRUE;

-- name: RestoreTemplate :execrows
UPDATE ticket_template SET live = TRUE, deleted_at = NULL
WHERE id = sqlc.arg(id) AND board_id = sqlc.arg(board_id) AND live IS NULL AND deleted_at > sqlc.arg(since);

-- name: DeletedTemplates :many
-- Those of a board that can be restored, the last first.
SELECT id, name, deleted_at FROM ticket_template FORCE INDEX (ix_ticket_template_deleted)
WHERE board_id = sqlc.arg(board_id) AND deleted_at > sqlc.arg(since)
ORDER BY deleted_at DESC
LIMIT ?;

-- name: DeletedTemplate :one
SELECT name, deleted_at FROM ticket_template WHERE id = sqlc.arg(id) AND board_id = sqlc.arg(board_id) AND live IS NULL;

-- name: PastTemplates :many
-- Those of a board that cannot be restored any more, the first ones.
SELECT id FROM ticket_template FORCE INDEX (ix_ticket_template_deleted)
WHERE board_id = sqlc.arg(board_id) AND deleted_at <= sqlc.arg(up_to)
ORDER BY deleted_at
LIMIT ?;

-- name: ForgetTemplate :exec
DELETE FROM ticket_template WHERE id = sqlc.arg(id);

-- name: Templates :many
-- Those of a board, by name; there are at most templates.Max.
SELECT id, name, public, version FROM ticket_template FORCE INDEX (uq_ticket_template_live)
WHERE board_id = sqlc.arg(board_id) AND live = TRUE
ORDER BY name, id
LIMIT ?;

-- name: TemplateByID :one
SELECT * FROM ticket_template WHERE id = sqlc.arg(id) AND board_id = sqlc.arg(board_id) AND live = TRUE;

-- name: LabelsOfTemplate :many
-- As they are shown now: the names of those that are live.
SELECT h.id, h.name, h.color
FROM template_label y STRAIGHT_JOIN label l ON l.id = y.label_id STRAIGHT_JOIN label h ON h.id = IF(l.shown_as = 0, l.id, l.shown_as)
WHERE y.template_id = sqlc.arg(template_id) AND h.live = TRUE
ORDER BY y.label_id;

-- name: AssigneesOfTemplate :many
SELECT account_id FROM template_assignee WHERE template_id = sqlc.arg(template_id) ORDER BY account_id;

-- name: LabelTemplate :exec
INSERT INTO template_label (template_id, label_id) VALUES (sqlc.arg(template_id), sqlc.arg(label_id));

-- name: UnlabelTemplate :exec
DELETE FROM template_label WHERE template_id = sqlc.arg(template_id);

-- name: AssignTemplate :exec
INSERT INTO template_assignee (template_id, account_id) VALUES (sqlc.arg(template_id), sqlc.arg(account_id));

-- name: UnassignTemplate :exec
DELETE FROM template_assignee WHERE template_id = sqlc.arg(template_id);
