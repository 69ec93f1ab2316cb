-- name: CreateAccount :execlastid
INSERT INTO account (email, name, password_hash, operator, created_at)
VALUES (sqlc.arg(email), sqlc.arg(name), sqlc.arg(password_hash), sqlc.arg(operator), sqlc.arg(created_at));

-- name: AccountByEmail :one
SELECT * FROM account WHERE email = sqlc.arg(email);

-- name: AccountByID :one
SELECT * FROM account WHERE id = sqlc.arg(id);

-- name: RenameAccount :exec
UPDATE account SET name = sqlc.arg(name) WHERE id = sqlc.arg(id);

-- name: SetPassword :exec
UPDATE account SET password_hash = sqlc.arg(password_hash) WHERE id = sqlc.arg(id);

-- name: EndSessions :exec
UPDATE account SET session_epoch = session_epoch + 1 WHERE id = sqlc.arg(id);

-- name: SetOperator :exec
UPDATE account SET operator = sqlc.arg(operator) WHERE id = sqlc.arg(id);

-- name: SomeOperators :many
-- Two are enough to know whether there is another.
SELECT id FROM account WHERE operator = TRUE ORDER BY id LIMIT 2;

-- name: CreateMembership :exec
INSERT INTO membership (company_id, account_id, role, handle, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(role), sqlc.arg(handle), sqlc.arg(created_at));

-- name: HandlesAmong :many
-- Those of some handles that a company's members have.
SELECT handle FROM membership WHERE company_id = sqlc.arg(company_id) AND handle IN (sqlc.slice(handles));

-- name: MemberBySlug :many
-- The account with its place in a company, and how many entries of its inbox there are unread, counted up to
-- a hundred, and for who manages it whether a webhook was stopped: a row for each other company that it belongs to, one where there is none. No row for a stranger
-- and for an unknown company alike.
SELECT a.id AS account_id, a.email, a.name AS account_name, a.operator, a.session_epoch,
       c.id AS company_id, c.slug AS company_slug, c.name AS company_name, m.role, m.handle,
       COALESCE(o.id, 0) AS other_id, COALESCE(o.slug, '') AS other_slug, COALESCE(o.name, '') AS other_name,
       (SELECT COUNT(*) FROM (
         SELECT n.id FROM company h
         JOIN notification n ON n.company_id = h.id
         WHERE h.slug = sqlc.arg(slug) AND n.account_id = sqlc.arg(account_id) AND n.unread = TRUE
         LIMIT 100
       ) some) AS unread,
       m.role IN ('owner', 'admin') AND EXISTS (SELECT 1 FROM webhook w WHERE w.company_id = c.id AND w.state = 'stopped') AS stopped
FROM company c
JOIN membership m ON m.company_id = c.id
JOIN account a ON a.id = m.account_id
LEFT JOIN membership p ON p.account_id = m.account_id AND p.company_id <> m.company_id
LEFT JOIN company o ON o.id = p.company_id
WHERE c.slug = sqlc.arg(slug) AND m.account_id = sqlc.arg(account_id)
ORDER BY p.company_id
LIMIT 200;

-- name: Members :many
-- A page of a company's members.
SELECT a.id, a.name, a.email, a.operator, m.role, m.handle, m.created_at
FROM membership m FORCE INDEX (PRIMARY)
STRAIGHT_JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.account_id > sqlc.arg(after)
ORDER BY m.account_id
LIMIT ?;

-- name: MemberByID :one
SELECT a.id, a.name, a.email, a.operator, m.role, m.handle, m.created_at
FROM membership m
JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.account_id = sqlc.arg(account_id);

-- name: SomeOwners :many
-- Two are enough to know whether there is another.
SELECT account_id FROM membership WHERE company_id = sqlc.arg(company_id) AND role = 'owner' ORDER BY account_id LIMIT 2;

-- name: ChangeRole :exec
UPDATE membership SET role = sqlc.arg(role) WHERE company_id = sqlc.arg(company_id) AND account_id = sqlc.arg(account_id);

-- name: DeleteMembership :execrows
DELETE FROM membership WHERE company_id = sqlc.arg(company_id) AND account_id = sqlc.arg(account_id);

-- name: CompaniesOfAccount :many
SELECT c.id, c.slug, c.name, m.role
FROM membership m
JOIN company c ON c.id = m.company_id
WHERE m.account_id = sqlc.arg(account_id)
ORDER BY m.company_id
LIMIT 200;

-- name: RolesBeside :many
-- The roles of one account in its companies, each with that of another account there, or NULL.
SELECT m.role, o.role AS other
FROM membership m
LEFT JOIN membership o ON o.company_id = m.company_id AND o.account_id = sqlc.arg(other)
WHERE m.account_id = sqlc.arg(account_id)
LIMIT 201;
-- name: RecordOpened :execrows
-- The first entry of every ticket numbered in (after, upto], each by its author. None on an archived board:
-- the insert of the tickets has locked the board's row for its foreign key, so none is archived after this.
INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
SELECT t.id, t.created_by, 'opened', '{}', t.created_at FROM board b JOIN ticket t ON t.board_id = b.id
WHERE b.id = sqlc.arg(board_id) AND b.archived_at IS NULL AND t.local_id > sqlc.arg(after) AND t.local_id <= sqlc.arg(upto);

-- name: RecordActivity :execlastid
INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
VALUES (sqlc.arg(ticket_id), sqlc.arg(account_id), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(created_at));

-- name: ActivityOfTicket :many
-- Newest first, from below an entry. Descriptions are left out: with them a page could have megabytes.
SELECT v.id, v.kind, CONCAT(IF(v.kind = 'edited', COALESCE(JSON_REPLACE(v.detail, '$.description.old', '', '$.description.new', ''), v.detail), v.detail)) AS detail,
  v.created_at, v.undone_at, v.account_id, a.name AS account_name
FROM activity v
JOIN account a ON a.id = v.account_id
WHERE v.ticket_id = sqlc.arg(ticket_id) AND v.id < sqlc.arg(before_id)
ORDER BY v.id DESC
LIMIT ?;

-- name: LastActivity :one
-- The newest entry of a kind.
SELECT v.id, v.kind, v.detail, v.created_at, v.undone_at, v.account_id, a.name AS account_name
FROM activity v
JOIN account a ON a.id = v.account_id
WHERE v.ticket_id = sqlc.arg(ticket_id) AND v.kind = sqlc.arg(kind)
ORDER BY v.id DESC
LIMIT 1;

-- name: LastPlaces :many
-- The newest entries that say where a ticket was.
SELECT detail FROM activity
WHERE ticket_id = sqlc.arg(ticket_id) AND kind IN ('moved', 'closed', 'undone')
ORDER BY id DESC
LIMIT 20;

-- name: LastEdits :many
-- The newest edits of a ticket.
SELECT v.id, v.kind, v.detail, v.created_at, v.undone_at, v.account_id, a.name AS account_name
FROM activity v
JOIN account a ON a.id = v.account_id
WHERE v.ticket_id = sqlc.arg(ticket_id) AND v.kind = 'edited'
ORDER BY v.id DESC
LIMIT ?;

-- name: ActivityByID :one
SELECT v.id, v.ticket_id, v.kind, v.detail, v.created_at, v.undone_at, v.account_id, a.name AS account_name
FROM activity v
JOIN account a ON a.id = v.account_id
WHERE v.id = sqlc.arg(id);

-- name: LastActions :many
-- What a person did last, in any company, and whether it says where a ticket was.
SELECT v.id, v.kind, v.created_at, v.undone_at, b.company_id,
  CAST(v.kind IN ('moved', 'closed', 'reopened', 'deleted') AND v.detail LIKE '%"from":%' AS SIGNED) AS has_spot
FROM activity v FORCE INDEX (ix_activity_account)
JOIN ticket t ON t.id = v.ticket_id
JOIN board b ON b.id = t.board_id
WHERE v.account_id = sqlc.arg(account_id)
ORDER BY v.id DESC
LIMIT 50;

-- name: MarkUndone :execrows
UPDATE activity SET undone_at = sqlc.arg(undone_at) WHERE id = sqlc.arg(id) AND undone_at IS NULL;

-- name: ChangeSince :one
-- The first entry after another that changed where a ticket is and was not undone.
SELECT v.kind, v.account_id, a.name AS account_name
FROM activity v
JOIN account a ON a.id = v.account_id
WHERE v.ticket_id = sqlc.arg(ticket_id) AND v.id > sqlc.arg(after_id)
  AND v.kind IN ('moved', 'closed', 'reopened', 'deleted', 'restored') AND v.undone_at IS NULL
ORDER BY v.id
LIMIT 1;

-- name: RecordInColumn :execrows
-- An entry for every ticket of a column below a rank.
INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
SELECT id, sqlc.arg(account_id), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(created_at) FROM ticket
WHERE column_id = sqlc.arg(column_id) AND rank_in_column > sqlc.arg(from_rank);

-- name: RecordClosed :execrows
-- An entry for every ticket of a column that is open.
INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
SELECT id, sqlc.arg(account_id), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(created_at) FROM ticket
WHERE column_id = sqlc.arg(column_id) AND closed_at IS NULL;
-- name: AssigneesOf :many
-- Of many tickets at once. Who left the company has no handle there.
SELECT s.ticket_id, s.account_id, a.name, COALESCE(m.handle, '') AS handle
FROM assignee s
JOIN account a ON a.id = s.account_id
LEFT JOIN membership m ON m.company_id = sqlc.arg(company_id) AND m.account_id = s.account_id
WHERE s.ticket_id IN (sqlc.slice(tickets))
ORDER BY s.ticket_id, s.account_id;

-- name: Unassign :execrows
DELETE FROM assignee WHERE ticket_id = sqlc.arg(ticket_id) AND account_id IN (sqlc.slice(accounts));

-- name: SetCurrent :execrows
-- Says of all assignees of a ticket whether it is open work.
UPDATE assignee SET current = sqlc.arg(current) WHERE ticket_id = sqlc.arg(ticket_id);

-- name: WorkOf :many
-- The open tickets that someone is assigned to, newest first, from below a ticket.
SELECT t.id, t.local_id, t.title, t.board_id, t.column_id, t.rank_in_column, b.slug AS board_slug, b.title AS board_title, c.name AS column_name, c.position
FROM assignee s FORCE INDEX (ix_assignee_work)
STRAIGHT_JOIN ticket t ON t.id = s.ticket_id
JOIN board b ON b.id = t.board_id
JOIN board_column c ON c.id = t.column_id
WHERE s.account_id = sqlc.arg(account_id) AND s.current >= TRUE AND s.current <= TRUE AND s.ticket_id < sqlc.arg(before_id)
  AND b.company_id = sqlc.arg(company_id) AND b.archived_at IS NULL
ORDER BY s.current DESC, s.ticket_id DESC
LIMIT ?;

-- name: SetCurrentInColumn :execrows
-- The same for all tickets of a column.
UPDATE assignee a JOIN ticket t ON t.id = a.ticket_id SET a.current = sqlc.arg(current) WHERE t.column_id = sqlc.arg(column_id);
-- name: CreateAudit :exec
INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(address), sqlc.arg(created_at));

-- name: CreateAuditEverywhere :exec
-- An entry in each company that the account belongs to.
INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
SELECT m.company_id, m.account_id, sqlc.arg(kind), sqlc.arg(detail), sqlc.arg(address), sqlc.arg(created_at)
FROM membership m
WHERE m.account_id = sqlc.arg(account_id);

-- name: AuditPage :many
-- A page of a company's entries, the newest first.
SELECT u.id, u.kind, u.detail, u.address, u.created_at, u.account_id, a.name, a.email
FROM audit u
JOIN account a ON a.id = u.account_id
WHERE u.company_id = sqlc.arg(company_id) AND u.id < sqlc.arg(before)
ORDER BY u.id DESC
LIMIT ?;
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
SELECT sqlc.embed(board), sqlc.embed(board_column) FROM board_slug s
JOIN board ON board.id = s.board_id
JOIN board_column ON board_column.board_id = board.id
WHERE s.company_id = sqlc.arg(company_id) AND s.slug = sqlc.arg(slug) AND s.imported = FALSE
ORDER BY board_column.position;

-- name: BoardByID :many
SELECT sqlc.embed(board), sqlc.embed(board_column) FROM board
JOIN board_column ON board_column.board_id = board.id
WHERE board.id = sqlc.arg(id) AND board.company_id = sqlc.arg(company_id)
ORDER BY board_column.position;

-- name: BoardsOfCompany :many
SELECT * FROM board WHERE company_id = sqlc.arg(company_id) ORDER BY slug LIMIT 1000;

-- name: BoardSlugs :many
-- Those of some slugs that a board of the company has or had, or whose keys were imported.
SELECT s.slug, s.board_id, s.imported, i.purged, i.max_ticket_id FROM board_slug s
JOIN board_ticket_incrementer i ON i.board_id = s.board_id
WHERE s.company_id = sqlc.arg(company_id) AND s.slug IN (sqlc.slice(slugs));

-- name: EditBoard :execrows
-- Counts an edit of the board or of its columns.
UPDATE board SET slug = sqlc.arg(slug), title = sqlc.arg(title), version = version + 1, updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version) AND archived_at IS NULL;

-- name: ArchiveBoard :execrows
-- Archives a board, or restores it where archived_at is NULL.
UPDATE board SET archived_at = sqlc.arg(archived_at), version = version + 1, updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: ColumnsOfBoards :many
-- The columns of several boards, for a list of boards.
SELECT * FROM board_column WHERE board_id IN (sqlc.slice(boards)) ORDER BY board_id, position;

-- name: LockColumns :many
SELECT * FROM board_column WHERE id IN (sqlc.slice(ids)) ORDER BY id FOR UPDATE;

