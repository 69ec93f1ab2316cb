package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// Attacks: each rule holds for a caller with an account, a token, or a link, but without the right.

// join adds an existing account to another company.
func (e *env) join(name, company, role string) {
	e.t.Helper()
	e.exec(`INSERT INTO membership (company_id, account_id, role, handle, created_at)
		SELECT c.id, a.id, ?, ?, UTC_TIMESTAMP(6) FROM company c, account a WHERE c.slug = ? AND a.email = ?`, role, name,
		company, name+"@example.com")
}

// actorOf is a member as a request of theirs that is under way has them.
func (e *env) actorOf(name, company string) context.Context {
	e.t.Helper()
	account := accounts.ID(e.idOf(name))
	actor := domaintest.OK(e.workflows.Workflows.Enter(context.Background(), company, account,
		uint64(e.count("SELECT session_epoch FROM account WHERE id = ?", uint64(account)))))(e.t)
	return accounts.WithActor(context.Background(), actor)
}

// Ids are the same in all companies; each is looked for in the company and below the ticket of the path.
func TestForeignIDs(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	ana, sam := e.ana(), e.signedIn("sam")
	rivals := &program{env: e, token: e.tokenOf("sam", "rivals", accounts.Scopes...)}
	rivals.post("/boards", object{"slug": "DEMO", "title": "Theirs"}).is(t, 201)
	rivals.post("/boards/DEMO/tickets", object{"title": "Theirs"}).is(t, 201)
	rivals.post("/tickets/DEMO-1/comments", object{"body": "Theirs"}).is(t, 201)
	theirs := e.count("SELECT MAX(id) FROM comment")
	column := e.count("SELECT MAX(c.id) FROM board_column c JOIN board b ON b.id = c.board_id JOIN company o ON o.id = " +
		"b.company_id WHERE o.slug = 'acme'")
	ana.post("/acme/DEMO-2/closure", "closed", "1").is(t, 303)
	closed := e.count("SELECT MAX(id) FROM activity WHERE kind = 'closed'")
	ana.post("/acme/DEMO-3/comments", "body", "A secret for @mia").is(t, 303)
	entry := e.count("SELECT MAX(id) FROM notification")
	ana.invitation()
	ana.post("/acme/tokens", "name", "x", "scopes", "boards:read", "days", "0").is(t, 201)
	token := e.count("SELECT MAX(id) FROM api_token")
	mia := e.idOf("mia")

	e.unchanged(t, func() {
		for path, fields := range map[string][]string{
			"/rivals/DEMO-1/comments/1":                                      {"body", "x", "version", "1"},
			"/rivals/DEMO-1/comments/1/removal":                              {},
			"/rivals/DEMO-1/comments/1/restoration":                          {},
			"/acme/DEMO-2/comments/1/restoration":                            {},
			"/rivals/undo":                                                   {"activity", fmt.Sprint(closed)},
			fmt.Sprintf("/rivals/inbox/%d", entry):                           {},
			"/rivals/people/invitations/1/revocation":                        {},
			fmt.Sprintf("/rivals/tokens/%d/revocation", token):               {},
			fmt.Sprintf("/rivals/people/%d/role", mia):                       {"role", "viewer"},
			fmt.Sprintf("/rivals/people/%d/removal", mia):                    {},
			fmt.Sprintf("/rivals/people/%d/resets", mia):                     {},
			"/rivals/DEMO-1/assignees":                                       {"quick", "1", "add", fmt.Sprint(mia)},
			"/rivals/DEMO-1/position":                                        {"column", fmt.Sprint(column)},
			fmt.Sprintf("/rivals/boards/DEMO/columns/%d", column):            {"name", "x", "version", "1"},
			fmt.Sprintf("/rivals/boards/DEMO/columns/%d/removal", column):    {"version", "1"},
			"/rivals/boards/DEMO/tickets":                                    {"title", "x", "column", fmt.Sprint(column)},
			fmt.Sprintf("/acme/DEMO-1/comments/%d", theirs):                  {"body", "x", "version", "1"},
			fmt.Sprintf("/acme/boards/DEMO/columns/%d", column+1):            {"name", "x", "version", "1"},
			"/acme/DEMO-2/comments/1":                                        {"body", "x", "version", "1"},
			"/acme/DEMO-2/comments/1/removal":                                {},
			fmt.Sprintf("/acme/inbox/%d", entry):                             {}, // Mia's, not Ana's
			fmt.Sprintf("/acme/people/%d/role", e.idOf("sam")):               {"role", "viewer"},
			fmt.Sprintf("/acme/people/%d/operator", e.idOf("sam")):           {"operator", "yes"},
			fmt.Sprintf("/acme/DEMO-1/comments/%d/removal", uint64(1)<<62+1): {},
		} {
			b := ana
			if strings.HasPrefix(path, "/rivals") {
				b = sam
			}
			if a := b.post(path, fields...); a.code < 400 || a.code >= 500 || strings.Contains(a.body, "secret") {
				t.Errorf("%s: %d", path, a.code)
			}
		}
		for path, b := range map[string]*browser{
			"/rivals/DEMO-1/comments/1":                                   sam,
			"/rivals/DEMO-1/comments/1/edit":                              sam,
			fmt.Sprintf("/rivals/DEMO-1/activity/%d", closed):             sam,
			fmt.Sprintf("/rivals/people/%d", mia):                         sam,
			fmt.Sprintf("/rivals/boards/DEMO/columns/%d", column):         sam,
			fmt.Sprintf("/rivals/boards/DEMO/columns/%d/removal", column): sam,
			"/acme/DEMO-2/comments/1":                                     ana,
			fmt.Sprintf("/acme/DEMO-1/activity/%d", closed):               ana,
		} {
			if a := b.get(path); a.code != 404 {
				t.Errorf("%s: %d", path, a.code)
			}
		}
		for _, path := range []string{"/tickets/DEMO-1/comments/1", "/boards/DEMO/columns/1"} {
			rivals.delete(path).problem(t, 404, "")
		}
		if body := rivals.get("/tickets/DEMO-1/comments?after=0").is(t, 200).body; strings.Contains(body, "Hello") {
			t.Error("comments of another company are listed")
		}
	})
	// Another user's action cannot be undone by its id.
	e.signedIn("adam").post("/acme/undo", "activity", fmt.Sprint(closed)).is(t, 409)
}

