package verify

import "slices"

// Names of rows in findings, and the joins for them, which run for broken rows only.
const (
	aTicket = `CONCAT('ticket ', t.id, COALESCE(CONCAT(' (', co.slug, '/', b.slug, '-', t.local_id, ')'), ''))`
	aBoard  = `CONCAT('board ', b.id, COALESCE(CONCAT(' (', co.slug, '/', b.slug, ')'), ''))`
	aColumn = `CONCAT('column ', c.id, ' “', c.name, '” of ', COALESCE(` + aBoard + `, CONCAT('board ', c.board_id)))`

	ofTicket = ` LEFT JOIN board b ON b.id = t.board_id LEFT JOIN company co ON co.id = b.company_id `
	ofBoard  = ` LEFT JOIN company co ON co.id = b.company_id `
	ofColumn = ` LEFT JOIN board b ON b.id = c.board_id LEFT JOIN company co ON co.id = b.company_id `

	anAlias = `CONCAT('the old key ', COALESCE(CONCAT(co.slug, '/', b.slug), CONCAT('board ', x.board_id)), '-', x.local_id)`
	ofAlias = ` LEFT JOIN board b ON b.id = x.board_id LEFT JOIN company co ON co.id = b.company_id `
)

// checks returns all checks but schema. Queries over tickets and activity scan a table once, or force an index: right
// after a restore the server's statistics still say that tables are empty, and it would scan one for each row of
// another. STRAIGHT_JOIN keeps the scanned table on the left.
func checks(place string) []check {
	list := slices.Concat(houseChecks(), accessChecks(), migrationChecks(), importChecks(), feedChecks(), refChecks(), requestChecks())
	if place != "" {
		list = append(list, imageFiles(place), attachedFiles(place))
	}
	return append(list, last)
}

// last covers all tables.
var last = check{name: "references", says: "Every row that names another names one that is there.", run: referencesHold}