-- name: AppendRanks :execresult
-- Takes k ranks at a column's foot and locks the column, where it is done or not as it is said to be and
-- its limit lets them in. LastInsertId is the last of them.
UPDATE board_column
SET ticket_count = ticket_count + sqlc.arg(k), last_rank = LAST_INSERT_ID(last_rank + sqlc.arg(span))
WHERE id = sqlc.arg(id) AND board_id = sqlc.arg(board_id) AND done = sqlc.arg(done)
  AND (wip_hard = FALSE OR wip_limit IS NULL OR ticket_count + sqlc.arg(k) <= wip_limit);

-- name: AddToCount :execrows
UPDATE board_column SET ticket_count = ticket_count + sqlc.arg(n) WHERE id = sqlc.arg(id);

-- name: RaiseLastRank :execrows
UPDATE board_column SET last_rank = GREATEST(last_rank, CAST(sqlc.arg(last_rank) AS SIGNED)) WHERE id = sqlc.arg(id);

-- name: ReserveSlug :exec
-- Makes a slug a board's own for ever.
INSERT INTO board_slug (company_id, slug, board_id, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(slug), sqlc.arg(board_id), sqlc.arg(created_at));

-- name: KeepBoards :many
-- Locks the boards against being archived. Lock columns, incrementers and tickets first. What is archived
-- is not said in WHERE: at READ COMMITTED the rows that it throws away are unlocked again.
SELECT slug, archived_at FROM board WHERE id IN (sqlc.slice(ids)) LOCK IN SHARE MODE;

-- name: SaveColumn :execrows
UPDATE board_column SET name = sqlc.arg(name), done = sqlc.arg(done), wip_limit = sqlc.arg(wip_limit), wip_hard = sqlc.arg(wip_hard)
WHERE id = sqlc.arg(id);

-- name: SetColumnPosition :execrows
UPDATE board_column SET position = sqlc.arg(position) WHERE id = sqlc.arg(id);

-- name: RemoveColumn :execrows
DELETE FROM board_column WHERE id = sqlc.arg(id) AND ticket_count = 0;
-- name: BoardsToSearch :many
-- Boards whose titles can be searched, each with the last number handed out on it.
SELECT b.id, b.slug, i.max_ticket_id FROM board b
JOIN board_ticket_incrementer i ON i.board_id = b.id
WHERE b.company_id = sqlc.arg(company_id) AND b.archived_at IS NULL
ORDER BY b.slug
LIMIT ?;

-- name: LockSpread :one
SELECT ticket_count, last_rank, spread_run, spread_from FROM board_column WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: BeginSpread :exec
-- From the foot up, tickets go above spread_from, and what comes to the foot below it.
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

-- name: BoardsOfCompanyAmong :many
-- Those of some boards that are a company's, in any order.
SELECT id FROM board FORCE INDEX (PRIMARY) WHERE id IN (sqlc.slice(ids)) AND company_id = sqlc.arg(company_id);
-- name: CreateComment :execlastid
INSERT INTO comment (ticket_id, account_id, body, public, from_requester, created_at, updated_at)
VALUES (sqlc.arg(ticket_id), sqlc.arg(account_id), sqlc.arg(body), sqlc.arg(public), sqlc.arg(from_requester), sqlc.arg(now), sqlc.arg(now));

-- name: CommentOfTicket :one
SELECT sqlc.embed(comment), a.name AS author FROM comment
JOIN account a ON a.id = comment.account_id
WHERE comment.id = sqlc.arg(id) AND comment.ticket_id = sqlc.arg(ticket_id);

-- name: LockComment :one
SELECT * FROM comment WHERE id = sqlc.arg(id) AND ticket_id = sqlc.arg(ticket_id) FOR UPDATE;

-- name: EditComment :execrows
UPDATE comment SET body = sqlc.arg(body), version = version + 1, updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version) AND deleted_at IS NULL;

-- name: DeleteComment :execrows
-- The row stays without its text.
UPDATE comment SET body = '', version = version + 1, deleted_at = sqlc.arg(deleted_at), updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND deleted_at IS NULL;

-- name: RepublishComments :execrows
-- All of a ticket: what is shown of them depends on it. The caller holds the ticket's lock.
UPDATE comment SET feed_sync_id = NULL WHERE ticket_id = sqlc.arg(ticket_id);

-- name: RepublishCommentsOf :execrows
-- All of some tickets.
UPDATE comment SET feed_sync_id = NULL WHERE ticket_id IN (sqlc.slice(tickets));

-- name: RepublishCommentsUpto :execrows
-- Some of a ticket.
UPDATE comment SET feed_sync_id = NULL
WHERE ticket_id >= sqlc.arg(ticket_id) AND ticket_id <= sqlc.arg(ticket_id) AND id > sqlc.arg(after_id) AND id <= sqlc.arg(upto_id);

-- name: CommentCounts :many
-- How many some tickets have, of those that have any.
SELECT ticket_id, COUNT(*) AS comments FROM comment FORCE INDEX (ix_comment_ticket)
WHERE ticket_id IN (sqlc.slice(tickets))
GROUP BY ticket_id;

-- name: CommentIDsAfter :many
SELECT id FROM comment FORCE INDEX (ix_comment_ticket)
WHERE ticket_id >= sqlc.arg(ticket_id) AND ticket_id <= sqlc.arg(ticket_id) AND id > sqlc.arg(after_id)
ORDER BY ticket_id, id
LIMIT ?;

-- name: RepublishCommentRows :execrows
UPDATE comment SET feed_sync_id = NULL WHERE id IN (sqlc.slice(ids));

-- name: CommentsOfCompany :many
-- Those of some comments that are a company's, in any order.
SELECT c.id FROM comment c FORCE INDEX (PRIMARY)
STRAIGHT_JOIN ticket t ON t.id = c.ticket_id
STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
WHERE c.id IN (sqlc.slice(ids)) AND b.company_id = sqlc.arg(company_id);

-- name: CommentsBefore :many
-- Newest first, from below a comment; written for MariaDB as the pages of a column are (ticket.sql).
SELECT sqlc.embed(comment), a.name AS author FROM comment FORCE INDEX (ix_comment_ticket)
JOIN account a ON a.id = comment.account_id
WHERE comment.ticket_id >= sqlc.arg(ticket_id) AND comment.ticket_id <= sqlc.arg(ticket_id) AND comment.id < sqlc.arg(before_id)
ORDER BY comment.ticket_id DESC, comment.id DESC
LIMIT ?;

-- name: CommentsAfter :many
-- Oldest first, from above a comment.
SELECT sqlc.embed(comment), a.name AS author FROM comment FORCE INDEX (ix_comment_ticket)
JOIN account a ON a.id = comment.account_id
WHERE comment.ticket_id >= sqlc.arg(ticket_id) AND comment.ticket_id <= sqlc.arg(ticket_id) AND comment.id > sqlc.arg(after_id)
ORDER BY comment.ticket_id, comment.id
LIMIT ?;
-- name: CreateCompany :execlastid
INSERT INTO company (slug, name, created_at) VALUES (sqlc.arg(slug), sqlc.arg(name), sqlc.arg(created_at));

-- name: RenameCompany :exec
UPDATE company SET name = sqlc.arg(name) WHERE id = sqlc.arg(id);

-- name: LockCompany :one
-- Whoever changes who has which role in a company holds this lock.
SELECT id FROM company WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: ClaimInstallation :exec
INSERT INTO installation (id, company_id, created_at) VALUES (1, sqlc.arg(company_id), sqlc.arg(created_at));

-- name: InstallationExists :one
SELECT EXISTS (SELECT 1 FROM installation WHERE id = 1);

-- name: LockInstallation :one
-- Whoever changes who is an operator holds this lock.
SELECT id FROM installation WHERE id = 1 FOR UPDATE;

-- name: CompanyBySlug :one
SELECT * FROM company WHERE slug = sqlc.arg(slug);
-- What stands where in a feed, by stretches of ids: for readers who prove that they have missed nothing.

-- name: AuditTickets :many
SELECT t.id, t.feed_sync_id, t.board_id, CAST(t.deleted_at IS NOT NULL AS SIGNED) AS gone
FROM ticket t FORCE INDEX (PRIMARY) STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
WHERE t.id > sqlc.arg(after) AND t.id <= sqlc.arg(upto) AND b.company_id = sqlc.arg(company_id)
ORDER BY t.id;

-- name: AuditComments :many
SELECT c.id, c.feed_sync_id, t.board_id, CAST(c.deleted_at IS NOT NULL OR t.deleted_at IS NOT NULL AS SIGNED) AS gone
FROM comment c FORCE INDEX (PRIMARY) STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = c.ticket_id STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
WHERE c.id > sqlc.arg(after) AND c.id <= sqlc.arg(upto) AND b.company_id = sqlc.arg(company_id)
ORDER BY c.id;

-- name: AuditBoards :many
SELECT id, feed_sync_id
FROM board FORCE INDEX (PRIMARY)
WHERE id > sqlc.arg(after) AND id <= sqlc.arg(upto) AND company_id = sqlc.arg(company_id)
ORDER BY id;

-- name: LastBoard :one
SELECT CAST(COALESCE(MAX(id), 0) AS UNSIGNED) FROM board;
-- name: RecordBatch :exec
-- By the database's clock, under the lock of the sequence: later positions have no earlier time.
INSERT INTO feed_batch (feed, hi, k, committed_at) VALUES (sqlc.arg(feed), sqlc.arg(hi), sqlc.arg(k), NOW(6));

-- name: BatchBefore :one
-- The last position that was given out before a time.
SELECT hi FROM feed_batch WHERE feed = sqlc.arg(feed) AND committed_at < sqlc.arg(time) ORDER BY committed_at DESC, hi DESC LIMIT 1;

-- name: OldBatches :many
-- Batches of a feed that are older than 90 days, the oldest first; the newest of all is never one.
SELECT b.hi FROM feed_batch b FORCE INDEX (ix_feed_batch_time)
WHERE b.feed = sqlc.arg(feed) AND b.committed_at < NOW(6) - INTERVAL 90 DAY AND b.hi < (SELECT s.value FROM sequences s WHERE s.name = sqlc.arg(feed))
ORDER BY b.committed_at, b.hi
LIMIT ?;

-- name: ForgetBatches :execrows
DELETE FROM feed_batch WHERE feed = sqlc.arg(feed) AND hi IN (sqlc.slice(batches));

-- name: NewestBatch :one
-- When that was published.
SELECT committed_at FROM feed_batch WHERE feed = sqlc.arg(feed) ORDER BY hi DESC LIMIT 1;
-- name: CreateConsumer :execlastid
INSERT INTO feed_consumer (company_id, feed, name, epoch, position, began, created_by, created_at, seen_at)
VALUES (sqlc.arg(company_id), sqlc.arg(feed), sqlc.arg(name), sqlc.arg(epoch), sqlc.arg(position), sqlc.arg(began), sqlc.arg(created_by), NOW(6), NOW(6));

-- name: ConsumerByName :one
SELECT sqlc.embed(f), c.slug AS company_slug
FROM feed_consumer f JOIN company c ON c.id = f.company_id
WHERE f.company_id = sqlc.arg(company_id) AND f.feed = sqlc.arg(feed) AND f.name = sqlc.arg(name);

-- name: ConsumerByID :one
SELECT sqlc.embed(f), c.slug AS company_slug
FROM feed_consumer f JOIN company c ON c.id = f.company_id
WHERE f.id = sqlc.arg(id);

-- name: ConsumersOf :many
-- A page of a company's consumers.
SELECT sqlc.embed(f), c.slug AS company_slug
FROM feed_consumer f FORCE INDEX (ix_feed_consumer_company) STRAIGHT_JOIN company c ON c.id = f.company_id
WHERE f.company_id = sqlc.arg(company_id) AND f.id > sqlc.arg(after)
ORDER BY f.id
LIMIT ?;

-- name: AllConsumers :many
-- A page of the consumers of all companies.
SELECT sqlc.embed(f), c.slug AS company_slug
FROM feed_consumer f STRAIGHT_JOIN company c ON c.id = f.company_id
WHERE f.id > sqlc.arg(after)
ORDER BY f.id
LIMIT ?;

-- name: AdvanceConsumer :execrows
-- Only where the consumer stands where it is said to: of two that advance it from one place, one does.
UPDATE feed_consumer SET epoch = sqlc.arg(epoch), position = sqlc.arg(position), began = sqlc.arg(began), seen_at = NOW(6)
WHERE id = sqlc.arg(id) AND epoch = sqlc.arg(from_epoch) AND position = sqlc.arg(from_position) AND began = sqlc.arg(from_began);

-- name: SeekConsumer :execrows
UPDATE feed_consumer SET epoch = sqlc.arg(epoch), position = sqlc.arg(position), began = sqlc.arg(began) WHERE id = sqlc.arg(id);

-- name: SeeConsumer :exec
-- That it reads, to five seconds: not every read writes.
UPDATE feed_consumer SET seen_at = NOW(6) WHERE id = sqlc.arg(id) AND seen_at < NOW(6) - INTERVAL 5 SECOND;

-- name: PauseConsumer :execrows
UPDATE feed_consumer SET paused = sqlc.arg(paused) WHERE id = sqlc.arg(id);

-- name: DeleteConsumer :execrows
DELETE FROM feed_consumer WHERE id = sqlc.arg(id);
-- What is published, in the order of positions. The statement that reads a position reads the row with it.

-- name: PublishedTickets :many
-- Also deleted ones, and those of other companies.
SELECT sqlc.embed(ticket), b.company_id, b.slug AS board_slug, c.slug AS company_slug FROM ticket FORCE INDEX (uq_ticket_feed)
STRAIGHT_JOIN board b ON b.id = ticket.board_id
STRAIGHT_JOIN company c ON c.id = b.company_id
WHERE ticket.feed_sync_id > sqlc.arg(after) AND ticket.feed_sync_id <= sqlc.arg(upto)
ORDER BY ticket.feed_sync_id
LIMIT ?;

