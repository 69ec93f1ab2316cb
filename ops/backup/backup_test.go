package backup_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/ops/backup"
	"github.com/counterfoil/counterfoil/ops/opstest"
	"github.com/counterfoil/counterfoil/ops/verify"
)

// env is an installation with some of everything.
type env struct {
	*app.App
	backup.Installation
	db    *db.DB
	ctx   context.Context
	token string
}

// awkward are texts that an encoding gets wrong first.
const awkward = "a \\ \" ' \t 🥷 \u2028 é 日本\n%s NULL \\N </script>"

func newEnv(t testing.TB) *env {
	t.Helper()
	env := at(t, dbtest.URL(t))
	actor, _, token, err := env.Workflows.SetUp(context.Background(), workflows.Setup{
		Token:   true,
		Company: "Acme", Name: "Ana", Email: "ana@example.com", Password: "correct horse battery",
	})
	domaintest.Must(t, err)
	env.ctx, env.token = accounts.WithActor(context.Background(), actor), token
	_, err = env.Workflows.OpenBoard(env.ctx, boards.Draft{Slug: "NINJA", Title: "Ninjas"}, nil)
	domaintest.Must(t, err)
	once := &workflows.Once[tickets.Ticket]{Token: 1, Key: "k", Request: []byte("r"), Status: 201,
		Response: func(t tickets.Ticket) any { return t.Key.String() }}
	_, err = env.Workflows.OpenTicket(env.ctx, "NINJA", tickets.Draft{Title: "Plain", Description: awkward}, once)
	domaintest.Must(t, err)
	_, err = env.Workflows.OpenTicket(env.ctx, "NINJA",
		tickets.Draft{Title: "Long", Description: strings.Repeat("\"\\\n", 21845)}, nil)
	domaintest.Must(t, err)
	env.open(t, 3)
	domaintest.Must(t, env.Workflows.DeleteTicket(env.ctx, key(5)))
	opstest.Populate(t, env.ctx, env.App, env.db)
	env.exec(t, "INSERT INTO sessions (token, data, expiry) VALUES ('secret', 'x', '2030-01-01')")
	env.exec(t, "INSERT INTO sign_in_limit (name, failures, last_at) VALUES (REPEAT('s', 32), 2, '2026-01-01')")
	return env
}

// at returns the installation on a database.
func at(t testing.TB, url string) *env {
	t.Helper()
	d := domaintest.OK(db.Open(url))(t)
	w := app.New(d, apptest.CheapPasswords, apptest.WithKeys)
	t.Cleanup(func() { w.Close(context.Background()); d.Close() })
	return &env{App: w, Installation: backup.Installation{URL: url, Blobs: filepath.Join(t.TempDir(), "blobs"),
		Keys: apptest.Keys}, db: d}
}

// empty returns an installation without even a schema.
func empty(t testing.TB) *env {
	t.Helper()
	return at(t, dbtest.Empty(t))
}

func key(n uint64) tickets.Key { return tickets.Key{Board: "NINJA", Number: n} }

func (env *env) open(t testing.TB, n int) (last tickets.Ticket) {
	t.Helper()
	for i := range n {
		var err error
		last, err = env.Workflows.OpenTicket(env.ctx, "NINJA", tickets.Draft{Title: fmt.Sprint("Ticket ", i)}, nil)
		domaintest.Must(t, err)
	}
	return last
}

func (env *env) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	domaintest.Exec(t, env.db, statement, args...)
}

// backup writes a backup and returns its file.
func (env *env) backup(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "acme.backup")
	domaintest.OK(backup.Make(context.Background(), env.Installation, "test", file))(t)
	return file
}

func (env *env) restore(t testing.TB, file string) backup.Summary {
	t.Helper()
	summary, report, err := backup.Restore(context.Background(), env.Installation, file)
	domaintest.Must(t, err)
	if !report.OK() {
		report.Text(t.Output())
		t.Fatal("findings after a restore")
	}
	return summary
}

