package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestAccounts(t *testing.T) {
	t.Parallel()
	t.Run("operators find accounts of all companies by the beginning of an address or a name", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("bo", "rivals", accounts.Member)
		e.account("bonnie", "acme", accounts.Member)
		e.exec("UPDATE account SET name = 'Zoë 100%' WHERE id = ?", e.idOf("bonnie"))
		ana := e.ana()
		ana.get("/admin/people").is(t, 200).has(t, 3, "#accounts tbody tr")
		for q, want := range map[string]int{
			"bo": 2, "BO": 2, "bonn": 1, "zoe": 1, "Zoë 100%": 1, "%": 0, "_o": 0, "o": 0, "' OR ''='": 0, "requester": 0,
			"<b>": 0, "\xff": 0,
		} {
			ana.get("/admin/people?q="+url.QueryEscape(q)).is(t, 200).has(t, want, "#accounts tbody tr")
		}
		ana.get("/admin/people?after=x").is(t, 400)
		e.exec("UPDATE account SET email = 'requester' WHERE id = ?", e.idOf("bo"))
		domaintest.OK(e.workflows.Workflows.OpenService(e.actorOf("ana", "acme"), "Robot", nil))(t)
		for i := range 100 {
			e.account(fmt.Sprint("p", i), "acme", accounts.Member)
		}
		first := ana.get("/admin/people").is(t, 200)
		first.has(t, 100, "#accounts tbody tr")
		last := ana.get(first.page().Find(".more a").AttrOr("href", "")).is(t, 200)
		last.has(t, 2, "#accounts tbody tr").has(t, 0, ".more a")
		ana.get("/admin/people?q=Robot").is(t, 200).has(t, 0, "#accounts")
		ana.get("/admin/people?q=service-").is(t, 200).has(t, 0, "#accounts")
		ana.get(fmt.Sprint("/admin/people/", e.count("SELECT account_id FROM service_account"))).is(t, 404)
		ana.get("/admin/people?after=99999").is(t, 200).has(t, 0, "#accounts")
	})

	t.Run("the page of an account shows its companies, sessions and second factors", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("bo", "rivals", accounts.Admin)
		e.signedIn("bo")
		page := e.ana().get(fmt.Sprintf("/admin/people/%d", e.idOf("bo"))).is(t, 200)
		page.textHas(t, "main", "/rivals admin")
		page.has(t, 1, "#sessions tbody tr")
		e.ana().get("/admin/people/99").is(t, 404)
		e.ana().get("/admin/people/0").is(t, 404)
	})

	t.Run("an operator signs an account out everywhere", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		mia, path := e.signedIn("mia"), fmt.Sprintf("/admin/people/%d/sessions/revocation", e.idOf("mia"))
		program := e.programOf("mia")
		e.ana().post(path).is(t, 303)
		mia.get("/acme").goesTo(t, "/login?next=%2Facme")
		program.get("/boards").is(t, 200)
		e.ana().post(path, "tokens", "yes").is(t, 303)
		program.get("/boards").is(t, 401)
		for _, list := range []string{"/acme/audit", "/admin/audit"} {
			e.audited(t, "ana", list, "signed mia <mia@example.com> out everywhere")
		}
	})

	t.Run("a link by an operator of no company of theirs works once, until they are no operator", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("bo", "rivals", accounts.Owner)
		e.account("op", "acme", accounts.Viewer)
		e.exec("UPDATE account SET operator = TRUE WHERE id = ?", e.idOf("op"))
		op, resets := e.signedIn("op"), fmt.Sprintf("/admin/people/%d/resets", e.idOf("bo"))
		first := pathOf(t, op.post(resets).is(t, 201).value(t, "#link"))
		link := pathOf(t, op.post(resets).is(t, 201).value(t, "#link"))
		e.visitor().get(first).is(t, 404)
		e.visitor().get(link).is(t, 200)
		e.exec("UPDATE account SET operator = FALSE WHERE id = ?", e.idOf("op"))
		e.visitor().get(link).is(t, 404)
		e.exec("UPDATE account SET operator = TRUE WHERE id = ?", e.idOf("op"))
		e.visitor().post(link, "password", "another horse battery").goesTo(t, "/rivals")
		e.visitor().get(link).is(t, 404)
		op.post(fmt.Sprintf("/admin/people/%d/resets", e.idOf("op"))).is(t, 403)
		e.exec("DELETE FROM membership WHERE account_id = ?", e.idOf("bo"))
		op.post(resets).is(t, 409).textHas(t, "main", "in no company")
	})

	t.Run("the last operator stays one", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("bo", "rivals", accounts.Member)
		ana, bo := e.ana(), fmt.Sprintf("/admin/people/%d/operator", e.idOf("bo"))
		ana.post("/admin/people/1/operator", "operator", "no").is(t, 409).has(t, 1, "[role=alert]")
		ana.post(bo, "operator", "perhaps").is(t, 422)
		ana.post(bo, "operator", "yes").is(t, 303)
		ana.post("/admin/people/1/operator", "operator", "no").is(t, 303)
		ana.post(bo, "operator", "no").is(t, 404)
		e.signedIn("bo").get("/admin/people").is(t, 200)
	})
}