-- name: PublishedComments :many
-- Also deleted ones, those of deleted tickets, and those of other companies.
SELECT sqlc.embed(comment), a.name AS author, t.board_id, t.local_id, t.deleted_at AS ticket_deleted_at, b.company_id, b.slug AS board_slug, c.slug AS company_slug
FROM comment FORCE INDEX (uq_comment_feed)
STRAIGHT_JOIN ticket t ON t.id = comment.ticket_id
STRAIGHT_JOIN board b ON b.id = t.board_id
STRAIGHT_JOIN company c ON c.id = b.company_id
STRAIGHT_JOIN account a ON a.id = comment.account_id
WHERE comment.feed_sync_id > sqlc.arg(after) AND comment.feed_sync_id <= sqlc.arg(upto)
ORDER BY comment.feed_sync_id
LIMIT ?;

-- name: PublishedBoards :many
-- Also those of other companies.
SELECT sqlc.embed(board), c.slug AS company_slug FROM board FORCE INDEX (uq_board_feed)
STRAIGHT_JOIN company c ON c.id = board.company_id
WHERE board.feed_sync_id > sqlc.arg(after) AND board.feed_sync_id <= sqlc.arg(upto)
ORDER BY board.feed_sync_id
LIMIT ?;
-- name: RememberedAnswer :one
SELECT request_hash, status, answer, created_at FROM idempotency
WHERE token_id = sqlc.arg(token_id) AND key_hash = sqlc.arg(key_hash);

-- name: ForgetAnswer :execrows
DELETE FROM idempotency
WHERE token_id = sqlc.arg(token_id) AND key_hash = sqlc.arg(key_hash) AND created_at < sqlc.arg(before);

-- name: ForgetAnswers :execrows
DELETE FROM idempotency WHERE created_at < sqlc.arg(before) ORDER BY created_at LIMIT 1000;
-- name: KeepImage :exec
-- The same image may be kept twice.
INSERT INTO image (company_id, hash, content_type, bytes, width, height, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(hash), sqlc.arg(content_type), sqlc.arg(bytes), sqlc.arg(width), sqlc.arg(height), sqlc.arg(created_at))
ON DUPLICATE KEY UPDATE bytes = bytes;

-- name: KeepImageSource :exec
-- An address that gave another image before leads to the last.
INSERT INTO image_source (company_id, url_hash, url, hash, created_at)
VALUES (sqlc.arg(company_id), sqlc.arg(url_hash), sqlc.arg(url), sqlc.arg(hash), sqlc.arg(created_at))
ON DUPLICATE KEY UPDATE hash = VALUES(hash), created_at = VALUES(created_at);

-- name: ImageByHash :one
SELECT * FROM image WHERE company_id = sqlc.arg(company_id) AND hash = sqlc.arg(hash);

-- name: ImageBySource :one
-- What an address gave, not before since.
SELECT i.* FROM image_source s
JOIN image i ON i.company_id = s.company_id AND i.hash = s.hash
WHERE s.company_id = sqlc.arg(company_id) AND s.url_hash = sqlc.arg(url_hash) AND s.created_at >= sqlc.arg(since);

-- name: DescriptionsWithImages :many
-- Those of a company's tickets, numbered in (after, upto], that may show images; none on archived boards, and none of
-- strangers, whose texts are shown as they were typed.
SELECT t.id, b.slug, t.local_id, t.description FROM ticket t FORCE INDEX (PRIMARY)
JOIN board b ON b.id = t.board_id
WHERE t.id > sqlc.arg(after) AND t.id <= sqlc.arg(upto) AND b.company_id = sqlc.arg(company_id) AND b.archived_at IS NULL
  AND t.deleted_at IS NULL AND t.from_requester = FALSE AND LOCATE('![', t.description) > 0
ORDER BY t.id;

-- name: CommentsWithImages :many
SELECT c.id, c.ticket_id, b.slug, t.local_id, c.body FROM comment c FORCE INDEX (PRIMARY)
JOIN ticket t ON t.id = c.ticket_id
JOIN board b ON b.id = t.board_id
WHERE c.id > sqlc.arg(after) AND c.id <= sqlc.arg(upto) AND b.company_id = sqlc.arg(company_id) AND b.archived_at IS NULL
  AND t.deleted_at IS NULL AND c.deleted_at IS NULL AND c.from_requester = FALSE AND LOCATE('![', c.body) > 0
ORDER BY c.id;

-- name: LastTicket :one
SELECT CAST(COALESCE(MAX(id), 0) AS UNSIGNED) AS id FROM ticket;

-- name: LastComment :one
SELECT CAST(COALESCE(MAX(id), 0) AS UNSIGNED) AS id FROM comment;
-- name: CreateInvitation :execlastid
INSERT INTO invitation (company_id, hash, role, note, max_uses, created_by, created_at, expires_at)
VALUES (sqlc.arg(company_id), sqlc.arg(hash), sqlc.arg(role), sqlc.arg(note), sqlc.arg(max_uses), sqlc.arg(created_by), sqlc.arg(created_at), sqlc.arg(expires_at));

-- name: LiveInvitations :many
-- A page of the invitations that can be used, the newest first.
SELECT i.id, i.role, i.note, i.max_uses, i.uses, i.created_at, i.expires_at, a.name AS author
FROM invitation i
JOIN account a ON a.id = i.created_by
WHERE i.company_id = sqlc.arg(company_id) AND i.revoked_at IS NULL AND i.expires_at > sqlc.arg(now)
  AND (i.max_uses IS NULL OR i.uses < i.max_uses)
ORDER BY i.id DESC
LIMIT 100;

-- name: InvitationByHash :one
SELECT i.id, i.role, i.max_uses, i.uses, i.expires_at, i.revoked_at, c.id AS company_id, c.slug AS company_slug, c.name AS company_name
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

-- name: RevokeInvitation :execrows
UPDATE invitation SET revoked_at = sqlc.arg(now) WHERE id = sqlc.arg(id) AND revoked_at IS NULL;

-- name: RevokeInvitationsBy :exec
-- Those that someone made in a company.
UPDATE invitation SET revoked_at = sqlc.arg(now)
WHERE created_by = sqlc.arg(created_by) AND company_id = sqlc.arg(company_id) AND revoked_at IS NULL;
-- What the live pages are told: where the rows are that were published in a stretch of a feed.

-- name: LiveTickets :many
-- assignees are their ids, as JSON.
SELECT t.id, b.company_id, t.board_id, t.column_id, t.title, t.moved_at, t.closed_at, t.feed_sync_id,
  CONCAT(COALESCE((SELECT JSON_ARRAYAGG(a.account_id) FROM assignee a WHERE a.ticket_id = t.id), '[]')) AS assignees
FROM ticket t FORCE INDEX (uq_ticket_feed)
STRAIGHT_JOIN board b ON b.id = t.board_id
WHERE t.feed_sync_id > sqlc.arg(after) AND t.feed_sync_id <= sqlc.arg(upto)
ORDER BY t.feed_sync_id
LIMIT ?;

-- name: LiveAliases :many
-- The boards that tickets of a stretch were on once.
SELECT a.ticket_id, a.board_id
FROM ticket t FORCE INDEX (uq_ticket_feed)
STRAIGHT_JOIN ticket_alias a FORCE INDEX (ix_ticket_alias_ticket) ON a.ticket_id = t.id
WHERE t.feed_sync_id > sqlc.arg(after) AND t.feed_sync_id <= sqlc.arg(upto)
LIMIT ?;

-- name: LiveComments :many
SELECT c.ticket_id, b.company_id, c.feed_sync_id
FROM comment c FORCE INDEX (uq_comment_feed)
STRAIGHT_JOIN ticket t ON t.id = c.ticket_id
STRAIGHT_JOIN board b ON b.id = t.board_id
WHERE c.feed_sync_id > sqlc.arg(after) AND c.feed_sync_id <= sqlc.arg(upto)
ORDER BY c.feed_sync_id
LIMIT ?;

-- name: LiveBoards :many
SELECT id, company_id, feed_sync_id FROM board FORCE INDEX (uq_board_feed)
WHERE feed_sync_id > sqlc.arg(after) AND feed_sync_id <= sqlc.arg(upto)
ORDER BY feed_sync_id
LIMIT ?;
-- name: MembersByHandle :many
SELECT m.account_id, m.handle, m.role, a.name FROM membership m
JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.handle IN (sqlc.slice(handles))
ORDER BY m.account_id;

-- name: MembersByAccount :many
SELECT m.account_id, m.handle, m.role, a.name FROM membership m
JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.account_id IN (sqlc.slice(accounts))
ORDER BY m.account_id;

-- name: LockMembers :many
-- Keeps people from being removed until the transaction ends.
SELECT account_id, handle, role FROM membership
WHERE company_id = sqlc.arg(company_id) AND account_id IN (sqlc.slice(accounts))
ORDER BY account_id
LOCK IN SHARE MODE;

-- name: MembersWithHandle :many
-- Those whose handle lies in a range, for a list to choose from.
SELECT m.account_id, m.handle, m.role, a.name FROM membership m
JOIN account a ON a.id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.handle >= sqlc.arg(from_handle) AND m.handle <= sqlc.arg(upto_handle) AND m.role <> sqlc.arg(without)
ORDER BY m.handle
LIMIT ?;
-- LastFailures reads the attempts that failed after a given one, the newest first; none that were lost
-- with their worker.
-- name: LastFailures :many
SELECT id, fingerprint, message FROM migration_attempt
WHERE run_id = sqlc.arg(run_id) AND id > sqlc.arg(after) AND outcome = 'failed'
ORDER BY id DESC
LIMIT ?;

-- name: LastAttempt :one
SELECT id FROM migration_attempt WHERE run_id = sqlc.arg(run_id) ORDER BY id DESC LIMIT 1;
-- ProgressOf adds up a few dozen rows: the run's workers.
-- name: ProgressOf :one
SELECT CAST(COALESCE(SUM(processing), 0) AS SIGNED) AS processing, CAST(COALESCE(SUM(waiting), 0) AS SIGNED) AS waiting,
       CAST(COALESCE(SUM(complete), 0) AS SIGNED) AS complete, CAST(COALESCE(SUM(failed), 0) AS SIGNED) AS failed,
       CAST(COALESCE(SUM(skipped), 0) AS SIGNED) AS skipped, CAST(COALESCE(SUM(errors), 0) AS SIGNED) AS errors,
       CAST(COALESCE(SUM(refused), 0) AS SIGNED) AS refused, CAST(COALESCE(SUM(reclaimed), 0) AS SIGNED) AS reclaimed
FROM migration_counter WHERE run_id = sqlc.arg(run_id);

-- AddToCounter adds, or takes away, in the transaction of the tasks that it counts.
-- name: AddToCounter :exec
INSERT INTO migration_counter (run_id, worker_id, processing, waiting, complete, failed, skipped, errors, refused, reclaimed)
VALUES (sqlc.arg(run_id), sqlc.arg(worker_id), sqlc.arg(processing), sqlc.arg(waiting), sqlc.arg(complete), sqlc.arg(failed),
        sqlc.arg(skipped), sqlc.arg(errors), sqlc.arg(refused), sqlc.arg(reclaimed))
ON DUPLICATE KEY UPDATE processing = processing + VALUES(processing), waiting = waiting + VALUES(waiting),
  complete = complete + VALUES(complete), failed = failed + VALUES(failed), skipped = skipped + VALUES(skipped),
  errors = errors + VALUES(errors), refused = refused + VALUES(refused), reclaimed = reclaimed + VALUES(reclaimed);

-- CountersOf reads a few dozen rows: one for each worker who lives, and row 0.
-- name: CountersOf :many
SELECT * FROM migration_counter WHERE run_id = sqlc.arg(run_id) ORDER BY worker_id;

-- name: ProgressOfRuns :many
SELECT run_id, CAST(COALESCE(SUM(processing), 0) AS SIGNED) AS processing, CAST(COALESCE(SUM(waiting), 0) AS SIGNED) AS waiting,
       CAST(COALESCE(SUM(complete), 0) AS SIGNED) AS complete, CAST(COALESCE(SUM(failed), 0) AS SIGNED) AS failed,
       CAST(COALESCE(SUM(skipped), 0) AS SIGNED) AS skipped, CAST(COALESCE(SUM(errors), 0) AS SIGNED) AS errors,
       CAST(COALESCE(SUM(refused), 0) AS SIGNED) AS refused, CAST(COALESCE(SUM(reclaimed), 0) AS SIGNED) AS reclaimed
FROM migration_counter WHERE run_id IN (sqlc.slice(runs)) GROUP BY run_id;

-- SeeRun notes that a worker acts on a version of the run and holds nothing of it.
-- name: SeeRun :exec
INSERT INTO migration_counter (run_id, worker_id, seen) VALUES (sqlc.arg(run_id), sqlc.arg(worker_id), sqlc.arg(seen))
ON DUPLICATE KEY UPDATE seen = GREATEST(seen, VALUES(seen));

-- Unaware is how many living workers have not seen the version of the run.
-- name: Unaware :one
SELECT COUNT(*) FROM migration_worker w FORCE INDEX (ix_migration_worker_state)
LEFT JOIN migration_counter c ON c.run_id = sqlc.arg(run_id) AND c.worker_id = w.id
WHERE w.state IN ('active', 'draining') AND w.lease_until > NOW(6) AND COALESCE(c.seen, 0) < sqlc.arg(version);

-- CountersOfGone has the workers that are gone and have a row.
-- name: CountersOfGone :many
SELECT c.worker_id FROM migration_counter c
LEFT JOIN migration_worker w ON w.id = c.worker_id
WHERE c.run_id = sqlc.arg(run_id) AND c.worker_id > 0 AND (w.id IS NULL OR w.state = 'stopped')
ORDER BY c.worker_id
LIMIT ?;

-- LockCounters passes over rows that somebody else has locked.
-- name: LockCounters :many
SELECT * FROM migration_counter WHERE run_id = sqlc.arg(run_id) AND worker_id IN (sqlc.slice(workers)) FOR UPDATE SKIP LOCKED;

-- name: DropCounters :execrows
DELETE FROM migration_counter WHERE run_id = sqlc.arg(run_id) AND worker_id IN (sqlc.slice(workers));
-- name: AddRunEvent :exec
INSERT INTO migration_event (run_id, account_id, actor, kind, detail, created_at)
VALUES (sqlc.arg(run_id), sqlc.arg(account_id), sqlc.arg(actor), sqlc.arg(kind), sqlc.arg(detail), NOW(6));