// refuses fails unless a restore is refused with that error and writes nothing.
func (env *env) refuses(t *testing.T, file string, want error) {
	t.Helper()
	_, _, err := backup.Restore(context.Background(), env.Installation, file)
	if got := fault.CodeOf(err); got == "" || got != fault.CodeOf(want) {
		t.Fatalf("error is %s %v; want %s", got, err, fault.CodeOf(want))
	}
	t.Log(err)
	if env.rows(t, "information_schema.tables WHERE table_schema = DATABASE()") != 0 {
		t.Error("the database was touched")
	}
	if _, err := os.Stat(env.Blobs); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the folder of stored files was touched")
	}
}

func (env *env) rows(t testing.TB, from string) int {
	t.Helper()
	return domaintest.Number(t, env.db, "SELECT COUNT(*) FROM "+from)
}

// tables are all of a backup.
var tables = []string{
	"company", "installation", "account", "membership", "invitation", "invitation_reservation", "account_totp", "recovery_code", "passkey", "account_avatar", "api_token", "service_account", "audit", "audit_spread",
	"audit_chain", "audit_sealer", "sealed_secret", "secret_key",
	"board", "board_slug", "board_ticket_incrementer", "board_column",
	"people_group", "people_group_member", "board_member", "board_access", "board_link",
	"issuer", "issuer_company", "issuer_rule", "account_identity", "company_domain",
	"ticket", "ticket_alias", "assignee", "label", "ticket_label", "ticket_template", "template_label", "template_assignee", "saved_view", "pinned_view", "pinned_board", "home_visit", "calendar_address", "folded_column", "ticket_relation", "ticket_stay", "recurrence", "occurrence", "backlink", "comment", "comment_reaction", "stored_file", "attachment", "company_storage", "file_place",
	"watcher", "notification",
	"activity", "idempotency", "ticket_origin", "image", "image_source", "picture", "run_image",
	"request_form", "ticket_request", "request_watcher",
	"sequences", "feed_batch", "feed_consumer", "webhook", "webhook_board", "webhook_ticket", "webhook_cursor", "webhook_attempt",
	"ref_lot", "ref_batch", "ref_ledger", "ref_pool", "ref_issue", "ref_quarantine", "ref_counter", "ref_policy",
	"ref_sample",
	"migration_run", "migration_task", "migration_counter", "migration_attempt", "migration_failure",
	"migration_rejection", "migration_request", "migration_event", "migration_sample", "migration_stop",
	"bulk_edit", "bulk_edit_item", "bulk_edit_notice",
	"failover", "failover_board",
}

// changed are the tables that a restore changes: it puts the pool of reference codes into quarantine.
var changed = []string{"ref_lot", "ref_pool", "ref_quarantine", "ref_counter"}

// dump returns every value of the tables in hexadecimal, except what a restore changes: the epoch of the feeds, and the
// tables of reference codes.
func dump(t testing.TB, env *env) string {
	t.Helper()
	var all strings.Builder
	for _, table := range tables {
		if slices.Contains(changed, table) {
			continue
		}
		var values []string
		for _, name := range texts(t, env.db,
			"SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position",
			table) {
			if table == "sequences" && (name == "epoch" || name == "version") {
				continue
			}
			values = append(values, "COALESCE(HEX(CAST("+name+" AS CHAR CHARACTER SET binary)), 'NULL')")
		}
		for _, row := range texts(t, env.db,
			"SELECT CONCAT_WS(',', "+strings.Join(values, ",")+") FROM "+table+" ORDER BY 1") {
			fmt.Fprintln(&all, table, row)
		}
	}
	return all.String()
}

// texts are the values of a query for one column.
func texts(t testing.TB, d *db.DB, query string, args ...any) (list []string) {
	t.Helper()
	rows := domaintest.OK(d.SQL.Query(query, args...))(t)
	defer rows.Close()
	for rows.Next() {
		var text string
		domaintest.Must(t, rows.Scan(&text))
		list = append(list, text)
	}
	domaintest.Must(t, rows.Err())
	return list
}

