package db_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// Ids in the filled database, for the samples. Company 1 is the large one: boards 1 to 300 are its, accounts 1 to 500
// its members. Board n has the columns 3n-2, 3n-1 and 3n.
const (
	filledTickets = 20000 // open ones in column 1 of board 1: ids and numbers 1 to 20,000, ranks their number times gap
	busyTicket    = 7     // has 500 comments, 500 watchers and 500 more entries of activity
	removedTicket = 20001 // to 20,500: deleted, of board 1
	closedTicket  = 20501 // to 22,500: in column 3 of board 1, closed
	othersTicket  = 22501 // to 24,500: in column 6 of board 2, open, numbers 1 to 2,000
	gap           = 1 << 16

	// Run 1 is running. Its tasks 1 to 30,000 are complete, from 10,001 on processing (by worker n % 20 + 1,
	// with the fence worker << 32 | 1), from 12,001 waiting (half of them due), from 16,001 failed (of
	// fingerprint n % 300 + 1), from 20,001 skipped, and from 22,001 open. Task 16,007 has 500 attempts. The
	// tasks 30,001 to 31,000 are open ones of run 2, which is running.

	// A ticket, a comment or a board is published at the position that is its id, but for the last 500 tickets
	// and comments and the last 50 boards. Each batch but the last was of ten.
	unpublishedTicket = 24001 // to 24,500
)

// small are tables that do not grow.
var small = map[string]bool{"installation": true, "signing_key": true, "secret_key": true, "schema_migrations": true, "schema_lock": true, "numbers": true,
	"migration_lease": true, "migration_stop": true, "sequences": true, "feed_durable": true, "ref_counter": true, "ref_policy": true, "audit_sealer": true, "file_place": true}