// A link for a new password opens an account: it is worth no more than its author's rights.
func TestResetOfWhoMayNoMore(t *testing.T) {
	t.Parallel()
	const other = "another horse battery"
	// Adam and Mia belong to two companies; he makes the link in the first.
	stolen := func(t *testing.T, e *env) string {
		t.Helper()
		return pathOf(t, e.signedIn("adam").post(fmt.Sprintf("/acme/people/%d/resets", e.idOf("mia"))).is(t, 201).
			value(t, "#link"))
	}
	both := func(t *testing.T) *env {
		t.Helper()
		e := newEnvWithRoles(t)
		e.join("adam", "rivals", accounts.Admin)
		e.join("mia", "rivals", accounts.Member)
		return e
	}
	for rule, change := range map[string]func(t *testing.T, e *env){
		"its maker was removed from the person's other company": func(t *testing.T, e *env) {
			e.signedIn("sam").post(fmt.Sprintf("/rivals/people/%d/removal", e.idOf("adam"))).is(t, 303)
		},
		"its maker became less in the person's other company": func(t *testing.T, e *env) {
			e.signedIn("sam").post(fmt.Sprintf("/rivals/people/%d/role", e.idOf("adam")), "role", "member").is(t, 303)
		},
		"the person joined a company while it was made": func(t *testing.T, e *env) {
			e.exec("INSERT INTO company (slug, name, created_at) VALUES ('third', 'Third', UTC_TIMESTAMP(6))")
			e.join("mia", "third", accounts.Member)
		},
		"the person became an operator while it was made": func(t *testing.T, e *env) {
			e.exec("UPDATE account SET operator = TRUE WHERE name = 'mia'")
		},
	} {
		t.Run("is worth nothing where "+rule, func(t *testing.T) {
			t.Parallel()
			e := both(t)
			path := stolen(t, e)
			change(t, e)
			e.unchanged(t, func() {
				e.visitor().get(path).is(t, 404)
				e.visitor().post(path, "password", other).is(t, 404)
			})
			e.visitor().post("/login", "email", "mia@example.com", "password", other).is(t, 422)
		})
	}

	t.Run("is good as long as nothing changed", func(t *testing.T) {
		t.Parallel()
		e := both(t)
		path := stolen(t, e)
		e.visitor().get(path).is(t, 200)
		e.visitor().post(path, "password", other).is(t, 303)
	})

	t.Run("by whoever runs the server is good for everybody", func(t *testing.T) {
		t.Parallel()
		e := both(t)
		secret := domaintest.OK(e.workflows.Workflows.MakeResetFor(context.Background(), email))(t)
		e.visitor().get("/reset/"+secret).is(t, 200)
		e.visitor().post("/reset/"+secret, "password", other).is(t, 303)
	})
}

