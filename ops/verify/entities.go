package verify

// Checks by the entities' own rules, row by row as they come from the server.

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/recurrence"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// storedProblem is the fault of a stored value: its parser's error, or that the parser would have stored another form;
// "" if there is none.
func storedProblem(value string, parse func(string) (string, error)) string {
	parsed, err := parse(value)
	switch {
	case err != nil:
		return err.Error()
	case parsed != value:
		return "It is not in the form in which it would have been stored."
	}
	return ""
}

func nameIn(field string) func(string) (string, error) {
	return func(s string) (string, error) { return accounts.ParseName(field, s) }
}

func companies(l *checkRun) error {
	return l.each("SELECT id, slug, name FROM company ORDER BY id", func(rows *sql.Rows) error {
		var id uint64
		var slug, name string
		if err := rows.Scan(&id, &slug, &name); err != nil {
			return err
		}
		if why := storedProblem(slug, accounts.ParseCompanySlug); why != "" {
			l.find("company %d has the slug %q: %s", id, slug, why)
		}
		if why := storedProblem(name, nameIn("company")); why != "" {
			l.find("company %d (%s) has a bad name: %s", id, slug, why)
		}
		return nil
	})
}

func people(l *checkRun) error {
	return l.each(`SELECT a.id, a.email, a.name, s.account_id IS NOT NULL FROM account a
		LEFT JOIN service_account s ON s.account_id = a.id ORDER BY a.id`, func(rows *sql.Rows) error {
		var id uint64
		var email, name string
		var service bool
		if err := rows.Scan(&id, &email, &name, &service); err != nil {
			return err
		}
		if why := storedProblem(email, accounts.ParseEmail); email != accounts.Requester && !service && why != "" {
			l.find("account %d has the address %q: %s", id, email, why)
		}
		if why := storedProblem(name, nameIn("name")); why != "" {
			l.find("account %d (%s) has a bad name: %s", id, email, why)
		}
		return nil
	})
}

var roles = []string{accounts.Owner, accounts.Admin, accounts.Member, accounts.Viewer, accounts.Guest}

func memberships(l *checkRun) error {
	return l.each("SELECT company_id, account_id, role FROM membership ORDER BY company_id, account_id", func(rows *sql.Rows) error {
		var company, account uint64
		var role string
		if err := rows.Scan(&company, &account, &role); err != nil {
			return err
		}
		if !slices.Contains(roles, role) {
			l.find("account %d has the unknown role %q in company %d", account, role, company)
		}
		return nil
	})
}

var handleForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func handles(l *checkRun) error {
	var last struct {
		company uint64
		handle  string
	}
	return l.each("SELECT company_id, account_id, handle FROM membership ORDER BY company_id, handle", func(rows *sql.Rows) error {
		var company, account uint64
		var handle string
		if err := rows.Scan(&company, &account, &handle); err != nil {
			return err
		}
		if !handleForm.MatchString(handle) {
			l.find("account %d has the handle %q in company %d: it is not made of a to z, digits and hyphens", account, handle,
				company)
		}
		if last.company == company && last.handle == handle {
			l.find("account %d has the handle %q in company %d, which is another's", account, handle, company)
		}
		last.company, last.handle = company, handle
		return nil
	})
}

func tokens(l *checkRun) error {
	return l.each("SELECT id, scopes, created_at, expires_at FROM api_token ORDER BY id", func(rows *sql.Rows) error {
		var id uint64
		var scopes string
		var created time.Time
		var expires sql.NullTime
		if err := rows.Scan(&id, &scopes, &created, &expires); err != nil {
			return err
		}
		for _, scope := range strings.Fields(scopes) {
			if !slices.Contains(accounts.Scopes, scope) {
				l.find("API token %d has the unknown scope %q", id, scope)
			}
		}
		if expires.Valid && !expires.Time.After(created) {
			l.find("API token %d began %s and ends %s", id, created, expires.Time)
		}
		return nil
	})
}

