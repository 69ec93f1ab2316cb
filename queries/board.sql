-- name: CreateBoard :execlastid
INSERT INTO board (company_id, slug, title, created_at, updated_at)
VALUES (sqlc.arg(company_id), sqlc.arg(slug), sqlc.arg(title), sqlc.arg(now), sqlc.arg(now));

-- name: CreateIncrementer :exec
INSERT INTO board_ticket_incrementer (board_id) VALUES (sqlc.arg(board_id));

-- name: CreateColumn :execlastid
INSERT INTO board_column (board_id, name, position, done)
VALUES (sqlc.arg(board_id), sqlc.arg(name), sqlc.arg(position), sqlc.arg(done));

-- name: BoardBySlug :many
-- The board that has the slug, or had it once, with each of its columns. An imported slug is no board's.
SELECT sqlc.embed(board), sqlc.embed(board_column), CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level,
  EXISTS (SELECT 1 FROM board_link l WHERE l.board_id = board.id) AS public,
  EXISTS (SELECT 1 FROM request_form f WHERE f.board_id = board.id) AS has_form,
  EXISTS (SELECT 1 FROM folded_column o WHERE o.account_id = sqlc.arg(reader) AND o.column_id = board_column.id) AS folded
FROM board_slug s
JOIN board ON board.id = s.board_id
JOIN board_column ON board_column.board_id = board.id
LEFT JOIN board_access x ON x.board_id = board.id AND x.account_id = sqlc.arg(reader)
WHERE s.company_id = sqlc.arg(company_id) AND s.slug = sqlc.arg(slug) AND s.imported = FALSE
  AND (x.level IS NOT NULL OR board.privacy <= sqlc.arg(reach))
ORDER BY board_column.position;

-- name: BoardByID :many
SELECT sqlc.embed(board), sqlc.embed(board_column), CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level,
  EXISTS (SELECT 1 FROM board_link l WHERE l.board_id = board.id) AS public,
  EXISTS (SELECT 1 FROM request_form f WHERE f.board_id = board.id) AS has_form,
  EXISTS (SELECT 1 FROM folded_column o WHERE o.account_id = sqlc.arg(reader) AND o.column_id = board_column.id) AS folded
FROM board
JOIN board_column ON board_column.board_id = board.id
LEFT JOIN board_access x ON x.board_id = board.id AND x.account_id = sqlc.arg(reader)
WHERE board.id = sqlc.arg(id) AND board.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR board.privacy <= sqlc.arg(reach))
ORDER BY board_column.position;

-- name: BoardsByID :many
-- Those of some boards that are in sight, in any order.
SELECT sqlc.embed(board), CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level FROM board FORCE INDEX (PRIMARY)
LEFT JOIN board_access x ON x.board_id = board.id AND x.account_id = sqlc.arg(reader)
WHERE board.id IN (sqlc.slice(ids)) AND board.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR board.privacy <= sqlc.arg(reach));

-- name: BoardsOfCompany :many
SELECT sqlc.embed(board), CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level FROM board FORCE INDEX (uq_board_slug)
LEFT JOIN board_access x ON x.board_id = board.id AND x.account_id = sqlc.arg(reader)
WHERE board.company_id = sqlc.arg(company_id) AND (x.level IS NOT NULL OR board.privacy <= sqlc.arg(reach))
ORDER BY board.slug LIMIT 1000;

-- name: BoardSlugs :many
-- Returns the slugs among these that a board of the company has or had, or whose keys were imported.
SELECT s.slug, s.board_id, s.imported, i.purged, i.max_ticket_id FROM board_slug s
JOIN board b ON b.id = s.board_id
JOIN board_ticket_incrementer i ON i.board_id = s.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE s.company_id = sqlc.arg(company_id) AND s.slug IN (sqlc.slice(slugs))
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: EditBoard :execrows
-- Counts an edit of the board or of its columns.
UPDATE board SET slug = sqlc.arg(slug), title = sqlc.arg(title), version = version + 1, updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version) AND archived_at IS NULL;

-- name: ArchiveBoard :execrows
-- Archives a board, or restores it if archived_at is NULL.
UPDATE board SET archived_at = sqlc.arg(archived_at), version = version + 1, updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: ColumnsOfBoards :many
-- The columns of several boards, for a list of boards.
SELECT * FROM board_column WHERE board_id IN (sqlc.slice(boards)) ORDER BY board_id, position;

-- name: LockColumns :many
SELECT * FROM board_column WHERE id IN (sqlc.slice(ids)) ORDER BY id FOR UPDATE;

-- name: AppendRanks :execresult
-- Allocates k ranks at a column's foot and locks the column, if it is closed as given, is not being emptied and its limit
-- has room.
-- LastInsertId is the last of them.
UPDATE board_column
SET ticket_count = ticket_count + sqlc.arg(k), last_rank = LAST_INSERT_ID(last_rank + sqlc.arg(span))
WHERE id = sqlc.arg(id) AND board_id = sqlc.arg(board_id) AND done = sqlc.arg(done)
  AND change_kind <> 'empty'
  AND (wip_hard = FALSE OR wip_limit IS NULL OR ticket_count + incoming + sqlc.arg(k) <= wip_limit);

-- name: AddToCount :execrows
UPDATE board_column SET ticket_count = ticket_count + sqlc.arg(n) WHERE id = sqlc.arg(id);