// A request that is under way when its sender is removed, or becomes less, leaves nothing that works later.
func TestRemovedMeanwhile(t *testing.T) {
	t.Parallel()

	t.Run("a token is not made", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		late := e.actorOf("mia", "acme")
		e.ana().post(fmt.Sprintf("/acme/people/%d/removal", e.idOf("mia"))).is(t, 303)
		_, err := e.workflows.Workflows.MakeToken(late,
			accounts.TokenDraft{Name: "late", Scopes: []string{"tickets:read"}, Days: 30}, nil)
		if !errors.Is(err, fault.NotFound) || e.count("SELECT COUNT(*) FROM api_token WHERE name = 'late'") != 0 {
			t.Errorf("there is a token that would work again with a new invitation: %v", err)
		}
	})

	t.Run("a company is not renamed", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		late := e.actorOf("adam", "acme")
		e.ana().post(fmt.Sprintf("/acme/people/%d/role", e.idOf("adam")), "role", "member").is(t, 303)
		domaintest.Is(t, e.workflows.Workflows.RenameCompany(late, "Adam's"), fault.Forbidden)
	})
}

// A scope to write is none to read.
func TestWriteOnlyToken(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const secret = "What only those who may read shall see"
	e.program().patch("/tickets/DEMO-1", object{"description": secret, "version": 1}).is(t, 200)
	e.program().post("/boards", object{"slug": "NINJA", "title": secret}).is(t, 201)
	blind := &program{env: e, token: e.tokenOf("ana", "acme", "tickets:write", "boards:write")}
	for _, call := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPatch, "/tickets/DEMO-1", object{"title": "x", "version": 1}},
		{http.MethodPatch, "/tickets/DEMO-1", object{"version": 2}},
		{http.MethodPut, "/tickets/DEMO-1/assignees", object{"assignees": []string{}}},
		{http.MethodPut, "/tickets/DEMO-1/restoration", nil},
		{http.MethodPut, "/tickets/DEMO-1/closure", nil},
		{http.MethodPost, "/tickets/DEMO-1/position",
			object{"column": 1, "after": nil, "seen": object{"column": 2, "after": nil}}},
		{http.MethodPatch, "/boards/NINJA", object{"title": "x", "version": 9}},
		{http.MethodPatch, "/boards/NINJA", object{"title": secret, "version": 1}},
		{http.MethodDelete, "/boards/NINJA/archive", nil},
	} {
		if a := blind.call(call.method, call.path, call.body); strings.Contains(a.body, secret) {
			t.Errorf("%s %s shows it: %d", call.method, call.path, a.code)
		}
	}
	e.program().delete("/tickets/DEMO-1").is(t, 204)
	if a := blind.call(http.MethodPut, "/tickets/DEMO-1/restoration", nil); strings.Contains(a.body, secret) {
		t.Error("a restored ticket shows it")
	}
	blind.post("/boards/DEMO/tickets", object{"title": "x"}).is(t, 201)
	blind.post("/tickets/DEMO-2/comments", object{"body": "x"}).is(t, 201)
}

// An answer is not replayed to a caller that would not get it now.
func TestReplayToLess(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	ana, p := e.ana(), &program{env: e, token: e.tokenOf("mia", "acme", accounts.Scopes...)}
	for path, body := range map[string]object{
		"/boards":                  {"slug": "NINJA", "title": "x"},
		"/boards/DEMO/tickets":     {"title": "x"},
		"/tickets/DEMO-1/comments": {"body": "x"},
	} {
		p := p.with("Idempotency-Key", path)
		p.post(path, body).is(t, 201)
		role := fmt.Sprintf("/acme/people/%d/role", e.idOf("mia"))
		ana.post(role, "role", "viewer").is(t, 303)
		p.post(path, body).problem(t, 403, "")
		ana.post(role, "role", "member").is(t, 303)
	}
}

