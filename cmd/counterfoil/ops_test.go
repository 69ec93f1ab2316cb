package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// env is a database and the output of commands on it.
type env struct {
	environment
	out, err *bytes.Buffer
}

func newEnv(t *testing.T, url string) *env {
	t.Helper()
	env := &env{out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	values := map[string]string{"DATABASE_URL": url, "COUNTERFOIL_DATA": t.TempDir()}
	env.environment = readEnvironment(func(name string) string { return values[name] },
		strings.NewReader("correct horse battery\n"), env.out, env.err)
	return env
}

// command fails unless the exit code is code and the output contains want.
func (env *env) command(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	env.out.Reset()
	env.err.Reset()
	if got := run(context.Background(), env.environment, args); got != code ||
		!strings.Contains(env.out.String()+env.err.String(), want) {
		t.Fatalf("%v ended with %d:\n%s%s\nwant %d and %q", args, got, env.out, env.err, code, want)
	}
}

func (env *env) setUp(t *testing.T) {
	t.Helper()
	env.command(t, 0, `"token"`, "setup", "--company", "acme", "--name", "Acme", "--email", "a@b.c", "--password-file",
		"-")
}

func (env *env) exec(t *testing.T, statement string) {
	t.Helper()
	d := domaintest.OK(db.Open(env.databaseURL))(t)
	defer d.Close()
	domaintest.Exec(t, d, statement)
}

func TestVerify(t *testing.T) {
	t.Parallel()
	env := newEnv(t, dbtest.Empty(t))
	env.command(t, 1, "counterfoil schema up", "verify")
	env.setUp(t)
	env.command(t, 0, "as it should be", "verify")
	env.exec(t, "UPDATE board_column SET ticket_count = 99")
	env.command(t, 1, "ticket counts: 3 found", "verify")
	env.command(t, 1, `{"ok":false,"engine":"`, "verify", "--json")
	if !json.Valid(env.out.Bytes()) || bytes.Count(env.out.Bytes(), []byte("\n")) != 1 || env.err.Len() != 0 {
		t.Errorf("it prints %s%s", env.out, env.err)
	}
	env.command(t, 2, "Usage", "verify", "all")
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	env := newEnv(t, dbtest.URL(t))
	env.command(t, 1, "innodb_flush_log_at_trx_commit = 0", "doctor")
	env.command(t, 1, `{"ok":false,"engine":"`, "doctor", "--json")
	if !json.Valid(env.out.Bytes()) || bytes.Count(env.out.Bytes(), []byte("\n")) != 1 {
		t.Errorf("it prints %s", env.out)
	}
}

// audited checks how many entries of the server's audit log, by the command line, are of a kind and have a text.
func (env *env) audited(t *testing.T, want int, kind, text string) {
	t.Helper()
	d := dbtest.OpenAt(t, env.databaseURL)
	domaintest.Counts(t, d, want, `SELECT COUNT(*) FROM audit WHERE company_id IS NULL AND account_id IS NULL AND kind = ?
		AND detail LIKE CONCAT('%', ?, '%')`, kind, text)
}

func TestBackup(t *testing.T) {
	t.Parallel()
	from, to := newEnv(t, dbtest.Empty(t)), newEnv(t, dbtest.Empty(t))
	file := filepath.Join(t.TempDir(), "acme.backup")
	from.command(t, 1, "nothing to back up", "backup", file)
	from.setUp(t)
	domaintest.Must(t, os.MkdirAll(from.blobs, 0o700))
	domaintest.Must(t, os.WriteFile(filepath.Join(from.blobs, "one"), []byte("first"), 0o600))
	from.command(t, 0, "and 1 stored files", "backup", file)
	from.audited(t, 1, "backup", "acme.backup")
	from.command(t, 1, "never overwrites", "backup", file)
	to.command(t, 0, "is whole", "restore", "--check", file)
	to.command(t, 0, "as it should be", "restore", file)
	if content, err := os.ReadFile(filepath.Join(to.blobs, "one")); err != nil || string(content) != "first" {
		t.Errorf("the stored file is %q, %v", content, err)
	}
	to.audited(t, 1, "restored", "acme.backup")
	to.command(t, 0, "as it should be", "verify")
	to.command(t, 1, "empty database only", "restore", file)
	to.command(t, 2, "Usage", "restore")
}