func TestRestore(t *testing.T) {
	t.Parallel()
	t.Run("it has what a private link is known by, and not what is in one", func(t *testing.T) {
		t.Parallel()
		from := newEnv(t)
		domaintest.OK(from.Workflows.SetForm(from.ctx, "NINJA", requests.Form{On: true}))(t)
		from.exec(t, "INSERT INTO ref_ledger (code, batch) VALUES ('UkrEq', 1)")
		from.exec(t, "INSERT INTO ref_pool (code) VALUES ('UkrEq')")
		sent := requests.Submission{Company: "acme", Board: "NINJA", Nonce: requests.NewToken(), Title: "Help"}
		receipt := domaintest.OK(from.Workflows.Send(context.Background(), sent))(t)
		var all []byte
		for _, member := range unpack(t, from.backup(t)) {
			all = append(all, member.content...)
		}
		if hash := base64.StdEncoding.EncodeToString(requests.HashToken(receipt.Token)); !bytes.Contains(all, []byte(hash)) {
			t.Error("whoever has the link cannot open it after a restore")
		}
		token := domaintest.OK(base64.RawURLEncoding.DecodeString(receipt.Token))(t)
		for _, secret := range []string{receipt.Token, base64.StdEncoding.EncodeToString(token), hex.EncodeToString(token),
			string(token), sent.Nonce} {
			if bytes.Contains(all, []byte(secret)) {
				t.Errorf("%q is in it", secret)
			}
		}
	})
	t.Run("the chains of the audit lists come back with their key", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), empty(t)
		domaintest.OK(accounts.NewSealer(from.db, apptest.Keys).SealOnce(t.Context()))(t)
		to.restore(t, from.backup(t)) // which verifies
		if n := to.rows(t, "audit_chain"); n == 0 || n != from.rows(t, "audit_chain") {
			t.Errorf("%d chains", n)
		}
	})
	t.Run("every value comes back as it was", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), empty(t)
		from.exec(t, "UPDATE ticket SET version = 18446744073709551615, moved_at = '9999-12-31 23:59:59.999999', rank_in_column = -9223372036854775808, priority = 4, start_at = '1970-01-01', due_at = '2199-12-31 23:59:59', due_timed = TRUE WHERE local_id = 1 AND title = 'Plain'")
		from.exec(t, "UPDATE board_column SET wip_limit = 4294967295 WHERE position = 2")
		domaintest.OK(accounts.NewSealer(from.db, apptest.Keys).SealOnce(context.Background()))(t)
		summary := to.restore(t, from.backup(t))
		before, after := dump(t, from), dump(t, to)
		if before != after || len(before) == 0 {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
		for _, table := range tables {
			if from.rows(t, table) == 0 {
				t.Errorf("%s is empty, so nothing of it is proved", table)
			}
		}
		want := int64(strings.Count(before, "\n"))
		for _, table := range changed {
			want += int64(from.rows(t, table))
		}
		if summary.Rows != want {
			t.Errorf("%d rows are told, %d are there", summary.Rows, want)
		}
	})
	t.Run("tokens and answers come back, sessions do not", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), empty(t)
		to.restore(t, from.backup(t))
		if _, err := to.Workflows.Bearer(context.Background(), from.token); err != nil {
			t.Error(err)
		}
		if n := to.rows(t, "idempotency"); n != 1 {
			t.Errorf("%d answers", n)
		}
		if n := to.rows(t, "sessions"); n != 0 {
			t.Errorf("%d sessions", n)
		}
	})
	t.Run("a schema that is there but empty is filled", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), at(t, dbtest.URL(t))
		to.exec(t, "INSERT INTO sessions (token, data, expiry) VALUES ('visitor', 'x', '2030-01-01')")
		to.restore(t, from.backup(t))
		if dump(t, from) != dump(t, to) {
			t.Error("rows differ")
		}
	})
	t.Run("a schema without rows that stopped halfway is made anew", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), at(t, dbtest.URL(t))
		to.exec(t, "UPDATE schema_migrations SET version = 4, dirty = 1")
		to.exec(t, "DROP TABLE webhook_attempt")
		to.restore(t, from.backup(t))
	})
	t.Run("and so is one with a table that is there only while it is made", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), empty(t)
		domaintest.Must(t, db.SchemaTo(to.URL, 1))
		to.exec(t, "UPDATE schema_migrations SET version = 2, dirty = 1")
		to.exec(t, "CREATE TABLE membership_handle (company_id BIGINT UNSIGNED NOT NULL PRIMARY KEY)")
		to.restore(t, from.backup(t))
	})
	t.Run("the oldest schema becomes the newest", func(t *testing.T) {
		t.Parallel()
		from, to := empty(t), empty(t)
		domaintest.Must(t, db.SchemaTo(from.URL, 1))
		from.exec(t, "INSERT INTO company (slug, name, created_at) VALUES ('acme', 'Acme', '2026-01-01')")
		from.exec(t, "INSERT INTO installation (id, company_id, created_at) VALUES (1, 1, '2026-01-01')")
		from.exec(t, "INSERT INTO account (id, email, name, password_hash, operator, created_at) VALUES (1, 'ana@example.com', 'Ana', '', TRUE, '2026-01-01')")
		from.exec(t, "INSERT INTO membership (company_id, account_id, role, created_at) VALUES (1, 1, 'owner', '2026-01-01')")
		to.restore(t, from.backup(t))
		status := domaintest.OK(db.Schema(to.URL))(t)
		if status.Version != status.Latest || to.rows(t, "company") != 1 {
			t.Errorf("the schema is at %d of %d", status.Version, status.Latest)
		}
	})
}