// An admin sees every link that admits members.
func TestHiddenInvitations(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	adam := e.signedIn("adam")
	first := adam.invitation("note", "The first")
	for range 99 {
		e.exec(`INSERT INTO invitation (company_id, hash, role, note, max_uses, created_by, created_at, expires_at)
			SELECT company_id, UNHEX(SHA2(UUID(), 256)), role, 'more', NULL, created_by, created_at, expires_at FROM invitation WHERE id = 1`)
	}
	adam.post("/acme/people/invitations", "role", "member", "days", "7").is(t, 409).
		has(t, 1, "#invite .summary, form .summary")
	if !strings.Contains(e.ana().get("/acme/people").text(t, "#invitations"), "The first") {
		t.Error("the first link is on no page")
	}
	e.visitor().get(first).is(t, 200)
	e.ana().post("/acme/people/invitations/1/revocation").is(t, 303)
	adam.invitation()
}

// An account is limited by whatever spelling of its address reaches it, and no header makes another address.
func TestSpellingsOfAnAddress(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	e.stopClock()
	try := func(address, word string, header ...string) *answer {
		r := newRequest(http.MethodPost, "/login", formKind,
			strings.NewReader(form("email", address, "password", word).Encode()), header...)
		return e.send(r)
	}
	spellings := []string{"mia@example.com", "MIA@example.com", " mia@example.com", "mia@example.com ",
		"\tmia@EXAMPLE.com\r\n", "\u00a0mia@example.com\u3000", "Mia@Example.Com\u2003"}
	for i := range 10 {
		try(spellings[i%len(spellings)], "wrong", "X-Forwarded-For", fmt.Sprint("203.0.113.", i), "X-Real-IP",
			fmt.Sprint("203.0.113.", i), "Forwarded", fmt.Sprint("for=203.0.113.", i)).is(t, 422)
	}
	for _, spelling := range append(spellings, "mia@example.com\x00", "m\u0131a@example.com", "mia@example.com\xff",
		"m\u00eda@example.com", "\u212bmia@example.com", "mia@example.com\u200b") {
		if a := try(spelling, password, "X-Forwarded-For", "198.51.100.1"); a.code == 303 {
			t.Errorf("%q signs in", spelling)
		}
	}
}

// Nobody learns from the way in whether an address has an account.
func TestNoOracle(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	e.stopClock()
	same := func(path string) {
		t.Helper()
		for i := range 12 {
			var bodies []string
			for _, address := range []string{"mia@example.com", "tia@example.com"} {
				a := e.visitor().post(path, "email", address, "password", "wrong")
				page := a.page()
				page.Find("[data-account], .summary a").Remove()
				bodies = append(bodies, fmt.Sprint(a.code, a.header.Get("Retry-After"),
					strings.ReplaceAll(page.Find("main").Text(), address, "")))
			}
			if bodies[0] != bodies[1] {
				t.Errorf("try %d: %s\n%s", i, bodies[0], bodies[1])
			}
		}
	}
	same("/login")
}

// A browser or a proxy stores nothing personal.
func TestNothingPersonalIsStored(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	olga := e.signedIn("olga")
	for name, who := range pages {
		if !strings.HasPrefix(name, "GET ") || strings.HasPrefix(name, "GET /static") || who.signedOut == 200 {
			continue
		}
		for _, b := range []*browser{olga, olga.htmx("dialog")} {
			a := b.get(who.path)
			if a.code == 303 || a.code == 302 {
				continue
			}
			if got := a.header.Get("Cache-Control"); !strings.Contains(got, "no-store") {
				t.Errorf("%s: %d, Cache-Control %q", name, a.code, got)
			}
			if !strings.Contains(a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
				a.header.Get("X-Frame-Options") != "DENY" {
				t.Errorf("%s may be shown within another page", name)
			}
		}
	}
}

// A text that its author took back is on no page.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	mia, adam := e.signedIn("mia"), e.signedIn("adam")
	mia.post("/acme/DEMO-1/comments", "body", "@adam the key is hunter2").is(t, 303)
	comment := e.count("SELECT MAX(id) FROM comment")
	if !strings.Contains(adam.get("/acme/inbox").body, "hunter2") {
		t.Fatal("the test looks in the wrong place")
	}
	mia.post(fmt.Sprintf("/acme/DEMO-1/comments/%d/removal", comment)).is(t, 303)
	paths := []string{"/acme/inbox", "/acme/DEMO-1", "/acme/DEMO-1/activity?before=999",
		"/acme/DEMO-1/comments?before=999", fmt.Sprintf("/acme/DEMO-1?comment=%d", comment), "/acme/work", "/acme/audit",
		"/acme/jump?q=hunter2", "/acme/search?q=hunter2"}
	typed := strings.NewReplacer(`value="hunter2"`, "", `search?q=hunter2"`, "")
	for _, path := range paths {
		if strings.Contains(typed.Replace(adam.get(path).body), "hunter2") {
			t.Errorf("%s shows it", path)
		}
	}
	if strings.Contains(e.programOf("adam").get("/tickets/DEMO-1/comments").is(t, 200).body, "hunter2") {
		t.Error("the API shows it")
	}
	adam.htmx("comment").get(fmt.Sprintf("/acme/DEMO-1/comments/%d", comment)).is(t, 200)
	mia.get(fmt.Sprintf("/acme/DEMO-1/comments/%d/edit", comment)).is(t, 404)
}