-- name: RunEventsOf :many
SELECT * FROM migration_event FORCE INDEX (ix_migration_event_run)
WHERE run_id = sqlc.arg(run_id) AND id < sqlc.arg(before)
ORDER BY id DESC
LIMIT ?;
-- name: LeaseRenewed :one
SELECT renewed_at FROM migration_lease WHERE name = sqlc.arg(name);

-- name: AddLease :exec
INSERT INTO migration_lease (name, worker_id, renewed_at, lease_until) VALUES (sqlc.arg(name), 0, NOW(6), NOW(6))
ON DUPLICATE KEY UPDATE name = VALUES(name);

-- TakeLease renews it for who has it, and gives it to another once it is over.
-- name: TakeLease :execrows
UPDATE migration_lease
SET worker_id = sqlc.arg(worker_id), renewed_at = NOW(6), lease_until = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND
WHERE name = sqlc.arg(name) AND (worker_id = sqlc.arg(worker_id) OR lease_until < NOW(6));

-- name: EndLease :exec
UPDATE migration_lease SET lease_until = NOW(6) - INTERVAL 1 MICROSECOND WHERE name = sqlc.arg(name) AND worker_id = sqlc.arg(worker_id);
-- name: RejectionsOf :many
SELECT * FROM migration_rejection
WHERE run_id = sqlc.arg(run_id) AND number > sqlc.arg(after)
ORDER BY number
LIMIT ?;
-- name: AddRequest :execlastid
INSERT INTO migration_request (run_id, kind, fingerprint, after_id, account_id, actor)
VALUES (sqlc.arg(run_id), sqlc.arg(kind), sqlc.arg(fingerprint), sqlc.arg(after_id), sqlc.arg(account_id), sqlc.arg(actor));

-- name: NextRequest :one
SELECT id FROM migration_request WHERE id > sqlc.arg(after) ORDER BY id LIMIT 1;

-- name: RunOfRequest :one
SELECT run_id FROM migration_request WHERE id = sqlc.arg(id);

-- name: LockRequest :one
SELECT * FROM migration_request WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: RequestCameTo :exec
UPDATE migration_request SET after_id = sqlc.arg(after_id) WHERE id = sqlc.arg(id);

-- name: EndRequest :exec
DELETE FROM migration_request WHERE id = sqlc.arg(id);

-- AnyRequestOf finds out whether a run has a request that is not through.
-- name: AnyRequestOf :one
SELECT EXISTS(SELECT 1 FROM migration_request WHERE run_id = sqlc.arg(run_id)) AS found;
-- name: OpenRun :execlastid
INSERT INTO migration_run (name, params, same_key, active_key, listed, state, state_since, dry, knobs, upload, upload_name, upload_hash, account_id, actor, created_at)
VALUES (sqlc.arg(name), sqlc.arg(params), sqlc.arg(same_key), sqlc.arg(active_key), sqlc.arg(listed), 'open', NOW(6), sqlc.arg(dry), sqlc.arg(knobs),
        sqlc.arg(upload), sqlc.arg(upload_name), sqlc.arg(upload_hash), sqlc.arg(account_id), sqlc.arg(actor), NOW(6));

-- name: LockRun :one
SELECT * FROM migration_run WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: RunByID :one
SELECT * FROM migration_run WHERE id = sqlc.arg(id);

-- name: ActiveRunOf :one
SELECT id FROM migration_run WHERE active_key = sqlc.arg(active_key);

-- SetRunState counts the version, which workers act on.
-- name: SetRunState :exec
UPDATE migration_run
SET state = sqlc.arg(state), reason = sqlc.arg(reason), state_since = NOW(6), version = version + 1,
    active_key = sqlc.arg(active_key), listed = sqlc.arg(listed), canary_left = sqlc.arg(canary_left),
    started_at = IF(sqlc.arg(started), COALESCE(started_at, NOW(6)), started_at),
    finished_at = IF(sqlc.arg(finished), NOW(6), NULL)
WHERE id = sqlc.arg(id);

-- name: SetRunListed :exec
UPDATE migration_run SET listed = sqlc.arg(listed) WHERE id = sqlc.arg(id);

-- name: SetRunKnobs :exec
UPDATE migration_run SET knobs = sqlc.arg(knobs), version = version + 1 WHERE id = sqlc.arg(id);

-- RunsIn reads the runs of the given states that are older than a run, newest first.
-- name: RunsIn :many
SELECT * FROM migration_run FORCE INDEX (ix_migration_run_state)
WHERE state = sqlc.arg(state) AND id < sqlc.arg(before)
ORDER BY id DESC
LIMIT ?;

-- RunNow is a run and the database's time.
-- name: RunNow :one
SELECT sqlc.embed(migration_run), NOW(6) AS at FROM migration_run WHERE id = sqlc.arg(id);

-- SetThrottleReason keeps the figures on the page true; that is no news for workers.
-- name: SetThrottleReason :execrows
UPDATE migration_run SET reason = sqlc.arg(reason) WHERE id = sqlc.arg(id) AND state = 'throttled';

-- RunsListed reads a page of one of the lists of runs, newest first.
-- name: RunsListed :many
SELECT * FROM migration_run FORCE INDEX (ix_migration_run_listed)
WHERE listed = sqlc.arg(listed) AND id < sqlc.arg(before)
ORDER BY id DESC
LIMIT ?;

-- TakeFilling has a worker fill the run from now on.
-- name: TakeFilling :exec
UPDATE migration_run SET fill_worker = sqlc.arg(worker_id), fill_fence = fill_fence + 1 WHERE id = sqlc.arg(id);

-- LeaveFilling lets another worker go on at once.
-- name: LeaveFilling :exec
UPDATE migration_run SET fill_worker = 0 WHERE id = sqlc.arg(id) AND fill_fence = sqlc.arg(fill_fence) AND state = 'filling';

-- FilledSome is written with a batch of tasks.
-- name: FilledSome :execrows
UPDATE migration_run
SET total = total + sqlc.arg(tasks), rejected = rejected + sqlc.arg(rejections), fill_cursor = sqlc.arg(fill_cursor), reason = ''
WHERE id = sqlc.arg(id) AND fill_fence = sqlc.arg(fill_fence) AND state = 'filling';

-- name: SayWhyNotFilled :exec
UPDATE migration_run SET reason = sqlc.arg(reason) WHERE id = sqlc.arg(id) AND fill_fence = sqlc.arg(fill_fence) AND state IN ('open', 'filling');

-- FillerOf reads who fills the run, and whether that worker lives.
-- name: FillerOf :one
SELECT r.state, r.fill_fence, r.fill_worker,
       EXISTS(SELECT 1 FROM migration_worker w WHERE w.id = r.fill_worker AND w.state <> 'stopped' AND w.lease_until >= NOW(6)) AS lives
FROM migration_run r WHERE r.id = sqlc.arg(id);

-- RunsToWork are those that workers have to do with.
-- name: RunsToWork :many
SELECT * FROM migration_run FORCE INDEX (ix_migration_run_state)
WHERE state IN ('open', 'filling', 'ready', 'running', 'pausing', 'throttled', 'cancelling')
ORDER BY id
LIMIT 1000;

-- name: LockCanary :one
SELECT state, canary_left FROM migration_run WHERE id = sqlc.arg(id) FOR UPDATE;

-- TakeCanary is no news for workers.
-- name: TakeCanary :exec
UPDATE migration_run SET canary_left = canary_left - sqlc.arg(tasks) WHERE id = sqlc.arg(id);

-- GiveBackCanary is for tasks that were claimed and not done.
-- name: GiveBackCanary :exec
UPDATE migration_run SET canary_left = canary_left + sqlc.arg(tasks) WHERE id = sqlc.arg(id) AND canary_left IS NOT NULL;

-- ShareRun comes before the rows of tasks where new rows are to belong to the run.
-- name: ShareRun :one
SELECT state FROM migration_run WHERE id = sqlc.arg(id) LOCK IN SHARE MODE;

-- UploadsAfter are the names of the files of runs, in the order of runs.
-- name: UploadsAfter :many
SELECT id, upload FROM migration_run WHERE id > sqlc.arg(after) ORDER BY id LIMIT ?;

-- RunsByState counts runs in the given states, ten thousand at most, from the index alone.
-- name: RunsByState :many
SELECT state, COUNT(*) AS runs FROM (
  SELECT state FROM migration_run FORCE INDEX (ix_migration_run_state) WHERE state IN (sqlc.slice(states)) LIMIT 10000
) AS some GROUP BY state;
-- AddSample notes what the run's counters show now.
-- name: AddSample :exec
INSERT INTO migration_sample (run_id, at, complete, failed, skipped, errors, processing)
SELECT r.id, NOW(6), COALESCE(SUM(c.complete), 0), COALESCE(SUM(c.failed), 0), COALESCE(SUM(c.skipped), 0),
       COALESCE(SUM(c.errors), 0), COALESCE(SUM(c.processing), 0)
FROM migration_run r LEFT JOIN migration_counter c ON c.run_id = r.id
WHERE r.id = sqlc.arg(run_id)
GROUP BY r.id;

-- name: LastSamples :many
SELECT * FROM migration_sample WHERE run_id = sqlc.arg(run_id) ORDER BY at DESC LIMIT ?;

-- ThinSamples leaves about one in five minutes.
-- name: ThinSamples :execrows
DELETE FROM migration_sample
WHERE run_id = sqlc.arg(run_id) AND at >= sqlc.arg(since) AND at < sqlc.arg(upto) AND (SECOND(at) >= 5 OR MINUTE(at) % 5 <> 0)
ORDER BY at
LIMIT ?;
-- LockOpenTasks is the first half of a claim: the next tasks, by ix_claim alone, however many there are;
-- tasks that others are taking are passed over. It begins behind an id, so that it does not walk over
-- what was claimed there and is not purged yet. Of run_id = ? MariaDB would make a look-up, and begin at
-- the run's first task; as a range it uses the whole index.
-- name: LockOpenTasks :many
SELECT id, attempt, iteration, line, payload FROM migration_task FORCE INDEX (ix_claim)
WHERE run_id >= sqlc.arg(run_id) AND run_id <= sqlc.arg(run_id) AND state = 'open' AND id > sqlc.arg(after)
ORDER BY run_id, state, id
LIMIT ?
FOR UPDATE SKIP LOCKED;

-- AnyTaskIn finds out whether a run has a task in the state.
-- name: AnyTaskIn :one
SELECT EXISTS(SELECT 1 FROM migration_task FORCE INDEX (ix_claim) WHERE run_id = sqlc.arg(run_id) AND state = sqlc.arg(state)) AS found;

-- LostTasks are claimed ones, beyond an id, whose worker is gone, or registered after it claimed them
-- (ids of workers begin anew in a restored database).
-- name: LostTasks :many
SELECT t.id, t.fence, t.worker_id
FROM migration_task t FORCE INDEX (ix_claim)
LEFT JOIN migration_worker w ON w.id = t.worker_id
WHERE t.run_id = sqlc.arg(run_id) AND t.state = 'processing' AND t.id > sqlc.arg(after)
  AND (w.id IS NULL OR w.state = 'stopped' OR w.lease_until < NOW(6) OR t.claimed_at < w.started_at)
ORDER BY t.id
LIMIT ?;

-- LockLost locks those of the tasks that nobody else has locked.
-- name: LockLost :many
SELECT t.id, t.fence, t.attempt, t.iteration, t.worker_id,
       CAST(GREATEST(TIMESTAMPDIFF(MICROSECOND, t.claimed_at, NOW(6)), 0) AS UNSIGNED) AS held_us
FROM migration_task t FORCE INDEX (PRIMARY)
WHERE t.id IN (sqlc.slice(ids)) AND t.state = 'processing'
ORDER BY t.id
FOR UPDATE SKIP LOCKED;

-- LockDueTasks locks tasks of a run that have waited long enough.
-- name: LockDueTasks :many
SELECT id FROM migration_task FORCE INDEX (ix_due)
WHERE run_id = sqlc.arg(run_id) AND due_at <= NOW(6)
ORDER BY due_at
LIMIT ?
FOR UPDATE SKIP LOCKED;

-- name: OpenDueTasks :execrows
UPDATE migration_task SET state = 'open', due_at = NULL WHERE id IN (sqlc.slice(ids)) AND state = 'waiting';
-- TaskIDsIn reads ids alone, from ix_claim.
-- name: TaskIDsIn :many
SELECT id FROM migration_task FORCE INDEX (ix_claim)
WHERE run_id = sqlc.arg(run_id) AND state = sqlc.arg(state) AND id > sqlc.arg(after)
ORDER BY id
LIMIT ?;

-- TasksAmong reads those of the tasks that a worker had last, or that are in an iteration; 0 is any. Of
-- a payload it reads the beginning, with one character more than is shown.
-- name: TasksAmong :many
SELECT id, run_id, state, fence, worker_id, attempt, iteration, line, SUBSTRING(payload, 1, 1001) AS payload, note, fingerprint, due_at, claimed_at, finished_at
FROM migration_task
WHERE id IN (sqlc.slice(ids)) AND (worker_id = sqlc.arg(worker_id) OR sqlc.arg(worker_id) = 0) AND (iteration = sqlc.arg(iteration) OR sqlc.arg(iteration) = 0)
ORDER BY id
LIMIT ?;

-- name: TaskOf :one
SELECT * FROM migration_task WHERE id = sqlc.arg(id) AND run_id = sqlc.arg(run_id);

-- LockNamed locks those of the tasks that the run has, by their ids.
-- name: LockNamed :many
SELECT id, state, fingerprint FROM migration_task FORCE INDEX (PRIMARY)
WHERE id IN (sqlc.slice(ids)) AND run_id = sqlc.arg(run_id)
ORDER BY id
FOR UPDATE;

