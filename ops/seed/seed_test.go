package seed_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/ops/seed"
	"github.com/counterfoil/counterfoil/ops/verify"
)

var (
	fjord = seed.Company{Slug: "fjord", Name: "Fjord Instruments", Password: "correct horse battery"}
	until = time.Date(2026, 11, 20, 15, 30, 0, 0, time.UTC)
	small = seed.Size{People: 12, Boards: 14, Tickets: 4500, Comments: 9000, Years: 5, Until: until}
)

func TestFill(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	var told []int
	members := domaintest.OK(seed.Fill(t.Context(), d, fjord, small, func(n int) { told = append(told, n) }))(t)
	clean(t, d)

	t.Run("there is as much as was asked for", func(t *testing.T) {
		for table, want := range map[string]int{"account": 12, "board": 14, "ticket": 4500, "comment": 9000} {
			if n := count(t, d, "SELECT COUNT(*) FROM "+table); n != want {
				t.Errorf("%d rows in %s, want %d", n, table, want)
			}
		}
		if len(members) != 12 || members[0].Role != accounts.Owner {
			t.Errorf("members %+v", members)
		}
		if len(told) < 2 || told[len(told)-1] != 4500 {
			t.Errorf("told of %v tickets", told)
		}
	})
	t.Run("there is some of everything", func(t *testing.T) {
		for what, query := range map[string]string{
			"archived boards":    "SELECT COUNT(*) FROM board WHERE archived_at IS NOT NULL",
			"boards of a Review": "SELECT COUNT(*) FROM board_column WHERE name = 'Review' AND position = 3 AND NOT done",
			"closed in place":    "SELECT COUNT(*) FROM ticket t JOIN board_column c ON c.id = t.column_id WHERE t.closed_at IS NOT NULL AND NOT c.done",
			"deleted":            "SELECT COUNT(*) FROM ticket WHERE deleted_at IS NOT NULL",
			"under way":          "SELECT COUNT(*) FROM ticket t JOIN board_column c ON c.id = t.column_id WHERE c.name = 'Doing' AND t.closed_at IS NULL",
			"purged":             "SELECT SUM(purged) FROM board_ticket_incrementer",
			"old keys":           "SELECT COUNT(*) FROM ticket_alias",
			"edited":             "SELECT COUNT(*) FROM activity WHERE kind = 'edited'",
			"present work":       "SELECT COUNT(*) FROM assignee WHERE current",
			"past work":          "SELECT COUNT(*) FROM assignee WHERE NOT current",
			"labelled":           "SELECT COUNT(*) FROM ticket_label",
			"labelled twice":     "SELECT COUNT(*) FROM (SELECT ticket_id FROM ticket_label GROUP BY ticket_id HAVING COUNT(*) = 2) t",
			"unread":             "SELECT COUNT(*) FROM notification WHERE unread",
			"deleted comments":   "SELECT COUNT(*) FROM comment WHERE deleted_at IS NOT NULL",
			"to be published":    "SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL",
			"of the first year":  "SELECT COUNT(*) FROM ticket WHERE created_at < '2022-11-20'",
			"of the last month":  "SELECT COUNT(*) FROM ticket WHERE created_at > '2026-10-20'",
		} {
			if count(t, d, query) == 0 {
				t.Errorf("there is nothing %s", what)
			}
		}
	})
	t.Run("nothing happens in the future, on an archived board after its end, or to a ticket before it was opened", func(t *testing.T) {
		for _, query := range []string{
			"SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE GREATEST(t.created_at, t.updated_at, t.moved_at, COALESCE(t.closed_at, t.created_at), COALESCE(t.deleted_at, t.created_at)) > COALESCE(b.archived_at, '2026-11-20 15:30:00')",
			"SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE t.created_at < b.created_at",
			"SELECT COUNT(*) FROM ticket WHERE LEAST(updated_at, moved_at, COALESCE(closed_at, created_at), COALESCE(deleted_at, created_at), COALESCE(entered_at, created_at)) < created_at",
			"SELECT COUNT(*) FROM ticket WHERE deleted_at < '2026-10-21'",
			"SELECT COUNT(*) FROM activity a JOIN ticket t ON t.id = a.ticket_id WHERE a.created_at > '2026-11-20 15:30:00' OR a.created_at < t.created_at",
			"SELECT COUNT(*) FROM comment c JOIN ticket t ON t.id = c.ticket_id WHERE c.updated_at > '2026-11-20 15:30:00' OR c.created_at < t.created_at",
			"SELECT COUNT(*) FROM comment c JOIN membership m ON m.account_id = c.account_id WHERE m.role = 'viewer' OR c.created_at < m.created_at",
			"SELECT COUNT(*) FROM comment c JOIN comment e ON e.ticket_id = c.ticket_id AND e.id < c.id AND e.created_at > c.created_at",
		} {
			if n := count(t, d, query); n != 0 {
				t.Errorf("%d rows: %s", n, query)
			}
		}
	})
	t.Run("the same company is refused, and nothing of it stays", func(t *testing.T) {
		_, err := seed.Fill(t.Context(), d, fjord, small, func(int) {})
		if !seed.IsTaken(err) {
			t.Errorf("got %v", err)
		}
		if n := count(t, d, "SELECT COUNT(*) FROM account"); n != 12 {
			t.Errorf("%d accounts", n)
		}
	})
	t.Run("another company has the same, beside it", func(t *testing.T) {
		other := fjord
		other.Slug = "fjord-2"
		domaintest.OK(seed.Fill(t.Context(), d, other, small, func(int) {}))(t)
		clean(t, d)
		if n := count(t, d, "SELECT COUNT(DISTINCT c.n) FROM (SELECT b.company_id, b.slug, COUNT(*) AS n FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'WEB' GROUP BY b.company_id, b.slug) c"); n != 1 {
			t.Errorf("the boards WEB of two companies of one size have %d different numbers of tickets", n)
		}
		if n := count(t, d, "SELECT COUNT(*) FROM account WHERE operator"); n != 1 {
			t.Errorf("%d operators", n)
		}
	})
}

