package doctor_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/ops/doctor"
)

func run(t testing.TB, d *db.DB, folders ...string) doctor.Report {
	t.Helper()
	return domaintest.OK(doctor.Run(context.Background(), d, apptest.Keys, folders...))(t)
}

func find(t testing.TB, report doctor.Report, name string) doctor.Check {
	t.Helper()
	for _, c := range report.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no check %q", name)
	return doctor.Check{}
}

func TestRun(t *testing.T) {
	t.Parallel()
	t.Run("the tests' server is fit, fast and not durable", func(t *testing.T) {
		t.Parallel()
		report := run(t, dbtest.Open(t), t.TempDir())
		if report.OK() {
			t.Error("no problem")
		}
		for name, mark := range map[string]string{
			"server": doctor.OK, "schema": doctor.OK, "tables": doctor.OK, "commits": doctor.Problem,
			"page writes": doctor.Problem, "binary log": doctor.OK,
			"isolation": doctor.OK, "time zone": doctor.OK, "claim plan": doctor.OK, "packet": doctor.OK, "memory": doctor.OK,
			"connections": doctor.OK,
		} {
			if c := find(t, report, name); c.Mark != mark {
				t.Errorf("%+v; want %s", c, mark)
			}
		}
		domaintest.Until(t, "the clocks agree, whatever else the machine does", func() bool {
			return find(t, run(t, dbtest.Open(t), ""), "clock").Mark == doctor.OK
		})
		for _, name := range []string{"purge", "open transactions", "disk"} {
			if c := find(t, report, name); c.Value == "—" {
				t.Errorf("%+v", c)
			}
		}
	})
	t.Run("a claim without its index is a problem", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		domaintest.Exec(t, d, "ALTER TABLE migration_task ADD KEY ix_other (run_id), DROP KEY ix_claim")
		if c := find(t, run(t, d, ""), "claim plan"); c.Mark != doctor.Problem ||
			!strings.Contains(c.Fix, "ADD KEY ix_claim") {
			t.Errorf("%+v", c)
		}
	})
	t.Run("a proxy that is not trusted is noted for a day", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := accounts.NoteForwarded(t.Context(), tx)
			return err
		}))
		if c := find(t, run(t, d, ""), "proxy"); c.Mark != doctor.Note || !strings.Contains(c.Fix, "COUNTERFOIL_TRUSTED_PROXIES") {
			t.Errorf("%+v", c)
		}
	})
	t.Run("an open transaction has an age", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		tx := domaintest.OK(d.SQL.Begin())(t)
		defer tx.Rollback()
		domaintest.OK(tx.Exec("INSERT INTO company (slug, name, created_at) VALUES ('acme', 'Acme', '2026-01-01')"))(t)
		if c := find(t, run(t, d, ""), "open transactions"); strings.Contains(c.Value, "-") ||
			!strings.Contains(c.Value, "s old") {
			t.Errorf("%+v", c)
		}
		domaintest.Until(t, "no transaction is old, nor one of a test beside this one", func() bool {
			_ = wait.Sleep(t.Context(), 200*time.Millisecond) // the server's list is renewed when nobody read it for 100 ms
			return find(t, run(t, d, ""), "open transactions").Mark == doctor.OK
		})
	})
	t.Run("so has one whose statement is no text", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		tx := domaintest.OK(d.SQL.Begin())(t)
		defer tx.Rollback()
		domaintest.OK(tx.Exec("INSERT INTO company (slug, name, created_at) VALUES ('acme', 'Acme', '2026-01-01')"))(t)
		holder := domaintest.OK(d.SQL.Conn(t.Context()))(t)
		defer holder.Close()
		var name string
		domaintest.Must(t, holder.QueryRowContext(t.Context(), "SELECT DATABASE()").Scan(&name))
		domaintest.OK(holder.ExecContext(t.Context(), "DO GET_LOCK(?, 600)", name))(t)
		over := make(chan error, 1)
		go func() {
			_, err := tx.Exec("DO GET_LOCK(?, 600), ?", name, []byte("\xed\x71\xcf\xc0")) // it waits for the holder
			over <- err
		}()
		domaintest.Until(t, "it waits for the holder", func() bool {
			return dbtest.Others(t, d.SQL, func(c dbtest.Connection) bool { return c.State == "User lock" }) > 0
		})
		if c := find(t, run(t, d, ""), "open transactions"); !strings.Contains(c.Value, "s old") {
			t.Errorf("%+v", c)
		}
		domaintest.OK(holder.ExecContext(t.Context(), "DO RELEASE_LOCK(?)", name))(t)
		domaintest.Must(t, <-over)
	})
	t.Run("a connection is left as it was", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		d.Connections(1)
		run(t, d, "")
		var zone string
		domaintest.Must(t, d.SQL.QueryRow("SELECT @@session.time_zone").Scan(&zone))
		if zone != "+00:00" {
			t.Errorf("its time zone is %s", zone)
		}
	})
	t.Run("a table that was changed", func(t *testing.T) {
		t.Parallel()
		for change, want := range map[string]string{
			"ALTER TABLE sessions ENGINE = MyISAM": "sessions (MyISAM)",
			"ALTER TABLE board MODIFY slug VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL": "board.slug (utf8mb4_general_ci)",
		} {
			d := dbtest.Open(t)
			domaintest.Exec(t, d, change)
			if c := find(t, run(t, d, ""), "tables"); c.Mark != doctor.Problem || c.Value != want {
				t.Errorf("%+v", c)
			}
		}
	})
	t.Run("a schema that was changed, or is none", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		domaintest.Exec(t, d, "UPDATE schema_migrations SET dirty = 1")
		if c := find(t, run(t, d, ""), "schema"); c.Mark != doctor.Problem {
			t.Errorf("%+v", c)
		}
		none := domaintest.OK(db.Open(dbtest.Empty(t)))(t)
		defer none.Close()
		if c := find(t, run(t, none, ""), "schema"); c.Mark != doctor.Note {
			t.Errorf("%+v", c)
		}
	})
	t.Run("a server that does not answer", func(t *testing.T) {
		t.Parallel()
		d := domaintest.OK(db.Open("mysql://root@unix(/nonexistent)/x"))(t)
		defer d.Close()
		domaintest.Fails(doctor.Run(context.Background(), d, apptest.Keys, ""))(t, fault.Unavailable)
	})
}