func TestRestoreGoesOn(t *testing.T) {
	t.Parallel()
	t.Run("no code of the pool is given out any more, for some may have been since", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), empty(t)
		pool, aside := from.rows(t, "ref_pool"), from.rows(t, "ref_quarantine")
		to.restore(t, from.backup(t)) // verify finds nothing in it
		if n := to.rows(t, "ref_quarantine"); pool == 0 || n != pool+aside || to.rows(t, "ref_pool") != 0 {
			t.Errorf("%d codes are in quarantine; there were %d, and %d in the pool", n, aside, pool)
		}
		if n := to.rows(t, "ref_lot WHERE id = 1 AND quarantined_at IS NOT NULL AND quarantined = 52"); n != 1 {
			t.Error("the lot of the pool's codes does not say so")
		}
	})
	t.Run("positions of feeds go on, in a new epoch", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), empty(t)
		from.exec(t, "UPDATE sequences SET epoch = 4000000000 WHERE name = 'tickets'") // a clock that was wrong
		to.restore(t, from.backup(t))
		for _, feed := range []string{"tickets", "comments", "boards"} {
			before := domaintest.OK(from.db.Sequence(context.Background(), feed))(t)
			after := domaintest.OK(to.db.Sequence(context.Background(), feed))(t)
			if after.Epoch <= before.Epoch || after.Value != before.Value || after.Horizon != before.Horizon {
				t.Errorf("%s was %+v, is %+v", feed, before, after)
			}
		}
	})
	t.Run("numbers and ids go on above the highest ever", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), empty(t)
		from.exec(t, "INSERT INTO company (id, slug, name, created_at) VALUES (700, 'gone', 'Gone', '2026-01-01')")
		from.exec(t, "DELETE FROM company WHERE id = 700")
		to.restore(t, from.backup(t))
		to.ctx = from.ctx
		if ticket := to.open(t, 1); ticket.Key.Number != 6 {
			t.Errorf("the next number is %d", ticket.Key.Number)
		}
		result := domaintest.OK(
			to.db.SQL.Exec("INSERT INTO company (slug, name, created_at) VALUES ('next', 'Next', '2026-01-01')"))(t)
		if id, _ := result.LastInsertId(); id <= 700 {
			t.Errorf("the id %d was handed out twice", id)
		}
		var highest, restored uint64
		domaintest.Must(t, from.db.SQL.QueryRow("SELECT MAX(id) FROM ticket").Scan(&highest))
		domaintest.Must(t, to.db.SQL.QueryRow("SELECT MAX(id) FROM ticket").Scan(&restored))
		if restored <= highest {
			t.Errorf("the next ticket has the id %d, the highest was %d", restored, highest)
		}
	})
	t.Run("runs of migrations do not go on by themselves, and what was under way is nobody's", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), empty(t)
		from.exec(t, "UPDATE migration_run SET state = 'running' WHERE id = 2")
		from.exec(t, "UPDATE migration_task SET state = 'processing', worker_id = 7, fence = (7 << 32) + 1, attempt = 1, claimed_at = '2026-01-01' WHERE id = 5")
		from.exec(t, "UPDATE migration_counter SET processing = 1 WHERE run_id = 2")
		from.exec(t, "INSERT INTO migration_run (id, name, params, state, state_since, knobs, account_id, actor, created_at) VALUES (3, 'rebalance-ranks', '{}', 'throttled', '2026-01-01', '{}', 1, 'Ana', '2026-01-01')")
		to.restore(t, from.backup(t))
		if n := to.rows(t, "migration_run WHERE id IN (2, 3) AND state IN ('pausing', 'paused') AND reason = 'Restored from a backup.'"); n != 2 {
			t.Errorf("%d of 2 runs are held", n)
		}
		if n := to.rows(t, "migration_run WHERE id = 1 AND state = 'complete'"); n != 1 {
			t.Error("a run that was complete is not")
		}
		result := domaintest.OK(
			to.db.SQL.Exec("INSERT INTO migration_worker (host, pid, version, state, started_at, beat_at, lease_until) VALUES ('x', 1, '', 'active', NOW(6), NOW(6), NOW(6))"))(t)
		if worker, _ := result.LastInsertId(); worker <= 7 {
			t.Errorf("a new worker is %d, and holds what another began", worker)
		}
	})
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	t.Run("a database that holds something is refused", func(t *testing.T) {
		t.Parallel()
		from := newEnv(t)
		file := from.backup(t)
		for _, table := range []string{"company", "account"} {
			to := at(t, dbtest.URL(t))
			to.exec(t, map[string]string{
				"company": "INSERT INTO company (slug, name, created_at) VALUES ('acme', 'Acme', '2026-01-01')",
				"account": "INSERT INTO account (email, name, password_hash, created_at) VALUES ('a', 'A', '', '2026-01-01')",
			}[table])
			_, _, err := backup.Restore(context.Background(), to.Installation, file)
			if !errors.Is(err, backup.CodeNotEmpty) || !strings.Contains(fault.Message(err), table) {
				t.Errorf("%s: %v", table, err)
			}
		}
		_, _, err := backup.Restore(context.Background(), from.Installation, file)
		if !errors.Is(err, backup.CodeNotEmpty) {
			t.Error(err)
		}
	})
	t.Run("findings are told", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), empty(t)
		from.exec(t, "UPDATE board_column SET ticket_count = 77 WHERE position = 1")
		_, report, err := backup.Restore(context.Background(), to.Installation, from.backup(t))
		domaintest.Must(t, err)
		if report.OK() {
			t.Error("no finding")
		}
	})
	t.Run("one that breaks off leaves an empty database and can be repeated", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), at(t, dbtest.URL(t))
		from.blob(t, "ab/one", "first")
		file := from.backup(t)
		to.exec(t, "CREATE TRIGGER breaks BEFORE INSERT ON activity FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no more'")
		_, _, err := backup.Restore(context.Background(), to.Installation, file)
		if err == nil || !strings.Contains(err.Error(), "no more") {
			t.Fatalf("error is %v", err)
		}
		if n := to.rows(t, "information_schema.tables WHERE table_schema = DATABASE()"); n != 0 {
			t.Errorf("%d tables are left", n)
		}
		to.restore(t, file)
		if dump(t, from) != dump(t, to) {
			t.Error("rows differ")
		}
	})
	t.Run("a cancelled one leaves an empty database", func(t *testing.T) {
		t.Parallel()
		from, to := newEnv(t), empty(t)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, _, err := backup.Restore(ctx, to.Installation, from.backup(t))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
	})
}