func houseChecks() []check {
	return []check{
		{
			name: "setup", says: "If there is a company, the first setup is closed.", tables: []string{"installation"},
			query: `SELECT CONCAT('there are ', x.companies, ' companies but ', x.closed, ' closed setups: a stranger may set up')
				FROM (SELECT (SELECT COUNT(*) FROM company) AS companies, (SELECT COUNT(*) FROM installation) AS closed) x
				WHERE x.companies > 0 AND x.closed <> 1`,
		},
		{name: "companies", says: "Companies have slugs and names of the allowed form.", tables: []string{"company"},
			run: companies},
		{name: "accounts", says: "Accounts have names and addresses of the allowed form.", tables: []string{"account"},
			run: people},
		{
			name: "operators", says: "If there are accounts, one is an operator.", tables: []string{"account"},
			query: `SELECT CONCAT('none of ', x.accounts, ' accounts is an operator')
				FROM (SELECT COUNT(*) AS accounts, COALESCE(SUM(operator), 0) AS operators FROM account) x
				WHERE x.accounts > 0 AND x.operators = 0`,
		},
		{
			name: "pictures of accounts", says: "An account shows the picture that is stored for it.", tables: []string{"account", "account_avatar"},
			query: `SELECT CONCAT('account ', a.id, IF(a.avatar = '', ' shows no picture, but has one', CONCAT(' has the picture ', a.avatar, ', which is not stored')))
				FROM account a LEFT JOIN account_avatar p ON p.account_id = a.id
				WHERE CAST(a.avatar AS BINARY) <> CAST(COALESCE(LEFT(LOWER(SHA2(p.content, 256)), 16), '') AS BINARY) ORDER BY a.id`,
		},
		{name: "memberships", says: "Every membership has a known role.", tables: []string{"membership"}, run: memberships},
		{name: "handles", says: "Members have handles of the allowed form, no two of a company the same.",
			tables: []string{"membership"}, run: handles},
		{
			name: "owners", says: "Every company has an owner.", tables: []string{"company"},
			query: `SELECT CONCAT('company ', c.id, ' (', c.slug, ') has no owner') FROM company c
				WHERE NOT EXISTS (SELECT 1 FROM membership m WHERE m.company_id = c.id AND m.role = 'owner') ORDER BY c.id`,
		},
		{name: "tokens", says: "Every API token has known scopes and ends after it began.", tables: []string{"api_token"},
			run: tokens},
		{name: "invitations",
			says:   "Invitations have known roles, are used no more often than they may be, and end after they began.",
			tables: []string{"invitation"}, run: invitations},
		{
			name: "password resets", says: "A link for a new password ends after it began and is not used before.",
			tables: []string{"password_reset"},
			query: `SELECT CONCAT('password reset ', id, ' began ', created_at, ', ends ', expires_at, COALESCE(CONCAT(', was used ', used_at), ''))
				FROM password_reset WHERE expires_at <= created_at OR used_at < created_at ORDER BY id`,
		},
		{
			name: "second factors", says: "A recovery code or a passkey is not used before it was made.",
			tables: []string{"recovery_code", "passkey"},
			query: `SELECT text FROM (
				SELECT CONCAT('recovery code of account ', account_id, ' was made ', created_at, ', was used ', used_at) AS text
				FROM recovery_code WHERE used_at < created_at
				UNION ALL
				SELECT CONCAT('passkey ', id, ' was made ', created_at, ', was used ', used_at)
				FROM passkey WHERE used_at < created_at) wrong ORDER BY text`,
		},
		{name: "audit", says: "Every entry of the audit has a kind and a detail in JSON.", tables: []string{"audit"},
			run: audits},
		{name: "audit chains", says: "The sealed entries of each audit list are unchanged, and none is missing.",
			tables: []string{"audit", "audit_chain"}, run: auditChains},
		{name: "secrets", says: "Every encrypted secret opens with a key of the key file.", tables: []string{"sealed_secret"},
			run: secretsOpen},
		{name: "boards", says: "Boards have slugs and titles of the allowed form.", tables: []string{"board"},
			run: boardTexts},
		{name: "board slugs", says: "Slugs are kept for the boards that have or had them.",
			tables: []string{"board", "board_slug"}, run: boardSlugs},
		{
			name: "archives", says: "No board was archived before it was opened.", tables: []string{"board"},
			query: `SELECT CONCAT(` + aBoard + `, ' was opened ', b.created_at, ' and archived ', b.archived_at) FROM board b` + ofBoard + `
				WHERE b.archived_at < b.created_at ORDER BY b.id`,
		},
		{
			name: "incrementers", says: "Every board has the counter of its ticket numbers.", tables: []string{"board"},
			query: `SELECT CONCAT(` + aBoard + `, ' has no incrementer') FROM board b` + ofBoard + `
				LEFT JOIN board_ticket_incrementer i ON i.board_id = b.id WHERE i.board_id IS NULL ORDER BY b.id`,
		},
		{
			name: "columns", says: "Every board has at least one column.", tables: []string{"board"},
			query: `SELECT CONCAT(` + aBoard + `, ' has no column') FROM board b` + ofBoard + `
				WHERE NOT EXISTS (SELECT 1 FROM board_column c WHERE c.board_id = b.id) ORDER BY b.id`,
		},
		{
			name: "column positions", says: "The columns of a board have positions from 1 up, no two the same.",
			tables: []string{"board_column"},
			query: `SELECT CONCAT('board ', board_id, ' has ', COUNT(*), ' columns at position ', position)
				FROM board_column GROUP BY board_id, position HAVING COUNT(*) > 1 OR position < 1`,
		},
		{name: "column names", says: "Columns have names of the allowed form.", tables: []string{"board_column"},
			run: columnNames},
		{
			name: "column limits", says: "A column's limit is at least one, only a limit is hard, its cards are stale after a year at most, and its colour is one of twelve.",
			tables: []string{"board_column"},
			query: `SELECT CONCAT(` + aColumn + `, ' has the limit ', COALESCE(c.wip_limit, 'none'), IF(c.wip_hard, ', which is hard', ''), ' and stale cards after ', c.stale_days, ' days', COALESCE(CONCAT(', and the colour ', c.color), ''))
				FROM board_column c` + ofColumn + `WHERE c.wip_limit < 1 OR (c.wip_hard AND c.wip_limit IS NULL) OR c.stale_days > 365 OR c.color > 11 ORDER BY c.id`,
		},
		{
			name: "ticket numbers unique", says: "No two tickets of a board have the same number.", tables: []string{"ticket"},
			query: `SELECT CONCAT('board ', board_id, ' has ', COUNT(*), ' tickets with the number ', local_id)
				FROM ticket GROUP BY board_id, local_id HAVING COUNT(*) > 1`,
		},
		{
			name: "ticket numbers handed out",
			says: "Every ticket's number is between 1 and the last that its board handed out.", tables: []string{"ticket"},
			query: `SELECT CONCAT(` + aTicket + `, ' has a number outside 1 to ', i.max_ticket_id)
				FROM ticket t JOIN board_ticket_incrementer i ON i.board_id = t.board_id` + ofTicket + `
				WHERE t.local_id < 1 OR t.local_id > i.max_ticket_id`,
		},
		{
			// A ticket that moves away leaves its number behind as an alias. Purged tickets are counted,
			// and so is what a failover skipped.
			name:   "no ticket row is missing",
			says:   "A board has as many tickets, deleted ones included, old keys, purged and skipped ones as it handed out numbers.",
			tables: []string{"ticket", "ticket_alias", "failover_board"},
			query: `SELECT CONCAT(COALESCE(` + aBoard + `, CONCAT('board ', x.board_id)), ' handed out ', x.handed, ' numbers but has ', x.present, ' tickets and ', x.old, ' old keys, and ', x.purged, ' were purged', IF(x.skipped > 0, CONCAT(', ', x.skipped, ' skipped'), ''))
				FROM (SELECT i.board_id, i.max_ticket_id AS handed, i.purged, COALESCE(f.skipped, 0) AS skipped, COALESCE(t.present, 0) AS present, COALESCE(o.old, 0) AS old FROM board_ticket_incrementer i
					LEFT JOIN (SELECT board_id, COUNT(*) AS present FROM ticket GROUP BY board_id) t ON t.board_id = i.board_id
					LEFT JOIN (SELECT board_id, COUNT(*) AS old FROM ticket_alias GROUP BY board_id) o ON o.board_id = i.board_id
					LEFT JOIN (SELECT board_id, SUM(skipped) AS skipped FROM failover_board GROUP BY board_id) f ON f.board_id = i.board_id) x
				LEFT JOIN board b ON b.id = x.board_id` + ofBoard + `
				WHERE x.present + x.old + x.purged + x.skipped < x.handed
				   OR x.purged + x.skipped > 0 AND x.present + x.old + x.purged + x.skipped > x.handed ORDER BY x.board_id`,
		},
		{
			name: "old keys handed out", says: "Every old key has a number that its board handed out.",
			tables: []string{"ticket_alias"},
			query: `SELECT CONCAT(` + anAlias + `, ' has a number outside 1 to ', i.max_ticket_id)
				FROM ticket_alias x STRAIGHT_JOIN board_ticket_incrementer i FORCE INDEX (PRIMARY) ON i.board_id = x.board_id` + ofAlias + `
				WHERE x.local_id < 1 OR x.local_id > i.max_ticket_id`,
		},
		{
			name: "old keys lead on", says: "No old key is also a ticket's present one.", tables: []string{"ticket_alias"},
			query: `SELECT CONCAT(` + anAlias + `, ' leads to ticket ', x.ticket_id, ' and is the key of ticket ', t.id)
				FROM ticket_alias x STRAIGHT_JOIN ticket t FORCE INDEX (uq_ticket_number) ON t.board_id = x.board_id AND t.local_id = x.local_id` + ofAlias,
		},
		{
			name: "old keys in their company", says: "An old key leads to a ticket of its own company.",
			tables: []string{"ticket_alias"},
			query: `SELECT CONCAT(` + anAlias + `, ' leads to ticket ', x.ticket_id, ' of company ', there.company_id)
				FROM ticket_alias x
				STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = x.ticket_id
				STRAIGHT_JOIN board there FORCE INDEX (PRIMARY) ON there.id = t.board_id` + ofAlias + `
				WHERE there.company_id <> b.company_id`,
		},
		{
			name: "tickets on their board", says: "A ticket's column is one of its own board.", tables: []string{"ticket"},
			query: `SELECT CONCAT(` + aTicket + `, ' is in column ', c.id, ' of board ', c.board_id)
				FROM ticket t JOIN board_column c ON c.id = t.column_id` + ofTicket + `WHERE c.board_id <> t.board_id`,
		},
		{
			name: "places", says: "A live ticket has a column and a rank there, a deleted one neither.",
			tables: []string{"ticket"},
			query: `SELECT CONCAT(` + aTicket + `, IF(t.deleted_at IS NULL, ' is live', ' is deleted'), ', its column is ', COALESCE(t.column_id, 'none'),
					', its rank ', COALESCE(t.rank_in_column, 'none'))
				FROM ticket t` + ofTicket + `
				WHERE (t.deleted_at IS NULL) <> (t.column_id IS NOT NULL) OR (t.deleted_at IS NULL) <> (t.rank_in_column IS NOT NULL)`,
		},
		{
			name: "done is closed",
			says: "Tickets in a done column are closed, but for those that a run is still closing.", tables: []string{"ticket"},
			query: `SELECT CONCAT(` + aTicket + `, ' is in the done column ', c.id, ' but not closed')
				FROM ticket t STRAIGHT_JOIN board_column c FORCE INDEX (PRIMARY) ON c.id = t.column_id` + ofTicket + `
				WHERE c.done AND c.change_kind <> 'close' AND t.closed_at IS NULL`,
		},
		{
			name:   "changes of columns",
			says:   "A run that closes a column's tickets does so in a done column, one that reopens them in another; one that moves them leads to a column of its board.",
			tables: []string{"board_column"},
			query: `SELECT CONCAT(` + aColumn + `, ' is changed as “', c.change_kind, '” by run ', c.change_run, ' with ', c.change_done, ' of ', c.change_total, ' tickets done')
				FROM board_column c` + ofColumn + `
				LEFT JOIN board_column x ON x.id = c.change_to AND x.board_id = c.board_id AND x.id <> c.id
				WHERE NOT CASE c.change_kind
					WHEN '' THEN c.change_run = 0 AND c.change_to = 0
					WHEN 'close' THEN c.done AND c.change_run > 0 AND c.change_at IS NOT NULL AND c.change_left > 0 AND c.change_done <= c.change_total
					WHEN 'reopen' THEN NOT c.done AND c.change_run > 0 AND c.change_at IS NOT NULL AND c.change_left > 0 AND c.change_done <= c.change_total
					WHEN 'empty' THEN x.id IS NOT NULL AND c.change_run > 0 AND c.change_at IS NOT NULL AND c.ticket_count <= c.change_total - c.change_done
					WHEN 'move' THEN x.id IS NOT NULL AND c.change_run > 0 AND c.change_at IS NOT NULL AND c.change_done <= c.change_total
					ELSE FALSE END
				ORDER BY c.id`,
		},
		{
			name: "room kept", says: "A column keeps room for the tickets that runs may still bring, and for no others.",
			tables: []string{"board_column"},
			query: `SELECT CONCAT(` + aColumn + `, ' keeps room for ', c.incoming, ' tickets, but runs may bring ', COALESCE(x.expected, 0))
				FROM board_column c LEFT JOIN (SELECT change_to, SUM(change_total - change_done) AS expected FROM board_column
					WHERE change_kind IN ('empty', 'move') GROUP BY change_to) x ON x.change_to = c.id` + ofColumn + `
				WHERE c.incoming <> COALESCE(x.expected, 0) ORDER BY c.id`,
		},
		{
			name: "ranks strict", says: "No two tickets of a column have the same rank.", tables: []string{"ticket"},
			query: `SELECT CONCAT('column ', column_id, ' has ', COUNT(*), ' tickets with the rank ', rank_in_column)
				FROM ticket WHERE column_id IS NOT NULL AND rank_in_column IS NOT NULL
				GROUP BY column_id, rank_in_column HAVING COUNT(*) > 1`,
		},
		{
			name: "last ranks", says: "No ticket has a rank above its column's last.", tables: []string{"board_column"},
			query: `SELECT CONCAT(` + aColumn + `, ' has the last rank ', c.last_rank, ' but a ticket with ', x.highest)
				FROM board_column c JOIN (SELECT column_id, MAX(rank_in_column) AS highest FROM ticket GROUP BY column_id) x
				ON x.column_id = c.id` + ofColumn + `WHERE x.highest > c.last_rank ORDER BY c.id`,
		},
		{
			name: "ticket counts", says: "A column's count is the number of its tickets.", tables: []string{"board_column"},
			query: `SELECT CONCAT(` + aColumn + `, ' counts ', c.ticket_count, ' tickets but has ', COALESCE(x.present, 0))
				FROM board_column c LEFT JOIN (SELECT column_id, COUNT(*) AS present FROM ticket GROUP BY column_id) x
				ON x.column_id = c.id` + ofColumn + `WHERE COALESCE(x.present, 0) <> c.ticket_count ORDER BY c.id`,
		},
		{name: "ticket texts", says: "Tickets have titles and descriptions of the allowed form, and count the items of their checklists.", tables: []string{"ticket"},
			run: ticketTexts},
		{
			name: "opened once", says: "The history of every ticket says once that it was opened.", tables: []string{"ticket"},
			query: `SELECT CONCAT(` + aTicket + `, ' was opened ', t.opened, ' times')
				FROM (SELECT o.id, o.board_id, o.local_id,
					(SELECT COUNT(*) FROM activity a FORCE INDEX (ix_activity_ticket) WHERE a.ticket_id = o.id AND a.kind = 'opened') AS opened
					FROM ticket o) t` + ofTicket + `WHERE t.opened <> 1`,
		},
		{name: "history details", says: "Every entry of a history has a detail that can be read.",
			tables: []string{"activity"}, run: details},
		{
			name: "properties", says: "A ticket has a known priority, and a date without a time is midnight UTC.",
			tables: []string{"ticket"},
			query: `SELECT CONCAT('ticket ', t.id, ' has the priority ', t.priority, ', starts ', COALESCE(t.start_at, 'never'), IF(t.start_timed, ' with', ' without'), ' a time, is due ', COALESCE(t.due_at, 'never'), IF(t.due_timed, ' with', ' without'), ' a time')
				FROM ticket t WHERE t.priority > 4 OR t.start_timed = FALSE AND t.start_at <> DATE(t.start_at) OR t.due_timed = FALSE AND t.due_at <> DATE(t.due_at)
				OR t.start_timed = TRUE AND t.start_at IS NULL OR t.due_timed = TRUE AND t.due_at IS NULL ORDER BY t.id`,
		},
		{
			name: "assignees", says: "A ticket is its assignees' present work while it is neither closed nor deleted.",
			tables: []string{"assignee"},
			query: `SELECT CONCAT(` + aTicket + `, IF(x.current, ' is', ' is not'), ' the present work of account ', x.account_id, ' but is ',
					CASE WHEN t.deleted_at IS NOT NULL THEN 'deleted' WHEN t.closed_at IS NOT NULL THEN 'closed' ELSE 'open' END)
				FROM assignee x STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = x.ticket_id` + ofTicket + `
				WHERE x.current <> (t.closed_at IS NULL AND t.deleted_at IS NULL)`,
		},
		{
			name: "labels", says: "A label has a known colour, is of a board of its company or of all, and leads to one of its company.",
			tables: []string{"label"},
			query: `SELECT CONCAT('label ', l.id, ' (', l.name, ') has colour ', l.color, ', board ', l.board_id, ', leads to ', l.leads_to, ' and is shown as ', l.shown_as)
				FROM label l WHERE l.color > 11
				OR l.board_id <> 0 AND NOT EXISTS (SELECT 1 FROM board b WHERE b.id = l.board_id AND b.company_id = l.company_id)
				OR l.live = TRUE AND (l.leads_to <> 0 OR l.shown_as <> 0 OR l.renamed = TRUE OR l.ended_at IS NOT NULL)
				OR l.live IS NULL AND l.ended_at IS NULL
				OR l.leads_to <> 0 AND NOT EXISTS (SELECT 1 FROM label t WHERE t.id = l.leads_to AND t.company_id = l.company_id AND t.renamed = FALSE
				  AND l.shown_as = IF(t.shown_as = 0, t.id, t.shown_as))
				OR l.leads_to = 0 AND l.shown_as <> 0 ORDER BY l.id`,
		},
		{
			name: "labels of tickets", says: "The labels of a ticket are of its company, and none is an old name.",
			tables: []string{"ticket_label"},
			query: `SELECT CONCAT(` + aTicket + `, ' has label ', l.id, ' (', l.name, ') of company ', l.company_id, IF(l.renamed, ', an old name', ''))
				FROM ticket_label x STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = x.ticket_id` + ofTicket + `
				STRAIGHT_JOIN label l ON l.id = x.label_id WHERE l.company_id <> b.company_id OR l.renamed = TRUE`,
		},
		{
			name: "templates", says: "A template has a known priority, and is of a company that has its labels; none of these is an old name.",
			tables: []string{"ticket_template", "template_label"},
			query: `SELECT CONCAT('template ', m.id, ' (', m.name, ') has priority ', m.priority, ' and is of company ', b.company_id, ' with label ', COALESCE(l.id, 'NULL'), ' of company ', COALESCE(l.company_id, 'NULL'))
				FROM ticket_template m JOIN board b ON b.id = m.board_id LEFT JOIN template_label y ON y.template_id = m.id LEFT JOIN label l ON l.id = y.label_id
				WHERE m.priority > 4 OR l.company_id <> b.company_id OR l.renamed = TRUE ORDER BY m.id, l.id`,
		},
		{
			name: "views", says: "A saved view has a known layout, and is of its board's company, if it has a board.",
			tables: []string{"saved_view"},
			query: `SELECT CONCAT('view ', v.id, ' (', v.name, ') has layout ', v.layout, ' and is of company ', v.company_id, ' on board ', COALESCE(v.board_id, 'NULL'), ' of company ', COALESCE(b.company_id, 'NULL'))
				FROM saved_view v LEFT JOIN board b ON b.id = v.board_id JOIN company c ON c.id = v.company_id WHERE v.layout NOT IN ('board', 'list', 'calendar') OR v.company_id <> b.company_id ORDER BY v.id`,
		},
		{
			name: "bulk edits", says: "A bulk edit is of its board's company, if it has a board, and counts its items by their outcomes.",
			tables: []string{"bulk_edit", "bulk_edit_item"},
			query: `SELECT CONCAT('bulk edit ', e.id, ' is of company ', e.company_id, ' on a board of company ', COALESCE(b.company_id, 'NULL'), ' and counts ', e.changed, ', ', e.unchanged, ' and ', e.refused, ' items but has ', COALESCE(x.c, 0), ', ', COALESCE(x.u, 0), ' and ', COALESCE(x.r, 0), ' of ', COALESCE(x.n, 0))
				FROM bulk_edit e LEFT JOIN board b ON b.id = e.board_id JOIN company k ON k.id = e.company_id
				LEFT JOIN (SELECT i.bulk_edit_id, COUNT(*) AS n, SUM(i.outcome = 'changed') AS c, SUM(i.outcome = 'unchanged') AS u, SUM(i.outcome = 'refused') AS r
				  FROM bulk_edit_item i GROUP BY i.bulk_edit_id) x ON x.bulk_edit_id = e.id
				WHERE e.company_id <> b.company_id OR e.changed <> COALESCE(x.c, 0) OR e.unchanged <> COALESCE(x.u, 0) OR e.refused <> COALESCE(x.r, 0)
				  OR COALESCE(x.n, 0) <> COALESCE(x.c + x.u + x.r, 0)
				ORDER BY e.id`,
		},
		{
			name: "relations", says: "A relation of tickets is of a known kind, between two of a company, and both have it.",
			tables: []string{"ticket_relation"},
			query: `SELECT CONCAT('ticket ', r.ticket_id, ' has relation ', r.kind, ' to ticket ', r.other_id, IF(m.ticket_id IS NULL, ', which does not have it', IF(r.sole IS NULL, ', not the only one', ', the only one')))
				FROM ticket_relation r LEFT JOIN ticket_relation m ON m.ticket_id = r.other_id AND m.other_id = r.ticket_id
				  AND m.kind = CASE r.kind WHEN 1 THEN 2 WHEN 2 THEN 1 WHEN 3 THEN 4 WHEN 4 THEN 3 WHEN 5 THEN 6 WHEN 6 THEN 5 ELSE r.kind END
				LEFT JOIN ticket t ON t.id = r.ticket_id LEFT JOIN board b ON b.id = t.board_id
				LEFT JOIN ticket o ON o.id = r.other_id LEFT JOIN board ob ON ob.id = o.board_id
				WHERE r.kind NOT BETWEEN 1 AND 7 OR r.ticket_id = r.other_id OR m.ticket_id IS NULL AND t.id IS NOT NULL AND o.id IS NOT NULL OR b.company_id <> ob.company_id
				OR (r.kind = 1 AND r.sole IS NULL OR r.kind <> 1 AND r.sole IS NOT NULL) ORDER BY r.ticket_id, r.kind, r.other_id`,
		},
		{name: "relation cycles", says: "No ticket is above itself, and none blocks itself, also through others.",
			tables: []string{"ticket_relation"}, run: relationCycles},
		{
			name: "attachments", says: "An attachment is of its ticket's company, and of a comment on that ticket; a deleted comment has none.",
			tables: []string{"attachment"},
			query: `SELECT CONCAT('attachment ', a.id, ' of company ', a.company_id, ' is on ticket ', COALESCE(t.id, 'NULL'), ' of company ', COALESCE(b.company_id, 'NULL'),
					IF(a.comment_id IS NULL, '', CONCAT(' and comment ', a.comment_id, ' of ticket ', COALESCE(k.ticket_id, 'NULL'), IF(k.deleted_at IS NULL, '', ', which is deleted'))))
				FROM attachment a LEFT JOIN ticket t ON t.id = a.ticket_id LEFT JOIN board b ON b.id = t.board_id LEFT JOIN comment k ON k.id = a.comment_id
				WHERE b.company_id <> a.company_id OR a.comment_id IS NOT NULL AND (a.ticket_id IS NULL OR k.ticket_id <> a.ticket_id AND t.id IS NOT NULL OR a.deleted_at IS NULL AND k.deleted_at IS NOT NULL)
				ORDER BY a.id`,
		},
		{
			name: "attachment counts", says: "A ticket counts its attachments that are not deleted.", tables: []string{"attachment"},
			query: `SELECT CONCAT(` + aTicket + `, ' counts ', t.attachments, ' attachments but has ', COALESCE(x.n, 0))
				FROM ticket t LEFT JOIN (SELECT ticket_id, COUNT(*) AS n FROM attachment WHERE deleted_at IS NULL AND ticket_id IS NOT NULL GROUP BY ticket_id) x ON x.ticket_id = t.id` +
				ofTicket + `WHERE t.attachments <> COALESCE(x.n, 0) ORDER BY t.id`,
		},
		{
			name: "storage", says: "A company counts the bytes of all its attachments.", tables: []string{"company_storage"},
			query: `SELECT CONCAT('company ', co.id, ' counts ', COALESCE(s.used, 0), ' bytes of attachments but has ', COALESCE(x.bytes, 0))
				FROM company co LEFT JOIN company_storage s ON s.company_id = co.id
				LEFT JOIN (SELECT a.company_id, SUM(f.bytes) AS bytes FROM attachment a STRAIGHT_JOIN stored_file f ON f.hash = a.hash GROUP BY a.company_id) x ON x.company_id = co.id
				WHERE COALESCE(s.used, 0) <> COALESCE(x.bytes, 0) ORDER BY co.id`,
		},
		{
			name: "stays", says: "A ticket with stays has its present one in its column, a deleted one has none.", tables: []string{"ticket_stay"},
			query: `SELECT CONCAT(` + aTicket + `, ' is ', IF(t.deleted_at IS NULL, CONCAT('in column ', t.column_id, ' of board ', t.board_id), 'deleted'),
					' but its present stays are ', s.present, COALESCE(CONCAT(', in column ', s.column_id, ' of board ', s.board_id), ''))
				FROM ticket t JOIN (
				  SELECT ticket_id, CAST(SUM(until_at IS NULL) AS UNSIGNED) AS present, MAX(IF(until_at IS NULL, column_id, NULL)) AS column_id, MAX(IF(until_at IS NULL, board_id, NULL)) AS board_id
				  FROM ticket_stay GROUP BY ticket_id
				) s ON s.ticket_id = t.id` + ofTicket + `
				WHERE s.present <> (t.deleted_at IS NULL) OR s.column_id <> t.column_id OR s.board_id <> t.board_id ORDER BY t.id`,
		},
		{
			name: "stay order", says: "Stays of a ticket do not overlap.", tables: []string{"ticket_stay"},
			query: `SELECT CONCAT('ticket ', s.ticket_id, ' has a stay from ', s.since_at, ' to ', COALESCE(s.until_at, 'now'), COALESCE(CONCAT(', and the next from ', s.next), ''))
				FROM (SELECT ticket_id, since_at, until_at, LEAD(since_at) OVER (PARTITION BY ticket_id ORDER BY since_at) AS next FROM ticket_stay) s
				WHERE s.until_at <= s.since_at OR s.next < s.until_at OR s.until_at IS NULL AND s.next IS NOT NULL ORDER BY s.ticket_id, s.since_at`,
		},
		{name: "recurrences", says: "A recurrence has a rule, a time zone and a state that there are, is on the ticket of its last date, and waits for a time only while it is active.",
			tables: []string{"recurrence", "occurrence"}, run: recurrences},
		{
			name: "backlinks", says: "A backlink is of a ticket, or a comment of it that is not deleted, to another of the company.", tables: []string{"backlink"},
			query: `SELECT CONCAT('comment ', m.comment_id, ' of ticket ', m.from_id, ' mentions ticket ', m.ticket_id, IF(m.from_id = m.ticket_id, ', itself', IF(fb.company_id <> tb.company_id, ', of another company', ', but is deleted, or another ticket''s')))
				FROM backlink m JOIN ticket f ON f.id = m.from_id JOIN board fb ON fb.id = f.board_id JOIN ticket t ON t.id = m.ticket_id JOIN board tb ON tb.id = t.board_id
				LEFT JOIN comment k ON k.id = m.comment_id AND k.ticket_id = m.from_id AND k.deleted_at IS NULL
				WHERE m.from_id = m.ticket_id OR fb.company_id <> tb.company_id OR m.comment_id <> 0 AND k.id IS NULL ORDER BY m.from_id, m.comment_id, m.ticket_id`,
		},
		{
			name: "comment counts", says: "A ticket counts its comments, if they were counted at all.", tables: []string{"ticket", "comment"},
			query: `SELECT CONCAT(` + aTicket + `, ' counts ', t.comments, ' comments but has ', COALESCE(k.n, 0))
				FROM ticket t LEFT JOIN (SELECT ticket_id, COUNT(*) AS n FROM comment WHERE deleted_at IS NULL GROUP BY ticket_id) k ON k.ticket_id = t.id` + ofTicket + `
				WHERE t.comments <> COALESCE(k.n, 0) ORDER BY t.id`,
		},
		{name: "comments", says: "Comments have texts of the allowed form, deleted ones none.", tables: []string{"comment"},
			run: comments},
		{
			name: "reactions", says: "Reactions are of the six kinds, and a comment counts those that it has.",
			tables: []string{"comment", "comment_reaction"},
			query: `SELECT CONCAT('comment ', k.id, ' of ticket ', k.ticket_id, ' counts reactions ', k.reactions, ' but has ', COALESCE(r.counts, ''))
				FROM comment k LEFT JOIN (
				  SELECT comment_id, CONCAT_WS(',', SUM(kind = 1), SUM(kind = 2), SUM(kind = 3), SUM(kind = 4), SUM(kind = 5), SUM(kind = 6)) AS counts, MAX(kind) AS kind
				  FROM comment_reaction GROUP BY comment_id
				) r ON r.comment_id = k.id
				WHERE k.reactions <> COALESCE(r.counts, '') OR r.kind NOT BETWEEN 1 AND 6 ORDER BY k.id`,
		},
		{
			name: "deleted texts", says: "A text is kept only of a deleted comment, of the same ticket.",
			tables: []string{"deleted_comment"},
			query: `SELECT CONCAT('a text is kept of comment ', k.id, ' of ticket ', k.ticket_id, IF(k.deleted_at IS NULL, ', which is not deleted', CONCAT(', as of ticket ', d.ticket_id)))
				FROM deleted_comment d STRAIGHT_JOIN comment k FORCE INDEX (PRIMARY) ON k.id = d.comment_id
				WHERE k.deleted_at IS NULL OR (k.ticket_id <> d.ticket_id AND EXISTS (SELECT 1 FROM ticket t WHERE t.id = d.ticket_id))`,
		},
		{name: "notification kinds", says: "Every notification has a known kind.", tables: []string{"notification"},
			run: notificationKinds},
		{
			name: "notifications", says: "A notification's ticket is of its company, and its comment of its ticket.",
			tables: []string{"notification"},
			query: `SELECT CONCAT('notification ', n.id, ' of company ', n.company_id, ' is about ', ` + aTicket + `, COALESCE(CONCAT(' and comment ', k.id, ' of ticket ', k.ticket_id), ''))
				FROM notification n
				STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = n.ticket_id
				LEFT JOIN comment k FORCE INDEX (PRIMARY) ON k.id = n.comment_id` + ofTicket + `
				WHERE (b.company_id <> n.company_id AND EXISTS (SELECT 1 FROM company c WHERE c.id = n.company_id)) OR k.ticket_id <> n.ticket_id`,
		},
		{
			name: "board notifications", says: "A notification is about a ticket or a board of its company, or a notice.",
			tables: []string{"notification"},
			query: `SELECT CONCAT('notification ', n.id, ' of company ', n.company_id, ' is about ', IF(n.ticket_id IS NOT NULL, 'a ticket, and ', ''), COALESCE(CONCAT('board ', n.board_id), 'nothing'))
				FROM notification n LEFT JOIN board b ON b.id = n.board_id
				WHERE CASE WHEN n.kind IN ('sign-in', 'token', 'reset-made', 'reset-used', 'password', 'run-paused', 'run-stopped', 'run-failed') THEN n.ticket_id IS NOT NULL OR n.board_id IS NOT NULL
					WHEN n.ticket_id IS NULL THEN COALESCE(b.company_id, 0) <> n.company_id ELSE n.board_id IS NOT NULL END`,
		},
		{
			name: "failovers", says: "Every failover came to its end and has a report.", tables: []string{"failover"},
			query: `SELECT CONCAT('failover ', id, ' of ', began_at, IF(ended_at IS NULL, ' did not come to its end', ' has no report'))
				FROM failover WHERE ended_at IS NULL OR NOT JSON_VALID(report) ORDER BY id`,
		},
		{name: "answers", says: "Every remembered answer of the API is a success in JSON, and of a form a success.", tables: []string{"idempotency"},
			run: answers},
	}
}