func TestFillSmallest(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	size := seed.Size{People: 1, Boards: 1, Tickets: 1, Comments: 1, Years: 1, Until: until}
	domaintest.OK(seed.Fill(t.Context(), d, fjord, size, func(int) {}))(t)
	clean(t, d)
}

func TestFound(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	w := app.New(d, apptest.WithKeys)
	t.Cleanup(func() { w.Close(context.Background()) })
	_, _, _, err := w.Workflows.SetUp(t.Context(), workflows.Setup{Company: "Acme", Name: "Jo", Email: "jo@ninja.example",
		Password: "correct horse battery"})
	domaintest.Must(t, err)
	ninja := seed.Company{Slug: "ninja", Name: "Ninja", Password: "correct horse battery",
		People: []seed.Person{{Name: "Ana", Role: accounts.Owner}, {Name: "Sam", Role: accounts.Member}}}

	t.Run("an operator of before is an owner too", func(t *testing.T) {
		_, members, err := seed.Create(t.Context(), d, ninja)
		domaintest.Must(t, err)
		clean(t, d)
		if n := count(t, d, "SELECT COUNT(*) FROM membership m JOIN account a ON a.id = m.account_id JOIN company c ON c.id = m.company_id WHERE c.slug = 'ninja' AND a.email = 'jo@ninja.example' AND m.role = 'owner' AND a.operator"); n != 1 {
			t.Errorf("%d memberships of the operator", n)
		}
		actor, _, err := accounts.ByToken(t.Context(), d.Queries, members[1].Token, time.Now())
		if err != nil || actor.Handle != "sam" || actor.Account.Operator {
			t.Errorf("the token of Sam is of %+v, %v", actor, err)
		}
	})
	t.Run("an address that is taken is refused", func(t *testing.T) {
		other := ninja
		other.People = []seed.Person{{Name: "Jo", Role: accounts.Owner}}
		other.Slug = "other"
		domaintest.Exec(t, d, "UPDATE account SET email = 'jo@other.example' WHERE email = 'jo@ninja.example'")
		if _, _, err := seed.Create(t.Context(), d, other); !errors.Is(err, accounts.CodeEmailConflict) {
			t.Errorf("got %v", err)
		}
		if n := count(t, d, "SELECT COUNT(*) FROM company WHERE slug = 'other'"); n != 0 {
			t.Errorf("the company is there")
		}
	})
}

func clean(t *testing.T, d *db.DB) {
	t.Helper()
	report := domaintest.OK(verify.Run(t.Context(), d, apptest.Keys, "", nil))(t)
	for _, c := range report.Checks {
		for _, finding := range c.Findings {
			t.Errorf("%s: %s", c.Name, finding)
		}
	}
}

func count(t *testing.T, d *db.DB, query string) (n int) {
	t.Helper()
	if err := d.SQL.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%v\nin %s", err, query)
	}
	return n
}
