package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
)

// serviceToken is a token of a new service account of acme, which may pop so many codes a day and in a call.
func (e *env) serviceToken(scope string, budget int) string {
	e.t.Helper()
	id := e.exec("INSERT INTO account (email, name, password_hash, created_at) SELECT CONCAT('service-', COUNT(*)), " +
		"'Robot (service account)', '', UTC_TIMESTAMP(6) FROM account a")
	e.exec("INSERT INTO service_account (account_id, company_id, created_by, created_at, per_day, per_call) "+
		"SELECT ?, id, 1, UTC_TIMESTAMP(6), ?, ? FROM company WHERE slug = 'acme'", id, budget, budget)
	token := fmt.Sprintf("cfl_service%d", id)
	e.exec("INSERT INTO api_token (company_id, account_id, name, hash, scopes, created_at) "+
		"SELECT id, ?, 'robot', ?, ?, UTC_TIMESTAMP(6) FROM company WHERE slug = 'acme'", id, accounts.HashToken(token), scope)
	return token
}

// newService makes a service account on the page of acme, and returns its path and its id.
func (e *env) newService(b *browser, name string) (path, id string) {
	e.t.Helper()
	a := b.post("/acme/settings/service-accounts", "name", name).is(e.t, http.StatusSeeOther)
	path = a.header.Get("Location")
	return path, path[strings.LastIndex(path, "/")+1:]
}

// isProblem fails unless the answer is a problem with that status and code.
func (a *answer) isProblem(t testing.TB, code int, want fault.Code) {
	t.Helper()
	if a.is(t, code); !strings.Contains(a.body, ":"+string(want)+`"`) {
		t.Errorf("it is not %s: %s", want, a.body)
	}
}

func TestServiceAccounts(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	adam := e.signedIn("adam")
	path, id := e.newService(adam, "Night shift")

	t.Run("are no members", func(t *testing.T) {
		for _, page := range []string{"/acme/people", "/acme/people/mentions?q=n", "/acme/DEMO-1/assignees"} {
			if body := adam.get(page).is(t, http.StatusOK).body; strings.Contains(body, "Night shift") {
				t.Errorf("%s names it", page)
			}
		}
		adam.get("/acme/people/"+id).is(t, http.StatusNotFound)
		var email string
		domaintest.Must(t, e.db.SQL.QueryRowContext(t.Context(), "SELECT email FROM account WHERE id = ?", id).Scan(&email))
		e.visitor().post("/login", "email", email, "password", "").is(t, http.StatusUnprocessableEntity)
	})
	t.Run("have tokens of one scope, without those of operators", func(t *testing.T) {
		page := adam.get(path).is(t, http.StatusOK).page()
		if page.Find("input[value=operate], input[value='refs:pop'], input[value='audit:read']").Length() > 0 {
			t.Error("the form offers a scope that it cannot have")
		}
		for _, scopes := range [][]string{{}, {"operate"}, {"refs:pop"}, {"audit:read"}, {"tickets:read", "tickets:write"}} {
			fields := form("name", "robot", "days", "30")
			fields["scopes"] = scopes
			a := adam.send(newRequest(http.MethodPost, path+"/tokens", formKind, strings.NewReader(fields.Encode()))).
				is(t, http.StatusUnprocessableEntity)
			if got := a.page().Find("#token-name").AttrOr("value", ""); got != "robot" {
				t.Errorf("%v: the name is %q", scopes, got)
			}
		}
	})
	t.Run("are marked wherever their name stands", func(t *testing.T) {
		secret := adam.post(path+"/tokens", "name", "robot", "days", "30", "scopes", "tickets:write").
			is(t, http.StatusCreated).page().Find("#secret").AttrOr("value", "")
		robot := &program{env: e, token: secret}
		robot.post("/tickets/DEMO-1/comments", object{"body": "Done at night"}).is(t, http.StatusCreated)
		for _, page := range []string{"/acme/DEMO-1", "/acme/tokens", path} {
			if body := adam.get(page).is(t, http.StatusOK).body; !strings.Contains(body, "Night shift (service account)") {
				t.Errorf("%s does not say what it is", page)
			}
		}
		adam.post("/account", "name", "Ana (Service  Account)").is(t, http.StatusUnprocessableEntity)

		adam.get(path+"/removal").is(t, http.StatusOK)
		adam.post(path+"/removal").is(t, http.StatusSeeOther)
		robot.get("/tickets/DEMO-1").problem(t, http.StatusUnauthorized, "")
		adam.get(path).is(t, http.StatusNotFound)
		if body := adam.get("/acme/DEMO-1").body; !strings.Contains(body, "Night shift (service account)") {
			t.Error("what it wrote lost its name")
		}
	})
}