// filling has a statement for each table; numbers.n is 1 to 30,000. Every table that grows gets at least a
// thousand rows, for in a small one a scan is the best plan.
var filling = []string{
	`INSERT INTO company (id, slug, name, created_at) SELECT n, CONCAT('c', n), CONCAT('Company ', n), '2026-01-01' FROM numbers WHERE n <= 1000`,
	`INSERT INTO installation (id, company_id, created_at) VALUES (1, 1, '2026-01-01')`,
	`INSERT INTO signing_key (id, secret, created_at) VALUES (1, REPEAT('k', 32), '2026-01-01')`,
	`INSERT INTO account (id, email, name, password_hash, operator, created_at)
	 SELECT n, CONCAT('p', n, '@example.com'), CONCAT('Person ', n), 'x', n = 1, '2026-01-01' FROM numbers WHERE n <= 3000`,
	`INSERT INTO membership (company_id, account_id, role, handle, created_at)
	 SELECT 1, n, IF(n = 1, 'owner', 'member'), CONCAT('p', n), '2026-01-01' FROM numbers WHERE n <= 500`,
	`INSERT INTO membership (company_id, account_id, role, handle, created_at) SELECT n, 1, 'member', 'p1', '2026-01-01' FROM numbers WHERE n BETWEEN 2 AND 300`,
	`INSERT INTO membership (company_id, account_id, role, handle, created_at) SELECT n % 999 + 2, n, 'member', CONCAT('p', n), '2026-01-01' FROM numbers WHERE n BETWEEN 501 AND 3000`,
	`INSERT INTO sessions (token, data, expiry, account_id, epoch, began_at, used_at) SELECT CONCAT('s', n), 'x', IF(n <= 4000, '2026-02-01', '2037-01-01') + INTERVAL n SECOND, 7, 1, '2026-01-01', '2026-01-01' FROM numbers WHERE n <= 5000`,
	`INSERT INTO session_way (session_id, company_id, way, at)
	 SELECT UNHEX(LEFT(SHA2(n, 256), 32)), 0, 'password', '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n <= 5000`,
	`INSERT INTO account_avatar (account_id, content_type, content, created_at) SELECT n, 'image/png', n, '2026-01-01' FROM numbers WHERE n <= 2000`,
	`UPDATE account SET avatar = LEFT(SHA2(id, 256), 16)`,
	`INSERT INTO account_totp (account_id, last_step, created_at) SELECT n, 50000000, '2026-01-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO passkey (id, account_id, credential_id, user_handle, public_key, sign_count, flags, name, created_at)
	 SELECT n, n, UNHEX(SHA2(n, 256)), UNHEX(SHA2(n, 256)), 'x', 1, 5, 'Laptop', '2026-01-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO used_challenge (hash, at) SELECT UNHEX(SHA2(n, 256)), '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n <= 3000`,
	`INSERT INTO recovery_code (account_id, hash, created_at)
	 SELECT (n - 1) DIV 10 + 1, UNHEX(SHA2(n, 256)), '2026-01-01' FROM numbers WHERE n <= 20000`,
	`INSERT INTO api_token (id, company_id, account_id, name, hash, scopes, created_at)
	 SELECT n, IF(n <= 500, 1, n % 999 + 2), n, 'script', UNHEX(SHA2(n, 256)), 'tickets:read', '2026-01-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO idempotency (token_id, key_hash, request_hash, status, answer, created_at)
	 SELECT IF(n <= 2000, 1, n - 1999), UNHEX(SHA2(n, 256)), UNHEX(SHA2(n, 256)), 201, '{}', '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n <= 3000`,
	`INSERT INTO invitation (id, company_id, hash, role, note, created_by, created_at, expires_at)
	 SELECT n, IF(n <= 500, 1, n % 999 + 2), UNHEX(SHA2(n, 256)), 'member', '', n, '2026-01-01', '2026-02-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO password_reset (id, company_id, account_id, hash, created_by, created_at, expires_at)
	 SELECT n, IF(n <= 500, 1, n % 999 + 2), n, UNHEX(SHA2(n, 256)), 1, '2026-01-01', '2026-02-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO sign_in_limit (name, failures, last_at, known) SELECT UNHEX(SHA2(n, 256)), 1, '2026-01-01' + INTERVAL n SECOND, n % 2 FROM numbers WHERE n <= 3000`,
	`INSERT INTO audit (id, company_id, account_id, kind, detail, address, created_at)
	 SELECT n, IF(n <= 2000, 1, n % 999 + 2), n % 500 + 1, 'signed_in', '{}', '', '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n <= 4000`,

	`INSERT INTO audit (id, company_id, account_id, kind, detail, address, created_at)
	 SELECT 4000 + n, NULL, NULL, 'run-open', '{}', '', '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n <= 2000`,
	`UPDATE audit SET seq = id, mac = UNHEX(SHA2(id, 256)) WHERE id <= 2000`,
	`INSERT INTO audit_chain (chain, last_seq, last_mac, head_mac, purged_seq, purged_mac, purge_mac)
	 SELECT n, n, '', '', 0, '', '' FROM numbers WHERE n <= 1500`,
	`INSERT INTO audit_spread (audit_id, after_company) SELECT 4000 + n, 0 FROM numbers WHERE n <= 2000`,

	`INSERT INTO board (id, company_id, slug, title, created_at, updated_at, archived_at)
	 SELECT n, IF(n <= 300, 1, n % 999 + 2), CONCAT('B', n), CONCAT('Board ', n), '2026-01-01', '2026-01-01', IF(n = 4, '2026-01-01', NULL) FROM numbers WHERE n <= 1500`,
	`UPDATE board SET privacy = 1 WHERE id = 299`,
	`INSERT INTO people_group (id, company_id, name, created_at) SELECT n, IF(n <= 1000, 1, n % 999 + 2), CONCAT('Group ', n), '2026-01-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO people_group_member (group_id, account_id) SELECT 1, n FROM numbers WHERE n <= 500`,
	`INSERT INTO issuer (id, company_id, url, client_id, name, groups_claim, created_at)
	 SELECT n, IF(n <= 5, 1, IF(n <= 15, NULL, n % 999 + 2)), 'https://id.example', 'client', 'Acme', 'groups', '2026-01-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO issuer_company (company_id, issuer_id) SELECT IF(n <= 5, 1, n % 999 + 2), n FROM numbers WHERE n <= 2000`,
	`INSERT INTO issuer_company (company_id, issuer_id) SELECT n, 7 FROM numbers WHERE n BETWEEN 20 AND 219`,
	`INSERT INTO issuer_rule (id, company_id, issuer_id, claim, role, group_id) SELECT n, IF(n <= 100, 1, n % 999 + 2), IF(n <= 100, 1, n % 1900 + 50), CONCAT('g', n), 'member', 1 FROM numbers WHERE n <= 2000`,
	`INSERT INTO account_identity (issuer_id, subject, account_id, created_at) SELECT IF(n <= 2000, 1, n % 1900 + 50), CONCAT('s', n), n, '2026-01-01' FROM numbers WHERE n <= 3000`,
	`INSERT INTO company_domain (id, company_id, name, code, held, created_at, due_at) SELECT n, IF(n <= 20, 1, n % 999 + 2), CONCAT('d', n, '.example'), 'code', CONCAT('d', n, '.example'), '2026-01-01', '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n <= 3000`,
	`INSERT INTO people_group_member (group_id, account_id) SELECT n, 7 FROM numbers WHERE n BETWEEN 2 AND 1000`,
	`INSERT INTO board_member (board_id, kind, member_id, level) SELECT id, 'group', 1, 2 FROM board WHERE id <= 300`,
	`INSERT INTO board_member (board_id, kind, member_id, level) SELECT 1, 'account', n, 1 FROM numbers WHERE n <= 500`,
	`INSERT INTO board_member (board_id, kind, member_id, level) SELECT id, 'account', 7, 3 FROM board WHERE id > 300 AND id < 1500`,
	`INSERT INTO board_access (board_id, account_id, level) SELECT id, 7, 3 FROM board`,
	`INSERT INTO board_link (board_id, hash, created_by, created_at) SELECT id, UNHEX(SHA2(id, 256)), 7, '2026-01-01' FROM board`,
	`INSERT INTO board_access (board_id, account_id, level) SELECT 1, n, 2 FROM numbers WHERE n <= 500 AND n <> 7`,
	`INSERT INTO ticket_sight (board_id, account_id, feed_sync_id) SELECT 1, n, IF(n < 10, NULL, n) FROM numbers WHERE n <= 20000`,
	`INSERT INTO comment_sight (board_id, account_id, feed_sync_id) SELECT board_id, account_id, feed_sync_id FROM ticket_sight`,
	`INSERT INTO board_sight (board_id, account_id, feed_sync_id) SELECT board_id, account_id, feed_sync_id FROM ticket_sight`,
	// Guests: 600 sees the private board 299, 601 the open board 298.
	`INSERT INTO membership (company_id, account_id, role, handle, created_at)
	 SELECT 1, n, 'guest', CONCAT('z', n), '2026-01-01' FROM numbers WHERE n BETWEEN 501 AND 3000`,
	`INSERT INTO board_access (board_id, account_id, level) VALUES (299, 600, 2), (298, 601, 1)`,
	`INSERT INTO board_slug (company_id, slug, board_id, created_at) SELECT company_id, slug, id, created_at FROM board`,
	`INSERT INTO board_slug (company_id, slug, board_id, created_at) SELECT company_id, CONCAT('OLD', id), id, created_at FROM board`,
	`INSERT INTO board_ticket_incrementer (board_id, max_ticket_id) SELECT id, 30000 FROM board`,
	`INSERT INTO failover (id, old, answer, lost_us, last_at, last_audit, pool, quarantined, began_at, ended_at, report)
	 SELECT n, '', '', 1, '2026-01-01', 0, 0, 0, '2026-01-01', '2026-01-01', '{}' FROM numbers WHERE n <= 1500`,
	`INSERT INTO failover_board (failover_id, board_id, last_number, skipped) SELECT 1, id, 29900, 100 FROM board`,
	`INSERT INTO board_column (id, board_id, name, position, done, ticket_count, last_rank)
	 SELECT 3 * id - 3 + n, id, CONCAT('Column ', n), n, n = 3, 0, 30000 * 65536 FROM board, numbers WHERE n <= 3`,
	`INSERT INTO ticket (id, board_id, local_id, column_id, rank_in_column, title, description, created_by, created_at, updated_at, moved_at)
	 SELECT n, 1, n, 1, n * 65536, CONCAT('Ticket ', n), IF(n % 10, '', '![a](https://images.example/a)'), n % 500 + 1, '2026-01-01', '2026-01-01', '2026-01-01' FROM numbers WHERE n <= 20000`,
	`INSERT INTO ticket (id, board_id, local_id, title, description, created_by, created_at, updated_at, moved_at, deleted_at)
	 SELECT 20000 + n, 1, 20000 + n, 'Gone', '', 1, '2026-01-01', '2026-01-01', '2026-01-01', '2026-01-02' + INTERVAL n SECOND FROM numbers WHERE n <= 500`,
	`INSERT INTO ticket (id, board_id, local_id, column_id, rank_in_column, title, description, created_by, created_at, updated_at, moved_at, closed_at)
	 SELECT 20500 + n, 1, 20500 + n, 3, n * 65536, 'Done', '', 1, '2026-01-01', '2026-01-01', '2026-01-01', '2026-01-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO ticket (id, board_id, local_id, column_id, rank_in_column, title, description, created_by, created_at, updated_at, moved_at)
	 SELECT 22500 + n, 2, n, 6, n * 65536, 'Elsewhere', '', 1, '2026-01-01', '2026-01-01', '2026-01-01' FROM numbers WHERE n <= 2000`,
	// These have no other rows, but for the last, which has a comment without notifications.
	`INSERT INTO ticket (id, board_id, local_id, title, description, created_by, created_at, updated_at, moved_at, deleted_at)
	 SELECT 26500 + n, 3, 20000 + n, 'Gone', '', 1, '2026-01-01', '2026-01-01', '2026-01-01', '2026-01-02' FROM numbers WHERE n <= 3`,
	`UPDATE board_ticket_incrementer SET purged = 5000 WHERE board_id = 1`,
	`INSERT INTO ticket_alias (board_id, local_id, ticket_id, created_at) SELECT 3, n, IF(n <= 20, 7, n), '2026-01-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO assignee (ticket_id, account_id, current, created_at) SELECT n, 1, TRUE, '2026-01-01' FROM numbers WHERE n <= 1500`,
	`INSERT INTO assignee (ticket_id, account_id, current, created_at) SELECT 20500 + n, 1, FALSE, '2026-01-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO assignee (ticket_id, account_id, current, created_at) SELECT n, n % 499 + 2, TRUE, '2026-01-01' FROM numbers WHERE n <= 3000`,
	// Label 1 is on many tickets; each has some old names, and some that were merged into it.
	`INSERT INTO label (id, company_id, board_id, name, color, created_at) SELECT n, 1, IF(n % 5, 0, n % 290 + 1), CONCAT('Label ', n), n % 12, '2026-01-01' FROM numbers WHERE n <= 500`,
	`INSERT INTO label (id, company_id, board_id, name, color, live, renamed, leads_to, shown_as, created_at, ended_at)
	 SELECT 500 + n, 1, IF(n % 7, 0, n % 290 + 1), CONCAT('Old ', n % 2000), 1, NULL, n % 2, n % 499 + 2, n % 499 + 2, '2026-01-01', '2026-01-01' + INTERVAL n MINUTE FROM numbers WHERE n <= 5000`,
	`INSERT INTO ticket_relation (ticket_id, kind, other_id) SELECT n, 7, n + 1 FROM numbers WHERE n <= 5000`,
	`INSERT INTO ticket_relation (ticket_id, kind, other_id) SELECT n + 1, 7, n FROM numbers WHERE n <= 5000`,
	`INSERT INTO ticket_relation (ticket_id, kind, other_id) SELECT 7, 4, n + 7 FROM numbers WHERE n <= 198`,
	`INSERT INTO ticket_relation (ticket_id, kind, other_id) SELECT n + 7, 3, 7 FROM numbers WHERE n <= 198`,
	`INSERT INTO ticket_relation (ticket_id, kind, other_id) SELECT 8, 4, n + 10000 FROM numbers WHERE n <= 198`,
	`INSERT INTO ticket_relation (ticket_id, kind, other_id) SELECT n + 10000, 3, 8 FROM numbers WHERE n <= 198`,
	`INSERT INTO folded_column (account_id, column_id) SELECT n % 500 + 1, n % 700 + 8 FROM numbers WHERE n <= 3500`,
	`INSERT INTO ticket_stay (ticket_id, since_at, until_at, board_id, column_id, account_id) SELECT n, '2026-01-02', '2026-01-03', 1, 1, 1 FROM numbers WHERE n <= 5000`,
	`INSERT INTO ticket_stay (ticket_id, since_at, board_id, column_id, account_id) SELECT n, '2026-01-03', 1, 2, 1 FROM numbers WHERE n <= 5000`,
	`INSERT INTO backlink (ticket_id, from_id, comment_id) SELECT 7, n + 7, 0 FROM numbers WHERE n <= 5000`,
	`INSERT INTO backlink (ticket_id, from_id, comment_id) SELECT n + 8, n, n FROM numbers WHERE n <= 5000`,
	`INSERT INTO recurrence (id, ticket_id, account_id, rule, opens, time_zone, timed, first_at, last_at, due_at, created_at)
	 SELECT n, n, 1, 'FREQ=DAILY', 'due', 'UTC', FALSE, '2026-01-01', '2026-01-01', '2026-01-01' + INTERVAL n HOUR, '2026-01-01' FROM numbers WHERE n <= 7000`,
	`INSERT INTO occurrence (recurrence_id, occurs_at, ticket_id) SELECT n, '2026-01-01', n FROM numbers WHERE n <= 5000`,
	`INSERT INTO ticket_label (ticket_id, label_id) SELECT n, 1 FROM numbers WHERE n <= 5000`,
	`INSERT INTO ticket_label (ticket_id, label_id) SELECT n, n % 499 + 2 FROM numbers WHERE n <= 5000`,
	// Board 6 has as many templates as it may, the first of them as many labels and assignees.
	`INSERT INTO ticket_template (id, board_id, name, title, description, column_id, priority, created_at, updated_at)
	 SELECT n, IF(n <= 50, 6, n % 290 + 7), CONCAT('Template ', n), 'Title', 'Text', 0, 0, '2026-01-01', '2026-01-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO ticket_template (id, board_id, name, title, description, column_id, priority, created_at, updated_at, live, deleted_at)
	 SELECT 2100 + n, 8, 'Gone', 'Title', 'Text', 0, 0, '2026-01-01', '2026-01-01', NULL, '2025-12-31' + INTERVAL n MINUTE FROM numbers WHERE n <= 3000`,
	`INSERT INTO template_label (template_id, label_id) SELECT n, 1 FROM numbers WHERE n < 2000`,
	`INSERT INTO template_label (template_id, label_id) SELECT 1, n + 1 FROM numbers WHERE n <= 49`,
	`INSERT INTO template_assignee (template_id, account_id) SELECT n, 7 FROM numbers WHERE n < 2000`,
	// Account 7 has as many views and pins as it may, company 1 as many shared views.
	`INSERT INTO saved_view (id, company_id, board_id, account_id, name, layout, query, lanes, shared, created_at, updated_at)
	 SELECT n, 1, IF(n > 400 AND n % 10 = 3, NULL, n % 290 + 7), IF(n <= 100, 7, n % 490 + 8), CONCAT('View ', n), 'list', 'label:bug', '', n > 100 AND n <= 400, '2026-01-01', '2026-01-01' FROM numbers WHERE n <= 5000`,
	`INSERT INTO pinned_view (account_id, company_id, view_id, pinned_at) SELECT 7, 1, n, '2026-01-01' FROM numbers WHERE n <= 12`,
	`INSERT INTO pinned_view (account_id, company_id, view_id, pinned_at) SELECT n % 490 + 8, 1, n, '2026-01-01' FROM numbers WHERE n BETWEEN 101 AND 5000`,
	`INSERT INTO pinned_board (account_id, board_id, pinned_at) SELECT 7, n + 5, '2026-01-01' + INTERVAL n MINUTE FROM numbers WHERE n <= 20`,
	`INSERT INTO pinned_board (account_id, board_id, pinned_at) SELECT n % 490 + 8, n % 290 + 7, '2026-01-01' FROM numbers WHERE n <= 3000 ON DUPLICATE KEY UPDATE pinned_at = pinned_at`,
	`INSERT INTO home_visit (account_id, company_id, last_at) SELECT n, 1, '2026-01-01' FROM numbers WHERE n BETWEEN 7 AND 2000`,
	`INSERT INTO calendar_address (account_id, company_id, view_id, hash, created_at) SELECT 7, 1, n, UNHEX(SHA2(n, 256)), '2026-01-01' FROM numbers WHERE n <= 50`,
	`INSERT INTO calendar_address (account_id, company_id, view_id, hash, created_at) SELECT n % 490 + 8, 1, n, UNHEX(SHA2(n, 256)), '2026-01-01' FROM numbers WHERE n BETWEEN 101 AND 5000`,
	// Account 7 has two hundred bulk edits, the first of ten thousand tickets; others have some of all boards; the oldest are over.
	`INSERT INTO bulk_edit (id, company_id, board_id, account_id, run_id, undoes, dry, query, edit, created_at)
	 SELECT n, 1, IF(n <= 200, 6, IF(n % 9 = 8, NULL, n % 290 + 7)), IF(n <= 200, 7, n % 490 + 8), n, IF(n BETWEEN 2 AND 50, 1, 0), n % 2, '', '{}', '2026-01-01' + INTERVAL n HOUR FROM numbers WHERE n <= 5000`,
	`INSERT INTO bulk_edit_item (bulk_edit_id, ticket_id, activity_id, outcome, reason, kind, detail)
	 SELECT 1, n, n, IF(n % 10, 'changed', 'refused'), '', 'set', '{}' FROM numbers WHERE n <= 10000`,
	`INSERT INTO bulk_edit_item (bulk_edit_id, ticket_id, activity_id, outcome, reason, kind, detail)
	 SELECT n, n, n, 'changed', '', 'set', '{}' FROM numbers WHERE n BETWEEN 2 AND 4900`,
	`INSERT INTO bulk_edit_notice (bulk_edit_id, account_id) SELECT n % 1000 + 1, n % 490 + 8 FROM numbers WHERE n <= 2000`,
	`INSERT INTO watcher (ticket_id, account_id, muted) SELECT 7, n, FALSE FROM numbers WHERE n <= 500`,
	`INSERT INTO watcher (ticket_id, account_id, muted) SELECT n, 1, n % 2 FROM numbers WHERE n BETWEEN 8 AND 3000`,
	`INSERT INTO comment (id, ticket_id, account_id, body, created_at, updated_at)
	 SELECT n, IF(n <= 500, 7, n), n % 500 + 1, IF(n % 10, 'A comment', '![a](https://images.example/a)'), '2026-01-01' + INTERVAL n SECOND, '2026-01-01' FROM numbers WHERE n <= 5000`,
	`INSERT INTO comment_reaction (comment_id, kind, account_id, created_at) SELECT IF(n <= 400, 7, n - 400), n % 6 + 1, n % 500 + 1, '2026-01-01' FROM numbers WHERE n <= 3000`,
	`INSERT INTO stored_file (hash, bytes, content_type, image_type, image_bytes, width, height, created_at, generation)
	 SELECT UNHEX(SHA2(n, 256)), n, 'text/plain', '', 0, 0, 0, '2026-01-01', n FROM numbers WHERE n <= 5000`,
	// Ticket 7 has as many attachments as it may, file 1 many attachments.
	`INSERT INTO attachment (id, company_id, ticket_id, comment_id, account_id, hash, name, created_at, deleted_at)
	 SELECT n, 1, IF(n <= 200, 7, IF(n % 50, n, NULL)), IF(n > 500 AND n % 50, n, NULL), n % 500 + 1, UNHEX(SHA2(IF(n % 5, n % 5000 + 1, 1), 256)), CONCAT('File ', n), '2026-01-01', IF(n % 10, NULL, '2026-01-01') FROM numbers WHERE n <= 5000`,
	`INSERT INTO company_storage (company_id, used) SELECT id, 5000 FROM company`,
	`INSERT INTO file_place (id, token) VALUES (1, 'x')`,
	`INSERT INTO deleted_comment (comment_id, ticket_id, account_id, body, deleted_at)
	 SELECT n, n, 1, 'A comment', '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n > 500 AND n <= 5000`,
	`INSERT INTO comment (id, ticket_id, account_id, body, created_at, updated_at) VALUES (5001, 26503, 1, 'A comment', '2026-01-01', '2026-01-01')`,
	`INSERT INTO activity (id, ticket_id, account_id, kind, detail, created_at)
	 SELECT n, n, n % 500 + 1, 'opened', '{}', '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n <= 20000`,
	`INSERT INTO activity (id, ticket_id, account_id, kind, detail, created_at)
	 SELECT 20000 + n, IF(n <= 500, 7, n), IF(n <= 500, n, 1), 'moved', '{}', '2026-01-02' + INTERVAL n SECOND FROM numbers WHERE n <= 10000`,
	`INSERT INTO activity (id, ticket_id, account_id, kind, detail, created_at)
	 SELECT 30000 + n, 20000 + n, n, 'deleted', '{}', '2026-01-02' + INTERVAL n SECOND FROM numbers WHERE n <= 500`,
	`INSERT INTO activity (id, ticket_id, account_id, kind, detail, created_at)
	 SELECT 31000 + n, 7, n, 'edited', '{}', '2026-01-02' + INTERVAL n SECOND FROM numbers WHERE n <= 100`,
	`INSERT INTO notification (id, company_id, account_id, ticket_id, comment_id, actor_id, kind, unread, created_at)
	 SELECT n, 1, IF(n <= 5000, 1, n % 499 + 2), IF(n BETWEEN 1000 AND 3000, 900, n), IF(n <= 5000, n, NULL), n % 500 + 1, 'mentioned', n % 2, '2026-01-02' + INTERVAL n SECOND FROM numbers WHERE n <= 10000`,

	// Runs 1 and 2 run, 3 to 9 are one in each other state that is active, then come a few paused ones.
	`INSERT INTO migration_run (id, name, params, active_key, listed, state, state_since, knobs, total, rejected, fill_worker, account_id, actor, created_at, started_at)
	 SELECT n, IF(n % 2, 'download-images', 'rebalance-ranks'), '{}', IF(n <= 30, UNHEX(SHA2(n, 256)), NULL), CASE WHEN n <= 20 THEN 'active' WHEN n <= 500 THEN 'attention' ELSE 'finished' END,
	 CASE WHEN n <= 2 THEN 'running' WHEN n <= 9 THEN ELT(n - 2, 'open', 'filling', 'ready', 'pausing', 'paused', 'throttled', 'cancelling') WHEN n <= 30 THEN 'paused' WHEN n % 7 THEN 'complete' ELSE 'cancelled' END,
	 '2026-01-01', '{}', CASE n WHEN 1 THEN 30000 WHEN 2 THEN 1000 ELSE 0 END, IF(n = 1, 3000, 0), n = 4, 1, 'p1', '2026-01-01', '2026-01-01' FROM numbers WHERE n <= 3000`,
	`UPDATE migration_run SET fill_worker = 1 WHERE id = 4`,
	`UPDATE migration_run SET finished_at = '2026-01-02', purged_at = IF(id % 5 = 0, NULL, '2026-02-01') WHERE id > 30`,
	`INSERT INTO migration_task (id, run_id, state, fence, worker_id, attempt, line, payload, fingerprint, due_at, claimed_at, finished_at)
	 SELECT n, 1, CASE WHEN n <= 10000 THEN 'complete' WHEN n <= 12000 THEN 'processing' WHEN n <= 16000 THEN 'waiting' WHEN n <= 20000 THEN 'failed' WHEN n <= 22000 THEN 'skipped' ELSE 'open' END,
	 IF(n <= 20000, ((n % 20 + 1) << 32) + 1, 0), IF(n <= 20000, n % 20 + 1, 0), n <= 20000, n, CONCAT('{"ticket":', n, ',"board":', n % 50 + 1, '}'),
	 IF(n BETWEEN 16001 AND 20000, UNHEX(LPAD(HEX(n % 300 + 1), 16, '0')), NULL), IF(n BETWEEN 12001 AND 16000, NOW(6) + INTERVAL (n - 14000) * 60 SECOND, NULL),
	 IF(n <= 20000, '2026-01-01', NULL), IF(n <= 10000 OR n BETWEEN 16001 AND 22000, '2026-01-01', NULL) FROM numbers WHERE n <= 30000`,
	`INSERT INTO migration_task (id, run_id, payload) SELECT 30000 + n, 2, '{}' FROM numbers WHERE n <= 1000`,
	`INSERT INTO migration_counter (run_id, worker_id, processing, waiting, complete, failed, skipped, errors) SELECT 1, n - 1, 50, 100, 250, 100, 50, 300 FROM numbers WHERE n <= 40`,
	`INSERT INTO migration_counter (run_id, worker_id) SELECT n, 0 FROM numbers WHERE n BETWEEN 2 AND 3000`,
	`INSERT INTO migration_worker (id, host, pid, version, state, started_at, beat_at, lease_until)
	 SELECT n, CONCAT('server', n % 10), n, '1', CASE WHEN n <= 15 THEN 'active' WHEN n BETWEEN 21 AND 25 THEN 'draining' ELSE 'stopped' END,
	 '2026-01-01', '2026-01-01', IF(n <= 15, NOW(6) + INTERVAL 1 DAY, '2026-01-01') FROM numbers WHERE n <= 2000`,
	`INSERT INTO migration_lease (name, worker_id, renewed_at, lease_until) VALUES ('keeper', 1, NOW(6), NOW(6) + INTERVAL 1 DAY)`,
	`INSERT INTO migration_attempt (id, run_id, task_id, iteration, attempt, outcome, worker_id, worker, started_at, took_us, fingerprint, message, detail)
	 SELECT n, 1, IF(n <= 500, 16007, n), 1, 1, 'failed', n % 20 + 1, 'server1:1', '2026-01-01' + INTERVAL n SECOND, 1000, UNHEX(LPAD(HEX(n % 300 + 1), 16, '0')), 'It failed', '' FROM numbers WHERE n <= 20000`,
	`INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at)
	 SELECT 1, UNHEX(LPAD(HEX(n), 16, '0')), 'It failed', 16000 + n, 40, 13, '2026-01-01', '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n <= 300`,
	`INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at)
	 SELECT n, UNHEX(LPAD(HEX(n), 16, '0')), 'It failed', 16000 + n, 1, 1, '2026-01-01', '2026-01-01' FROM numbers WHERE n BETWEEN 2 AND 3000`,
	`INSERT INTO migration_rejection (run_id, number, line, reason, content) SELECT 1, n, 30000 + n, 'The row has no title.', ',,' FROM numbers WHERE n <= 3000`,
	`INSERT INTO migration_request (id, run_id, kind, after_id, account_id, actor) SELECT n, n, 'retry', 16000, 1, 'p1' FROM numbers WHERE n <= 2000`,
	`UPDATE migration_worker SET halted = TRUE WHERE id = 7`,
	`INSERT INTO migration_stop (id, reason, account_id, actor, stopped_at) VALUES (1, 'The disk is full.', 1, 'Ana', '2026-01-01')`,
	`INSERT INTO migration_event (id, run_id, account_id, actor, kind, detail, created_at)
	 SELECT n, IF(n <= 3000, 1, n - 2999), 1, 'p1', 'knob', 'block 10 → 100', '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n <= 5000`,
	`INSERT INTO migration_sample (run_id, at, complete, failed, skipped, errors, processing)
	 SELECT 1, NOW(6) - INTERVAL 5 * n SECOND, 20000 - n, 0, 0, 0, 100 FROM numbers WHERE n <= 10000`,
	`INSERT INTO migration_upstream (host, blocked_until, reason)
	 SELECT CONCAT('host', n, '.example'), IF(n <= 20, NOW(6) + INTERVAL 1 DAY, '2026-01-01'), '429' FROM numbers WHERE n <= 2000`,

	// Codes are made of seven times their number, in hexadecimal: of 1 to 30,000 the first 10,000 are popped, the next
	// 1,000 in quarantine (those of lot 1 are), and the others in the pool.
	`INSERT INTO ref_lot (id, run_id, source, length, codes, quarantined_at, created_at) SELECT n, n, 'mint', 5, 10, IF(n = 1, '2026-01-02', NULL), '2026-01-01' FROM numbers WHERE n <= 3000`,
	`INSERT INTO ref_batch (id, lot_id) SELECT n, IF(n <= 1000, 1, n % 2999 + 2) FROM numbers`,
	`INSERT INTO ref_ledger (code, batch) SELECT LPAD(HEX(7 * n), 5, '0'), n FROM numbers`,
	`INSERT INTO ref_issue (code, issued_at, company_id, ticket_id, token_id) SELECT code, '2026-01-01', 1, 0, 0 FROM ref_ledger WHERE batch BETWEEN 1001 AND 11000`,
	`INSERT INTO ref_quarantine (code) SELECT code FROM ref_ledger WHERE batch <= 1000`,
	`INSERT INTO ref_pool (code) SELECT code FROM ref_ledger WHERE batch > 11000`,
	`INSERT INTO ref_sample (at, source, popped, empties, p50_us, p99_us) SELECT '2026-01-01' + INTERVAL n DIV 4 MINUTE, n % 4, 60, 0, 500, 5000 FROM numbers WHERE n < 20000`,

	`UPDATE ticket SET feed_sync_id = id WHERE id <= 24000`,
	`UPDATE comment SET feed_sync_id = id WHERE id <= 4500`,
	`UPDATE board SET feed_sync_id = id WHERE id <= (SELECT n - 50 FROM (SELECT COUNT(*) AS n FROM board) b)`,
	`UPDATE sequences SET value = 30000, version = 3000, epoch = 1700000000, horizon = 100`,
	`INSERT INTO feed_durable (feed, head) SELECT name, value FROM sequences`,
	`INSERT INTO feed_batch (feed, hi, k, committed_at)
	 SELECT feed, 10 * n, 10, NOW(6) - INTERVAL 3600 * (3000 - n) SECOND FROM numbers, (SELECT 'tickets' AS feed UNION ALL SELECT 'comments' UNION ALL SELECT 'boards') f WHERE n <= 3000`,
	`INSERT INTO feed_consumer (company_id, feed, name, epoch, position, began, created_by, created_at, seen_at)
	 SELECT IF(n <= 1000, 1, n % 999 + 2), 'tickets', CONCAT('consumer', n), 1700000000, 10 * n, 0, n % 500 + 1, '2026-01-01', '2026-01-01' FROM numbers WHERE n <= 2500`,
	`INSERT INTO webhook (id, company_id, url, note, feeds, board_id, secret, state, failing_since, due_at, lease_ends, created_by, created_at, updated_at)
	 SELECT n, IF(n <= 50, 1, n % 999 + 2), 'https://hooks.example/', '', 'tickets comments', IF(n % 5, NULL, n % 300 + 1), UNHEX(SHA2(n, 256)), IF(n % 10, 'on', 'stopped'),
	 NULL, NOW(6) + INTERVAL (n % 7 - 5) * 60 SECOND, NOW(6) - INTERVAL 1 MINUTE, n % 500 + 1, '2026-01-01', '2026-01-01' FROM numbers WHERE n <= 2000`,
	`INSERT INTO secret_key (id, key_id, created_at) VALUES (1, 'a', '2026-01-01')`,
	`INSERT INTO sealed_secret (kind, owner_id, key_id, sealed) SELECT 'webhook', n, 'a', UNHEX(SHA2(n, 256)) FROM numbers WHERE n <= 2000`,
	`INSERT INTO sealed_secret (kind, owner_id, key_id, sealed) SELECT 'webhook-old', n, 'a', UNHEX(SHA2(n, 256)) FROM numbers WHERE n <= 1000`,
	`INSERT INTO webhook_cursor (webhook_id, feed, epoch, position) SELECT n, feed, 1700000000, 10 * n FROM numbers, (SELECT 'tickets' AS feed UNION ALL SELECT 'comments') f WHERE n <= 2000`,
	`INSERT INTO webhook_board (webhook_id, board_id, tickets_after, comments_after, boards_after, added_by, created_at) SELECT 1, id, 100, 100, 100, 7, '2026-01-01' FROM board WHERE id <= 300`,
	`INSERT INTO webhook_board (webhook_id, board_id, tickets_after, comments_after, boards_after, added_by, created_at) SELECT n, 1, 100, 100, 100, 7, '2026-01-01' FROM numbers WHERE n BETWEEN 2 AND 2000`,
	`UPDATE activity SET undone_at = '2026-01-01' WHERE id = 9`,
	`INSERT INTO webhook_ticket (webhook_id, ticket_id) SELECT 1, n FROM numbers WHERE n <= 5000`,
	`INSERT INTO webhook_ticket (webhook_id, ticket_id) SELECT n, 7 FROM numbers WHERE n BETWEEN 2 AND 1000`,
	`INSERT INTO webhook_attempt (id, webhook_id, message, kind, type, subject, feed, row_id, position, status, error, response, milliseconds, created_at)
	 SELECT n, IF(n <= 2000, 1, n % 1999 + 2), CONCAT('tickets:', n, ':', n), 'sent', 'ticket.changed', CONCAT('B1-', n), 'tickets', n, n, 200, '', 'ok', 20, NOW(6) - INTERVAL (10000 - n) * 600 SECOND FROM numbers WHERE n <= 10000`,

	`INSERT INTO board_slug (company_id, slug, board_id, created_at, imported) VALUES (1, 'JIRA', 1, '2026-01-01', TRUE)`,
	`INSERT INTO ticket_origin (company_id, external_id, ticket_id, created_at) SELECT 1, CONCAT('JIRA-', n), IF(n <= 20, 7, n), '2026-01-01' FROM numbers WHERE n <= 5000`,
	`INSERT INTO request_form (board_id, is_on, intro, updated_at) SELECT n, n % 3 <> 0, '', '2026-01-01' FROM numbers WHERE n <= 1500`,
	`INSERT INTO ticket_request (ticket_id, code, email, form_hash, token_hash, created_at)
	 SELECT n, CONCAT('c', LPAD(n, 4, '0')), '', UNHEX(SHA2(n, 256)), UNHEX(SHA2(n, 256)), '2026-01-01' FROM numbers WHERE n <= 9000`,
	`INSERT INTO request_watcher (board_id, account_id, is_on) SELECT 1, n, n % 2 FROM numbers WHERE n <= 500`,
	`INSERT INTO request_watcher (board_id, account_id, is_on) SELECT n, 1, TRUE FROM numbers WHERE n BETWEEN 2 AND 1500`,
	`UPDATE comment SET public = TRUE WHERE ticket_id = 7 AND id % 2 = 0`,
	`INSERT INTO public_limit (name, used, last_at) SELECT UNHEX(SHA2(n, 256)), 1, '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n <= 3000`,
	`INSERT INTO lookup_hour (hour, hits, misses, refused, canaries)
	 SELECT '2026-01-01' + INTERVAL n HOUR, 10, 2, 0, 0 FROM numbers WHERE n <= 6000`,
	`INSERT INTO image (company_id, hash, content_type, bytes, width, height, created_at)
	 SELECT IF(n <= 2000, 1, n % 999 + 2), UNHEX(SHA2(n, 256)), 'image/png', 1000, 10, 10, '2026-01-01' FROM numbers WHERE n <= 3000`,
	`INSERT INTO image_source (company_id, url_hash, url, hash, created_at)
	 SELECT company_id, UNHEX(SHA2(CONCAT('https://images.example/', HEX(hash)), 256)), CONCAT('https://images.example/', HEX(hash)), hash, '2026-01-01' FROM image`,
	`INSERT INTO ref_issue (code, issued_at, company_id, ticket_id, token_id) VALUES ('zzzzz', '2026-01-01', 1, 7, 7)`,
	`INSERT INTO run_image (run_id, company_id, url_hash, url, hash, created_at)
	 SELECT 1, company_id, url_hash, url, hash, '2026-01-01' FROM image_source`,
	`INSERT INTO service_account (account_id, company_id, created_by, created_at, ended_at, per_day, per_call)
	 SELECT n, IF(n <= 2000, 1, n % 999 + 2), 1, '2026-01-01', IF(n % 2 = 0, '2026-01-02', NULL), 10, 10 FROM numbers WHERE n BETWEEN 601 AND 3000`,
	`INSERT INTO invitation_reservation (invitation_id, account_id, created_at) SELECT id, 1, '2026-01-01' FROM invitation`,
	`INSERT INTO picture (ticket_id, url_hash, url, company_id, account_id, hash, due_at, queued_at)
	 SELECT n, UNHEX(SHA2(n, 256)), 'https://images.example/a', 1, 1, IF(n <= 2000, UNHEX(SHA2(n, 256)), NULL), IF(n > 5000, '2026-01-01' + INTERVAL n SECOND, NULL), '2026-01-01' FROM numbers WHERE n <= 20000`,
}