func invitations(l *checkRun) error {
	return l.each("SELECT id, role, uses, max_uses, created_at, expires_at FROM invitation ORDER BY id", func(rows *sql.Rows) error {
		var id, uses uint64
		var role string
		var most sql.Null[uint64]
		var created, expires time.Time
		if err := rows.Scan(&id, &role, &uses, &most, &created, &expires); err != nil {
			return err
		}
		if !slices.Contains(roles, role) {
			l.find("invitation %d has the unknown role %q", id, role)
		}
		if most.Valid && uses > most.V {
			l.find("invitation %d was used %d times but may be %d times", id, uses, most.V)
		}
		if !expires.After(created) {
			l.find("invitation %d began %s and ends %s", id, created, expires)
		}
		return nil
	})
}

// secretsOpen decrypts each secret.
func secretsOpen(l *checkRun) error {
	_, err := l.keys.Check(l.ctx, db.New(l.conn), func(text string) { l.find("%s", text) })
	return err
}

// auditChains checks the seals of the audit lists.
func auditChains(l *checkRun) error {
	_, err := accounts.CheckChains(l.ctx, db.New(l.conn), l.keys, func(text string) { l.find("%s", text) })
	if fault.CodeOf(err) != "" { // the check of secrets says it
		l.Notes = append(l.Notes, "the chains of the audit lists cannot be checked without their key")
		err = nil
	}
	if err != nil {
		return err
	}
	for _, query := range []string{
		`SELECT CONCAT('the audit of ', COALESCE(CONCAT('company ', company_id), 'the server'), ' has ', COUNT(*), ' entries at position ', seq)
			FROM audit WHERE seq IS NOT NULL GROUP BY company_id, seq HAVING COUNT(*) > 1`,
		`SELECT CONCAT('entry ', u.id, ' of the audit is sealed at position ', u.seq, ', which its chain does not have')
			FROM audit u LEFT JOIN audit_chain c ON c.chain = COALESCE(u.company_id, 0)
			WHERE u.seq IS NOT NULL AND (c.chain IS NULL OR u.seq <= c.purged_seq) ORDER BY u.id`,
	} {
		if err := l.sentences(query); err != nil {
			return err
		}
	}
	var open, existing int64
	if err := l.conn.QueryRowContext(l.ctx, "SELECT COUNT(CASE WHEN seq IS NULL THEN 1 END), COUNT(CASE WHEN existing THEN 1 END) FROM audit").
		Scan(&open, &existing); err != nil {
		return err
	}
	if existing > 0 {
		l.Notes = append(l.Notes, rows(existing)+" of the audit sealed a day after they were made, or when a chain began: what happened to them before is not known")
	}
	if open > 0 {
		l.Notes = append(l.Notes, rows(open)+" of the audit not sealed yet: the background work of serve does it within a second")
	}
	return nil
}

func audits(l *checkRun) error {
	return l.each("SELECT id, kind, detail FROM audit ORDER BY id", func(rows *sql.Rows) error {
		var id uint64
		var kind string
		var detail []byte
		if err := rows.Scan(&id, &kind, &detail); err != nil {
			return err
		}
		if kind == "" {
			l.find("entry %d of the audit has no kind", id)
		}
		if err := json.Unmarshal(detail, new(accounts.AuditDetail)); err != nil {
			l.find("entry %d of the audit (%s) has a detail that cannot be read", id, kind)
		}
		return nil
	})
}

func boardTexts(l *checkRun) error {
	return l.each("SELECT id, slug, title FROM board ORDER BY id", func(rows *sql.Rows) error {
		var id uint64
		var slug, title string
		if err := rows.Scan(&id, &slug, &title); err != nil {
			return err
		}
		if why := storedProblem(slug, boards.ParseSlug); why != "" {
			l.find("board %d has the slug %q: %s", id, slug, why)
		}
		if why := storedProblem(title, boards.ParseTitle); why != "" {
			l.find("board %d (%s) has a bad title: %s", id, slug, why)
		}
		return nil
	})
}

