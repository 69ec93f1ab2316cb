package db_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// upgrading brings a database up, and returns what it waits for and its end.
func upgrading(url string) (waits <-chan string, end <-chan error) {
	said, ended := make(chan string, 10), make(chan error, 1)
	go func() { ended <- db.SchemaUp(url, db.SchemaWatch{Waits: func(why string) { said <- why }}) }()
	return said, ended
}

func TestSchemaWaits(t *testing.T) {
	t.Parallel()
	t.Run("for the process that changes it, and says which", func(t *testing.T) {
		t.Parallel()
		url := dbtest.Empty(t)
		domaintest.Must(t, db.SchemaUp(url))
		d := domaintest.OK(db.Open(url))(t)
		defer d.Close()
		holder := domaintest.OK(d.SQL.Conn(t.Context()))(t)
		defer holder.Close()
		domaintest.Must(t, db.HoldSchema(t.Context(), holder))
		waits, end := upgrading(url)
		select {
		case why := <-waits:
			if !strings.Contains(why, "connection ") || !strings.Contains(why, "Waiting until") {
				t.Error(why)
			}
		case err := <-end:
			t.Fatalf("it did not wait: %v", err)
		}
		domaintest.OK(holder.ExecContext(t.Context(), "DO RELEASE_ALL_LOCKS()"))(t)
		domaintest.Must(t, <-end)
	})

	t.Run("for a lock on the table of its version, as of a backup of another database on MySQL", func(t *testing.T) {
		t.Parallel()
		url := dbtest.Empty(t)
		domaintest.Must(t, db.SchemaTo(url, db.LatestSchema()-1))
		d := domaintest.OK(db.Open(url))(t)
		defer d.Close()
		holder := domaintest.OK(d.SQL.Conn(t.Context()))(t)
		defer holder.Close()
		domaintest.OK(holder.ExecContext(t.Context(), "LOCK TABLES schema_migrations READ"))(t)
		waits, end := upgrading(url)
		select {
		case <-waits:
		case err := <-end:
			t.Fatalf("it did not wait: %v", err)
		}
		domaintest.OK(holder.ExecContext(t.Context(), "UNLOCK TABLES"))(t)
		domaintest.Must(t, <-end)
	})

	t.Run("for a transaction that uses a table, without holding up others meanwhile", func(t *testing.T) {
		t.Parallel()
		url := dbtest.Empty(t)
		domaintest.Must(t, db.SchemaTo(url, 11))
		d := domaintest.OK(db.Open(url))(t)
		defer d.Close()
		tx := domaintest.OK(d.SQL.BeginTx(t.Context(), nil))(t)
		defer tx.Rollback()
		domaintest.OK(tx.ExecContext(t.Context(), "DELETE FROM board_column WHERE id = 0"))(t)
		waits, end := upgrading(url)
		if dbtest.OnGalera(t, d) { // there it waits for no one: the transaction is to be repeated
			domaintest.Must(t, <-end)
			if err := tx.Commit(); !db.IsDeadlock(err) {
				t.Errorf("the transaction in its way: %v", err)
			}
			return
		}
		select {
		case why := <-waits:
			if !strings.Contains(why, "holds a table") {
				t.Error(why)
			}
		case err := <-end:
			t.Fatalf("it did not wait: %v", err)
		}
		var n int // it comes through between two tries
		domaintest.Must(t, d.SQL.QueryRowContext(context.Background(), "SELECT COUNT(*) FROM board_column").Scan(&n))
		domaintest.Must(t, tx.Rollback())
		domaintest.Must(t, <-end)
		if status := domaintest.OK(db.Schema(url))(t); status.Dirty || status.Version != status.Latest {
			t.Errorf("%+v", status)
		}
	})
}

// released is the last schema file of version 0.1.0. Later ones must let the program of the release before go on.
const released = 9

// contracting are statements after which the program of the release before fails, or writes what is wrong for the new
// one: what it reads is gone, or what it writes is refused.
var contracting = map[string]*regexp.Regexp{
	"drops what the release before uses":            regexp.MustCompile(`(?i)\bDROP\s+(TABLE|COLUMN)\b`),
	"renames what the release before uses":          regexp.MustCompile(`(?i)\bRENAME\b|\bCHANGE\s+COLUMN\b`),
	"adds a column without a default":               regexp.MustCompile(`(?im)^ALTER[^;]*ADD COLUMN [^,;]*NOT NULL(?:[^,;DA]|D(?:[^E]|E[^F])|A[^U])*[,;]`),
	"makes a column of the release before stricter": regexp.MustCompile(`(?i)\bMODIFY\b`),
}

// TestSchemaFilesExpand holds the rule that a release only adds to the schema: servers of the release before go on
// beside the first new one. What nothing uses any more goes in the release after, in a file that says so in a comment:
// -- contract: why nothing of the release before needs it.
func TestSchemaFilesExpand(t *testing.T) {
	t.Parallel()
	files := domaintest.OK(filepath.Glob("schema/*.up.sql"))(t)
	if len(files) < released {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		number := domaintest.OK(strconv.Atoi(filepath.Base(file)[:6]))(t)
		if number <= released {
			continue
		}
		text := string(domaintest.OK(os.ReadFile(file))(t))
		for _, what := range contracts(text) {
			t.Errorf("%s %s", file, what)
		}
	}
}

// contracts says how the statements of a schema file break the release before.
func contracts(text string) (found []string) {
	if strings.Contains(text, "\n-- contract: ") || strings.HasPrefix(text, "-- contract: ") {
		return nil
	}
	for _, statement := range db.Statements(text) {
		for what, form := range contracting {
			if form.MatchString(statement) {
				found = append(found, what+": "+statement)
			}
		}
	}
	return found
}