func (env *env) blob(t testing.TB, name, content string) {
	t.Helper()
	file := filepath.Join(env.Blobs, filepath.FromSlash(name))
	domaintest.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	domaintest.Must(t, os.WriteFile(file, []byte(content), 0o600))
}

func TestStoredFiles(t *testing.T) {
	t.Parallel()
	from := newEnv(t)
	from.blob(t, "ab/one", "first")
	from.blob(t, "empty", "")
	from.blob(t, "ef/größer 🥷", strings.Repeat("x", 100_000))
	from.blob(t, ".restore-left", "of a restore that broke off")
	domaintest.Must(t, os.Symlink("/etc/passwd", filepath.Join(from.Blobs, "link")))
	file := from.backup(t)
	t.Run("come back byte for byte", func(t *testing.T) {
		to := empty(t)
		if summary := to.restore(t, file); summary.Blobs != 3 {
			t.Errorf("%d are told", summary.Blobs)
		}
		for name, want := range map[string]string{"ab/one": "first", "empty": "",
			"ef/größer 🥷": strings.Repeat("x", 100_000)} {
			got, err := os.ReadFile(filepath.Join(to.Blobs, filepath.FromSlash(name)))
			if err != nil || string(got) != want {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
		var names []string
		domaintest.Must(t, filepath.WalkDir(to.Blobs, func(name string, entry fs.DirEntry, err error) error {
			if !entry.IsDir() {
				names = append(names, name)
			}
			return err
		}))
		if len(names) != 3 {
			t.Errorf("the folder holds %v", names)
		}
	})
	t.Run("of a restore that broke off are no hindrance", func(t *testing.T) {
		to := empty(t)
		to.blob(t, "ab/one", "first")
		to.blob(t, "ef/.restore-größer 🥷", "xx")
		to.restore(t, file)
	})
	t.Run("of anything else are", func(t *testing.T) {
		for name, content := range map[string]string{"ab/one": "other", "ab/two": "first", "ef/größer 🥷": "x"} {
			to := empty(t)
			to.blob(t, name, content)
			_, _, err := backup.Restore(context.Background(), to.Installation, file)
			if !errors.Is(err, backup.CodeNotEmpty) {
				t.Errorf("%s: %v", name, err)
			}
			if to.rows(t, "information_schema.tables WHERE table_schema = DATABASE()") != 0 {
				t.Error("the database was touched")
			}
		}
	})
	t.Run("without a folder are none", func(t *testing.T) {
		summary, err := backup.Make(context.Background(), backup.Installation{URL: from.URL}, "test",
			filepath.Join(t.TempDir(), "b"))
		if err != nil || summary.Blobs != 0 {
			t.Errorf("%d, %v", summary.Blobs, err)
		}
	})
	t.Run("behind a symbolic link are backed up", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		domaintest.Must(t, os.Symlink(from.Blobs, link))
		out := filepath.Join(t.TempDir(), "b")
		summary, err := backup.Make(context.Background(), backup.Installation{URL: from.URL, Blobs: link}, "test", out)
		if err != nil || summary.Blobs != 3 {
			t.Errorf("%d, %v", summary.Blobs, err)
		}
	})
}

func TestMake(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	t.Run("the file is the owner's alone, and nothing else is left", func(t *testing.T) {
		file := env.backup(t)
		info := domaintest.OK(os.Stat(file))(t)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("mode is %o", info.Mode().Perm())
		}
		if names := list(t, filepath.Dir(file)); len(names) != 1 {
			t.Errorf("the folder holds %v", names)
		}
	})
	t.Run("a written backup can be checked", func(t *testing.T) {
		file := env.backup(t)
		summary := domaintest.OK(backup.Check(context.Background(), file, nil))(t)
		if summary.Manifest.Program != "test" || summary.Rows == 0 || summary.Bytes == 0 {
			t.Errorf("%+v", summary)
		}
	})
	t.Run("an existing file stays", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "there")
		domaintest.Must(t, os.WriteFile(file, []byte("mine"), 0o644))
		_, err := backup.Make(context.Background(), env.Installation, "test", file)
		content, _ := os.ReadFile(file)
		if !errors.Is(err, backup.CodeExists) || string(content) != "mine" || len(list(t, filepath.Dir(file))) != 1 {
			t.Errorf("%v, %q", err, content)
		}
	})
	t.Run("files of a killed backup are no hindrance", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "b")
		domaintest.Must(t, os.WriteFile(file+".part", bytes.Repeat([]byte("x"), 1<<20), 0o644))
		domaintest.OK(backup.Make(context.Background(), env.Installation, "test", file))(t)
		domaintest.OK(backup.Check(context.Background(), file, nil))(t)
	})
	t.Run("a folder that is not there", func(t *testing.T) {
		_, err := backup.Make(context.Background(), env.Installation, "test", filepath.Join(t.TempDir(), "no", "b"))
		if !errors.Is(err, backup.CodeBadFile) || !strings.Contains(err.Error(), "does not exist") {
			t.Error(err)
		}
	})
	t.Run("a disk without room leaves nothing", func(t *testing.T) {
		if _, err := os.Stat("/dev/full"); err != nil {
			t.Fatal("this test needs /dev/full")
		}
		_, err := backup.MakeOn(context.Background(), env.Installation, "/dev/full")
		if !errors.Is(err, backup.CodeBadFile) || !strings.Contains(err.Error(), "No space") {
			t.Error(err)
		}
	})
	t.Run("a database without a schema", func(t *testing.T) {
		folder := t.TempDir()
		_, err := backup.Make(context.Background(), empty(t).Installation, "test", filepath.Join(folder, "b"))
		if !errors.Is(err, backup.CodeBadSchema) || len(list(t, folder)) != 0 {
			t.Errorf("%v, the folder holds %v", err, list(t, folder))
		}
	})
	t.Run("a schema that is not fit", func(t *testing.T) {
		for _, change := range []string{"version = 999999", "dirty = 1"} {
			env := at(t, dbtest.URL(t))
			env.exec(t, "UPDATE schema_migrations SET "+change)
			_, err := backup.Make(context.Background(), env.Installation, "test", filepath.Join(t.TempDir(), "b"))
			if !errors.Is(err, backup.CodeBadSchema) {
				t.Errorf("%s: %v", change, err)
			}
		}
	})
	t.Run("a table that the program does not know stops it", func(t *testing.T) {
		env := at(t, dbtest.URL(t))
		env.exec(t, "CREATE TABLE extra (id INT PRIMARY KEY)")
		_, err := backup.Make(context.Background(), env.Installation, "test", filepath.Join(t.TempDir(), "b"))
		if !errors.Is(err, backup.CodeBadSchema) || !strings.Contains(err.Error(), "extra") {
			t.Error(err)
		}
	})
	t.Run("a cancelled one leaves nothing", func(t *testing.T) {
		folder := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := backup.Make(ctx, env.Installation, "test", filepath.Join(folder, "b"))
		if !errors.Is(err, context.Canceled) || len(list(t, folder)) != 0 {
			t.Errorf("%v, the folder holds %v", err, list(t, folder))
		}
	})
	t.Run("a database that does not answer leaves nothing", func(t *testing.T) {
		folder := t.TempDir()
		_, err := backup.Make(context.Background(), backup.Installation{URL: "mysql://root@unix(/nonexistent)/x"}, "test",
			filepath.Join(folder, "b"))
		if !errors.Is(err, fault.Unavailable) || len(list(t, folder)) != 0 {
			t.Errorf("%v, the folder holds %v", err, list(t, folder))
		}
	})
}

