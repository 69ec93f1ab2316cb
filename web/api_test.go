package web_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestBearer(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	for rule, authorization := range map[string]string{
		"none": "", "another scheme": "Basic YW5hOng=", "no token": "Bearer", "an empty token": "Bearer ",
		"without a scheme": e.token, "an unknown token": "Bearer cfl_x",
		"the token in other letters": "Bearer " + strings.ToUpper(e.token), "a part of the token": "Bearer " + e.token[:20],
		"more than the token": "Bearer " + e.token + "x",
		"not UTF-8":           "Bearer \xff", "a very long one": "Bearer " + strings.Repeat("a", 60000),
		"hostile": "Bearer ' OR 1=1 --",
	} {
		a := ana.with("Authorization", authorization).get("/api/v1/boards")
		if a.problem(t, http.StatusUnauthorized, ""); a.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: no WWW-Authenticate", rule)
		}
	}
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER  "} {
		e.visitor().with("Authorization", scheme+e.token).get("/api/v1/boards").is(t, http.StatusOK)
	}
	e.account("sam", "rivals", accounts.Owner)
	left := &program{env: e, token: e.tokenOf("sam", "rivals", accounts.Scopes...)}
	e.exec("DELETE FROM membership WHERE account_id = (SELECT id FROM account WHERE email = 'sam@example.com')")
	left.get("/boards").problem(t, http.StatusUnauthorized, "") // a member no more
}

// body is what a call takes, filled well.
type body struct {
	method, path string
	valid        object
}

var bodies = map[string]body{
	"open board":   {"POST", "/boards", object{"slug": "NINJA", "title": "Night launches"}},
	"rename board": {"PATCH", "/boards/DEMO", object{"title": "Night launches", "version": 1}},
	"open ticket":  {"POST", "/boards/DEMO/tickets", object{"title": "Paint the door", "description": "Red", "column": 1}},
	"edit ticket":  {"PATCH", "/tickets/DEMO-1", object{"title": "Paint the door", "description": "Red", "version": 1}},
	"move ticket": {"POST", "/tickets/DEMO-1/position",
		object{"column": 2, "after": nil, "seen": object{"column": 1, "after": nil}}},
}

func TestBodies(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000)
	for name, c := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			p := e.program()
			send := func(kind, text string) *answer {
				r := newRequest(c.method, "/api/v1"+c.path, kind, strings.NewReader(text), "Authorization", "Bearer "+e.token)
				return e.send(r)
			}
			e.unchanged(t, func() {
				for _, kind := range []string{"", "text/plain", formKind, "application/xml", "application/json2", "json", "/;/"} {
					send(kind, `{"title":"x"}`).problem(t, http.StatusUnsupportedMediaType, "")
				}
				for rule, text := range map[string]string{
					"nothing": "", "a space": " ", "half an object": `{"title":"x"`, "an array": `[]`, "a text": `"title"`,
					"a number": `1`, "not JSON": `title=x`, "NaN": `{"version":NaN}`,
					"infinity": `{"version":Infinity}`, "a comment": `{} // x`, "single quotes": `{'title':'x'}`,
					"a comma at the end": `{"title":"x",}`, "two objects": `{}{}`,
					"a brace too many": `{}}`, "a bracket too many": `{}]`, "garbage behind": `{} x`, "a zero byte behind": "{}\x00",
					"deeper than is read": strings.Repeat(`{"a":`, 20000),
					"not UTF-8":           "{\"title\":\"caf\xe9\"}", "a control character": "{\"title\":\"a\x01\"}",
					"a byte order mark": "\ufeff{}", "UTF-16": "{\x00}\x00",
					"valid, with a bracket behind": jsonOf(t, c.valid) + "]", "valid, with a brace behind": jsonOf(t, c.valid) + " }",
				} {
					if got := send("application/json", text).problem(t, 422, ""); strings.Contains(got.Detail, "json:") ||
						strings.Contains(got.Detail, "Go ") {
						t.Errorf("%s: it says %q", rule, got.Detail)
					}
				}
				for _, unknown := range []string{"tilte", "id", "titlé", "<b>", strings.Repeat("x", 300), "seen.x"} {
					p.call(c.method, c.path, with(c.valid, unknown, 1)).problem(t, 422, unknown)
				}
				for member := range c.valid {
					for _, wrong := range []any{true, object{}, []int{1}, object{"title": "x"}} {
						if member == "seen" && fmt.Sprintf("%T", wrong) == "web_test.object" {
							continue
						}
						p.call(c.method, c.path, with(c.valid, member, wrong)).problem(t, 422, member)
					}
				}
				send("application/json", `{"title":`+deep+`}`).is(t, 422)
				send("application/json", strings.Repeat(" ", oversize)).problem(t, http.StatusRequestEntityTooLarge, "")
				r := newRequest(c.method, "/api/v1"+c.path, "application/json",
					strings.NewReader(`{"title":"`+strings.Repeat("a", oversize)), "Authorization", "Bearer "+e.token)
				r.ContentLength = -1
				e.send(r).problem(t, http.StatusRequestEntityTooLarge, "")
			})
			if a := send("application/json; charset=utf-8", jsonOf(t, c.valid)); a.code/100 != 2 {
				t.Errorf("filled well: %d %s", a.code, a.body)
			}
		})
	}
}