// A service account reads the feeds of open boards, and is told when it loses one.
func TestServiceAccountReadsFeeds(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	robot := &program{env: e, token: e.serviceToken("tickets:read", 0)}
	e.publish()
	page := robot.feed(t, "tickets")
	if len(page.Items) == 0 {
		t.Fatal("it reads nothing of an open board")
	}
	e.signedIn("olga").post("/acme/boards/DEMO/privacy", "private", "yes").is(t, http.StatusSeeOther)
	e.publish()
	if body := robot.get("/feeds/tickets?cursor="+page.Cursor).is(t, http.StatusOK).body; !strings.Contains(body, `"reason":"left"`) {
		t.Errorf("it is not told that it lost the board: %s", body)
	}
	robot.get("/tickets/DEMO-1").problem(t, http.StatusNotFound, "")
}

func TestRefBudget(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	adam, otto := e.signedIn("adam"), e.signedIn("otto")
	path, id := e.newService(adam, "Labels")
	grant := "/admin/refs/service-accounts/" + id
	a := otto.post(grant, "per_day", "many", "per_call", "1001").is(t, http.StatusUnprocessableEntity)
	if got := a.page().Find("#budget-per_day").AttrOr("value", ""); got != "many" || a.page().Find(".error").Length() < 2 {
		t.Errorf("the form has %q: %s", got, a.body)
	}
	otto.post(grant, "per_day", "3", "per_call", "2").is(t, http.StatusSeeOther)
	for _, list := range []string{"/admin/audit", "/acme/audit"} {
		who := map[string]*browser{"/admin/audit": otto, "/acme/audit": adam}[list]
		if body := who.get(list).body; !strings.Contains(body, "let Labels (service account) pop 3 reference codes a day, 2 in a call") {
			t.Errorf("%s does not have it", list)
		}
	}
	secret := adam.post(path+"/tokens", "name", "printer", "days", "30", "scopes", "refs:pop").is(t, http.StatusCreated).
		page().Find("#secret").AttrOr("value", "")
	labels := &program{env: e, token: secret}
	e.codes("aaaaa", "bbbbb", "ccccc", "ddddd")

	labels.post("/refs/pop", object{"count": 1, "purpose": strings.Repeat("ü", 201)}).
		isProblem(t, http.StatusUnprocessableEntity, refs.CodeBadPurpose)
	a = labels.post("/refs/pop", object{"count": 3})
	if a.isProblem(t, http.StatusTooManyRequests, refs.CodeOverCall); a.header.Get("Retry-After") != "1" {
		t.Errorf("a call over its budget: Retry-After %q", a.header.Get("Retry-After"))
	}
	var got poppedJSON
	labels.post("/refs/pop", object{"count": 2, "purpose": "Labels of March"}).is(t, http.StatusOK).read(t, &got)
	a = labels.post("/refs/pop", object{"count": 2})
	a.isProblem(t, http.StatusTooManyRequests, refs.CodeOverDay)
	if a.header.Get("Retry-After") == "" {
		t.Error("a day over its budget has no Retry-After")
	}
	if n := e.count("SELECT spent FROM service_account WHERE account_id = " + id); n != 2 {
		t.Errorf("%d are counted, not 2", n)
	}
	e.exec("UPDATE service_account SET spent_on = '2020-01-01' WHERE account_id = " + id)
	labels.post("/refs/pop", object{"count": 2}).is(t, http.StatusOK)

	t.Run("the code says what became of it, to its owner and operators", func(t *testing.T) {
		code := string(got.Refs[0])
		opal := &program{env: e, token: e.tokenOf("opal", "acme", accounts.PopRefs)}
		for _, p := range []*program{labels, opal} {
			body := p.get("/refs/"+code).is(t, http.StatusOK).body
			for _, part := range []string{`"code":"` + code, `"purpose":"Labels of March"`, `"name":"printer"`,
				`"account":"Labels (service account)"`, `"ticket":null`, `"issued_at":"`} {
				if !strings.Contains(body, part) {
					t.Errorf("%s is not in %s", part, body)
				}
			}
		}
		e.exec("UPDATE ref_issue SET ticket_id = (SELECT MIN(id) FROM ticket) WHERE code = ?", code)
		if body := opal.get("/refs/" + code).body; !strings.Contains(body, `"ticket":{"key":"DEMO-1"`) {
			t.Errorf("it does not lead to the ticket: %s", body)
		}
		e.exec("UPDATE board SET privacy = 1 WHERE slug = 'DEMO'")
		if body := opal.get("/refs/" + code).body; !strings.Contains(body, `"ticket":null`) {
			t.Errorf("it leads to the ticket of a private board: %s", body)
		}
		e.exec("UPDATE board SET privacy = 0 WHERE slug = 'DEMO'")
	})
	t.Run("to others it is as unknown as any, and a miss", func(t *testing.T) {
		e.exec("DELETE FROM public_limit")
		other := &program{env: e, token: e.serviceToken(accounts.PopRefs, 5)}
		yours, none := other.get("/refs/"+string(got.Refs[0])), other.get("/refs/zzzzz")
		yours.isProblem(t, http.StatusNotFound, refs.CodeNotIssued)
		if yours.body != none.body {
			t.Errorf("they differ:\n%s\n%s", yours.body, none.body)
		}
		if n := e.count("SELECT MAX(used) FROM public_limit"); n != 2 {
			t.Errorf("%d misses are counted, not 2", n)
		}
		e.exec("UPDATE public_limit SET used = 100000")
		other.get("/refs/"+string(got.Refs[0])).refused(t, requests.CodeTooMany)
	})
}

