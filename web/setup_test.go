package web_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

func TestSetup(t *testing.T) {
	t.Parallel()
	valid := forms["setup"].valid

	t.Run("an empty database leads to setup, which signs in and opens the practice board", func(t *testing.T) {
		t.Parallel()
		e := newEmptyEnv(t)
		b := e.visitor()
		for _, path := range []string{"/", "/login", "/acme", "/acme/DEMO-1"} {
			b.get(path).goesTo(t, "/setup")
		}
		b.get("/setup").is(t, http.StatusOK).has(t, 1, "form[action='/setup'][method=post]")
		b.post("/setup", valid...).goesTo(t, "/acme/boards/DEMO")
		a := b.get("/acme/boards/DEMO").is(t, http.StatusOK)
		if !strings.Contains(a.text(t, "#flash .toast"), "DEMO-1") {
			t.Errorf("the welcome is %q", a.text(t, "#flash"))
		}
		b.get("/acme/boards/DEMO").has(t, 0, "#flash .toast")
		e.visitor().post("/login", "email", email, "password", password).goesTo(t, "/acme")
	})

	t.Run("it asks for the code that the server printed", func(t *testing.T) {
		t.Parallel()
		e := newEmptyEnv(t)
		e.stopClock()
		if code, err := e.workflows.Workflows.SetupCode(t.Context()); err != nil || code != setupCode {
			t.Fatalf("the code is %q, %v", code, err)
		}
		b := e.visitor()
		if got := b.get("/setup?code="+setupCode).value(t, "input[type=hidden][name=code]"); got != setupCode {
			t.Errorf("the link carries %q", got)
		}
		e.unchanged(t, func() {
			for _, wrong := range []string{"", "aaaa-bbbb-cccc", setupCode + "a", setupCode[1:]} {
				a := b.post("/setup", append(valid[:len(valid):len(valid)], "code", wrong)...).is(t, 422)
				a.textHas(t, "#setup-code-error", "printed")
				if a.value(t, "#setup-code") != wrong || a.value(t, "#setup-company") != "Acme" {
					t.Error("what was typed is lost")
				}
			}
			for range 6 {
				b.post("/setup", append(valid[:len(valid):len(valid)], "code", "aaaa")...).is(t, 422)
			}
			a := b.post("/setup", valid...).is(t, 429)
			if a.header.Get("Retry-After") == "" {
				t.Error("it does not say how long to wait")
			}
		})
		other := postRequest("/setup", formKind, form(append(valid, "code",
			strings.ToUpper(strings.ReplaceAll(setupCode, "-", " ")))...).Encode())
		other.RemoteAddr = "192.0.2.99:1"
		e.send(other).goesTo(t, "/acme/boards/DEMO")
	})

	t.Run("it is closed under the names of others", func(t *testing.T) {
		t.Parallel()
		e := newEmptyEnv(t)
		ask := func(method, host, local string) *answer {
			r := newRequest(method, "/setup", formKind, strings.NewReader(form(valid...).Encode()))
			r.Host = host
			at := &net.TCPAddr{IP: net.ParseIP(local), Port: 8080}
			return e.send(r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(at))))
		}
		e.unchanged(t, func() {
			for _, host := range []string{"evil.example", "evil.example:8080", "127.0.0.1.evil.example",
				"localhost.evil.example", "evillocalhost", "", ":8080", "[::1].evil.example"} {
				for _, local := range []string{"127.0.0.1", "127.8.0.1", "::1"} {
					for _, method := range []string{http.MethodGet, http.MethodPost} {
						a := ask(method, host, local).is(t, http.StatusForbidden)
						a.textHas(t, "#main .lead", "COUNTERFOIL_URL")
					}
				}
			}
			ask(http.MethodGet, "tickets.example.com", "192.168.1.7").is(t, http.StatusForbidden)
			for _, host := range []string{"127.0.0.1:8080", "127.0.0.1", "localhost:8080", "LOCALHOST", "tickets.localhost:8080",
				"localhost.", "[::1]:8080", "[::1]", "192.168.1.7:8080"} {
				ask(http.MethodGet, host, "127.0.0.1").is(t, http.StatusOK)
			}
		})
		ask(http.MethodPost, "localhost:8080", "::1").goesTo(t, "/acme/boards/DEMO")
		ask(http.MethodGet, "tickets.example.com", "127.0.0.1").goesTo(t, "/login")
	})

	t.Run("with COUNTERFOIL_URL, its host is welcome, and no other", func(t *testing.T) {
		t.Parallel()
		e := newEmptyEnv(t, withURL("https://tickets.example.com"))
		for host, code := range map[string]int{"tickets.example.com": 200, "Tickets.example.com:443": 200,
			"127.0.0.1:8080": 200, "evil.example": 403, "tickets.example.com.evil.example": 403, "app": 403} {
			r := newRequest(http.MethodGet, "/setup", "", nil)
			r.Host = host
			e.send(r).is(t, code)
		}
	})

	t.Run("the short name follows the company's", func(t *testing.T) {
		t.Parallel()
		e := newEmptyEnv(t)
		e.visitor().post("/setup", append(valid, "company", "Acme & Söhne, Ltd.", "slug", "")...).
			goesTo(t, "/acme-sohne-ltd/boards/DEMO")
	})

	t.Run("after the first it is closed, and strangers leave nothing behind", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		sessions := e.count("SELECT COUNT(*) FROM sessions")
		e.unchanged(t, func() {
			e.visitor().get("/setup").goesTo(t, "/login")
			a := e.visitor().post("/setup", append(valid, "slug", "rivals", "company", "Rivals", "email", "eve@example.com")...).
				is(t, http.StatusConflict)
			a.textHas(t, "#main .lead", "set up already")
			a.has(t, 1, "#main a[href='/login']")
			e.visitor().post("/setup").is(t, http.StatusConflict)
		})
		e.counts(t, int(sessions), "SELECT COUNT(*) FROM sessions")
	})

	for rule, slugs := range map[string][2]string{"two at once with one name": {"acme", "acme"},
		"two at once with two names": {"acme", "rivals"}} {
		t.Run(rule+": exactly one wins and the other hears that it is closed", func(t *testing.T) {
			t.Parallel()
			e := newEmptyEnv(t)
			var answers [2]*answer
			var group sync.WaitGroup
			for i, slug := range slugs {
				group.Go(func() {
					answers[i] = e.visitor().post("/setup", append(valid[:len(valid):len(valid)], "slug", slug, "email",
						slug+[]string{"a", "b"}[i]+"@example.com")...)
				})
			}
			group.Wait()
			won := 0
			for _, a := range answers {
				if a.code == http.StatusSeeOther {
					won++
					continue
				}
				a.is(t, http.StatusConflict).textHas(t, "#main .lead", "Sign in instead")
			}
			if won != 1 || e.count("SELECT COUNT(*) FROM company") != 1 || e.count("SELECT COUNT(*) FROM account") != 1 ||
				e.count("SELECT COUNT(*) FROM board") != 1 {
				t.Errorf("%d won", won)
			}
		})
	}
}
