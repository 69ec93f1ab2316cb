package verify

// Checks by the entities' own rules, row by row as they come from the server.

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// stored says what is wrong with a stored value: what its rule says, or that it is not in the form
// in which the rule would have stored it. It is "" where nothing is.
func stored(value string, parse func(string) (string, error)) string {
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

func companies(l *look) error {
	return l.each("SELECT id, slug, name FROM company ORDER BY id", func(rows *sql.Rows) error {
		var id uint64
		var slug, name string
		if err := rows.Scan(&id, &slug, &name); err != nil {
			return err
		}
		if why := stored(slug, accounts.ParseCompanySlug); why != "" {
			l.find("company %d has the slug %q: %s", id, slug, why)
		}
		if why := stored(name, nameIn("company")); why != "" {
			l.find("company %d (%s) has a bad name: %s", id, slug, why)
		}
		return nil
	})
}

func people(l *look) error {
	return l.each("SELECT id, email, name FROM account ORDER BY id", func(rows *sql.Rows) error {
		var id uint64
		var email, name string
		if err := rows.Scan(&id, &email, &name); err != nil {
			return err
		}
		if why := stored(email, accounts.ParseEmail); why != "" {
			l.find("account %d has the address %q: %s", id, email, why)
		}
		if why := stored(name, nameIn("name")); why != "" {
			l.find("account %d (%s) has a bad name: %s", id, email, why)
		}
		return nil
	})
}

var roles = []string{accounts.Owner, accounts.Admin, accounts.Member, accounts.Viewer}

func memberships(l *look) error {
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

func tokens(l *look) error {
	return l.each("SELECT id, scopes FROM api_token ORDER BY id", func(rows *sql.Rows) error {
		var id uint64
		var scopes string
		if err := rows.Scan(&id, &scopes); err != nil {
			return err
		}
		for _, scope := range strings.Fields(scopes) {
			if !slices.Contains(accounts.Scopes, scope) {
				l.find("API token %d has the unknown scope %q", id, scope)
			}
		}
		return nil
	})
}

func boardTexts(l *look) error {
	return l.each("SELECT id, slug, title FROM board ORDER BY id", func(rows *sql.Rows) error {
		var id uint64
		var slug, title string
		if err := rows.Scan(&id, &slug, &title); err != nil {
			return err
		}
		if why := stored(slug, boards.ParseSlug); why != "" {
			l.find("board %d has the slug %q: %s", id, slug, why)
		}
		if why := stored(title, boards.ParseTitle); why != "" {
			l.find("board %d (%s) has a bad title: %s", id, slug, why)
		}
		return nil
	})
}

func ticketTexts(l *look) error {
	return l.each("SELECT id, board_id, local_id, title, description FROM ticket ORDER BY id", func(rows *sql.Rows) error {
		var id, board, number uint64
		var title, description string
		if err := rows.Scan(&id, &board, &number, &title, &description); err != nil {
			return err
		}
		if why := stored(title, tickets.ParseTitle); why != "" {
			l.find("ticket %d (number %d of board %d) has a bad title: %s", id, number, board, why)
		}
		if why := stored(description, tickets.ParseDescription); why != "" {
			l.find("ticket %d (number %d of board %d) has a bad description: %s", id, number, board, why)
		}
		return nil
	})
}

// details leaves out the empty detail, which most entries have.
func details(l *look) error {
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

func answers(l *look) error {
	return l.each("SELECT token_id, HEX(key_hash), status, answer FROM idempotency ORDER BY token_id, key_hash", func(rows *sql.Rows) error {
		var token uint64
		var key string
		var status int
		var answer []byte
		if err := rows.Scan(&token, &key, &status, &answer); err != nil {
			return err
		}
		if status < 200 || status > 299 || !json.Valid(answer) {
			l.find("the answer of API token %d to key %s is no success in JSON (status %d)", token, key, status)
		}
		return nil
	})
}