-- name: LockTasksIn :many
SELECT id, fingerprint FROM migration_task FORCE INDEX (ix_claim)
WHERE run_id = sqlc.arg(run_id) AND state = sqlc.arg(state) AND id > sqlc.arg(after)
ORDER BY id
LIMIT ?
FOR UPDATE;

-- name: LockFailedSo :many
SELECT id, fingerprint FROM migration_task FORCE INDEX (ix_failed)
WHERE run_id = sqlc.arg(run_id) AND fingerprint = sqlc.arg(fingerprint) AND id > sqlc.arg(after)
ORDER BY id
LIMIT ?
FOR UPDATE;

-- name: RetryTasks :execrows
UPDATE migration_task
SET state = 'open', iteration = iteration + 1, attempt = 0, fingerprint = NULL, due_at = NULL, finished_at = NULL, note = ''
WHERE id IN (sqlc.slice(ids)) AND state IN ('failed', 'skipped', 'waiting');

-- name: SkipTasks :execrows
UPDATE migration_task
SET state = 'skipped', fingerprint = NULL, due_at = NULL, finished_at = NOW(6)
WHERE id IN (sqlc.slice(ids)) AND state IN ('open', 'waiting', 'failed');

-- FailedIDs and FailedIDsSo read ids alone.
-- name: FailedIDsSo :many
SELECT id FROM migration_task FORCE INDEX (ix_failed)
WHERE run_id = sqlc.arg(run_id) AND fingerprint = sqlc.arg(fingerprint) AND id > sqlc.arg(after)
ORDER BY id
LIMIT ?;

-- FailedAmong reads tasks with what their last attempt said, in any order.
-- name: FailedAmong :many
SELECT t.id, t.run_id, t.state, t.worker_id, t.attempt, t.iteration, t.line, SUBSTRING(t.payload, 1, 32000) AS payload, t.fingerprint, t.claimed_at, t.finished_at,
       CONCAT(COALESCE(a.message, '')) AS message
FROM migration_task t
LEFT JOIN migration_attempt a ON a.id = (SELECT MAX(b.id) FROM migration_attempt b WHERE b.task_id = t.id)
WHERE t.id IN (sqlc.slice(ids)) AND t.state = 'failed';

-- name: AttemptsOf :many
SELECT * FROM migration_attempt FORCE INDEX (ix_migration_attempt_task)
WHERE task_id = sqlc.arg(task_id)
ORDER BY id DESC
LIMIT ?;

-- PrintsOf are the fingerprints of the groups that a run has, at most so many.
-- name: PrintsOf :many
SELECT fingerprint FROM migration_failure WHERE run_id = sqlc.arg(run_id) LIMIT ?;

-- FailuresOf reads what groups a run has, at most so many.
-- name: FailuresOf :many
SELECT * FROM migration_failure WHERE run_id = sqlc.arg(run_id) LIMIT ?;

-- name: FailuresSettled :exec
UPDATE migration_failure SET failed = IF(failed > sqlc.arg(tasks), failed - sqlc.arg(tasks), 0) WHERE run_id = sqlc.arg(run_id) AND fingerprint = sqlc.arg(fingerprint);

-- name: FailedSo :one
SELECT failed FROM migration_failure WHERE run_id = sqlc.arg(run_id) AND fingerprint = sqlc.arg(fingerprint);
-- BlockUpstream never shortens what another answer asked for.
-- name: BlockUpstream :exec
INSERT INTO migration_upstream (host, blocked_until, reason)
VALUES (sqlc.arg(host), NOW(6) + INTERVAL sqlc.arg(micros) MICROSECOND, sqlc.arg(reason))
ON DUPLICATE KEY UPDATE reason = IF(VALUES(blocked_until) > blocked_until, VALUES(reason), reason),
  blocked_until = GREATEST(blocked_until, VALUES(blocked_until));

-- BlockedUpstreams has those that want the longest rest first.
-- name: BlockedUpstreams :many
SELECT host, reason, CAST(TIMESTAMPDIFF(MICROSECOND, NOW(6), blocked_until) AS SIGNED) AS left_us
FROM migration_upstream FORCE INDEX (ix_migration_upstream_until)
WHERE blocked_until > NOW(6)
ORDER BY blocked_until DESC
LIMIT ?;

-- name: ExpiredUpstreams :many
SELECT host FROM migration_upstream FORCE INDEX (ix_migration_upstream_until) WHERE blocked_until < NOW(6) ORDER BY blocked_until LIMIT ?;

-- name: ForgetUpstreams :exec
DELETE FROM migration_upstream WHERE host IN (sqlc.slice(hosts)) AND blocked_until < NOW(6);
-- LivingWorkers reads a few dozen rows. left_us is what is left of the lease.
-- name: LivingWorkers :many
SELECT sqlc.embed(migration_worker), CAST(TIMESTAMPDIFF(MICROSECOND, NOW(6), lease_until) AS SIGNED) AS left_us
FROM migration_worker FORCE INDEX (ix_migration_worker_state)
WHERE state IN ('active', 'draining') AND lease_until > NOW(6)
ORDER BY id
LIMIT 1000;

-- name: RegisterWorker :execlastid
INSERT INTO migration_worker (host, pid, version, knows, state, started_at, beat_at, lease_until)
VALUES (sqlc.arg(host), sqlc.arg(pid), sqlc.arg(version), sqlc.arg(knows), 'active', NOW(6), NOW(6), NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND);

-- RenewWorker finds no row once the worker was declared dead.
-- name: RenewWorker :execrows
UPDATE migration_worker
SET lease_until = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND, beat_at = NOW(6), in_flight = sqlc.arg(in_flight),
    finished = sqlc.arg(finished), per_second = sqlc.arg(per_second), claim_p99_us = sqlc.arg(claim_p99_us)
WHERE id = sqlc.arg(id) AND epoch = sqlc.arg(epoch) AND state <> 'stopped';

-- SignOffWorker ends a lease at once.
-- name: SignOffWorker :exec
UPDATE migration_worker
SET state = 'stopped', epoch = epoch + 1, lease_until = NOW(6), beat_at = NOW(6), in_flight = 0, finished = sqlc.arg(finished), per_second = 0
WHERE id = sqlc.arg(id) AND epoch = sqlc.arg(epoch);

-- Clock is the database's time.
-- name: Clock :one
SELECT CAST(NOW(6) AS DATETIME(6)) AS now;

-- WorkersNow is how many can claim, whether the worker is one that must not, and the time.
-- name: WorkersNow :one
SELECT CAST(NOW(6) AS DATETIME(6)) AS time, CAST(COALESCE(SUM(state = 'active'), 0) AS SIGNED) AS active, CAST(COALESCE(SUM(id = sqlc.arg(id) AND state = 'draining'), 0) AS SIGNED) AS draining
FROM migration_worker FORCE INDEX (ix_migration_worker_state)
WHERE state IN ('active', 'draining') AND lease_until > NOW(6);

-- name: DeadWorkers :many
SELECT id, epoch FROM migration_worker FORCE INDEX (ix_migration_worker_state)
WHERE state IN ('active', 'draining') AND lease_until < NOW(6)
ORDER BY id
LIMIT ?;

-- DeclareDead keeps a worker from renewing its lease, which is over.
-- name: DeclareDead :execrows
UPDATE migration_worker SET state = 'stopped', epoch = epoch + 1, in_flight = 0, per_second = 0
WHERE id = sqlc.arg(id) AND epoch = sqlc.arg(epoch) AND lease_until < NOW(6);

-- name: WorkerNames :many
SELECT id, host, pid FROM migration_worker WHERE id IN (sqlc.slice(ids));

-- ForgetWorkers removes workers that are gone for a week.
-- name: ForgetWorkers :execrows
DELETE FROM migration_worker WHERE state = 'stopped' AND lease_until < NOW(6) - INTERVAL 7 DAY ORDER BY id LIMIT ?;
-- name: WorkersIn :many
SELECT sqlc.embed(migration_worker), CAST(TIMESTAMPDIFF(MICROSECOND, NOW(6), lease_until) AS SIGNED) AS left_us
FROM migration_worker FORCE INDEX (ix_migration_worker_state)
WHERE state = sqlc.arg(state)
ORDER BY id DESC
LIMIT ?;

-- name: LockWorker :one
SELECT * FROM migration_worker WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: DrainWorker :exec
UPDATE migration_worker SET state = sqlc.arg(state) WHERE id = sqlc.arg(id);
-- name: InboxOf :many
-- Newest first, from below an entry; written for MariaDB as the pages of a column are (ticket.sql).
SELECT n.id, n.kind, n.unread, n.created_at, n.comment_id, n.ticket_id,
       t.local_id, t.title, t.deleted_at, b.slug AS board_slug, a.name AS actor_name, n.actor_id,
       LEFT(COALESCE(c.body, ''), 400) AS excerpt
FROM notification n FORCE INDEX (ix_notification_inbox)
JOIN ticket t ON t.id = n.ticket_id
JOIN board b ON b.id = t.board_id
JOIN account a ON a.id = n.actor_id
LEFT JOIN comment c ON c.id = n.comment_id
WHERE n.account_id >= sqlc.arg(account_id) AND n.account_id <= sqlc.arg(account_id)
  AND n.company_id >= sqlc.arg(company_id) AND n.company_id <= sqlc.arg(company_id) AND n.id < sqlc.arg(before_id)
ORDER BY n.account_id DESC, n.company_id DESC, n.id DESC
LIMIT ?;

-- name: UnreadOf :one
-- How many entries are unread, counted up to a hundred.
SELECT COUNT(*) FROM (
  SELECT n.id FROM notification n
  WHERE n.account_id = sqlc.arg(account_id) AND n.company_id = sqlc.arg(company_id) AND n.unread = TRUE
  LIMIT 100
) some;

-- name: ReadEntry :execrows
UPDATE notification SET unread = FALSE
WHERE id = sqlc.arg(id) AND account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id);

-- name: ReadEntries :execrows
-- Up to five hundred of those up to an entry.
UPDATE notification SET unread = FALSE
WHERE account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id) AND unread = TRUE AND id <= sqlc.arg(upto)
ORDER BY id
LIMIT 500;

-- name: ReadTicket :execrows
UPDATE notification SET unread = FALSE
WHERE ticket_id = sqlc.arg(ticket_id) AND account_id = sqlc.arg(account_id) AND unread = TRUE;
-- name: ImportSlug :exec
-- Keeps a slug for imported keys, unless it is kept already.
INSERT INTO board_slug (company_id, slug, board_id, created_at, imported)
VALUES (sqlc.arg(company_id), sqlc.arg(slug), sqlc.arg(board_id), sqlc.arg(created_at), TRUE)
ON DUPLICATE KEY UPDATE imported = imported;

-- name: KeptSlugs :many
-- Those of some slugs that are kept, and whether for imported keys.
SELECT slug, imported FROM board_slug WHERE company_id = sqlc.arg(company_id) AND slug IN (sqlc.slice(slugs));

-- name: TicketsOfOrigins :many
-- The tickets that were imported from some keys, also deleted ones. From the keys, whatever the server
-- thinks: from the one board it would read all its tickets.
SELECT o.external_id, t.id, t.local_id, t.deleted_at, b.slug AS board_slug FROM ticket_origin o FORCE INDEX (PRIMARY)
STRAIGHT_JOIN ticket t ON t.id = o.ticket_id
STRAIGHT_JOIN board b ON b.id = t.board_id
WHERE o.company_id = sqlc.arg(company_id) AND o.external_id IN (sqlc.slice(external_ids));

-- name: TicketsNumbered :many
-- The ids of a board's tickets with the numbers in (after, upto].
SELECT id, local_id FROM ticket
WHERE board_id = sqlc.arg(board_id) AND local_id > sqlc.arg(after) AND local_id <= sqlc.arg(upto)
ORDER BY local_id;
-- name: CreateReset :exec
INSERT INTO password_reset (company_id, account_id, hash, created_by, created_at, expires_at)
VALUES (sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(hash), sqlc.arg(created_by), sqlc.arg(created_at), sqlc.arg(expires_at));

-- name: ResetByHash :one
SELECT r.id, r.account_id, r.company_id, r.created_by, r.expires_at, r.used_at, a.email, a.name
FROM password_reset r
JOIN account a ON a.id = r.account_id
WHERE r.hash = sqlc.arg(hash);

-- name: UseReset :execrows
UPDATE password_reset SET used_at = sqlc.arg(used_at)
WHERE id = sqlc.arg(id) AND used_at IS NULL AND expires_at > sqlc.arg(now);

-- name: EndResetsOf :exec
-- Those for an account end.
UPDATE password_reset SET used_at = sqlc.arg(now) WHERE account_id = sqlc.arg(account_id) AND used_at IS NULL;

-- name: EndResetsBy :exec
-- Those that someone made in a company end.
UPDATE password_reset SET used_at = sqlc.arg(now)
WHERE created_by = sqlc.arg(created_by) AND company_id = sqlc.arg(company_id) AND used_at IS NULL;
-- name: LongDeleted :many
-- What was deleted on a board before a time, from below another.
SELECT id, local_id, deleted_at FROM ticket FORCE INDEX (ix_ticket_deleted)
WHERE board_id >= sqlc.arg(board_id) AND board_id <= sqlc.arg(board_id) AND deleted_at >= sqlc.arg(since) AND deleted_at < sqlc.arg(before)
  AND (deleted_at > sqlc.arg(since) OR id > sqlc.arg(after_id))
ORDER BY board_id, deleted_at, id
LIMIT ?;

-- name: OldNumbersOf :many
SELECT board_id, ticket_id FROM ticket_alias WHERE ticket_id IN (sqlc.slice(tickets));

-- name: LockIncrementers :many
SELECT board_id FROM board_ticket_incrementer WHERE board_id IN (sqlc.slice(boards)) ORDER BY board_id FOR UPDATE;

-- name: CountPurged :execrows
UPDATE board_ticket_incrementer SET purged = purged + sqlc.arg(n) WHERE board_id = sqlc.arg(board_id);