func TestCompanies(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("bo", "rivals", accounts.Owner)
	e.exec("UPDATE company SET name = '<i>Rivals</i>', second_factor = TRUE WHERE slug = 'rivals'")
	e.newBoard("SECRET")
	ana := e.ana()
	ana.get("/admin/companies").is(t, 200).has(t, 2, "#companies tbody tr")
	ana.get("/admin/companies?after=1").is(t, 200).has(t, 1, "#companies tbody tr")
	ana.get("/admin/companies?after=2").is(t, 200).has(t, 0, "#companies")
	page := ana.get("/admin/companies/rivals").is(t, 200)
	page.textHas(t, "h1", "<i>Rivals</i>")
	page.textHas(t, ".facts-list", "Second factorrequired")
	page.has(t, 1, fmt.Sprintf(".facts-list a[href='/admin/people/%d']", e.idOf("bo")))
	ana.get("/admin/companies/acme").is(t, 200).textHas(t, ".facts-list", "Boards2")
	for _, unknown := range []string{"nowhere", "ACME%20", "a'b", "%00"} {
		ana.get("/admin/companies/"+unknown).is(t, 404)
	}
}

func TestDeactivation(t *testing.T) {
	t.Parallel()
	const successor = "successor"
	path := func(e *env, name, action string) string {
		return fmt.Sprintf("/admin/people/%d/%s", e.idOf(name), action)
	}

	t.Run("a deactivated account can do nothing, until it is active again", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		ana, mia, program := e.ana(), e.signedIn("mia"), e.programOf("mia")
		adam := e.signedIn("adam")
		link := pathOf(t, adam.post(fmt.Sprintf("/acme/people/%d/resets", e.idOf("mia"))).is(t, 201).value(t, "#link"))
		invitation := e.signedIn("adam").invitation()
		e.exec("UPDATE invitation SET created_by = ?", e.idOf("mia"))
		ana.post(path(e, "mia", "deactivation")).is(t, 303)

		mia.get("/acme").goesTo(t, "/login?next=%2Facme")
		program.get("/boards").is(t, 401)
		e.visitor().get(link).is(t, 404)
		e.visitor().get(invitation).is(t, 404)
		e.visitor().post("/login", "email", "mia@example.com", "password", password).is(t, 403).
			textHas(t, "main", "This account is deactivated.")
		e.visitor().post("/login", "email", "mia@example.com", "password", "wrong").is(t, 422)
		adam.post(fmt.Sprintf("/acme/people/%d/resets", e.idOf("mia"))).is(t, 409)
		ana.post(path(e, "mia", "resets")).is(t, 409)
		ana.post(path(e, "mia", "operator"), "operator", "yes").is(t, 409)
		ana.get("/acme/people").textHas(t, "#members", "deactivated")
		ana.get("/admin/people?q=mia").textHas(t, "#accounts", "deactivated")
		e.audited(t, "ana", "/acme/audit", "deactivated mia <mia@example.com>")
		e.audited(t, "ana", "/admin/audit", "deactivated mia <mia@example.com>")

		ana.post(path(e, "mia", "deactivation")).is(t, 303) // again changes nothing
		e.counts(t, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'deactivated' AND company_id IS NULL")
		ana.post(path(e, "mia", "reactivation")).is(t, 303)
		mia.get("/acme").goesTo(t, "/login?next=%2Facme")
		program.get("/boards").is(t, 401)
		e.signedIn("mia").get("/acme").is(t, 200)
		e.audited(t, "ana", "/admin/audit", "reactivated mia <mia@example.com>")
	})

	t.Run("nobody assigns or mentions it, and its name stays on what it did", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.programOf("mia").post("/tickets/DEMO-1/comments", object{"body": "Mine."}).is(t, 201)
		ana := e.ana()
		suggested := func() bool { return strings.Contains(ana.get("/acme/people/mentions?q=mi").is(t, 200).body, "mia") }
		if !suggested() {
			t.Fatal("mia is not suggested")
		}
		ana.post(path(e, "mia", "deactivation")).is(t, 303)
		if suggested() {
			t.Error("mia is suggested")
		}
		e.program().put("/tickets/DEMO-1/assignees", object{"assignees": []string{"mia"}}).is(t, 422)
		before := e.count("SELECT COUNT(*) FROM notification WHERE account_id = ? AND kind = 'mention'", e.idOf("mia"))
		e.program().post("/tickets/DEMO-1/comments", object{"body": "@mia look"}).is(t, 201)
		e.counts(t, int(before), "SELECT COUNT(*) FROM notification WHERE account_id = ? AND kind = 'mention'", e.idOf("mia"))
		ana.get("/acme/DEMO-1").textHas(t, "main", "mia")
		ana.post(path(e, "mia", "reactivation")).is(t, 303)
		if !suggested() {
			t.Error("mia is not suggested again")
		}
	})

	t.Run("an owner takes over the private board that it alone administered", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		mia, ana := e.signedIn("mia"), e.ana()
		e.newBoard("SECRET")
		board := e.count("SELECT id FROM board WHERE slug = 'SECRET'")
		ana.post("/acme/boards/SECRET/members", "name", "@mia", "role", "admin").is(t, 303)
		mia.post("/acme/boards/SECRET/privacy", "private", "yes").is(t, 303)
		takeover := fmt.Sprintf("/acme/settings/boards/%d/takeover", board)
		ana.post(takeover).is(t, 409)
		ana.post(path(e, "mia", "deactivation")).is(t, 303)
		ana.post(takeover).is(t, 303)
		ana.get("/acme/boards/SECRET").is(t, 200)
	})

	t.Run("refusals say what to do, and keep what was typed", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		ana := e.ana()
		e.account("zoe", "solo", accounts.Owner)
		e.unchanged(t, func() {
			ana.post("/admin/people/1/deactivation").is(t, 409).textHas(t, "main", "your own account")
			ana.post(path(e, "zoe", "deactivation")).is(t, 409).textHas(t, "main", "the only owner of solo")
			for _, bad := range []string{"nobody@example.com", "mia@example.com", "x", "' OR 1"} {
				page := ana.post(path(e, "mia", "deactivation"), successor, bad).is(t, 422)
				page.has(t, 1, "#person-successor-error")
				if got := page.value(t, "#person-successor"); got != bad {
					t.Errorf("the form has %q", got)
				}
			}
		})
		e.account("oleg", "solo", accounts.Owner)
		ana.post(path(e, "zoe", "deactivation")).is(t, 303)
		ana.post(path(e, "oleg", "deactivation")).is(t, 409).textHas(t, "main", "the only owner of solo")
	})

	t.Run("of two owners and two operators that deactivate one another at once, one of each stays", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("bo", "acme", accounts.Owner)
		e.exec("UPDATE account SET operator = TRUE WHERE id = ?", e.idOf("bo"))
		ana, bo := e.ana(), e.signedIn("bo")
		var both sync.WaitGroup
		both.Go(func() { ana.post(path(e, "bo", "deactivation")) })
		both.Go(func() { bo.post("/admin/people/1/deactivation") })
		both.Wait()
		e.counts(t, 1, "SELECT COUNT(*) FROM account WHERE operator = TRUE AND deactivated_at IS NULL")
		e.counts(t, 1, "SELECT COUNT(*) FROM membership WHERE role = 'owner' AND inactive = FALSE")
	})
}