-- name: ShiftCount :execrows
-- Counts n tickets that went from one column to another.
UPDATE board_column SET ticket_count = ticket_count + CAST(sqlc.arg(n) AS SIGNED) * IF(id = sqlc.arg('to'), 1, -1) WHERE id IN (sqlc.arg('from'), sqlc.arg('to'));

-- name: RaiseLastRank :execrows
UPDATE board_column SET last_rank = GREATEST(last_rank, CAST(sqlc.arg(last_rank) AS SIGNED)) WHERE id = sqlc.arg(id);

-- name: ReserveSlug :exec
-- Reserves a slug for a board for ever.
INSERT INTO board_slug (company_id, slug, board_id, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(slug), sqlc.arg(board_id), sqlc.arg(created_at));

-- name: LockBoardsShared :many
-- Locks the boards against being archived. Lock columns, incrementers and tickets first. WHERE does not filter archived
-- boards: READ COMMITTED would unlock the rows that it filters.
SELECT id, archived_at FROM board WHERE id IN (sqlc.slice(ids)) LOCK IN SHARE MODE;

-- name: SaveColumn :execrows
UPDATE board_column SET name = sqlc.arg(name), done = sqlc.arg(done), wip_limit = sqlc.arg(wip_limit), wip_hard = sqlc.arg(wip_hard), stale_days = sqlc.arg(stale_days), color = sqlc.arg(color)
WHERE id = sqlc.arg(id);

-- name: SetColumnPosition :execrows
UPDATE board_column SET position = sqlc.arg(position) WHERE id = sqlc.arg(id);

-- name: FoldColumn :exec
INSERT INTO folded_column (account_id, column_id) VALUES (sqlc.arg(account_id), sqlc.arg(column_id))
ON DUPLICATE KEY UPDATE account_id = account_id;

-- name: UnfoldColumn :execrows
DELETE FROM folded_column WHERE account_id = sqlc.arg(account_id) AND column_id = sqlc.arg(column_id);

-- name: UnfoldForAll :execrows
DELETE FROM folded_column WHERE column_id = sqlc.arg(column_id);

-- name: RemoveColumn :execrows
DELETE FROM board_column WHERE id = sqlc.arg(id) AND ticket_count = 0;
-- name: BoardsToSearch :many
-- Boards with searchable titles, each with its last allocated number.
SELECT b.id, b.slug, b.title, i.max_ticket_id FROM board b
JOIN board_ticket_incrementer i ON i.board_id = b.id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE b.company_id = sqlc.arg(company_id) AND b.archived_at IS NULL AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach))
ORDER BY b.slug
LIMIT ?;

-- name: LockSpread :one
SELECT ticket_count, last_rank, spread_run, spread_from FROM board_column WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: BeginSpread :exec
-- Respacing from the foot up puts tickets above spread_from, and arrivals at the foot below it.
UPDATE board_column SET spread_run = sqlc.arg(run), spread_from = sqlc.arg(spread_from), last_rank = sqlc.arg(spread_from) WHERE id = sqlc.arg(id);

-- name: SetSpread :exec
UPDATE board_column SET spread_from = sqlc.arg(spread_from) WHERE id = sqlc.arg(id);

-- name: BoardsAfter :many
-- All boards of all companies, for bulk work.
SELECT b.id, b.slug, c.slug AS company, i.max_ticket_id FROM board b FORCE INDEX (PRIMARY)
STRAIGHT_JOIN company c ON c.id = b.company_id
STRAIGHT_JOIN board_ticket_incrementer i ON i.board_id = b.id
WHERE b.id > sqlc.arg(after)
ORDER BY b.id
LIMIT ?;

-- name: RepublishBoards :execrows
UPDATE board SET feed_sync_id = NULL WHERE id IN (sqlc.slice(ids));

-- name: BoardsInSight :many
-- The boards in sight among these, in any order.
SELECT b.id FROM board b FORCE INDEX (PRIMARY)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE b.id IN (sqlc.slice(ids)) AND b.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: LastNumber :one
SELECT max_ticket_id FROM board_ticket_incrementer WHERE board_id = sqlc.arg(board_id);

-- name: BeginColumnChange :exec
UPDATE board_column
SET change_kind = sqlc.arg(kind), change_run = sqlc.arg(run), change_by = sqlc.arg(account), change_at = sqlc.arg(since), change_to = sqlc.arg(to_column),
  change_rank = sqlc.arg(from_rank), change_total = sqlc.arg(total), change_done = 0, change_left = sqlc.arg(numbers_left)
WHERE id = sqlc.arg(id);

-- name: SaveColumnChange :exec
UPDATE board_column SET change_done = sqlc.arg(done), change_left = sqlc.arg(numbers_left), change_rank = sqlc.arg(from_rank) WHERE id = sqlc.arg(id);

-- name: EndColumnChange :exec
UPDATE board_column
SET change_kind = '', change_run = 0, change_by = 0, change_at = NULL, change_to = 0, change_rank = 0, change_total = 0, change_done = 0, change_left = 0
WHERE id = sqlc.arg(id);

-- name: AddIncoming :exec
UPDATE board_column SET incoming = incoming + sqlc.arg(n) WHERE id = sqlc.arg(id);
