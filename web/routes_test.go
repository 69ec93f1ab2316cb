package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/web"
)

// access is what each kind of visitor gets from a route. A form is sent without fields.
type access struct {
	path                               string // one that the route serves
	signedOut, stranger, viewer, owner int
}

// everyone is a route that makes no difference.
func everyone(path string, code int) access { return access{path, code, code, code, code} }

// members is a page of the company; to a stranger there is none such.
func members(path string, code int) access { return access{path, 303, 404, code, code} }

// writers is a form of the company.
func writers(path string) access { return access{path, 303, 404, 403, 422} }

var pages = map[string]access{
	"GET /healthz":     everyone("/healthz", 200),
	"GET /readyz":      everyone("/readyz", 200),
	"GET /metrics":     everyone("/metrics", 200),
	"GET /static/*":    everyone("/static/x/css/app.css", 200),
	"GET /favicon.ico": everyone("/favicon.ico", 302),
	"GET /robots.txt":  everyone("/robots.txt", 200),

	"GET /":        everyone("/", 303),
	"GET /setup":   everyone("/setup", 303),
	"POST /setup":  everyone("/setup", 409),
	"GET /login":   {"/login", 200, 303, 303, 303},
	"POST /login":  everyone("/login", 422),
	"POST /logout": everyone("/logout", 303),

	"GET /:company":                               members("/acme", 200),
	"GET /:company/boards":                        members("/acme/boards", 200),
	"POST /:company/boards":                       writers("/acme/boards"),
	"GET /:company/boards/:board":                 members("/acme/boards/DEMO", 200),
	"GET /:company/boards/:board/settings":        members("/acme/boards/DEMO/settings", 200),
	"POST /:company/boards/:board/settings":       {"/acme/boards/DEMO/settings", 303, 404, 422, 422}, // version first
	"GET /:company/boards/:board/columns/:column": members("/acme/boards/DEMO/columns/1", 200),
	"GET /:company/boards/:board/tickets/new":     members("/acme/boards/DEMO/tickets/new", 200),
	"POST /:company/boards/:board/tickets":        writers("/acme/boards/DEMO/tickets"),
	"GET /:company/:key":                          members("/acme/DEMO-1", 200),
	"POST /:company/:key":                         {"/acme/DEMO-1", 303, 404, 422, 422},
	"GET /:company/:key/edit":                     members("/acme/DEMO-1/edit", 200),
	"GET /:company/:key/position":                 members("/acme/DEMO-1/position", 200),
	"POST /:company/:key/position":                {"/acme/DEMO-1/position", 303, 404, 422, 422},
	"GET /:company/:key/activity":                 members("/acme/DEMO-1/activity?before=9", 200),
}

// calls are the routes of the API, each with what a token without scopes and one of another company
// get, and the scope that is missed.
var calls = map[string]struct {
	path, body      string
	scope           string
	unknown, member int
}{
	"GET /api/v1/boards":                 {"/boards", "", "boards:read", 200, 200},
	"POST /api/v1/boards":                {"/boards", `{"slug":"NINJA","title":"x"}`, "boards:write", 201, 201},
	"GET /api/v1/boards/:board":          {"/boards/DEMO", "", "boards:read", 404, 200},
	"PATCH /api/v1/boards/:board":        {"/boards/DEMO", `{"title":"x","version":1}`, "boards:write", 404, 200},
	"GET /api/v1/boards/:board/tickets":  {"/boards/DEMO/tickets", "", "tickets:read", 404, 200},
	"POST /api/v1/boards/:board/tickets": {"/boards/DEMO/tickets", `{"title":"x"}`, "tickets:write", 404, 201},
	"GET /api/v1/tickets/:key":           {"/tickets/DEMO-2", "", "tickets:read", 404, 200},
	"PATCH /api/v1/tickets/:key":         {"/tickets/DEMO-3", `{"title":"x","version":1}`, "tickets:write", 404, 200},
	"DELETE /api/v1/tickets/:key":        {"/tickets/DEMO-4", "", "tickets:write", 404, 204},
	"POST /api/v1/tickets/:key/position": {"/tickets/DEMO-5/position", `{"column":1,"after":null}`, "tickets:write", 404, 200},
}

