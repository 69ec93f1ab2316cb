package web_test

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// movedTo fails if the answer is not a redirect to path for good.
func (a *answer) movedTo(t testing.TB, path string) {
	t.Helper()
	a.is(t, http.StatusMovedPermanently)
	if got := a.header.Get("Location"); got != path {
		t.Errorf("it leads to %q, not to %q", got, path)
	}
	if got := a.header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("a store may keep it: Cache-Control is %q", got)
	}
}

// addOldKey gives DEMO a slug, and DEMO-1 a key, as if they had had them once.
func (e *env) addOldKey(slug string, number int) {
	e.t.Helper()
	e.exec("INSERT INTO board_slug (company_id, slug, board_id, created_at) SELECT company_id, ?, id, created_at FROM "+
		"board WHERE slug = 'DEMO' AND company_id = 1", slug)
	e.exec("INSERT INTO ticket_alias (board_id, local_id, ticket_id, created_at) SELECT board_id, ?, id, created_at FROM "+
		"ticket WHERE local_id = 1 LIMIT 1", number)
}

func TestOldNames(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("sam", "rivals", accounts.Owner)
	e.addOldKey("OLD", 77)
	ana, sam := e.ana(), e.signedIn("sam")
	strangers := &program{env: e, token: e.tokenOf("sam", "rivals", accounts.Scopes...)}

	t.Run("every page of an old slug or key leads to the current one, with the rest of its address", func(t *testing.T) {
		for old, now := range map[string]string{
			"/acme/boards/OLD":                          "/acme/boards/DEMO",
			"/acme/boards/old/settings?a=b&c=%2F":       "/acme/boards/DEMO/settings?a=b&c=%2F",
			"/acme/boards/OLD/columns/1":                "/acme/boards/DEMO/columns/1",
			"/acme/boards/OLD/deleted":                  "/acme/boards/DEMO/deleted",
			"/acme/OLD-1/deletion":                      "/acme/DEMO-1/deletion",
			"/acme/OLD-1/comments":                      "/acme/DEMO-1/comments",
			"/acme/OLD-1/assignees":                     "/acme/DEMO-1/assignees",
			"/acme/boards/OLD/columns/1/removal":        "/acme/boards/DEMO/columns/1/removal",
			"/acme/boards/OLD/tickets/new?column=2":     "/acme/boards/DEMO/tickets/new?column=2",
			"/acme/OLD-1":                               "/acme/DEMO-1",
			"/acme/old-2/edit":                          "/acme/DEMO-2/edit",
			"/acme/DEMO-77":                             "/acme/DEMO-1",
			"/acme/OLD-77/position?column=2&after=DEMO": "/acme/DEMO-1/position?column=2&after=DEMO",
			"/acme/OLD-77/activity?before=9":            "/acme/DEMO-1/activity?before=9",
		} {
			ana.get(old).movedTo(t, now)
			ana.htmx("board").get(old).movedTo(t, now)
			ana.get(now).is(t, 200)
			sam.get(old).is(t, 404)
			e.visitor().get(old).is(t, 303)
		}
		ana.get("/acme/OLD-78").is(t, 404)
		ana.get("/acme/boards/OLDER").is(t, 404)
	})

	t.Run("a request to an old key is done", func(t *testing.T) {
		ana.post("/acme/OLD-77", "title", "Mine", "description", "", "version", "1").goesTo(t, "/acme/DEMO-1")
		ana.post("/acme/OLD-77", "title", "Late", "description", "", "version", "1").is(t, 409)
		ana.post("/acme/OLD-2/position", "column", "2", "after", "").goesTo(t, "/acme/boards/DEMO")
		ana.post("/acme/boards/OLD/tickets", "title", "x").goesTo(t, "/acme/boards/DEMO")
	})

	t.Run("the API leads to the current name, and does what is sent to an old one", func(t *testing.T) {
		p := e.program()
		for old, now := range map[string]string{
			"/tickets/OLD-77":               "/api/v1/tickets/DEMO-1",
			"/boards/OLD":                   "/api/v1/boards/DEMO",
			"/boards/OLD/tickets?limit=200": "/api/v1/boards/DEMO/tickets?limit=200",
		} {
			p.get(old).movedTo(t, now)
			nothing := strangers.get("/tickets/NOPE-1").problem(t, 404, "")
			if here := strangers.get("/tickets/OLD-77").problem(t, 404, ""); !reflect.DeepEqual(here, nothing) {
				t.Errorf("a stranger can tell an old key: %+v %+v", here, nothing)
			}
		}
		var made ticket
		p.patch("/tickets/OLD-77", object{"title": "Again", "version": 2}).is(t, 200).read(t, &made)
		if made.Key != "DEMO-1" {
			t.Errorf("it is %s", made.Key)
		}
		p.post("/tickets/OLD-3/position", object{"column": 2, "after": nil}).is(t, 200).read(t, &made)
		p.post("/boards/OLD/tickets", object{"title": "x"}).is(t, 201).read(t, &made)
		if made.Board != "DEMO" {
			t.Errorf("it is on %s", made.Board)
		}
		p.patch("/boards/OLD", object{"title": "First steps", "version": 1}).is(t, 200)
	})

	t.Run("an old key in a text is a link", func(t *testing.T) {
		ana.post("/acme/DEMO-2", "title", "After OLD-77", "description", "See OLD-1, NOPE-1.", "version", "1").is(t, 303)
		page := ana.get("/acme/DEMO-2").is(t, 200)
		page.has(t, 1, "h1 a[href='/acme/OLD-77']")
		page.has(t, 1, ".prose a[href='/acme/OLD-1']")
		page.has(t, 1, ".prose a")
	})
}