-- name: PurgeNotifications :exec
DELETE FROM notification WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeActivity :exec
DELETE FROM activity WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeComments :exec
DELETE FROM comment WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeAssignees :exec
DELETE FROM assignee WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeWatchers :exec
DELETE FROM watcher WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeAliases :exec
DELETE FROM ticket_alias WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeOrigins :exec
DELETE FROM ticket_origin WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PurgeTickets :execrows
DELETE FROM ticket WHERE id IN (sqlc.slice(tickets)) AND deleted_at IS NOT NULL;

-- name: NumberPurged :one
-- Whether a number that a board handed out is no ticket's any more, nor an old one of any.
SELECT EXISTS (
  SELECT 1 FROM board_slug s
  JOIN board_ticket_incrementer i ON i.board_id = s.board_id
  WHERE s.company_id = sqlc.arg(company_id) AND s.slug = sqlc.arg(slug) AND s.imported = FALSE AND i.purged > 0
    AND sqlc.arg(local_id) <= i.max_ticket_id
    AND NOT EXISTS (SELECT 1 FROM ticket t WHERE t.board_id = s.board_id AND t.local_id = sqlc.arg(local_id))
    AND NOT EXISTS (SELECT 1 FROM ticket_alias x WHERE x.board_id = s.board_id AND x.local_id = sqlc.arg(local_id))
);

-- name: CommentsPublished :many
-- Of tickets that have comments: how many of these are not published, and the last position of the others.
SELECT ticket_id, CAST(COUNT(*) - COUNT(feed_sync_id) AS SIGNED) AS waiting, CAST(COALESCE(MAX(feed_sync_id), 0) AS UNSIGNED) AS last
FROM comment WHERE ticket_id IN (sqlc.slice(tickets))
GROUP BY ticket_id;

-- name: PassedByConsumers :one
-- The position that all consumers of a feed have passed who can still read on from where they are; the highest
-- number where there are none.
SELECT CAST(COALESCE(MIN(GREATEST(f.position, f.began)), 9223372036854775807) AS UNSIGNED) AS passed
FROM sequences s STRAIGHT_JOIN feed_consumer f FORCE INDEX (ix_feed_consumer_position) ON f.feed = s.name
WHERE s.name = sqlc.arg(feed) AND f.epoch = s.epoch AND GREATEST(f.position, f.began) >= s.horizon;

-- name: PassedByWebhooks :one
-- The same of webhooks.
SELECT CAST(COALESCE(MIN(GREATEST(w.position, w.began)), 9223372036854775807) AS UNSIGNED) AS passed
FROM sequences s STRAIGHT_JOIN webhook_cursor w FORCE INDEX (ix_webhook_cursor_position) ON w.feed = s.name
WHERE s.name = sqlc.arg(feed) AND w.epoch = s.epoch AND GREATEST(w.position, w.began) >= s.horizon;
-- CountRefs reads three dozen rows.
-- name: CountRefs :many
SELECT length, CAST(SUM(minted) AS SIGNED) AS minted, CAST(SUM(issued) AS SIGNED) AS issued, CAST(SUM(quarantined) AS SIGNED) AS quarantined, CAST(MAX(guarded) AS SIGNED) AS guarded
FROM ref_counter GROUP BY length ORDER BY length;

-- AddMinted counts codes that were added.
-- name: AddMinted :execrows
UPDATE ref_counter SET minted = minted + sqlc.arg(n) WHERE length = sqlc.arg(length) AND slot = sqlc.arg(slot);

-- AddIssued counts codes that are given out, unless a lot is being taken out.
-- name: AddIssued :execrows
UPDATE ref_counter SET issued = issued + sqlc.arg(n) WHERE length = sqlc.arg(length) AND slot = sqlc.arg(slot) AND guarded = FALSE;

-- AddIssuedLooked is AddIssued for codes that were looked at.
-- name: AddIssuedLooked :execrows
UPDATE ref_counter SET issued = issued + sqlc.arg(n) WHERE length = sqlc.arg(length) AND slot = sqlc.arg(slot);

-- name: AddQuarantined :execrows
UPDATE ref_counter SET quarantined = quarantined + sqlc.arg(n) WHERE length = sqlc.arg(length) AND slot = sqlc.arg(slot);

-- GuardRefs waits for all who take codes: they hold a row each.
-- name: GuardRefs :execrows
UPDATE ref_counter SET guarded = sqlc.arg(guarded);

-- MendRefCounter adds what was missing, or takes what was too much.
-- name: MendRefCounter :execrows
UPDATE ref_counter SET minted = minted + sqlc.arg(minted), issued = issued + sqlc.arg(issued), quarantined = quarantined + sqlc.arg(quarantined) WHERE length = sqlc.arg(length) AND slot = 0;
-- name: OpenLot :execlastid
-- The lot of a run, which is added where there is none.
INSERT INTO ref_lot (run_id, source, length, created_at) VALUES (sqlc.arg(run_id), sqlc.arg(source), sqlc.arg(length), sqlc.arg(now))
ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id);

-- name: LotOfRun :one
SELECT * FROM ref_lot WHERE run_id = sqlc.arg(run_id);

-- name: OpenBatch :execlastid
INSERT INTO ref_batch (lot_id) VALUES (sqlc.arg(lot_id));

-- AddToLot locks the lot, and adds nothing to one in quarantine.
-- name: AddToLot :execrows
UPDATE ref_lot SET codes = codes + sqlc.arg(codes), drawn = drawn + sqlc.arg(drawn), blocked = blocked + sqlc.arg(blocked),
  collided = collided + sqlc.arg(collided), expected = expected + sqlc.arg(expected) WHERE id = sqlc.arg(id) AND quarantined_at IS NULL;

-- name: Lot :one
SELECT * FROM ref_lot WHERE id = sqlc.arg(id);

-- Lots has the newest first.
-- name: Lots :many
SELECT * FROM ref_lot WHERE id < sqlc.arg(before) ORDER BY id DESC LIMIT ?;

-- name: QuarantineLot :execrows
UPDATE ref_lot SET quarantined_at = sqlc.arg(now), sweep_run = sqlc.arg(sweep_run) WHERE id = sqlc.arg(id) AND quarantined_at IS NULL;

-- name: AddQuarantinedToLot :execrows
UPDATE ref_lot SET quarantined = quarantined + sqlc.arg(n) WHERE id = sqlc.arg(id);
-- name: RefPolicy :one
SELECT * FROM ref_policy WHERE id = 1;

-- name: RefPolicyForUpdate :one
SELECT * FROM ref_policy WHERE id = 1 FOR UPDATE;

-- name: WantRefs :execrows
UPDATE ref_policy SET wanted = TRUE WHERE id = 1 AND wanted = FALSE;

-- name: SetRefPolicy :exec
UPDATE ref_policy SET paused = sqlc.arg(paused), at_least = sqlc.arg(at_least), low_hours = sqlc.arg(low_hours), high_hours = sqlc.arg(high_hours) WHERE id = 1;

-- name: SetRefill :exec
UPDATE ref_policy SET refill_run = sqlc.arg(run_id) WHERE id = 1;

-- SetSweep notes the newest run that takes lots out.
-- name: SetSweep :exec
UPDATE ref_policy SET sweep_run = GREATEST(sweep_run, CAST(sqlc.arg(run_id) AS UNSIGNED)) WHERE id = 1;

-- MakeCanaryKey is done once.
-- name: MakeCanaryKey :execrows
UPDATE ref_policy SET canary_key = sqlc.arg(canary_key) WHERE id = 1 AND canary_key IS NULL;

-- BeginRefCount: the policy is locked.
-- name: BeginRefCount :exec
UPDATE ref_policy SET count_began_at = sqlc.arg(now), count_ended_at = NULL WHERE id = 1;

-- name: GiveUpRefCount :execrows
UPDATE ref_policy SET count_ended_at = sqlc.arg(now) WHERE id = 1 AND count_began_at = sqlc.arg(began_at) AND count_ended_at IS NULL;

-- name: EndRefCount :execrows
UPDATE ref_policy SET count_ended_at = sqlc.arg(now), counted_at = sqlc.arg(counted_at), counted_off = sqlc.arg(counted_off), counted_lost = sqlc.arg(counted_lost)
WHERE id = 1 AND count_began_at = sqlc.arg(began_at) AND count_ended_at IS NULL;
-- name: RefInLedger :one
SELECT batch FROM ref_ledger WHERE code = sqlc.arg(code);
-- name: AddRefSample :exec
INSERT INTO ref_sample (at, source, popped, empties, p50_us, p99_us)
VALUES (sqlc.arg(at), sqlc.arg(source), sqlc.arg(popped), sqlc.arg(empties), sqlc.arg(p50_us), sqlc.arg(p99_us))
ON DUPLICATE KEY UPDATE popped = popped + VALUES(popped), empties = empties + VALUES(empties), p50_us = GREATEST(p50_us, VALUES(p50_us)), p99_us = GREATEST(p99_us, VALUES(p99_us));

-- RefSamples has a row a minute and process.
-- name: RefSamples :many
SELECT * FROM ref_sample WHERE at >= sqlc.arg(since) ORDER BY at, source LIMIT 20000;

-- RefsPopped adds up a row a minute and process, up to before a time.
-- name: RefsPopped :one
SELECT CAST(COALESCE(SUM(popped), 0) AS UNSIGNED) AS popped FROM ref_sample WHERE at >= sqlc.arg(since) AND at < sqlc.arg(upto);

-- name: ForgetRefSamples :execrows
DELETE FROM ref_sample WHERE at < sqlc.arg(before) ORDER BY at LIMIT 1000;
-- name: FormOfBoard :one
SELECT is_on, intro, updated_at FROM request_form WHERE board_id = sqlc.arg(board_id);

-- name: AddForm :exec
INSERT INTO request_form (board_id, is_on, intro, updated_at)
VALUES (sqlc.arg(board_id), sqlc.arg(is_on), sqlc.arg(intro), sqlc.arg(now));

-- name: SetForm :execrows
-- Changes a form that nobody changed since it was seen.
UPDATE request_form SET is_on = sqlc.arg(is_on), intro = sqlc.arg(intro), updated_at = sqlc.arg(updated_at)
WHERE board_id = sqlc.arg(board_id) AND updated_at = sqlc.arg(seen);

-- name: OpenForm :one
-- The form that is on of a board that has the slug, or had it once, and is not archived. No row for any other,
-- and for what there is not, alike.
SELECT b.id AS board_id, b.title, f.intro, c.id AS company_id, c.slug AS company_slug, c.name AS company_name
FROM company c
JOIN board_slug s ON s.company_id = c.id
JOIN board b ON b.id = s.board_id
JOIN request_form f ON f.board_id = b.id
WHERE c.slug = sqlc.arg(company) AND s.slug = sqlc.arg(slug) AND s.imported = FALSE AND b.archived_at IS NULL AND f.is_on = TRUE;

-- name: CreateRequest :exec
INSERT INTO ticket_request (ticket_id, code, email, form_hash, token_hash, created_at)
VALUES (sqlc.arg(ticket_id), sqlc.arg(code), sqlc.arg(email), sqlc.arg(form_hash), sqlc.arg(token_hash), sqlc.arg(created_at));

-- name: RequestByForm :one
-- What came of a form that was sent before.
SELECT code, token_hash FROM ticket_request WHERE form_hash = sqlc.arg(form_hash);

-- name: RequestOfTicket :one
SELECT * FROM ticket_request WHERE ticket_id = sqlc.arg(ticket_id);

-- name: TrackedByCode :one
-- What a code leads to, unless its ticket was deleted. at_start says that the ticket is in its board's first column.
SELECT r.ticket_id, r.code, r.created_at, r.replied_at, t.board_id, t.local_id, t.title, t.entered_at, t.closed_at,
  CAST(k.position = (SELECT MIN(f.position) FROM board_column f WHERE f.board_id = t.board_id) AS SIGNED) AS at_start,
  b.slug AS board_slug, b.archived_at, b.company_id
FROM ticket_request r FORCE INDEX (uq_ticket_request_code)
JOIN ticket t ON t.id = r.ticket_id
JOIN board_column k ON k.id = t.column_id
JOIN board b ON b.id = t.board_id
WHERE r.code = sqlc.arg(code) AND t.deleted_at IS NULL;

-- name: TrackedByLink :one
-- The same by a private link: looked for by its token, so that a wrong one takes no longer where there is the code.
SELECT r.ticket_id, r.code, r.created_at, r.replied_at, t.board_id, t.local_id, t.title, t.entered_at, t.closed_at,
  CAST(k.position = (SELECT MIN(f.position) FROM board_column f WHERE f.board_id = t.board_id) AS SIGNED) AS at_start,
  b.slug AS board_slug, b.archived_at, b.company_id
FROM ticket_request r FORCE INDEX (uq_ticket_request_token)
JOIN ticket t ON t.id = r.ticket_id
JOIN board_column k ON k.id = t.column_id
JOIN board b ON b.id = t.board_id
WHERE r.token_hash = sqlc.arg(token_hash) AND r.code = sqlc.arg(code) AND t.deleted_at IS NULL;

-- name: LockTicketRequest :one
SELECT token_hash, reply_hash FROM ticket_request WHERE ticket_id = sqlc.arg(ticket_id) FOR UPDATE;

-- name: SetRequestToken :execrows
-- Gives a request another private link, or none.
UPDATE ticket_request SET token_hash = sqlc.arg(token_hash), revoked_at = sqlc.arg(revoked_at) WHERE ticket_id = sqlc.arg(ticket_id);

-- name: TouchRequest :execrows
UPDATE ticket_request SET replied_at = sqlc.arg(replied_at) WHERE ticket_id = sqlc.arg(ticket_id);

-- name: KeepReply :exec
UPDATE ticket_request SET replied_at = sqlc.arg(replied_at), reply_hash = sqlc.arg(reply_hash) WHERE ticket_id = sqlc.arg(ticket_id);

-- name: PurgeRequests :exec
DELETE FROM ticket_request WHERE ticket_id IN (sqlc.slice(tickets));