// ordinary returns a database through an account that has rights on nothing else.
func ordinary(t testing.TB) (d *db.DB, account string) {
	t.Helper()
	url := dbtest.URL(t)
	admin := domaintest.OK(db.Open(url))(t)
	t.Cleanup(func() { admin.Close() })
	account = "u_" + strings.ToLower(rand.Text()[:12])
	var name string
	domaintest.Must(t, admin.SQL.QueryRow("SELECT DATABASE()").Scan(&name))
	domaintest.Exec(t, admin, fmt.Sprintf("CREATE USER '%s'@'localhost' IDENTIFIED BY 'secret'", account))
	domaintest.Exec(t, admin, fmt.Sprintf("GRANT ALL ON %s.* TO '%s'@'localhost'", name, account))
	t.Cleanup(func() {
		if _, err := admin.SQL.Exec("DROP USER '" + account + "'@'localhost'"); err != nil {
			t.Error(err)
		}
	})
	d = domaintest.OK(db.Open(strings.Replace(url, "mysql://root@", "mysql://"+account+":secret@", 1)))(t)
	t.Cleanup(func() { d.Close() })
	return d, account
}

func TestOrdinaryAccount(t *testing.T) {
	t.Parallel()
	d, account := ordinary(t)
	report := run(t, d, "")
	t.Run("an unreadable value is a note with the right that it needs", func(t *testing.T) {
		unreadable := []string{"open transactions"}
		if os.Getenv("COUNTERFOIL_TEST_ENGINE") == "mysql" {
			unreadable = append(unreadable, "purge")
		}
		for _, name := range unreadable {
			c := find(t, report, name)
			if c.Value != "—" || c.Mark != doctor.Note || c.Fix != "GRANT PROCESS ON *.* TO '"+account+"'@'localhost';" {
				t.Errorf("%+v", c)
			}
		}
	})
	t.Run("the rest is read", func(t *testing.T) {
		for _, name := range []string{"server", "schema", "tables", "isolation", "connections", "memory"} {
			if c := find(t, report, name); c.Mark != doctor.OK {
				t.Errorf("%+v", c)
			}
		}
	})
}

func TestOutput(t *testing.T) {
	t.Parallel()
	report := doctor.Report{Engine: "MySQL 9.7.0", Checks: []doctor.Check{
		{Name: "server", Mark: doctor.OK, Value: "MySQL 9.7.0"},
		{Name: "commits", Mark: doctor.Problem, Value: "x = 0", Why: "It matters.", Fix: "SET PERSIST x = 1;"},
		{Name: "purge", Mark: doctor.Note, Value: "—", Why: "No right.", Fix: "GRANT"},
	}}
	t.Run("text is aligned, a line for each check, then what to do", func(t *testing.T) {
		var text bytes.Buffer
		domaintest.Must(t, report.Text(&text))
		want := "ok       server   MySQL 9.7.0\nproblem  commits  x = 0\nnote     purge    —\n\nproblem: commits\n  It matters.\n  SET PERSIST x = 1;\n\nnote: purge\n  No right.\n  GRANT\n\n1 problem, 1 note.\n"
		if text.String() != want {
			t.Errorf("text is\n%s", &text)
		}
	})
	t.Run("JSON is one line", func(t *testing.T) {
		var text bytes.Buffer
		domaintest.Must(t, report.JSON(&text))
		var got struct {
			OK     *bool
			Engine string
			Checks []doctor.Check
		}
		domaintest.Must(t, json.Unmarshal(text.Bytes(), &got))
		if bytes.Count(text.Bytes(), []byte("\n")) != 1 || got.OK == nil || *got.OK || got.Engine != "MySQL 9.7.0" ||
			len(got.Checks) != 3 {
			t.Errorf("JSON is %s", &text)
		}
	})
}