func TestSchemaRule(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]int{
		"ALTER TABLE board ADD COLUMN a INT NOT NULL DEFAULT 0, ADD COLUMN b INT NULL;":          0,
		"ALTER TABLE board ADD COLUMN a INT NOT NULL AUTO_INCREMENT, ADD UNIQUE KEY uq_a (a);":   0,
		"CREATE TABLE a (b INT NOT NULL);":                                                       0,
		"ALTER TABLE board ADD COLUMN a INT NOT NULL;":                                           1,
		"ALTER TABLE board ADD COLUMN a INT NULL,\n  ADD COLUMN b INT NOT NULL, ADD KEY ix (b);": 1,
		"ALTER TABLE board DROP COLUMN title;":                                                   1,
		"DROP TABLE board;":                                                                      1,
		"ALTER TABLE board RENAME COLUMN title TO name;":                                         1,
		"ALTER TABLE board MODIFY title VARCHAR(9);":                                             1,
		"-- contract: nothing has read it since 0.2.0\nALTER TABLE board DROP COLUMN title;":     0,
	} {
		if got := contracts(statement); len(got) != want {
			t.Errorf("%s: %q", statement, got)
		}
	}
}

// TestWhoReplied holds that members who replied to requesters before schema 15 are notified of their boards' requests.
func TestWhoReplied(t *testing.T) {
	t.Parallel()
	url := dbtest.Empty(t)
	domaintest.Must(t, db.SchemaTo(url, 14))
	d := domaintest.OK(db.Open(url))(t)
	defer d.Close()
	for _, statement := range []string{
		"INSERT INTO company (id, slug, name, created_at) VALUES (1, 'acme', 'Acme', '2026-01-01')",
		"INSERT INTO account (id, email, name, password_hash, operator, created_at) VALUES (1, 'requester', 'R', '', FALSE, '2026-01-01'), (2, 'b', 'B', '', FALSE, '2026-01-01'), (3, 'c', 'C', '', FALSE, '2026-01-01')",
		"INSERT INTO board (id, company_id, slug, title, created_at, updated_at) VALUES (7, 1, 'NINJA', 'X', '2026-01-01', '2026-01-01')",
		"INSERT INTO ticket (id, board_id, local_id, title, description, created_by, created_at, updated_at, moved_at, deleted_at, from_requester) VALUES (1, 7, 1, 'x', '', 1, '2026-01-01', '2026-01-01', '2026-01-01', '2026-01-01', TRUE)",
		"INSERT INTO ticket_request (ticket_id, code, email, form_hash, created_at) VALUES (1, 'ukrEP', '', UNHEX(SHA2('x', 256)), '2026-01-01')",
		`INSERT INTO comment (ticket_id, account_id, body, public, from_requester, created_at, updated_at) VALUES
			(1, 1, 'Theirs', TRUE, TRUE, '2026-01-01', '2026-01-01'), (1, 2, 'A reply', TRUE, FALSE, '2026-01-01', '2026-01-01'),
			(1, 2, 'Another', TRUE, FALSE, '2026-01-01', '2026-01-01'), (1, 3, 'Internal', FALSE, FALSE, '2026-01-01', '2026-01-01')`,
	} {
		domaintest.Exec(t, d, statement)
	}
	domaintest.Must(t, db.SchemaUp(url))
	domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM request_watcher")
	domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM request_watcher WHERE board_id = 7 AND account_id = 2 AND is_on")
}

func TestRunsOfBeforeGetTheirBoard(t *testing.T) {
	t.Parallel()
	url := dbtest.Empty(t)
	domaintest.Must(t, db.SchemaTo(url, 19))
	d := domaintest.OK(db.Open(url))(t)
	defer d.Close()
	exec := func(statement string, args ...any) {
		t.Helper()
		domaintest.OK(d.SQL.ExecContext(t.Context(), statement, args...))(t)
	}
	exec("INSERT INTO company (id, slug, name, created_at) VALUES (1, 'acme', 'Acme', NOW(6)), (2, 'rivals', 'Rivals', NOW(6))")
	exec(`INSERT INTO board (id, company_id, slug, title, created_at, updated_at)
		VALUES (11, 1, 'DEMO', 'x', NOW(6), NOW(6)), (22, 2, 'DEMO', 'x', NOW(6), NOW(6))`)
	exec(`INSERT INTO board_slug (company_id, slug, board_id, created_at)
		VALUES (1, 'DEMO', 11, NOW(6)), (1, 'OLD', 11, NOW(6)), (2, 'DEMO', 22, NOW(6))`)
	params := []string{`{"plain":{"company":"acme","board":"OLD"}}`, `{"plain":{"company":"rivals","board":"demo"}}`,
		`{"plain":{"company":"acme"}}`, `{"plain":{"company":"","board":""}}`, `{"plain":{"company":"gone","board":"DEMO"}}`}
	for i, p := range params {
		exec(`INSERT INTO migration_run (id, name, params, state, state_since, knobs, actor, created_at)
			VALUES (?, 'x', ?, 'complete', NOW(6), '{}', 'x', NOW(6))`, i+1, p)
	}
	domaintest.Must(t, db.SchemaUp(url))
	for i, want := range [][2]uint64{{1, 11}, {2, 22}, {1, 0}, {0, 0}, {0, 0}} {
		var got [2]uint64
		domaintest.Must(t, d.SQL.QueryRowContext(t.Context(),
			"SELECT COALESCE(company_id, 0), COALESCE(board_id, 0) FROM migration_run WHERE id = ?", i+1).Scan(&got[0], &got[1]))
		if got != want {
			t.Errorf("%s: company and board %v, not %v", params[i], got, want)
		}
	}
}
