package opstest

import (
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// requested is a request form with a request, AWAY-4, and its replies.
var requested = []string{
	`INSERT INTO account (email, name, password_hash, created_at) VALUES ('requester', 'Requester', '', '2026-01-01')`,
	`INSERT INTO request_form (board_id, is_on, intro, updated_at) SELECT id, TRUE, 'Größe “L”?', '2026-01-01' FROM board WHERE slug = 'AWAY'`,
	`UPDATE ticket SET from_requester = TRUE, created_by = (SELECT id FROM account WHERE email = 'requester') WHERE title = 'End'`,
	`UPDATE ref_issue SET ticket_id = (SELECT id FROM ticket WHERE title = 'End'), token_id = 0 WHERE ticket_id = 0 ORDER BY code LIMIT 1`,
	`INSERT INTO ticket_request (ticket_id, code, email, form_hash, token_hash, created_at, replied_at)
		SELECT t.id, i.code, 'stranger@example.com', UNHEX(SHA2('form', 256)), UNHEX(SHA2('token', 256)), t.created_at, '2026-01-02' FROM ticket t JOIN ref_issue i ON i.ticket_id = t.id WHERE t.title = 'End'`,
	`INSERT INTO comment (ticket_id, account_id, body, public, from_requester, created_at, updated_at)
		SELECT t.id, a.id, 'Thank you', TRUE, TRUE, '2026-01-02', '2026-01-02' FROM ticket t, account a WHERE t.title = 'End' AND a.email = 'requester'`,
	`UPDATE ticket SET comments = comments + 1 WHERE title = 'End'`,
	`INSERT INTO request_watcher (board_id, account_id, is_on) SELECT id, 1, FALSE FROM board WHERE slug = 'AWAY'`,
	`INSERT INTO people_group (company_id, name, created_at) SELECT company_id, 'Crew', '2026-01-01' FROM board WHERE slug = 'AWAY'`,
	`INSERT INTO people_group_member (group_id, account_id) SELECT id, 1 FROM people_group WHERE name = 'Crew'`,
	`INSERT INTO board_member (board_id, kind, member_id, level) SELECT b.id, 'group', g.id, 2 FROM board b, people_group g WHERE b.slug = 'AWAY' AND g.name = 'Crew'`,
	`INSERT INTO board_access (board_id, account_id, level) SELECT id, 1, 2 FROM board WHERE slug = 'AWAY'`,
	`INSERT INTO board_link (board_id, hash, created_by, created_at) SELECT id, UNHEX(SHA2('link', 256)), 1, '2026-01-01' FROM board WHERE slug = 'AWAY'`,
	`INSERT INTO public_limit (name, used, last_at) VALUES (UNHEX(SHA2('someone', 256)), 3, '2026-01-02')`,
	`INSERT INTO lookup_hour (hour, hits, misses, refused, canaries) VALUES ('2026-01-02', 5, 3, 0, 1)`,
}

func request(t testing.TB, d *db.DB) {
	t.Helper()
	for _, statement := range requested {
		domaintest.Exec(t, d, statement)
	}
}
