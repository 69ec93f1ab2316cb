package verify

import (
	"database/sql"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
)

// requestChecks check requests by public forms.
func requestChecks() []check {
	return []check{
		{
			name: "requester", says: "The account in whose name requesters write cannot sign in.",
			tables: []string{"account", "membership", "api_token"},
			query: `SELECT CONCAT('the account ', a.id, ' of requesters ', CASE WHEN a.operator THEN 'is an operator' WHEN a.password_hash <> '' THEN 'has a password' ELSE 'belongs to a company or has a token' END)
				FROM account a WHERE a.email = '` + accounts.Requester + `' AND (a.operator OR a.password_hash <> ''
					OR EXISTS (SELECT 1 FROM membership m WHERE m.account_id = a.id) OR EXISTS (SELECT 1 FROM api_token k WHERE k.account_id = a.id))`,
		},
		{
			name: "service accounts", says: "A service account is no member and cannot sign in, and its name says what it is.",
			tables: []string{"service_account", "account", "membership"},
			query: `SELECT CONCAT('the service account ', a.id, CASE WHEN a.operator THEN ' is an operator' WHEN a.password_hash <> '' THEN ' has a password'
					WHEN a.email LIKE '%@%' THEN ' has an address' WHEN a.name NOT LIKE '% (service account)' THEN ' is named like a user' ELSE ' is a member of a company' END)
				FROM service_account s JOIN account a ON a.id = s.account_id
				WHERE a.operator OR a.password_hash <> '' OR a.email LIKE '%@%' OR a.name NOT LIKE '% (service account)'
					OR EXISTS (SELECT 1 FROM membership m WHERE m.account_id = a.id) ORDER BY a.id`,
		},
		{name: "request forms", says: "The text above a form is of the allowed form.", tables: []string{"request_form"},
			run: forms},
		{name: "requests", says: "Requests have codes and addresses of the allowed form.", tables: []string{"ticket_request"},
			run: requestTexts},
		{
			name: "codes of requests", says: "The code of a request was popped for its ticket.",
			tables: []string{"ticket_request"},
			query: `SELECT CONCAT('the code of the request of ticket ', r.ticket_id, IF(i.code IS NULL, ' was never given out', CONCAT(' was given out for ticket ', i.ticket_id)))
				FROM ticket_request r JOIN ticket t ON t.id = r.ticket_id LEFT JOIN ref_issue i ON i.code = r.code
				WHERE COALESCE(i.ticket_id, 0) <> r.ticket_id AND r.code REGEXP '^[A-Za-z0-9]+$' ORDER BY r.ticket_id`,
		},
		{
			name: "request links", says: "A request has a private link, or says when that was revoked.",
			tables: []string{"ticket_request"},
			query: `SELECT CONCAT('the request of ticket ', ticket_id, IF(token_hash IS NULL, ' has no link and was not revoked', ' was revoked and has a link'))
				FROM ticket_request WHERE (token_hash IS NULL) <> (revoked_at IS NOT NULL) ORDER BY ticket_id`,
		},
		{
			name:   "tickets of requesters",
			says:   "A ticket came by a form if and only if it has a request; then a requester opened it.",
			tables: []string{"ticket", "ticket_request"},
			query: `SELECT CONCAT(` + aTicket + `, IF(r.ticket_id IS NULL, ' has no request', ' has a request'), IF(t.from_requester, ' and came by a form', ' and did not come by a form'), ', opened by account ', t.created_by)
				FROM ticket t
				LEFT JOIN ticket_request r ON r.ticket_id = t.id
				LEFT JOIN account a ON a.email = '` + accounts.Requester + `'` + ofTicket + `
				WHERE t.from_requester <> (r.ticket_id IS NOT NULL) OR t.from_requester AND t.created_by <> COALESCE(a.id, 0)`,
		},
		{
			name:   "public comments",
			says:   "Only tickets with a requester have public comments; a requester's comments are public.",
			tables: []string{"comment", "ticket_request"},
			query: `SELECT CONCAT('comment ', k.id, ' of ticket ', k.ticket_id, IF(k.public, ' is public', ' is internal'), IF(k.from_requester, ' and a requester’s', ''), ', by account ', k.account_id, IF(r.ticket_id IS NULL, ', and there is no requester', ''))
				FROM comment k
				LEFT JOIN ticket_request r ON r.ticket_id = k.ticket_id
				LEFT JOIN account a ON a.email = '` + accounts.Requester + `'
				WHERE k.public AND r.ticket_id IS NULL OR k.from_requester AND NOT k.public OR k.from_requester AND k.account_id <> COALESCE(a.id, 0)
				ORDER BY k.id`,
		},
	}
}

func forms(l *checkRun) error {
	return l.each("SELECT board_id, intro FROM request_form ORDER BY board_id", func(rows *sql.Rows) error {
		var board uint64
		var intro string
		if err := rows.Scan(&board, &intro); err != nil {
			return err
		}
		if why := storedProblem(intro, requests.ParseIntro); why != "" {
			l.find("the form of board %d has a bad text: %s", board, why)
		}
		return nil
	})
}

func requestTexts(l *checkRun) error {
	return l.each("SELECT ticket_id, code, email FROM ticket_request ORDER BY ticket_id", func(rows *sql.Rows) error {
		var ticket uint64
		var code, email string
		if err := rows.Scan(&ticket, &code, &email); err != nil {
			return err
		}
		if _, err := refs.Parse(code); err != nil {
			l.find("the request of ticket %d has the code %q: %s", ticket, code, err)
		}
		if why := storedProblem(email, accounts.ParseEmail); email != "" && why != "" {
			l.find("the request of ticket %d has the address %q: %s", ticket, email, why)
		}
		return nil
	})
}