// routes are the method and path of every route there is.
func routes() map[string]bool {
	known := map[string]bool{}
	for _, route := range web.Routes() {
		if route.Method != echo.RouteNotFound {
			known[route.Method+" "+route.Path] = true
		}
	}
	return known
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	known := routes()
	for name := range known {
		_, page := pages[name]
		_, call := calls[name]
		if !page && !call && !strings.HasSuffix(name, " /api/v1/*") {
			t.Errorf("%s has no line in this test: who may use it?", name)
		}
	}

	for name, who := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !known[name] {
				t.Fatal("there is no such route any more")
			}
			method, _, _ := strings.Cut(name, " ")
			h := newHouse(t)
			h.account("sam", "rivals", accounts.Owner)
			h.account("vera", "acme", accounts.Viewer)
			ask := func(b *browser) *answer { return b.send(newRequest(method, who.path, formKind, nil)) }
			h.unchanged(t, func() {
				for as, c := range map[string]struct {
					b    *browser
					want int
				}{
					"signed out": {h.visitor(), who.signedOut},
					"a stranger": {h.signedIn("sam"), who.stranger},
					"a viewer":   {h.signedIn("vera"), who.viewer},
					"the owner":  {h.ana(), who.owner},
				} {
					if a := ask(c.b); a.code != c.want {
						t.Errorf("%s: %d, not %d: %s", as, a.code, c.want, a.body)
					}
				}
			})
			if who.stranger != http.StatusNotFound {
				return
			}
			unknown := strings.Replace(who.path, "/acme", "/nobody", 1)
			sam := h.signedIn("sam")
			if here, nowhere := ask(sam), sam.send(newRequest(method, unknown, formKind, nil)); here.body != nowhere.body || nowhere.code != 404 {
				t.Errorf("a stranger can tell a company that is there from one that is not:\n%s\n%s", here.body, nowhere.body)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	known := routes()
	for name, c := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !known[name] {
				t.Fatal("there is no such route any more")
			}
			method, _, _ := strings.Cut(name, " ")
			h := newHouse(t)
			h.account("sam", "rivals", accounts.Owner)
			h.account("vera", "acme", accounts.Viewer)
			column := h.count("SELECT MIN(id) FROM board_column")
			if column != 1 {
				t.Fatalf("the first column is %d", column)
			}
			var body any
			if c.body != "" {
				body = c.body
			}
			as := func(token string) *answer { return (&program{h: h, token: token}).call(method, c.path, body) }
			rest := slices.DeleteFunc(slices.Clone(accounts.Scopes), func(scope string) bool { return scope == c.scope })
			lacking := h.tokenOf("ana", "acme", rest...)
			viewers := h.tokenOf("vera", "acme", accounts.Scopes...)
			strangers := h.tokenOf("sam", "rivals", accounts.Scopes...)
			h.unchanged(t, func() {
				for why, token := range map[string]string{"no token": "", "an unknown token": "cfl_nobody", "a session's cookie": " "} {
					a := as(token)
					if a.problem(t, http.StatusUnauthorized, ""); a.header.Get("WWW-Authenticate") != "Bearer" {
						t.Errorf("%s: no WWW-Authenticate", why)
					}
				}
				p := as(lacking).problem(t, http.StatusForbidden, "")
				if !strings.Contains(p.Detail, c.scope) {
					t.Errorf("it does not say that %s is missing: %s", c.scope, p.Detail)
				}
				if viewer := as(viewers); method == http.MethodGet && viewer.code != c.member {
					t.Errorf("a viewer gets %d: %s", viewer.code, viewer.body)
				} else if method != http.MethodGet {
					viewer.problem(t, http.StatusForbidden, "")
				}
				if c.unknown == http.StatusNotFound {
					as(strangers).problem(t, http.StatusNotFound, "")
				}
			})
			as(h.token).is(t, c.member)
		})
	}
}

func TestUnknownRoutes(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ana := h.ana()
	for _, path := range []string{"/acme/x/y/z", "/acme/NINJA", "/acme/NINJA-0", "/acme/DEMO-01", "/acme/DEMO-99999999999999999999", "/acme/DEMO-99", "/acme/boards/NOPE",
		"/acme/boards/DEMO/columns/0", "/acme/boards/DEMO/columns/x", "/acme/boards/DEMO/columns/99", "/acme/..", "/acme/%2e%2e/DEMO-1", "/acme/boards/DEMO%2F",
		"/acme/boards/..%2FDEMO", "/acme%2Fboards", "//acme", "/acme//DEMO-1", "/acme/DEMO-1/", "/acme/DEMO-1/nope", "/acme/DEMO-1%00", "/acme/%ff", "/acme/boards/%ff",
		"/%ff", "/%00", "/%C3%A4cme", "/Acme", "/acme%20", "/ACME", "/acme/D\u00c9MO-1", "/acme/DEMO-1'", "/acme/DEMO-1;x", "/" + strings.Repeat("a", 30<<10), "/acme/" + strings.Repeat("A", 30<<10)} {
		if got := ana.get(path); got.code != http.StatusNotFound {
			t.Errorf("%.60s: %d", path, got.code)
		}
	}
	for path, code := range map[string]int{"/api/v1/nope": 401, "/api/v1/": 401} {
		h.visitor().get(path).problem(t, code, "")
	}
	for _, path := range []string{"/nope", "/boards/DEMO/nope", "/tickets", "/tickets/DEMO-1/nope", "/tickets/DEMO", "/tickets/DEMO-0", "/tickets/%ff", "/boards/%ff", "/boards/%2e%2e"} {
		h.program().get(path).problem(t, http.StatusNotFound, "")
	}
}

const formKind = "application/x-www-form-urlencoded"