// The page after a form is always ours.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	for _, next := range []string{"//evil.example", "https://evil.example", `/\evil.example`, "/\t/evil.example",
		"javascript:alert(1)", "/login?next=//evil.example", "evil.example", "/\r\nSet-Cookie: x=y", "%2F%2Fevil.example"} {
		ana.post("/acme/DEMO-1/closure", "closed", "1").is(t, 303)
		for name, where := range map[string]string{
			"undo": ana.post("/acme/undo", "next", next).is(t, 303).header.Get("Location"),
			"login": e.visitor().post("/login", "email", email, "password", password, "next", next).is(t, 303).
				header.Get("Location"),
			"signed in": ana.get("/login?next="+form("x", next).Encode()[2:]).is(t, 303).header.Get("Location"),
			"signed out": e.visitor().htmx("dialog").with("HX-Current-URL", next).get("/acme").is(t, 401).
				header.Get("HX-Redirect"),
			"undo by htmx": ana.htmx("undo").post("/acme/closure", "next", next).header.Get("HX-Redirect"),
			"a wide filter": ana.htmx("column-1").with("HX-Current-URL", next).get("/acme/boards/DEMO").
				header.Get("HX-Redirect"),
		} {
			if strings.Contains(where, "evil") && !strings.HasPrefix(where, "/login?next=%2F") ||
				strings.Contains(where, "javascript") {
				t.Errorf("%s %q goes to %q", name, next, where)
			}
		}
	}
}

// No number, however large, is a fault of ours.
func TestExtremeNumbers(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	ana := e.ana()
	for _, n := range []string{"9223372036854775807", "-9223372036854775808", "4294967296"} {
		for path, fields := range map[string][]string{
			"/acme/DEMO-1": {"title", "x", "version", "1", "merge", n, "overwrite", n,
				"merged_title", "y"},
			"/acme/DEMO-1/position": {"column", "2", "seen_column", "1", "seen_moved", n, "after",
				"DEMO-" + n},
			"/acme/DEMO-1/comments":  {"body", "x", "last", n},
			"/acme/DEMO-1/assignees": {"quick", "1", "add", n, "remove", n},
			"/acme/boards/DEMO/columns": {"name", "x", "version", "1", "wip", "hard", "wip_limit", n,
				"position", n},
			"/acme/boards/DEMO/columns/1/removal":           {"version", n, "to", n},
			"/acme/inbox":                                   {"upto", n},
			"/acme/inbox/" + n:                              {},
			"/acme/undo":                                    {"activity", n},
			"/acme/people/" + n + "/role":                   {"role", "member"},
			"/acme/people/invitations":                      {"role", "member", "days", n},
			"/acme/people/invitations/" + n + "/revocation": {},
			"/acme/tokens/" + n + "/revocation":             {},
		} {
			if a := ana.post(path, fields...); a.code >= 500 {
				t.Errorf("POST %s %v: %d", path, fields, a.code)
			}
		}
		for _, path := range []string{"people?after=", "tokens?before=", "audit?before=", "inbox?before=", "work?before=",
			"DEMO-1?comment=", "DEMO-1/comments?before=", "DEMO-1/activity?before=",
			"boards/DEMO/deleted?below=", "boards/DEMO/columns/1?below=", "boards/DEMO?q=", "jump?board=DEMO&q=", "DEMO-"} {
			if a := ana.get("/acme/" + path + n); a.code >= 500 {
				t.Errorf("GET %s%s: %d", path, n, a.code)
			}
		}
	}
	fields := form("name", "x", "days", "30")
	for range 60 {
		fields.Add("scopes", "boards:read")
	}
	ana.send(newRequest(http.MethodPost, "/acme/tokens", formKind, strings.NewReader(fields.Encode()))).is(t, 201)
	if n := e.count("SELECT COUNT(*) FROM api_token WHERE scopes = 'boards:read'"); n != 1 {
		t.Error("the scope is not there once")
	}
}