func TestAddress(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	ana, path := e.ana(), fmt.Sprintf("/admin/people/%d/address", e.idOf("mia"))
	link := pathOf(t, e.signedIn("adam").post(fmt.Sprintf("/acme/people/%d/resets", e.idOf("mia"))).is(t, 201).value(t, "#link"))
	for bad, code := range map[string]int{"": 422, "x": 422, "adam@example.com": 409, "ADAM@example.com": 409,
		"a@b\n.example": 422, strings.Repeat("x", 250) + "@example.com": 422, "requester": 422} {
		page := ana.post(path, "email", bad).is(t, code).has(t, 1, "#person-email-error")
		if got := page.value(t, "#person-email"); bad != "" && !strings.Contains(bad, "\n") && got != bad {
			t.Errorf("the form has %q", got)
		}
	}
	ana.post(path, "email", "mia@example.com").is(t, 303) // as it is
	e.counts(t, 0, "SELECT COUNT(*) FROM audit WHERE kind = 'address-changed'")
	ana.post(path, "email", " Mia.New@Example.com ").is(t, 303)
	e.visitor().get(link).is(t, 404)
	e.visitor().post("/login", "email", "mia@example.com", "password", password).is(t, 422)
	e.visitor().post("/login", "email", "mia.new@example.com", "password", password).is(t, 303)
	e.audited(t, "ana", "/acme/audit", "changed the address of mia <mia@example.com> to mia.new@example.com")
}