func list(t testing.TB, folder string) (names []string) {
	t.Helper()
	entries := domaintest.OK(os.ReadDir(folder))(t)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

var createTable = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)

func TestTables(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	there := []string{"schema_migrations"}
	for _, file := range domaintest.OK(filepath.Glob("../../db/schema/*.up.sql"))(t) {
		for _, made := range createTable.FindAllSubmatch(domaintest.OK(os.ReadFile(file))(t), -1) {
			there = append(there, string(made[1]))
		}
	}
	known := slices.Concat(backup.BackedUp, backup.LeftOut)
	t.Run("every table of the schema, in any version, is backed up or named as left out", func(t *testing.T) {
		slices.Sort(there)
		slices.Sort(known)
		if !slices.Equal(there, known) {
			t.Errorf("the schema has %v,\nops/backup knows %v", there, known)
		}
	})
	t.Run("a table comes after those that it references", func(t *testing.T) {
		rows := domaintest.OK(d.SQL.Query(`SELECT table_name, referenced_table_name FROM information_schema.key_column_usage
			WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL`))(t)
		defer rows.Close()
		for rows.Next() {
			var table, parent string
			domaintest.Must(t, rows.Scan(&table, &parent))
			if slices.Contains(backup.BackedUp, table) && slices.Index(backup.BackedUp, table) <= slices.Index(backup.BackedUp,
				parent) {
				t.Errorf("%s comes before %s", table, parent)
			}
		}
	})
	t.Run("the tests compare them all", func(t *testing.T) {
		if !slices.Equal(tables, backup.BackedUp) {
			t.Errorf("tables is %v", tables)
		}
	})
}