func TestImagesOfRuns(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	for _, stored := range []struct {
		id, name string
		everyone bool
	}{{"1", "seen", true}, {"2", "secret", false}} {
		e.exec("INSERT INTO image (company_id, hash, content_type, bytes, width, height, created_at, everyone) SELECT id, "+
			"UNHEX(SHA2(?, 256)), 'image/png', 2048, 30, 20, UTC_TIMESTAMP(6), ? FROM company WHERE slug = 'acme'", stored.name,
			stored.everyone)
		e.exec("INSERT INTO run_image (run_id, company_id, url_hash, url, hash, created_at) SELECT 1, id, UNHEX(SHA2(?, 256)), "+
			"CONCAT('https://images.example/', ?), UNHEX(SHA2(?, 256)), UTC_TIMESTAMP(6) FROM company WHERE slug = 'acme'",
			stored.name, stored.name, stored.name)
	}
	e.exec(`INSERT INTO picture (ticket_id, url_hash, url, company_id, account_id, hash, attempts, queued_at)
		SELECT t.id, UNHEX(SHA2('secret', 256)), 'https://images.example/secret', b.company_id, 1, UNHEX(SHA2('secret', 256)), 1, UTC_TIMESTAMP(6)
		FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'DEMO' AND t.local_id = 1`)
	if images := e.signedIn("opal").get("/admin/migrations/images").page().Find("#run-images img"); images.Length() != 2 {
		t.Errorf("of two images on an open board %d are shown", images.Length())
	}
	e.exec("UPDATE board SET privacy = 1 WHERE slug = 'DEMO'")
	rows := e.signedIn("opal").get("/admin/migrations/images").is(t, http.StatusOK).page().Find("#run-images tbody tr")
	if rows.Length() != 2 {
		t.Fatalf("%d rows", rows.Length())
	}
	hidden, seen := rows.Eq(0), rows.Eq(1)
	if text := seen.Text(); seen.Find("img").Length() != 1 || !strings.Contains(text, "https://images.example/seen") ||
		!strings.Contains(text, "30 × 20, 2") || seen.Find("a[href='/admin/migrations/runs/1']").Length() != 1 {
		t.Errorf("it shows %s", text)
	}
	if text := hidden.Text(); hidden.Find("img").Length() != 0 || strings.Contains(text, "secret") ||
		!strings.Contains(text, "images.example") {
		t.Errorf("it shows of an image on a private board %s", text)
	}
	if rows := e.signedIn("otto").get("/admin/migrations/images").page().Find("#run-images img"); rows.Length() > 0 {
		t.Error("an operator who is no member sees images")
	}
	below := e.signedIn("opal").get("/admin/migrations/images?before=2").page().Find("#run-images tbody tr")
	if below.Length() != 1 {
		t.Errorf("%d rows below the second", below.Length())
	}
}