func TestDisplay(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	ana := e.ana()
	ana.get("/acme").has(t, 0, "html[data-theme]").has(t, 0, "html[data-density]").has(t, 0, "html[time-zone]")
	for _, bad := range [][]string{{"theme", "blue"}, {"density", ""}, {"zone", "Mars/Olympus"}, {"zone", "../etc/passwd"},
		{"zone", "Local"}, {"zone", "Europe/Bérlin"}, {"zone", strings.Repeat("x", 65)}, {"dates", "tlh"}, {"dates", "<b>"}} {
		fields := map[string]string{"theme": "dark", "density": "compact", "zone": "Asia/Tokyo", "dates": "de"}
		fields[bad[0]] = bad[1]
		page := ana.post("/account/display", "theme", fields["theme"], "density", fields["density"], "zone", fields["zone"],
			"dates", fields["dates"]).is(t, 422)
		page.has(t, 1, "#display-"+bad[0]+"-error")
		if got := page.value(t, "#display-zone"); got != fields["zone"] {
			t.Errorf("the form has the zone %q", got)
		}
	}
	ana.post("/account/display", "theme", "dark", "density", "compact", "zone", "Asia/Tokyo", "dates", "de").is(t, 303)
	e.exec("UPDATE membership SET created_at = '2026-03-01 20:30:00'")
	page := ana.get("/acme/people").is(t, 200)
	page.has(t, 1, "html[data-theme=dark][data-density=compact][time-zone='Asia/Tokyo']")
	page.textHas(t, "#members tr:first-child relative-time[lang=de]", "2026-03-02 05:30")
	ana.get("/account").has(t, 1, "#display-theme option[value=dark][selected]")
	ana.get("/nowhere/at/all").is(t, 404).has(t, 1, "html[data-theme=dark]")
	e.signedIn("mia").get("/acme/people").has(t, 0, "html[data-theme]")
	e.visitor().get("/login").has(t, 0, "html[data-theme]")
}

func TestHandle(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	mia, path := e.signedIn("mia"), fmt.Sprintf("/acme/people/%d/handle", e.idOf("mia"))
	for bad, code := range map[string]int{"": 422, "@": 422, "a b": 422, "-a": 422, "ä": 422, "a_b": 422, "<b>": 422,
		strings.Repeat("a", 41): 422, "adam": 409, "@ADAM": 409} {
		page := mia.post(path, "handle", bad).is(t, code).has(t, 1, "#person-handle-error")
		if got := page.value(t, "#person-handle"); bad != "" && got != bad {
			t.Errorf("the form has %q", got)
		}
	}
	e.ana().post(path, "handle", "other").is(t, 404)
	mia.post(path, "handle", "@Mia-the-Great").is(t, 303)
	mia.get("/acme/people").textHas(t, "#members", "@mia-the-great")
	e.program().post("/tickets/DEMO-1/comments", object{"body": "@mia-the-great look"}).is(t, 201)
	e.counts(t, 1, "SELECT COUNT(*) FROM notification WHERE account_id = ? AND kind = 'mention'", e.idOf("mia"))
	mia.post(path, "handle", "mia").is(t, 303)
}
