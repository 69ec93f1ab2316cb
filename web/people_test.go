package web_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

func TestPeople(t *testing.T) {
	t.Parallel()
	t.Run("operators find accounts of all companies by the beginning of an address or a name", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("bo", "rivals", accounts.Member)
		e.account("bonnie", "acme", accounts.Member)
		e.exec("UPDATE account SET name = 'Zoë 100%' WHERE id = ?", e.idOf("bonnie"))
		ana := e.ana()
		ana.get("/admin/people").is(t, 200).has(t, 3, "#people tbody tr")
		for q, want := range map[string]int{
			"bo": 2, "BO": 2, "bonn": 1, "zoe": 1, "Zoë 100%": 1, "%": 0, "_o": 0, "o": 0, "' OR ''='": 0, "requester": 0,
			"<b>": 0, "\xff": 0,
		} {
			ana.get("/admin/people?q="+url.QueryEscape(q)).is(t, 200).has(t, want, "#people tbody tr")
		}
		ana.get("/admin/people?after=x").is(t, 400)
		ana.get(fmt.Sprintf("/admin/people?after=%d", e.idOf("bonnie"))).is(t, 200).has(t, 0, "#people")
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
