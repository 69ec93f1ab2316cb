-- Saved views of a company's members, and which of them each has pinned. Those without a board are of all boards; others
-- see them from reach 0 on (db.ReachOpen), which guests have not.

-- name: CreateSavedView :execlastid
INSERT INTO saved_view (company_id, board_id, account_id, name, layout, query, lanes, grouped_by, fields, shared, created_at,
  updated_at)
VALUES (sqlc.arg(company_id), sqlc.arg(board_id), sqlc.arg(account_id), sqlc.arg(name), sqlc.arg(layout), sqlc.arg(query),
  sqlc.arg(lanes), sqlc.arg(grouped_by), sqlc.arg(fields), sqlc.arg(shared), sqlc.arg(now), sqlc.arg(now));

-- name: SaveSavedView :execrows
UPDATE saved_view
SET name = sqlc.arg(name), layout = sqlc.arg(layout), query = sqlc.arg(query), lanes = sqlc.arg(lanes),
  grouped_by = sqlc.arg(grouped_by), fields = sqlc.arg(fields), shared = sqlc.arg(shared), updated_at = sqlc.arg(now), version = version + 1
WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id) AND version = sqlc.arg(version);

-- name: DeleteSavedView :execrows
DELETE FROM saved_view WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id);

-- name: OwnSavedViews :many
-- Those of the reader on boards in sight, and on all, by name; there are at most savedviews.MaxOwn.
SELECT sqlc.embed(v), COALESCE(b.slug, '') AS slug, COALESCE(b.title, '') AS title, b.archived_at, p.view_id IS NOT NULL AS pinned
FROM saved_view v FORCE INDEX (uq_saved_view_name)
LEFT JOIN board b ON b.id = v.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
LEFT JOIN pinned_view p ON p.account_id = sqlc.arg(reader) AND p.company_id = v.company_id AND p.view_id = v.id
WHERE v.account_id = sqlc.arg(reader) AND v.company_id = sqlc.arg(company_id)
  AND (v.board_id IS NULL OR x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY v.name
LIMIT ?;

-- name: SharedSavedViews :many
-- Those of others on boards in sight, and for all but guests on all, by name; there are at most savedviews.MaxShared.
SELECT sqlc.embed(v), COALESCE(b.slug, '') AS slug, COALESCE(b.title, '') AS title, b.archived_at, p.view_id IS NOT NULL AS pinned, a.name AS owner_name
FROM saved_view v FORCE INDEX (ix_saved_view_shared)
LEFT JOIN board b ON b.id = v.board_id
JOIN account a ON a.id = v.account_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
LEFT JOIN pinned_view p ON p.account_id = sqlc.arg(reader) AND p.company_id = v.company_id AND p.view_id = v.id
WHERE v.company_id = sqlc.arg(company_id) AND v.shared = TRUE AND v.account_id <> sqlc.arg(reader)
  AND (v.board_id IS NULL AND sqlc.arg(reach) >= 0 OR x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY v.name, v.id
LIMIT ?;

-- name: SavedViewByID :one
-- One of the reader's, or a shared one, on a board in sight, or on all.
SELECT sqlc.embed(v), COALESCE(b.slug, '') AS slug, COALESCE(b.title, '') AS title, b.archived_at, p.view_id IS NOT NULL AS pinned, a.name AS owner_name
FROM saved_view v
LEFT JOIN board b ON b.id = v.board_id
JOIN account a ON a.id = v.account_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
LEFT JOIN pinned_view p ON p.account_id = sqlc.arg(reader) AND p.company_id = v.company_id AND p.view_id = v.id
WHERE v.id = sqlc.arg(id) AND v.company_id = sqlc.arg(company_id) AND (v.account_id = sqlc.arg(reader) OR v.shared = TRUE)
  AND (v.board_id IS NULL AND (v.account_id = sqlc.arg(reader) OR sqlc.arg(reach) >= 0) OR x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: PinnedViews :many
-- Those that the reader has pinned and sees; there are at most savedviews.MaxPins.
SELECT sqlc.embed(v), COALESCE(b.slug, '') AS slug, COALESCE(b.title, '') AS title, b.archived_at, p.pinned_at
FROM pinned_view p
STRAIGHT_JOIN saved_view v ON v.id = p.view_id AND v.company_id = p.company_id
LEFT JOIN board b ON b.id = v.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE p.account_id = sqlc.arg(reader) AND p.company_id = sqlc.arg(company_id)
  AND (v.account_id = sqlc.arg(reader) OR v.shared = TRUE)
  AND (v.board_id IS NULL AND (v.account_id = sqlc.arg(reader) OR sqlc.arg(reach) >= 0) OR x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
LIMIT ?;

-- name: CountOwnViews :one
SELECT COUNT(*) FROM saved_view WHERE account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id);

-- name: CountSharedViews :one
SELECT COUNT(*) FROM (
  SELECT 1 FROM saved_view WHERE company_id = sqlc.arg(company_id) AND shared = TRUE LIMIT ?
) s;

-- name: CountPins :one
SELECT COUNT(*) FROM pinned_view WHERE account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id);

-- name: PinView :exec
INSERT INTO pinned_view (account_id, company_id, view_id, pinned_at)
VALUES (sqlc.arg(account_id), sqlc.arg(company_id), sqlc.arg(view_id), sqlc.arg(now))
ON DUPLICATE KEY UPDATE pinned_at = pinned_at;

-- name: UnpinView :exec
DELETE FROM pinned_view
WHERE account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id) AND view_id = sqlc.arg(view_id);

-- name: ForgetPins :exec
-- Removes the pins of a member whose view is not there any more.
DELETE p FROM pinned_view p LEFT JOIN saved_view v ON v.id = p.view_id
WHERE p.account_id = sqlc.arg(account_id) AND p.company_id = sqlc.arg(company_id) AND v.id IS NULL;

-- name: CalendarAddresses :many
-- Those of a member, of views and of the member's work; there are at most savedviews.MaxAddresses.
SELECT view_id, created_at, hash FROM calendar_address
WHERE account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id)
LIMIT ?;

-- name: CountCalendarAddresses :one
SELECT COUNT(*) FROM calendar_address WHERE account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id);

-- name: SetCalendarAddress :exec
INSERT INTO calendar_address (account_id, company_id, view_id, hash, created_at)
VALUES (sqlc.arg(account_id), sqlc.arg(company_id), sqlc.arg(view_id), sqlc.arg(hash), sqlc.arg(now))
ON DUPLICATE KEY UPDATE hash = VALUES(hash), created_at = VALUES(created_at);

-- name: DropCalendarAddress :execrows
DELETE FROM calendar_address
WHERE account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id) AND view_id = sqlc.arg(view_id);

-- name: ForgetCalendarAddresses :exec
-- Removes those of a member whose view is not there any more.
DELETE a FROM calendar_address a LEFT JOIN saved_view v ON v.id = a.view_id
WHERE a.account_id = sqlc.arg(account_id) AND a.company_id = sqlc.arg(company_id) AND a.view_id > 0 AND v.id IS NULL;

-- name: CalendarAddressByHash :one
-- Whose it is; the membership is read for itself.
SELECT a.account_id, a.view_id, c.slug
FROM calendar_address a FORCE INDEX (uq_calendar_address_hash)
JOIN company c ON c.id = a.company_id
WHERE a.hash = sqlc.arg(hash);
