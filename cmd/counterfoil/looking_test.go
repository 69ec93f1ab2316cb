package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
)

func TestTokenCommand(t *testing.T) {
	t.Parallel()
	i := onPrivate(t)
	p := i.serve(t)
	code, out := i.command(t, "token", "--company", "acme", "--email", "Ana@example.com")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var answer struct{ Company, Token string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &answer); err != nil || code != 0 || answer.Token == i.token {
		t.Fatalf("exit code %d: %s", code, out)
	}
	c := newClient(&install{token: answer.Token})
	c.board(t, p.url, "NINJA")
	if code, _ := i.command(t, "token", "--company", "acme", "--email", "bob@example.com"); code != 1 {
		t.Errorf("a stranger's token: exit code %d", code)
	}
}

func TestCommandsThatLook(t *testing.T) {
	t.Parallel()
	t.Run("they make no database where there is none", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "mistyped")
		i := &install{env: []string{"COUNTERFOIL_DATA=" + dir, "DATABASE_URL="}}
		for _, args := range [][]string{{"verify"}, {"doctor"}, {"schema", "status"},
			{"backup", filepath.Join(t.TempDir(), "b")}, {"schema", "down"}} {
			if code, out := i.command(t, args...); code == 0 {
				t.Errorf("%v: exit code 0: %s", args, out)
			}
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s was made: %v", dir, err)
		}
	})
	t.Run("schema down deletes nothing unless told so", func(t *testing.T) {
		i := onPrivate(t)
		if code, out := i.command(t, "schema", "down"); code != 2 || !strings.Contains(out, "--delete-rows") {
			t.Errorf("exit code %d: %s", code, out)
		}
		i.verified(t)
	})
}

func TestWrongDatabaseURL(t *testing.T) {
	t.Parallel()
	server := strings.TrimSuffix(os.Getenv(dbtest.Server), "/")
	user := "mysql://nobody_here:hush@" + strings.TrimPrefix(server, "mysql://root@")
	for url, want := range map[string]string{
		"mysql://root@127.0.0.1:1/x":               "no database server answers there",
		"mysql://root@unix(/nonexistent/x.sock)/x": "no database server answers there",
		server + "/not_there":                      "there is no database not_there",
		user + "/x":                                "does not let the user nobody_here in",
		server + "/mysql":                          "the server's own",
		server + "/":                               "names no database",
		"postgres://root@127.0.0.1/x":              "does not begin with mysql://",
	} {
		i := &install{env: []string{"DATABASE_URL=" + url}}
		code, out := i.command(t, "schema", "status")
		if code != 1 || !strings.Contains(out, want) || strings.Contains(out, "hush") {
			t.Errorf("%s: exit code %d: %s", url, code, out)
		}
	}
}
