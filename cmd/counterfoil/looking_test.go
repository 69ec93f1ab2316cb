package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
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

	read := tokenWith(t, i, "--scopes", "boards:read,tickets:read", "--days", "7")
	if got := statusWith(t, read, p.url+"/api/v1/boards"); got != http.StatusOK {
		t.Errorf("a token that reads boards gets %d", got)
	}
	if got := statusWith(t, read, p.url+"/api/v1/runs"); got != http.StatusForbidden {
		t.Errorf("a token without the scope gets %d", got)
	}
	for _, wrong := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--scopes", "boards:read,everything"}, 1, "There is no such scope. Choose from boards:read"},
		{[]string{"--scopes", " , "}, 2, "--scopes is empty"},
		{[]string{"--days", "-1"}, 2, "--days is 1 to 3650, or 0 for no end"},
		{[]string{"--days", "4000"}, 2, "--days is 1 to 3650, or 0 for no end"},
	} {
		args := append([]string{"token", "--company", "acme", "--email", "ana@example.com"}, wrong.args...)
		if code, out := i.command(t, args...); code != wrong.code || !strings.Contains(out, wrong.says) {
			t.Errorf("%v: exit code %d: %s", wrong.args, code, out)
		}
	}
}

// tokenWith is the token that the command makes for Ana.
func tokenWith(t *testing.T, i *install, args ...string) string {
	t.Helper()
	code, out := i.command(t, append([]string{"token", "--company", "acme", "--email", "ana@example.com"}, args...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var answer struct{ Token string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &answer); err != nil || code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	return answer.Token
}

// statusWith is the status of a GET with a token.
func statusWith(t *testing.T, token, url string) int {
	t.Helper()
	r := domaintest.OK(http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))(t)
	r.Header.Set("Authorization", "Bearer "+token)
	response := domaintest.OK(http.DefaultClient.Do(r))(t)
	defer response.Body.Close()
	return response.StatusCode
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
