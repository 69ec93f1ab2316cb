package web_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/web"
	"github.com/counterfoil/counterfoil/web/respond"
)

// logLines keeps what the server logs.
type logLines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// events returns the security events that were logged.
func (l *logLines) events(t testing.TB) (list []map[string]any) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		if one["msg"] == "security" {
			list = append(list, one)
		}
	}
	return list
}

func TestSecurityEvents(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (*env, *logLines) {
		t.Helper()
		log := &logLines{}
		e := newEnv(t, func(c *web.Config) { c.Log = slog.New(slog.NewJSONHandler(log, nil)) })
		return e, log
	}
	t.Run("each refusal is one line at Info, with its event and the address", func(t *testing.T) {
		t.Parallel()
		for event, do := range map[string]func(*env){
			respond.EventSignInRefused: func(e *env) { e.visitor().post("/login", "email", "ana@example.com", "password", "wrong") },
			respond.EventTokenRefused:  func(e *env) { (&program{env: e, token: "cfl_nonsense"}).get("/boards") },
			respond.EventTokenMisused: func(e *env) {
				(&program{env: e, token: e.tokenOf("ana", "acme", "boards:read")}).get("/runs")
			},
			respond.EventForbidden: func(e *env) {
				e.visitor().with("Sec-Fetch-Site", "cross-site").post("/login", "email", "x", "password", "y")
			},
		} {
			e, log := begin(t)
			do(e)
			list := log.events(t)
			if len(list) != 1 || list[0]["event"] != event || list[0]["level"] != "INFO" ||
				list[0]["address"] != "192.0.2.1" {
				t.Errorf("%s: %v", event, list)
			}
			if strings.Contains(log.text.String(), "wrong") || strings.Contains(log.text.String(), "nonsense") {
				t.Errorf("%s: a secret is in the log: %s", event, log.text.String())
			}
		}
	})
	t.Run("a throttled sign-in is one, and a page that is only missing is none", func(t *testing.T) {
		t.Parallel()
		e, log := begin(t)
		for range 12 {
			e.visitor().post("/login", "email", "nobody@example.com", "password", "wrong")
		}
		e.visitor().get("/static/nothing")
		list := log.events(t)
		if last := list[len(list)-1]; last["event"] != respond.EventThrottled || last["status"] != 429.0 {
			t.Errorf("%v", last)
		}
		e.counts(t, 1, "SELECT COUNT(*) FROM audit WHERE company_id IS NULL AND account_id IS NULL AND kind = 'sign-in-limited'")
	})
	t.Run("an attack fills no log", func(t *testing.T) {
		t.Parallel()
		e, log := begin(t)
		for range 300 {
			(&program{env: e, token: "cfl_nonsense"}).get("/boards").is(t, http.StatusUnauthorized)
		}
		if n := len(log.events(t)); n < 20 || n > 60 {
			t.Errorf("%d lines for 300 refusals", n)
		}
	})
	t.Run("the filter of fail2ban in the docs finds the lines of both formats", func(t *testing.T) {
		t.Parallel()
		docs, err := os.ReadFile("../docs/audit.md")
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`(?m)^failregex = (.*)\n\s+(.*)$`).FindSubmatch(docs)
		if found == nil {
			t.Fatal("no failregex in docs/audit.md")
		}
		for i, handler := range []func(*logLines) slog.Handler{
			func(l *logLines) slog.Handler { return slog.NewTextHandler(l, nil) },
			func(l *logLines) slog.Handler { return slog.NewJSONHandler(l, nil) },
		} {
			log := &logLines{}
			e := newEnv(t, func(c *web.Config) { c.Log = slog.New(handler(log)) })
			e.visitor().post("/login", "email", "ana@example.com", "password", "wrong")
			form := regexp.MustCompile(strings.ReplaceAll(string(found[i+1]), "<HOST>", `(?P<host>[0-9a-fA-F.:]+)`))
			if m := form.FindStringSubmatch(log.text.String()); m == nil || m[1] != "192.0.2.1" {
				t.Errorf("%s does not match %s", form, log.text.String())
			}
		}
	})
}