-- name: PublicCommentsBefore :many
-- Newest first, from below a comment: what the requester of a ticket reads.
SELECT sqlc.embed(comment), a.name AS author FROM comment FORCE INDEX (ix_comment_public)
JOIN account a ON a.id = comment.account_id
WHERE comment.ticket_id >= sqlc.arg(ticket_id) AND comment.ticket_id <= sqlc.arg(ticket_id)
  AND comment.public >= TRUE AND comment.public <= TRUE AND comment.id < sqlc.arg(before_id)
ORDER BY comment.ticket_id DESC, comment.public DESC, comment.id DESC
LIMIT ?;

-- name: PublicLimits :many
SELECT name, used, last_at FROM public_limit WHERE name IN (sqlc.slice(names));

-- name: UsePublicLimit :exec
-- Counts by cost; what was last used before a time counts no more.
INSERT INTO public_limit (name, used, last_at) VALUES (sqlc.arg(name), sqlc.arg(cost), sqlc.arg(now))
ON DUPLICATE KEY UPDATE used = LEAST(IF(last_at < sqlc.arg(forgotten), 0, used) + VALUES(used), 1000000), last_at = VALUES(last_at);

-- name: ForgetPublicLimits :execrows
DELETE FROM public_limit WHERE last_at < sqlc.arg(before) ORDER BY last_at LIMIT 1000;

-- name: CountLookups :exec
INSERT INTO lookup_hour (hour, hits, misses, refused, canaries)
VALUES (sqlc.arg(hour), sqlc.arg(hits), sqlc.arg(misses), sqlc.arg(refused), sqlc.arg(canaries))
ON DUPLICATE KEY UPDATE hits = hits + VALUES(hits), misses = misses + VALUES(misses), refused = refused + VALUES(refused), canaries = canaries + VALUES(canaries);

-- name: LookupsSince :one
SELECT CAST(COALESCE(SUM(hits), 0) AS SIGNED) AS hits, CAST(COALESCE(SUM(misses), 0) AS SIGNED) AS misses,
  CAST(COALESCE(SUM(refused), 0) AS SIGNED) AS refused, CAST(COALESCE(SUM(canaries), 0) AS SIGNED) AS canaries
FROM lookup_hour WHERE hour >= sqlc.arg(since);

-- name: ForgetLookups :execrows
DELETE FROM lookup_hour WHERE hour < sqlc.arg(before) ORDER BY hour LIMIT 1000;
-- name: TakePositions :execresult
-- Hands out k positions of a feed and locks its row until the transaction ends. LastInsertId is the last of
-- them. It must match one row.
UPDATE sequences SET value = LAST_INSERT_ID(value + sqlc.arg(k)), version = version + 1 WHERE name = sqlc.arg(name);

-- name: Sequence :one
SELECT * FROM sequences WHERE name = sqlc.arg(name);

-- name: Sequences :many
SELECT * FROM sequences ORDER BY name;

-- name: NewEpoch :execrows
-- Refuses every cursor of before. Epochs of two copies of a database differ, for they are times.
UPDATE sequences SET epoch = GREATEST(epoch + 1, UNIX_TIMESTAMP()), version = version + 1;

-- name: RaiseHorizon :execrows
-- Up to there tombstones are gone.
UPDATE sequences SET horizon = GREATEST(horizon, CAST(sqlc.arg(horizon) AS UNSIGNED)) WHERE name = sqlc.arg(name);
-- name: UpdateSession :execrows
UPDATE sessions SET data = sqlc.arg(data), expiry = sqlc.arg(expiry) WHERE token = sqlc.arg(token);

-- name: TakeSession :execrows
DELETE FROM sessions WHERE token = sqlc.arg(token);
-- name: HoldLimit :exec
-- Locks the row of a limit, which is made where there is none.
INSERT INTO sign_in_limit (name, failures, last_at) VALUES (sqlc.arg(name), 0, sqlc.arg(now))
ON DUPLICATE KEY UPDATE failures = failures;

-- name: Limit :one
SELECT failures, last_at FROM sign_in_limit WHERE name = sqlc.arg(name);

-- name: SetLimit :exec
UPDATE sign_in_limit SET failures = sqlc.arg(failures), last_at = sqlc.arg(last_at) WHERE name = sqlc.arg(name);

-- name: GiveBackLimit :exec
UPDATE sign_in_limit SET failures = failures - 1 WHERE name = sqlc.arg(name) AND failures > 0;

-- name: ForgetLimits :execrows
DELETE FROM sign_in_limit WHERE last_at < sqlc.arg(before) ORDER BY last_at LIMIT 1000;
-- name: TakeNumbers :execresult
-- Hands out k numbers of a board and locks its incrementer. LastInsertId is the last of them.
UPDATE board_ticket_incrementer SET max_ticket_id = LAST_INSERT_ID(max_ticket_id + sqlc.arg(k))
WHERE board_id = sqlc.arg(board_id);

-- name: TicketByKey :one
-- The ticket that has the key, or had it once: on a board that has or had the slug, the number is a ticket's or its alias.
-- Where the slug was imported, the key is an origin.
-- assignees is a JSON list, as AssigneesOf has them; muted is what a reader wants.
SELECT sqlc.embed(ticket), b.slug AS board_slug, a.name AS author,
  CONCAT(COALESCE((SELECT JSON_ARRAYAGG(JSON_OBJECT('id', g.account_id, 'name', ga.name, 'handle', gm.handle))
   FROM assignee g
   JOIN account ga ON ga.id = g.account_id
   LEFT JOIN membership gm ON gm.company_id = b.company_id AND gm.account_id = g.account_id
   WHERE g.ticket_id = ticket.id), '[]')) AS assignees,
  EXISTS (SELECT 1 FROM watcher w WHERE w.ticket_id = ticket.id AND w.account_id = sqlc.arg(reader) AND w.muted = TRUE) AS muted
FROM board_slug s
LEFT JOIN ticket own ON own.board_id = s.board_id AND own.local_id = sqlc.arg(local_id) AND s.imported = FALSE
LEFT JOIN ticket_alias old ON old.board_id = s.board_id AND old.local_id = sqlc.arg(local_id) AND s.imported = FALSE
LEFT JOIN ticket_origin o ON o.company_id = s.company_id AND o.external_id = sqlc.arg(external_id) AND s.imported = TRUE
JOIN ticket ON ticket.id = COALESCE(own.id, old.ticket_id, o.ticket_id)
JOIN board b ON b.id = ticket.board_id
JOIN account a ON a.id = ticket.created_by
WHERE s.company_id = sqlc.arg(company_id) AND s.slug = sqlc.arg(slug) AND ticket.deleted_at IS NULL;

-- name: CardByNumber :one
SELECT id, column_id, rank_in_column, moved_at FROM ticket
WHERE board_id = sqlc.arg(board_id) AND local_id = sqlc.arg(local_id) AND deleted_at IS NULL;

-- Pages within a column say column_id >= x AND column_id <= x: for column_id = x MariaDB reads the column
-- from its top and throws away what is above the rank, and so a page costs as much as the column is long.

-- name: CardsAfter :many
-- Cards of a column below a rank, in board order.
SELECT id, local_id, title, rank_in_column, moved_at, created_at, closed_at FROM ticket
WHERE column_id >= sqlc.arg(column_id) AND column_id <= sqlc.arg(column_id) AND rank_in_column > sqlc.arg(from_rank)
ORDER BY column_id, rank_in_column
LIMIT ?;

-- name: TicketsAfter :many
-- The same with all that the API shows.
SELECT * FROM ticket
WHERE column_id >= sqlc.arg(column_id) AND column_id <= sqlc.arg(column_id) AND rank_in_column > sqlc.arg(from_rank)
ORDER BY column_id, rank_in_column
LIMIT ?;

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

-- name: PlaceTicket :execrows
-- The one row that a move writes, also one to another board. entered_at comes first, for it looks at what was before.
UPDATE ticket SET entered_at = IF(column_id = sqlc.arg(column_id), entered_at, sqlc.arg(entered_at)),
  board_id = sqlc.arg(board_id), local_id = sqlc.arg(local_id), column_id = sqlc.arg(column_id), rank_in_column = sqlc.arg(new_rank), moved_at = sqlc.arg(moved_at), closed_at = sqlc.arg(closed_at), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND deleted_at IS NULL;

-- name: RestoreTicket :execrows
UPDATE ticket SET column_id = sqlc.arg(column_id), rank_in_column = sqlc.arg(new_rank), moved_at = sqlc.arg(now), entered_at = sqlc.arg(entered_at), updated_at = sqlc.arg(now),
  closed_at = sqlc.arg(closed_at), deleted_at = NULL, feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND deleted_at IS NOT NULL;

-- name: SetClosed :execrows
-- Closes a ticket where it is, or opens it again there.
UPDATE ticket SET closed_at = sqlc.arg(closed_at), entered_at = sqlc.arg(now), feed_sync_id = NULL WHERE id = sqlc.arg(id) AND deleted_at IS NULL;

-- name: TicketByID :one
-- Also a deleted one.
SELECT sqlc.embed(ticket), b.slug AS board_slug, a.name AS author
FROM ticket
JOIN board b ON b.id = ticket.board_id
JOIN account a ON a.id = ticket.created_by
WHERE ticket.id = sqlc.arg(id) AND b.company_id = sqlc.arg(company_id);

-- name: LockTicket :one
-- Also a deleted one.
SELECT * FROM ticket WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: DeletedTicketByKey :one
-- The same as TicketByKey of those that are deleted.
SELECT sqlc.embed(ticket), b.slug AS board_slug, a.name AS author
FROM board_slug s
LEFT JOIN ticket own ON own.board_id = s.board_id AND own.local_id = sqlc.arg(local_id) AND s.imported = FALSE
LEFT JOIN ticket_alias old ON old.board_id = s.board_id AND old.local_id = sqlc.arg(local_id) AND s.imported = FALSE
LEFT JOIN ticket_origin o ON o.company_id = s.company_id AND o.external_id = sqlc.arg(external_id) AND s.imported = TRUE
JOIN ticket ON ticket.id = COALESCE(own.id, old.ticket_id, o.ticket_id)
JOIN board b ON b.id = ticket.board_id
JOIN account a ON a.id = ticket.created_by
WHERE s.company_id = sqlc.arg(company_id) AND s.slug = sqlc.arg(slug) AND ticket.deleted_at IS NOT NULL;

-- name: DeletedTickets :many
-- What was deleted on a board between two times, newest first, and who did it; below_id parts those of one time.
SELECT t.id, t.local_id, t.title, t.deleted_at,
  (SELECT a.name FROM activity v JOIN account a ON a.id = v.account_id
   WHERE v.ticket_id = t.id AND v.kind = 'deleted' ORDER BY v.id DESC LIMIT 1) AS deleted_by
FROM ticket t FORCE INDEX (ix_ticket_deleted)
WHERE t.board_id >= sqlc.arg(board_id) AND t.board_id <= sqlc.arg(board_id) AND t.deleted_at >= sqlc.arg(since) AND t.deleted_at <= sqlc.arg(before)
  AND (t.deleted_at < sqlc.arg(before) OR t.id < sqlc.arg(below_id))
ORDER BY t.board_id DESC, t.deleted_at DESC, t.id DESC
LIMIT ?;

-- name: RepublishTicket :execrows
-- For what is shown of a ticket but is not in its row.
UPDATE ticket SET feed_sync_id = NULL WHERE id = sqlc.arg(id);

-- name: RepublishTickets :execrows
UPDATE ticket SET feed_sync_id = NULL WHERE id IN (sqlc.slice(ids));

-- name: TicketsOfCompany :many
-- Those of some tickets that are a company's, in any order.
SELECT t.id FROM ticket t FORCE INDEX (PRIMARY)
STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
WHERE t.id IN (sqlc.slice(ids)) AND b.company_id = sqlc.arg(company_id);

-- name: SetRank :execrows
UPDATE ticket SET rank_in_column = sqlc.arg(new_rank) WHERE id = sqlc.arg(id);

-- name: EditTicket :execrows
UPDATE ticket SET title = sqlc.arg(title), description = sqlc.arg(description), version = version + 1, updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version) AND deleted_at IS NULL;

-- name: DeleteTicket :execrows
UPDATE ticket SET column_id = NULL, rank_in_column = NULL, deleted_at = sqlc.arg(deleted_at), updated_at = sqlc.arg(now), feed_sync_id = NULL
WHERE id = sqlc.arg(id) AND deleted_at IS NULL;

-- name: RanksBelow :many
SELECT id, rank_in_column FROM ticket
WHERE column_id >= sqlc.arg(column_id) AND column_id <= sqlc.arg(column_id) AND rank_in_column > sqlc.arg(from_rank)
ORDER BY column_id, rank_in_column
LIMIT ?;

-- name: NumberOnBoard :one
-- The number that a ticket had on a board before it went to another.
SELECT local_id FROM ticket_alias WHERE ticket_id = sqlc.arg(ticket_id) AND board_id = sqlc.arg(board_id);

-- name: KeepAlias :exec
INSERT INTO ticket_alias (board_id, local_id, ticket_id, created_at)
VALUES (sqlc.arg(board_id), sqlc.arg(local_id), sqlc.arg(ticket_id), sqlc.arg(created_at));

-- name: DropAlias :execrows
-- The ticket has the number again.
DELETE FROM ticket_alias WHERE board_id = sqlc.arg(board_id) AND local_id = sqlc.arg(local_id) AND ticket_id = sqlc.arg(ticket_id);

-- name: CloseColumn :execrows
-- Closes what is open in a column.
UPDATE ticket SET closed_at = sqlc.arg(closed_at), entered_at = sqlc.arg(closed_at), feed_sync_id = NULL WHERE column_id = sqlc.arg(column_id) AND closed_at IS NULL;

-- name: ReopenColumn :execrows
UPDATE ticket SET closed_at = NULL, entered_at = sqlc.arg(now), feed_sync_id = NULL WHERE column_id = sqlc.arg(column_id) AND closed_at IS NOT NULL;