// filled is a database in which whatever a request must not read as a whole is large.
func filled(t *testing.T) *db.DB {
	t.Helper()
	d := dbtest.Open(t)
	execute := func(statement string) {
		t.Helper()
		domaintest.Exec(t, d, statement)
	}
	execute("CREATE TABLE numbers (n INT NOT NULL PRIMARY KEY)")
	digits := "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
	execute(fmt.Sprintf("INSERT INTO numbers SELECT 1 + a.d + 10*b.d + 100*c.d + 1000*e.d + 10000*f.d FROM %[1]s a, %[1]s b, %[1]s c, %[1]s e, %[1]s f WHERE f.d < 3", digits))
	for _, statement := range filling {
		execute(statement)
	}
	for table, n := range rowsOf(t, d) {
		if n < 1000 && !small[table] {
			t.Errorf("the table %s has %d rows: say in filling (db/filled_test.go) how it gets a thousand", table, n)
		}
		execute("ANALYZE TABLE " + table)
	}
	return d
}

func rowsOf(t *testing.T, d *db.DB) map[string]int {
	t.Helper()
	rows := domaintest.OK(
		d.SQL.Query("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'"))(t)
	defer rows.Close()
	var counts []string
	for rows.Next() {
		var name string
		domaintest.Must(t, rows.Scan(&name))
		counts = append(counts, fmt.Sprintf("SELECT '%[1]s', COUNT(*) FROM %[1]s", name))
	}
	of := map[string]int{}
	counted := domaintest.OK(d.SQL.Query(strings.Join(counts, " UNION ALL ")))(t)
	defer counted.Close()
	for counted.Next() {
		var name string
		var n int
		domaintest.Must(t, counted.Scan(&name, &n))
		of[name] = n
	}
	return of
}
