-- name: AllocateNumbers :execresult
-- Locks the board's incrementer. LastInsertId is the last of the k numbers.
UPDATE board_ticket_incrementer SET max_ticket_id = LAST_INSERT_ID(max_ticket_id + sqlc.arg(k))
WHERE board_id = sqlc.arg(board_id);

-- name: TicketByKey :one
-- The ticket that has the key, or had it once: on a board that has or had the slug, the number is a ticket's or its alias.
-- If the slug was imported, the key is an origin.
-- assignees is a JSON list, as in AssigneesOf, labels one as in LabelsOfTickets, and relations one as in
-- RelationsOfTickets; recurrence is a JSON object, or null; muted is the reader's.
SELECT sqlc.embed(ticket), b.slug AS board_slug, b.privacy, CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level, a.name AS author,
  CONCAT(COALESCE((SELECT JSON_ARRAYAGG(JSON_OBJECT('id', g.account_id, 'name', ga.name, 'avatar', ga.avatar, 'handle', gm.handle))
   FROM assignee g
   JOIN account ga ON ga.id = g.account_id
   LEFT JOIN membership gm ON gm.company_id = b.company_id AND gm.account_id = g.account_id
   WHERE g.ticket_id = ticket.id), '[]')) AS assignees,
  CONCAT(COALESCE((SELECT JSON_ARRAYAGG(JSON_OBJECT('id', h.id, 'name', h.name, 'color', h.color))
   FROM ticket_label y STRAIGHT_JOIN label l ON l.id = y.label_id STRAIGHT_JOIN label h ON h.id = IF(l.shown_as = 0, l.id, l.shown_as)
   WHERE y.ticket_id = ticket.id AND h.live = TRUE), '[]')) AS labels,
  CONCAT(COALESCE((SELECT JSON_ARRAYAGG(JSON_OBJECT('kind', r.kind, 'id', rt.id, 'board', rb.slug, 'number', rt.local_id, 'title', rt.title, 'closed', IF(rt.closed_at IS NULL, 0, 1)))
   FROM ticket_relation r
   STRAIGHT_JOIN ticket rt ON rt.id = r.other_id
   STRAIGHT_JOIN board rb ON rb.id = rt.board_id
   LEFT JOIN board_access rx ON rx.board_id = rb.id AND rx.account_id = sqlc.arg(reader)
   WHERE r.ticket_id = ticket.id AND rt.deleted_at IS NULL AND (rx.level IS NOT NULL OR rb.privacy <= sqlc.arg(reach))), '[]')) AS relations,
  CONCAT(COALESCE((SELECT JSON_OBJECT('id', q.id, 'by', q.account_id, 'author', qa.name, 'rule', q.rule, 'opens', q.opens, 'zone', q.time_zone, 'timed', IF(q.timed, 1, 0), 'first', DATE_FORMAT(q.first_at, '%Y-%m-%dT%TZ'), 'last', DATE_FORMAT(q.last_at, '%Y-%m-%dT%TZ'), 'next', DATE_FORMAT(q.next_at, '%Y-%m-%dT%TZ'), 'state', q.state)
   FROM recurrence q JOIN account qa ON qa.id = q.account_id WHERE q.ticket_id = ticket.id), 'null')) AS recurrence,
  EXISTS (SELECT 1 FROM watcher w WHERE w.ticket_id = ticket.id AND w.account_id = sqlc.arg(reader) AND w.muted = TRUE) AS muted
FROM board_slug s
LEFT JOIN ticket own ON own.board_id = s.board_id AND own.local_id = sqlc.arg(local_id) AND s.imported = FALSE
LEFT JOIN ticket_alias old ON old.board_id = s.board_id AND old.local_id = sqlc.arg(local_id) AND s.imported = FALSE
LEFT JOIN ticket_origin o ON o.company_id = s.company_id AND o.external_id = sqlc.arg(external_id) AND s.imported = TRUE
JOIN ticket ON ticket.id = COALESCE(own.id, old.ticket_id, o.ticket_id)
JOIN board b ON b.id = ticket.board_id
JOIN account a ON a.id = ticket.created_by
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE s.company_id = sqlc.arg(company_id) AND s.slug = sqlc.arg(slug) AND ticket.deleted_at IS NULL
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: CardByNumber :one
SELECT id, column_id, rank_in_column, moved_at FROM ticket
WHERE board_id = sqlc.arg(board_id) AND local_id = sqlc.arg(local_id) AND deleted_at IS NULL;