// with is the same object with another member, or without it if value is none.
func with(o object, name string, value any) object {
	changed := maps.Clone(o)
	if value == none {
		delete(changed, name)
	} else {
		changed[name] = value
	}
	return changed
}

var none = new(int)

func TestUnknownMethods(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	e.unchanged(t, func() {
		for _, method := range []string{"PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "X"} {
			for _, path := range []string{"/", "/acme", "/acme/DEMO-1", "/login", "/acme/boards/DEMO", "/acme/DEMO-1/position"} {
				if a := ana.send(newRequest(method, path, "", nil)); a.code != 404 && a.code != 405 {
					t.Errorf("%s %s: %d", method, path, a.code)
				}
			}
		}
		for _, path := range []string{"/boards", "/boards/DEMO", "/tickets/DEMO-1", "/tickets/DEMO-1/position"} {
			for _, method := range []string{"PUT", "PROPFIND", "X"} {
				if a := e.program().call(method, path, object{}); a.code != 404 && a.code != 405 {
					t.Errorf("%s %s: %d", method, path, a.code)
				}
			}
		}
	})
	if metrics := e.metrics(); strings.Contains(metrics, `method="X"`) ||
		strings.Contains(metrics, `method="PROPFIND"`) {
		t.Error("a made-up method has metrics of its own: anyone could fill the memory with them")
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	server := serve(t, e)
	for _, path := range []string{"/", "/healthz", "/readyz", "/metrics", "/robots.txt", "/login", "/acme",
		"/acme/boards/DEMO", "/acme/DEMO-1", "/acme/demo-1", "/acme/NINJA-1", "/nope/x/y",
		"/api/v1/boards", "/api/v1/tickets/DEMO-1"} {
		answers := map[string]*http.Response{}
		for _, method := range []string{"GET", "HEAD"} {
			r := domaintest.OK(http.NewRequest(method, server.URL+path, nil))(t)
			r.AddCookie(&http.Cookie{Name: "counterfoil", Value: ana.cookie})
			r.Header.Set("Authorization", "Bearer "+e.token)
			answer := domaintest.OK(http.DefaultTransport.RoundTrip(r))(t)
			defer answer.Body.Close()
			answers[method] = answer
			if method == "HEAD" && answer.Body != http.NoBody {
				t.Errorf("HEAD %s has a body", path)
			}
		}
		get, head := answers["GET"], answers["HEAD"]
		if head.StatusCode != get.StatusCode || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") ||
			head.Header.Get("Location") != get.Header.Get("Location") {
			t.Errorf("%s: HEAD is %d %v, GET %d %v", path, head.StatusCode, head.Header, get.StatusCode, get.Header)
		}
	}
}