// boardSlugs finds boards whose slug is not reserved, and reserved ones that no board can have.
func boardSlugs(l *checkRun) error {
	err := l.sentences(`SELECT CONCAT(` + aBoard + `, ' has a slug that is kept for ', COALESCE(CONCAT('board ', s.board_id), 'none'))
		FROM board b JOIN company co ON co.id = b.company_id LEFT JOIN board_slug s ON s.company_id = b.company_id AND s.slug = b.slug
		WHERE s.board_id IS NULL OR s.board_id <> b.id ORDER BY b.id`)
	if err != nil {
		return err
	}
	return l.each(`SELECT s.company_id, s.slug, s.board_id, COALESCE(s.slug = b.slug, FALSE), IF(co.id IS NULL, NULL, b.company_id)
		FROM board_slug s LEFT JOIN company co ON co.id = s.company_id LEFT JOIN board b ON b.id = s.board_id
		ORDER BY s.company_id, s.slug`, func(rows *sql.Rows) error {
		var company, board uint64
		var slug string
		var present bool // the check of boards reports it
		var of sql.Null[uint64]
		if err := rows.Scan(&company, &slug, &board, &present, &of); err != nil {
			return err
		}
		if why := storedProblem(slug, boards.ParseSlug); why != "" && !present {
			l.find("the slug %q is kept for board %d: %s", slug, board, why)
		}
		if of.Valid && of.V != company {
			l.find("company %d keeps the slug %q for board %d, which is of company %d", company, slug, board, of.V)
		}
		return nil
	})
}

func columnNames(l *checkRun) error {
	return l.each("SELECT id, board_id, name FROM board_column ORDER BY id", func(rows *sql.Rows) error {
		var id, board uint64
		var name string
		if err := rows.Scan(&id, &board, &name); err != nil {
			return err
		}
		if why := storedProblem(name, boards.ParseColumnName); why != "" {
			l.find("column %d of board %d has the name %q: %s", id, board, name, why)
		}
		return nil
	})
}

func ticketTexts(l *checkRun) error {
	return l.each("SELECT id, board_id, local_id, title, description, items, items_checked, from_requester FROM ticket ORDER BY id", func(rows *sql.Rows) error {
		var id, board, number uint64
		var title, description string
		var items *uint16
		var checked uint16
		var plain bool
		if err := rows.Scan(&id, &board, &number, &title, &description, &items, &checked, &plain); err != nil {
			return err
		}
		if why := storedProblem(title, tickets.ParseTitle); why != "" {
			l.find("ticket %d (number %d of board %d) has a bad title: %s", id, number, board, why)
		}
		if why := storedProblem(description, tickets.ParseDescription); why != "" {
			l.find("ticket %d (number %d of board %d) has a bad description: %s", id, number, board, why)
		}
		has, stored := tickets.ChecklistOf(description, plain), tickets.ChecklistFrom(items, checked)
		if items != nil && has != stored {
			l.find("ticket %d (number %d of board %d) counts %d of %d items of its checklists as checked, but %d of %d are", id,
				number, board, stored.Checked, stored.Items, has.Checked, has.Items)
		}
		return nil
	})
}

// recurrences reads the rule of each, and the ticket of its last date.
func recurrences(l *checkRun) error {
	return l.each(`SELECT r.id, r.ticket_id, r.rule, r.opens, r.time_zone, r.state, r.due_at IS NOT NULL, r.last_at >= r.first_at AND COALESCE(r.next_at > r.last_at, TRUE), o.ticket_id IS NOT NULL
		FROM recurrence r JOIN ticket t ON t.id = r.ticket_id
		LEFT JOIN occurrence o ON o.recurrence_id = r.id AND o.occurs_at = r.last_at AND o.ticket_id = r.ticket_id
		ORDER BY r.id`, func(rows *sql.Rows) error {
		var id, ticket uint64
		var rule, opens, zone, state string
		var waits, later, here bool
		if err := rows.Scan(&id, &ticket, &rule, &opens, &zone, &state, &waits, &later, &here); err != nil {
			return err
		}
		active := state == string(tickets.RecurrenceActive)
		why := ""
		switch _, err := recurrence.ParsePlan(rule, opens, zone); {
		case err != nil:
			why = fmt.Sprintf("has the rule %s in %s: %s", rule, zone, err)
		case !slices.Contains(tickets.RecurrenceStates, tickets.RecurrenceState(state)):
			why = "is " + state
		case !later:
			why = "has dates that are not in order"
		case !here:
			why = "is not on the ticket of its last date"
		case waits && !active:
			why = "is " + state + " but waits for a time"
		case active && !waits && opens == string(recurrence.WhenDue):
			why = "waits for no time"
		}
		if why != "" {
			l.find("recurrence %d of ticket %d %s", id, ticket, why)
		}
		return nil
	})
}