-- Pages within a column use column_id >= x AND column_id <= x: for column_id = x MariaDB reads the column from its top
-- and drops the rows above the rank, so a page would cost as much as the whole column.

-- name: TicketsAfter :many
-- Tickets of a column below a rank, in board order.
SELECT * FROM ticket
WHERE column_id >= sqlc.arg(column_id) AND column_id <= sqlc.arg(column_id) AND rank_in_column > sqlc.arg(from_rank)
ORDER BY column_id, rank_in_column
LIMIT ?;

-- name: TicketsByID :many
-- Those that are not deleted, in no order.
SELECT * FROM ticket WHERE id IN (sqlc.slice(ids)) AND deleted_at IS NULL;

-- name: CardBelow :one
SELECT id, rank_in_column FROM ticket
WHERE column_id >= sqlc.arg(column_id) AND column_id <= sqlc.arg(column_id) AND rank_in_column > sqlc.arg(from_rank)
ORDER BY column_id, rank_in_column
LIMIT 1;

-- name: CardAbove :one
SELECT id, local_id, rank_in_column, moved_at FROM ticket
WHERE column_id >= sqlc.arg(column_id) AND column_id <= sqlc.arg(column_id) AND rank_in_column < sqlc.arg(from_rank)
ORDER BY column_id DESC, rank_in_column DESC
LIMIT 1;

-- name: MoveTicket :execrows
-- A move, also to another board. entered_at comes first, because it reads the column before the move.
UPDATE ticket SET entered_at = IF(column_id = sqlc.arg(column_id), entered_at, sqlc.arg(entered_at)),
  board_id = sqlc.arg(board_id), local_id = sqlc.arg(local_id), column_id = sqlc.arg(column_id), rank_in_column = sqlc.arg(new_rank), moved_at = sqlc.arg(moved_at), closed_at = sqlc.arg(closed_at), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND deleted_at IS NULL;

-- name: RestoreTicket :execrows
UPDATE ticket SET column_id = sqlc.arg(column_id), rank_in_column = sqlc.arg(new_rank), moved_at = sqlc.arg(now), entered_at = sqlc.arg(entered_at), updated_at = sqlc.arg(now),
  closed_at = sqlc.arg(closed_at), deleted_at = NULL, feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND deleted_at IS NOT NULL;

-- name: SetClosed :execrows
-- Closes or reopens a ticket in its column.
UPDATE ticket SET closed_at = sqlc.arg(closed_at), entered_at = sqlc.arg(now), feed_sync_id = NULL WHERE id = sqlc.arg(id) AND deleted_at IS NULL;

-- name: TicketByID :one
-- Also a deleted one.
SELECT sqlc.embed(ticket), b.slug AS board_slug, b.privacy, CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level, a.name AS author
FROM ticket
JOIN board b ON b.id = ticket.board_id
JOIN account a ON a.id = ticket.created_by
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE ticket.id = sqlc.arg(id) AND b.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: TicketsByIDs :many
-- Those among these that the reader sees, also deleted ones, in any order.
SELECT sqlc.embed(ticket), b.slug AS board_slug, b.privacy, CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level, a.name AS author
FROM ticket FORCE INDEX (PRIMARY)
STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = ticket.board_id
STRAIGHT_JOIN account a FORCE INDEX (PRIMARY) ON a.id = ticket.created_by
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE ticket.id IN (sqlc.slice(ids)) AND b.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: LockTicketsWhole :many
-- Also deleted ones.
SELECT * FROM ticket WHERE id IN (sqlc.slice(ids)) ORDER BY id FOR UPDATE;