func TestWhileServing(t *testing.T) {
	t.Parallel()
	from, to := newEnv(t), empty(t)
	board := domaintest.OK(from.Workflows.Board(from.ctx, "NINJA"))(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var mu sync.Mutex
	acknowledged := map[uint64]bool{}
	var group sync.WaitGroup
	started := make(chan struct{})
	for writer := range 8 {
		group.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				ticket, err := from.Workflows.OpenTicket(from.ctx, "NINJA", tickets.Draft{Title: fmt.Sprint(writer, n)}, nil)
				if err == nil {
					_, _, err = from.Workflows.MoveTicket(from.ctx, ticket.Key, tickets.Intent{Column: board.Columns[n%3].ID})
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if acknowledged[ticket.Key.Number] = true; len(acknowledged) == 300 {
					close(started)
				}
				mu.Unlock()
			}
		})
	}
	<-started
	mu.Lock()
	before := make([]uint64, 0, len(acknowledged))
	for number := range acknowledged {
		before = append(before, number)
	}
	mu.Unlock()
	file := from.backup(t)
	stop()
	group.Wait()
	to.restore(t, file)
	t.Run("every ticket acknowledged before is there", func(t *testing.T) {
		for _, number := range before {
			var there bool
			err := to.db.SQL.QueryRow("SELECT COUNT(*) FROM ticket WHERE local_id = ? AND board_id = ?", number,
				board.ID).Scan(&there)
			if err != nil || !there {
				t.Fatalf("NINJA-%d is missing: %v", number, err)
			}
		}
	})
	t.Run("numbers go on", func(t *testing.T) {
		var last uint64
		domaintest.Must(t, to.db.SQL.QueryRow("SELECT MAX(local_id) FROM ticket WHERE board_id = ?", board.ID).Scan(&last))
		to.ctx = from.ctx
		if ticket := to.open(t, 1); ticket.Key.Number != last+1 {
			t.Errorf("%s follows number %d", ticket.Key, last)
		}
		report := domaintest.OK(verify.Run(context.Background(), to.db, apptest.Keys, "", nil))(t)
		if !report.OK() {
			t.Error("findings after the next ticket")
		}
	})
}