-- name: EmptyColumn :execrows
-- Puts all tickets of a column at the end of another, in their order.
UPDATE ticket SET column_id = sqlc.arg(to_column), rank_in_column = rank_in_column + sqlc.arg(rank_offset), moved_at = sqlc.arg(moved_at), entered_at = sqlc.arg(entered_at), feed_sync_id = NULL
WHERE column_id = sqlc.arg(from_column);

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
-- Those of the tickets of a board that have some numbers.
SELECT id, local_id, description FROM ticket
WHERE board_id >= sqlc.arg(board_id) AND board_id <= sqlc.arg(board_id) AND local_id > sqlc.arg(after) AND local_id <= sqlc.arg(upto) AND deleted_at IS NULL
ORDER BY board_id, local_id;
-- name: CreateToken :exec
INSERT INTO api_token (company_id, account_id, name, hash, scopes, created_at, expires_at)
VALUES (sqlc.arg(company_id), sqlc.arg(account_id), sqlc.arg(name), sqlc.arg(hash), sqlc.arg(scopes), sqlc.arg(created_at), sqlc.arg(expires_at));

-- name: BearerByHash :one
-- The token with the account and company it speaks for, as long as it is good and the account is a member.
SELECT t.id AS token_id, t.scopes, t.last_used_at, a.id AS account_id, a.email, a.name AS account_name, a.operator, a.session_epoch,
       c.id AS company_id, c.slug AS company_slug, c.name AS company_name, m.role, m.handle
FROM api_token t
JOIN membership m ON m.company_id = t.company_id AND m.account_id = t.account_id
JOIN account a ON a.id = t.account_id
JOIN company c ON c.id = t.company_id
WHERE t.hash = sqlc.arg(hash) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > sqlc.arg(now));

-- name: UseToken :exec
UPDATE api_token SET last_used_at = sqlc.arg(now)
WHERE id = sqlc.arg(id) AND (last_used_at IS NULL OR last_used_at < sqlc.arg(before));

-- name: TokensOf :many
-- A page of a member's tokens, the newest first.
SELECT t.id, t.name, t.scopes, t.created_at, t.expires_at, t.last_used_at, a.id AS account_id, a.name AS account_name
FROM api_token t
JOIN account a ON a.id = t.account_id
WHERE t.account_id = sqlc.arg(account_id) AND t.company_id = sqlc.arg(company_id) AND t.revoked_at IS NULL AND t.id < sqlc.arg(before)
ORDER BY t.id DESC
LIMIT ?;

-- name: TokensOfOthers :many
-- A page of the tokens of a company that are not one member's, the newest first.
SELECT t.id, t.name, t.scopes, t.created_at, t.expires_at, t.last_used_at, a.id AS account_id, a.name AS account_name
FROM api_token t
JOIN account a ON a.id = t.account_id
WHERE t.company_id = sqlc.arg(company_id) AND t.account_id <> sqlc.arg(account_id) AND t.revoked_at IS NULL AND t.id < sqlc.arg(before)
ORDER BY t.id DESC
LIMIT ?;

-- name: LiveToken :one
SELECT id, account_id, name, hash FROM api_token
WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id) AND revoked_at IS NULL
FOR UPDATE;

-- name: LiveTokensOf :many
SELECT id, hash FROM api_token
WHERE account_id = sqlc.arg(account_id) AND company_id = sqlc.arg(company_id) AND revoked_at IS NULL
ORDER BY id
FOR UPDATE;

-- name: RevokeToken :exec
UPDATE api_token SET revoked_at = sqlc.arg(now) WHERE id = sqlc.arg(id);
-- name: SetMuted :exec
INSERT INTO watcher (ticket_id, account_id, muted)
VALUES (sqlc.arg(ticket_id), sqlc.arg(account_id), sqlc.arg(muted))
ON DUPLICATE KEY UPDATE muted = VALUES(muted);

-- name: Watchers :many
-- The members who hear of replies on a ticket.
SELECT w.account_id FROM watcher w
STRAIGHT_JOIN membership m FORCE INDEX (PRIMARY) ON m.company_id = sqlc.arg(company_id) AND m.account_id = w.account_id
WHERE w.ticket_id = sqlc.arg(ticket_id) AND w.muted = FALSE
ORDER BY w.account_id
LIMIT ?;

-- name: AuthorListens :one
-- Whether a ticket's author is a member and has not muted it.
SELECT COUNT(*) FROM membership m
LEFT JOIN watcher w ON w.ticket_id = sqlc.arg(ticket_id) AND w.account_id = m.account_id
WHERE m.company_id = sqlc.arg(company_id) AND m.account_id = sqlc.arg(account_id) AND COALESCE(w.muted, FALSE) = FALSE;
-- name: CreateWebhook :execlastid
INSERT INTO webhook (company_id, url, note, feeds, board_id, secret, state, due_at, lease_ends, created_by, created_at, updated_at)
VALUES (sqlc.arg(company_id), sqlc.arg(url), sqlc.arg(note), sqlc.arg(feeds), sqlc.arg(board_id), sqlc.arg(secret), 'on', NOW(6), NOW(6),
        sqlc.arg(created_by), sqlc.arg(now), sqlc.arg(now));

-- name: CreateWebhookCursor :exec
INSERT INTO webhook_cursor (webhook_id, feed, epoch, position) VALUES (sqlc.arg(webhook_id), sqlc.arg(feed), sqlc.arg(epoch), sqlc.arg(position));

-- name: WebhooksOfCompany :many
SELECT sqlc.embed(w), COALESCE(b.slug, '') AS board_slug, CAST(GREATEST(TIMESTAMPDIFF(SECOND, NOW(6), w.due_at), 0) AS SIGNED) AS wait_seconds
FROM webhook w
LEFT JOIN board b ON b.id = w.board_id
WHERE w.company_id = sqlc.arg(company_id)
ORDER BY w.id
LIMIT ?;

-- name: WebhookByID :one
SELECT sqlc.embed(w), COALESCE(b.slug, '') AS board_slug, CAST(GREATEST(TIMESTAMPDIFF(SECOND, NOW(6), w.due_at), 0) AS SIGNED) AS wait_seconds
FROM webhook w
LEFT JOIN board b ON b.id = w.board_id
WHERE w.id = sqlc.arg(id) AND w.company_id = sqlc.arg(company_id);

-- name: WebhooksAfter :many
-- A page of the webhooks of all companies.
SELECT sqlc.embed(w), c.slug AS company_slug, COALESCE(b.slug, '') AS board_slug, CAST(GREATEST(TIMESTAMPDIFF(SECOND, NOW(6), w.due_at), 0) AS SIGNED) AS wait_seconds
FROM webhook w
JOIN company c ON c.id = w.company_id
LEFT JOIN board b ON b.id = w.board_id
WHERE w.id > sqlc.arg(after)
ORDER BY w.id
LIMIT ?;

-- name: CursorsOfWebhooks :many
SELECT * FROM webhook_cursor WHERE webhook_id IN (sqlc.slice(webhooks)) ORDER BY webhook_id, feed;

-- name: LockWebhook :one
SELECT * FROM webhook WHERE id = sqlc.arg(id) AND company_id = sqlc.arg(company_id) FOR UPDATE;

-- What changes a webhook fences off whoever sends to it, and lets the next begin once a request that is under
-- way has ended for sure.

-- name: EditWebhook :exec
-- Where it moved, what failed before was another.
UPDATE webhook
SET failures = IF(sqlc.arg(moved), 0, failures), failing_since = IF(sqlc.arg(moved), NULL, failing_since), url = sqlc.arg(url), note = sqlc.arg(note), feeds = sqlc.arg(feeds), board_id = sqlc.arg(board_id), version = version + 1, updated_at = sqlc.arg(now),
    fence = fence + 1, lease_ends = LEAST(lease_ends, NOW(6) + INTERVAL 20 SECOND), due_at = NOW(6)
WHERE id = sqlc.arg(id);

-- name: SwitchWebhook :exec
UPDATE webhook
SET state = sqlc.arg(state), reason = '', failures = 0, failing_since = NULL, version = version + 1, updated_at = sqlc.arg(now),
    fence = fence + 1, lease_ends = LEAST(lease_ends, NOW(6) + INTERVAL 20 SECOND), due_at = NOW(6)
WHERE id = sqlc.arg(id);

-- name: RotateWebhookSecret :exec
-- Whoever sends takes the new one at the next message.
UPDATE webhook
SET old_secret = secret, old_secret_ends = sqlc.arg(ends), secret = sqlc.arg(secret), version = version + 1, updated_at = sqlc.arg(now)
WHERE id = sqlc.arg(id);

-- name: DeleteWebhookCursor :exec
DELETE FROM webhook_cursor WHERE webhook_id = sqlc.arg(webhook_id) AND feed = sqlc.arg(feed);

-- name: DeleteWebhookCursors :exec
DELETE FROM webhook_cursor WHERE webhook_id = sqlc.arg(webhook_id);

-- name: DeleteWebhook :exec
DELETE FROM webhook WHERE id = sqlc.arg(id);

-- name: DueWebhooks :many
-- A page of the webhooks to which something can be sent now, and nobody sends. Whether there is something to
-- send, their cursors say.
SELECT id, company_id FROM webhook FORCE INDEX (ix_webhook_state)
WHERE state = 'on' AND id > sqlc.arg(after) AND due_at <= NOW(6) AND lease_ends <= NOW(6)
ORDER BY id
LIMIT ?;

-- name: TakeWebhook :execresult
-- LastInsertId is the fence. It must match one row.
UPDATE webhook SET fence = LAST_INSERT_ID(fence + 1), lease_ends = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND
WHERE id = sqlc.arg(id) AND state = 'on' AND due_at <= NOW(6) AND lease_ends <= NOW(6);

-- name: TakenWebhook :one
SELECT * FROM webhook WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: WebhookSent :execrows
-- The lease begins anew.
UPDATE webhook SET failures = 0, failing_since = NULL, lease_ends = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND
WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: RenewWebhook :execrows
UPDATE webhook SET lease_ends = NOW(6) + INTERVAL sqlc.arg(lease_us) MICROSECOND WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: WebhookFailed :execrows
-- The lease ends, and the next attempt is due after a while.
UPDATE webhook SET failures = failures + 1, failing_since = COALESCE(failing_since, NOW(6)), due_at = NOW(6) + INTERVAL sqlc.arg(wait_us) MICROSECOND,
  lease_ends = NOW(6)
WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: StopWebhook :execrows
UPDATE webhook SET state = 'stopped', reason = sqlc.arg(reason), version = version + 1, fence = fence + 1
WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: StopFailingWebhook :execrows
UPDATE webhook SET state = 'stopped', reason = sqlc.arg(reason), version = version + 1, fence = fence + 1
WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence) AND failing_since <= NOW(6) - INTERVAL sqlc.arg(patience_us) MICROSECOND;

-- name: ReleaseWebhook :execrows
UPDATE webhook SET lease_ends = NOW(6) WHERE id = sqlc.arg(id) AND fence = sqlc.arg(fence);

-- name: MoveWebhookCursor :execrows
-- For who holds the webhook.
UPDATE webhook_cursor SET epoch = sqlc.arg(epoch), position = sqlc.arg(position), began = sqlc.arg(began)
WHERE webhook_id = sqlc.arg(webhook_id) AND feed = sqlc.arg(feed);

-- name: CreateWebhookAttempt :execlastid
INSERT INTO webhook_attempt (webhook_id, message, kind, type, subject, feed, row_id, position, status, error, response, milliseconds, created_at)
VALUES (sqlc.arg(webhook_id), sqlc.arg(message), sqlc.arg(kind), sqlc.arg(type), sqlc.arg(subject), sqlc.arg(feed), sqlc.arg(row_id), sqlc.arg(position),
        sqlc.arg(status), sqlc.arg(error), sqlc.arg(response), sqlc.arg(milliseconds), sqlc.arg(created_at));

-- name: WebhookAttempts :many
-- A page, the newest first.
SELECT * FROM webhook_attempt WHERE webhook_id = sqlc.arg(webhook_id) AND id < sqlc.arg(before) ORDER BY id DESC LIMIT ?;

-- name: WebhookAttempt :one
SELECT * FROM webhook_attempt WHERE id = sqlc.arg(id) AND webhook_id = sqlc.arg(webhook_id);

-- name: WebhookAttemptsBehind :many
-- The newest of those behind the thousand that are kept.
SELECT id FROM webhook_attempt WHERE webhook_id = sqlc.arg(webhook_id) ORDER BY id DESC LIMIT 1 OFFSET 1000;

-- name: DeleteWebhookAttempts :execrows
DELETE FROM webhook_attempt WHERE webhook_id = sqlc.arg(webhook_id) AND id <= sqlc.arg(upto) ORDER BY id LIMIT ?;

-- name: ForgetWebhookAttempts :execrows
DELETE FROM webhook_attempt WHERE created_at < sqlc.arg(before) ORDER BY created_at LIMIT ?;

-- name: CompaniesOfTickets :many
-- Whose tickets were published at some positions.
SELECT t.feed_sync_id, b.company_id FROM ticket t FORCE INDEX (uq_ticket_feed)
JOIN board b ON b.id = t.board_id
WHERE t.feed_sync_id > sqlc.arg(after) AND t.feed_sync_id <= sqlc.arg(upto)
ORDER BY t.feed_sync_id
LIMIT ?;

-- name: CompaniesOfComments :many
SELECT c.feed_sync_id, b.company_id FROM comment c FORCE INDEX (uq_comment_feed)
JOIN ticket t ON t.id = c.ticket_id
JOIN board b ON b.id = t.board_id
WHERE c.feed_sync_id > sqlc.arg(after) AND c.feed_sync_id <= sqlc.arg(upto)
ORDER BY c.feed_sync_id
LIMIT ?;

-- name: CompaniesOfBoards :many
SELECT feed_sync_id, company_id FROM board FORCE INDEX (uq_board_feed)
WHERE feed_sync_id > sqlc.arg(after) AND feed_sync_id <= sqlc.arg(upto)
ORDER BY feed_sync_id
LIMIT ?;