-- name: LockTicket :one
-- Also a deleted one.
SELECT * FROM ticket WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: DeletedTicketByKey :one
-- TicketByKey for deleted tickets.
SELECT sqlc.embed(ticket), b.slug AS board_slug, b.privacy, CAST(COALESCE(x.level, 0) AS UNSIGNED) AS level, a.name AS author
FROM board_slug s
LEFT JOIN ticket own ON own.board_id = s.board_id AND own.local_id = sqlc.arg(local_id) AND s.imported = FALSE
LEFT JOIN ticket_alias old ON old.board_id = s.board_id AND old.local_id = sqlc.arg(local_id) AND s.imported = FALSE
LEFT JOIN ticket_origin o ON o.company_id = s.company_id AND o.external_id = sqlc.arg(external_id) AND s.imported = TRUE
JOIN ticket ON ticket.id = COALESCE(own.id, old.ticket_id, o.ticket_id)
JOIN board b ON b.id = ticket.board_id
JOIN account a ON a.id = ticket.created_by
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE s.company_id = sqlc.arg(company_id) AND s.slug = sqlc.arg(slug) AND ticket.deleted_at IS NOT NULL
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: DeletedTickets :many
-- The tickets of a board deleted between two times, newest first, with the accounts that deleted them; below_id orders
-- equal times.
SELECT t.id, t.local_id, t.title, t.deleted_at,
  (SELECT a.name FROM activity v JOIN account a ON a.id = v.account_id
   WHERE v.ticket_id = t.id AND v.kind = 'deleted' ORDER BY v.id DESC LIMIT 1) AS deleted_by
FROM ticket t FORCE INDEX (ix_ticket_deleted)
WHERE t.board_id >= sqlc.arg(board_id) AND t.board_id <= sqlc.arg(board_id) AND t.deleted_at >= sqlc.arg(since) AND t.deleted_at <= sqlc.arg(before)
  AND (t.deleted_at < sqlc.arg(before) OR t.id < sqlc.arg(below_id))
ORDER BY t.board_id DESC, t.deleted_at DESC, t.id DESC
LIMIT ?;

-- name: RepublishTicket :execrows
-- For changes outside the ticket's row that its published form shows.
UPDATE ticket SET feed_sync_id = NULL WHERE id = sqlc.arg(id);

-- name: RepublishTickets :execrows
UPDATE ticket SET feed_sync_id = NULL WHERE id IN (sqlc.slice(ids));

-- name: TicketsInSight :many
-- The tickets in sight among these, in any order.
SELECT t.id FROM ticket t FORCE INDEX (PRIMARY)
STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE t.id IN (sqlc.slice(ids)) AND b.company_id = sqlc.arg(company_id)
  AND (x.level IS NOT NULL OR b.privacy <= sqlc.arg(reach));

-- name: SetRank :execrows
UPDATE ticket SET rank_in_column = sqlc.arg(new_rank) WHERE id = sqlc.arg(id);

-- name: EditTicket :execrows
UPDATE ticket SET title = sqlc.arg(title), description = sqlc.arg(description), items = sqlc.arg(items), items_checked = sqlc.arg(items_checked), version = version + 1, updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version) AND deleted_at IS NULL;

-- name: CountItems :execrows
-- For a ticket whose items were never counted, or by a server that did not know of them.
UPDATE ticket SET items = sqlc.arg(items), items_checked = sqlc.arg(items_checked), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: CountNoItems :execrows
-- For one without any, that was never counted.
UPDATE ticket SET items = 0 WHERE id = sqlc.arg(id) AND version = sqlc.arg(version) AND items IS NULL;

-- name: TicketsToCount :many
-- Those of a board with some numbers, also deleted ones.
SELECT id, description, version, from_requester, items, items_checked FROM ticket
WHERE board_id >= sqlc.arg(board_id) AND board_id <= sqlc.arg(board_id) AND local_id > sqlc.arg(after) AND local_id <= sqlc.arg('to')
ORDER BY board_id, local_id;

-- name: SetProperties :execrows
UPDATE ticket SET priority = sqlc.arg(priority), start_at = sqlc.arg(start_at), start_timed = sqlc.arg(start_timed), due_at = sqlc.arg(due_at), due_timed = sqlc.arg(due_timed),
  updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND deleted_at IS NULL;