// relationCycles reads the tickets below each ticket, then those that each blocks.
func relationCycles(l *checkRun) error {
	for _, of := range []struct {
		kind tickets.RelationKind
		is   string
	}{{tickets.Child, "is above"}, {tickets.Blocks, "blocks"}} {
		next := map[uint64][]uint64{}
		err := l.each(fmt.Sprintf("SELECT ticket_id, other_id FROM ticket_relation WHERE kind = %d ORDER BY ticket_id, other_id", of.kind),
			func(rows *sql.Rows) error {
				var from, to uint64
				if err := rows.Scan(&from, &to); err != nil {
					return err
				}
				next[from] = append(next[from], to)
				return nil
			})
		if err != nil {
			return err
		}
		if ticket := inCycle(next); ticket != 0 {
			l.find("ticket %d %s itself, through others", ticket, of.is)
		}
	}
	return nil
}

// inCycle returns a node of a graph that is on a cycle, 0 if none is: it takes away, again and again, what nothing leads
// to.
func inCycle(next map[uint64][]uint64) uint64 {
	leading := map[uint64]int{}
	for _, list := range next {
		for _, to := range list {
			leading[to]++
		}
	}
	var free []uint64
	for from := range next {
		if leading[from] == 0 {
			free = append(free, from)
		}
	}
	for len(free) > 0 {
		from := free[len(free)-1]
		free = free[:len(free)-1]
		for _, to := range next[from] {
			if leading[to]--; leading[to] == 0 {
				free = append(free, to)
			}
		}
		delete(next, from)
	}
	first := uint64(0)
	for from := range next {
		if leading[from] > 0 && (first == 0 || from < first) {
			first = from
		}
	}
	return first
}

// details skips the empty detail, which most entries have.
func details(l *checkRun) error {
	return l.each("SELECT id, ticket_id, detail FROM activity WHERE LENGTH(detail) <> 2 OR detail <> '{}' ORDER BY id", func(rows *sql.Rows) error {
		var id, ticket uint64
		var detail []byte
		if err := rows.Scan(&id, &ticket, &detail); err != nil {
			return err
		}
		if err := json.Unmarshal(detail, new(tickets.Detail)); err != nil {
			l.find("activity %d of ticket %d has a detail that cannot be read: %v", id, ticket, err)
		}
		return nil
	})
}

func comments(l *checkRun) error {
	return l.each("SELECT id, ticket_id, body, deleted_at IS NOT NULL FROM comment ORDER BY id", func(rows *sql.Rows) error {
		var id, ticket uint64
		var body string
		var deleted bool
		if err := rows.Scan(&id, &ticket, &body, &deleted); err != nil {
			return err
		}
		if deleted {
			if body != "" {
				l.find("comment %d of ticket %d is deleted but has a text", id, ticket)
			}
			return nil
		}
		if why := storedProblem(body, tickets.ParseComment); why != "" {
			l.find("comment %d of ticket %d has a bad text: %s", id, ticket, why)
		}
		return nil
	})
}

var kindsOfNotification = append([]string{tickets.ReasonMention, tickets.ReasonAssigned, tickets.ReasonReply,
	tickets.ReasonRequest, tickets.ReasonUnblocked, tickets.ReasonPaused, tickets.ReasonTaken}, tickets.Notices...)

func notificationKinds(l *checkRun) error {
	return l.each("SELECT id, kind FROM notification ORDER BY id", func(rows *sql.Rows) error {
		var id uint64
		var kind string
		if err := rows.Scan(&id, &kind); err != nil {
			return err
		}
		if !slices.Contains(kindsOfNotification, kind) {
			l.find("notification %d has the unknown kind %q", id, kind)
		}
		return nil
	})
}

func answers(l *checkRun) error {
	return l.each("SELECT token_id, HEX(key_hash), status, answer FROM idempotency ORDER BY token_id, key_hash", func(rows *sql.Rows) error {
		var token uint64
		var key string
		var status int
		var answer []byte
		if err := rows.Scan(&token, &key, &status, &answer); err != nil {
			return err
		}
		if status == 0 && len(answer) == 0 {
			return nil // not known since a failover
		}
		isJSON := token == 0 || json.Valid(answer) // a form's answer is encrypted with its nonce
		if status < 200 || status > 299 || !isJSON {
			l.find("the answer of API token %d to key %s is no success in JSON (status %d)", token, key, status)
		}
		return nil
	})
}