-- name: DeleteTicket :execrows
UPDATE ticket SET column_id = NULL, rank_in_column = NULL, deleted_at = sqlc.arg(deleted_at), updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND deleted_at IS NULL;

-- name: RanksBelow :many
SELECT id, rank_in_column FROM ticket
WHERE column_id >= sqlc.arg(column_id) AND column_id <= sqlc.arg(column_id) AND rank_in_column > sqlc.arg(from_rank)
ORDER BY column_id, rank_in_column
LIMIT ?;

-- name: ColumnToSort :many
SELECT id, local_id, priority, due_at, created_at, closed_at FROM ticket
WHERE column_id >= sqlc.arg(column_id) AND column_id <= sqlc.arg(column_id)
ORDER BY column_id, rank_in_column
LIMIT ?;

-- name: NumberOnBoard :one
-- The former number of a ticket on a board.
SELECT local_id FROM ticket_alias WHERE ticket_id = sqlc.arg(ticket_id) AND board_id = sqlc.arg(board_id);

-- name: CreateAlias :exec
INSERT INTO ticket_alias (board_id, local_id, ticket_id, created_at)
VALUES (sqlc.arg(board_id), sqlc.arg(local_id), sqlc.arg(ticket_id), sqlc.arg(created_at));

-- name: DropAlias :execrows
-- The ticket gets the number again.
DELETE FROM ticket_alias WHERE board_id = sqlc.arg(board_id) AND local_id = sqlc.arg(local_id) AND ticket_id = sqlc.arg(ticket_id);

-- name: CloseTickets :execrows
UPDATE ticket SET closed_at = sqlc.arg(now), entered_at = sqlc.arg(now), feed_sync_id = NULL WHERE id IN (sqlc.slice(ids)) AND closed_at IS NULL;

-- name: ReopenTickets :execrows
UPDATE ticket SET closed_at = NULL, entered_at = sqlc.arg(now), feed_sync_id = NULL WHERE id IN (sqlc.slice(ids));

-- name: MoveToFoot :execrows
-- Puts tickets of one column at the end of another, in their order.
UPDATE ticket SET column_id = sqlc.arg(to_column), rank_in_column = rank_in_column + sqlc.arg(rank_offset), moved_at = sqlc.arg(moved_at), entered_at = sqlc.arg(entered_at), feed_sync_id = NULL
WHERE id IN (sqlc.slice(ids));

-- name: ColumnNumbers :many
-- The tickets of a column among a range of its board's numbers.
SELECT id, local_id FROM ticket
WHERE board_id >= sqlc.arg(board_id) AND board_id <= sqlc.arg(board_id) AND local_id > sqlc.arg(after) AND local_id <= sqlc.arg('to') AND column_id = sqlc.arg(column_id)
ORDER BY board_id, local_id
LIMIT ?;

-- name: LockColumnTickets :many
-- Those of some tickets that are in a column.
SELECT id, closed_at, moved_at, rank_in_column FROM ticket FORCE INDEX (PRIMARY)
WHERE id IN (sqlc.slice(ids)) AND column_id = sqlc.arg(column_id)
ORDER BY id FOR UPDATE;

-- name: RanksAbove :many
-- From a rank up, the lowest first.
SELECT id, rank_in_column FROM ticket
WHERE column_id >= sqlc.arg(column_id) AND column_id <= sqlc.arg(column_id) AND rank_in_column < sqlc.arg(from_rank)
ORDER BY column_id DESC, rank_in_column DESC
LIMIT ?;

-- name: LockTickets :many
-- Also deleted ones.
SELECT id, board_id, local_id, deleted_at, feed_sync_id FROM ticket WHERE id IN (sqlc.slice(ids)) ORDER BY id FOR UPDATE;

-- name: DescriptionsOf :many
-- The tickets of a board with some numbers.
SELECT id, local_id, description FROM ticket
WHERE board_id >= sqlc.arg(board_id) AND board_id <= sqlc.arg(board_id) AND local_id > sqlc.arg(after) AND local_id <= sqlc.arg('to') AND deleted_at IS NULL
ORDER BY board_id, local_id;
