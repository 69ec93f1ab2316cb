package web_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/web"
)

const signInSettings = "/acme/settings/sign-in"

// hold has a company hold a domain.
func (e *issuerEnv) hold(t testing.TB, owner, company, name string) (row int64) {
	t.Helper()
	b := e.signedIn(owner)
	b.post("/"+company+"/settings/sign-in/domains", "domain", name).is(t, 303)
	row = e.count("SELECT MAX(id) FROM company_domain")
	var code string
	domaintest.Must(t, e.db.SQL.QueryRow("SELECT code FROM company_domain WHERE id = ?", row).Scan(&code))
	e.dns.set("_counterfoil."+name+".", "v=spf1 -all", "counterfoil-verification="+code)
	b.post(fmt.Sprintf("/%s/settings/sign-in/domains/%d/check", company, row)).is(t, 303)
	return row
}

// save sets the rights of an issuer in acme.
func (e *issuerEnv) save(t testing.TB, more ...string) {
	t.Helper()
	e.signedIn("olga").post(fmt.Sprintf("%s/issuers/%d", signInSettings, e.acme.id),
		append([]string{"name", "Acme ID", "client", clientID, "groups", "groups"}, more...)...).is(t, 303)
}

// rule adds a rule for a group in acme.
func (e *issuerEnv) rule(t testing.TB, claim, role, group string) *answer {
	t.Helper()
	return e.signedIn("olga").post(fmt.Sprintf("%s/issuers/%d/rules", signInSettings, e.acme.id), "claim", claim, "role", role,
		"group", group)
}

func (e *issuerEnv) roleOf(t testing.TB, email, company string) (role string) {
	t.Helper()
	err := e.db.SQL.QueryRow(`SELECT m.role FROM membership m JOIN account a ON a.id = m.account_id
		JOIN company c ON c.id = m.company_id WHERE a.email = ? AND c.slug = ?`, email, company).Scan(&role)
	if err != nil {
		t.Fatalf("%s in %s: %v", email, company, err)
	}
	return role
}

// Issuers may leave claims to their user info (OpenID Connect Core, 5.4).
func TestIssuerUserInfo(t *testing.T) {
	t.Parallel()
	e := newIssuerEnv(t, func(c *web.Config) { c.Log = slog.New(slog.DiscardHandler) }) // it warns of an issuer that does not answer
	e.hold(t, "olga", "acme", "acme.example")
	e.save(t, "join", "yes")
	e.rule(t, "staff", "admin", "")
	asks := 0
	info := func(code int, claims object) {
		e.acme.mu.Lock()
		defer e.acme.mu.Unlock()
		e.acme.info = func(string) (int, object) { asks++; return code, claims }
	}
	lets := func(why string, claims object, code int, says string) *browser {
		t.Helper()
		b := e.visitor()
		if a := e.acme.signIn(t, b, claims); a.code != code || !strings.Contains(a.body, says) {
			t.Errorf("%s: status %d: %s", why, a.code, a.body)
		}
		return b
	}
	nora := object{"sub": "nora", "email": "nora@acme.example", "email_verified": true, "name": "Nora", "groups": []string{"staff"}}
	info(200, object{"sub": "mia", "email": "nora@acme.example", "email_verified": true})
	lets("that of another subject", object{"sub": "nora"}, 422, notProven)
	info(500, object{"error": "no"})
	lets("none at the moment", object{"sub": "nora"}, 503, "does not answer as it should")
	info(200, object{"email": "nora@acme.example", "email_verified": true})
	lets("that of nobody", object{"sub": "nora"}, 422, notProven)
	info(200, object{"sub": "nora", "email": "nora@acme.example", "email_verified": false})
	lets("an address that is not verified", object{"sub": "nora"}, 403, "No account is linked")
	info(200, nora)
	lets("an unverified address of the token, which the user info verifies", object{"sub": "nora", "email": "other@acme.example"}, 403,
		"No account is linked")
	lets("the address of somebody else", object{"sub": "nora", "email": "mia@example.com", "email_verified": true}, 403, "No account is linked")
	e.counts(t, 0, "SELECT COUNT(*) FROM account WHERE email LIKE 'nora%'")
	lets("claims that are only there", object{"sub": "nora"}, 303, "").get("/acme").is(t, 200)
	if role := e.roleOf(t, "nora@acme.example", "acme"); role != accounts.Admin {
		t.Errorf("the role is %s", role)
	}
	asks = 0
	lets("a token that has all", nora, 303, "")
	if asks != 0 {
		t.Errorf("the user info is asked %d times for a token that has all", asks)
	}
	info(500, object{})
	lets("no answer, which takes no role", object{"sub": "nora"}, 503, "")
	if role := e.roleOf(t, "nora@acme.example", "acme"); role != accounts.Admin {
		t.Errorf("then the role is %s", role)
	}
}

func TestIssuerLetsIn(t *testing.T) {
	t.Parallel()
	nora := func(more ...any) object {
		claims := object{"sub": "nora", "email": "Nora@Acme.example", "email_verified": true, "name": "Nora"}
		for i := 0; i < len(more); i += 2 {
			claims[more[i].(string)] = more[i+1]
		}
		return claims
	}

	t.Run("by a domain that the company holds", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		no := func(why string, claims object) {
			t.Helper()
			if a := e.acme.signIn(t, e.visitor(), claims); a.code != 403 || !strings.Contains(a.body, "No account is linked") {
				t.Errorf("%s: status %d: %s", why, a.code, a.body)
			}
		}
		no("nothing lets in", nora())
		e.hold(t, "olga", "acme", "acme.example")
		no("the issuer may not", nora())
		e.save(t, "join", "yes")
		no("the address is not verified", nora("email_verified", false))
		no("nothing is said of the address", object{"sub": "nora", "email": "nora@acme.example"})
		no("a domain below it", nora("email", "nora@mail.acme.example"))
		no("a domain above it", nora("email", "nora@example"))
		no("a name that ends as it does", nora("email", "nora@notacme.example"))
		no("two signs", nora("email", `"nora@evil.example"@acme.example`, "email_verified", "no"))
		e.counts(t, 0, "SELECT COUNT(*) FROM account WHERE email LIKE 'nora%'")
		b := e.visitor()
		e.acme.signIn(t, b, nora("email_verified", "true")).goesTo(t, "/acme") // as some issuers say it
		b.get("/acme").is(t, 200)
		if role := e.roleOf(t, "nora@acme.example", "acme"); role != accounts.Member {
			t.Errorf("the role is %s", role)
		}
		e.counts(t, 1, "SELECT COUNT(*) FROM account WHERE email = 'nora@acme.example' AND password_hash = '' AND NOT operator")
		e.audited(t, "olga", "/acme/audit", "joined as member by Acme ID")
		e.visitor().post("/login", "email", "nora@acme.example", "password", "").is(t, 422)
		again := e.visitor()
		e.acme.signIn(t, again, nora("email", "other@else.example", "email_verified", false)).goesTo(t, "/acme") // by the subject
		e.counts(t, 1, "SELECT COUNT(*) FROM account WHERE name = 'Nora'")
	})

	t.Run("and nobody with the address of an account, of a company that is left, or of another one's domain", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		e.hold(t, "sam", "rivals", "rivals.example")
		e.hold(t, "olga", "acme", "acme.example")
		e.save(t, "join", "yes")
		e.acme.signIn(t, e.visitor(), nora("email", "nora@rivals.example")).isRefused(t, 403, "No account is linked")
		e.acme.signIn(t, e.visitor(), nora()).goesTo(t, "/acme")
		e.acme.signIn(t, e.visitor(), nora("sub", "thief")).isRefused(t, 403, "No account is linked")
		nora_ := e.count("SELECT id FROM account WHERE name = 'Nora'")
		e.signedIn("olga").post(fmt.Sprintf("/acme/people/%d/removal", nora_)).is(t, 303)
		e.acme.signIn(t, e.visitor(), nora()).isRefused(t, 403, "a member of no company") // she does not come back by it
	})

	t.Run("by a group that gives a role", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		e.exec("INSERT INTO people_group (company_id, name, created_at) VALUES (1, 'Pilots', NOW(6))")
		pilots := fmt.Sprint(e.count("SELECT id FROM people_group"))
		e.rule(t, "pilots", "", pilots).is(t, 303)
		e.rule(t, "staff", "viewer", "").is(t, 303)
		e.rule(t, "leads", "admin", pilots).is(t, 303)
		e.acme.signIn(t, e.visitor(), nora("groups", []string{"pilots"})).isRefused(t, 403, "No account is linked")
		e.acme.signIn(t, e.visitor(), nora("groups", []string{"staff"}, "email_verified", false)).isRefused(t, 403, "No account")
		e.acme.signIn(t, e.visitor(), nora("groups", []string{"Staff"})).isRefused(t, 403, "No account is linked")
		e.acme.signIn(t, e.visitor(), nora("groups", []string{"staff", "pilots"})).goesTo(t, "/acme")
		in := func(role string, groups int) {
			t.Helper()
			if got := e.roleOf(t, "nora@acme.example", "acme"); got != role {
				t.Errorf("the role is %s, not %s", got, role)
			}
			e.counts(t, groups, `SELECT COUNT(*) FROM people_group_member g JOIN account a ON a.id = g.account_id WHERE a.name = 'Nora'`)
		}
		in("viewer", 1)
		e.acme.signIn(t, e.visitor(), nora("groups", []string{"leads", "staff"})).goesTo(t, "/acme")
		in("admin", 1)
		e.audited(t, "olga", "/acme/audit", "from viewer to admin")
		e.acme.signIn(t, e.visitor(), nora("groups", "staff")).goesTo(t, "/acme") // one, as a text
		in("viewer", 0)
		e.acme.signIn(t, e.visitor(), nora("groups", []string{"leads"})).goesTo(t, "/acme")
		e.acme.signIn(t, e.visitor(), nora()).goesTo(t, "/acme")
		in("member", 0) // no group gives a role any more
	})

	t.Run("and makes owners only if an owner allowed it, and no operators", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		e.rule(t, "bosses", "owner", "").isRefused(t, 422, "Allow first")
		e.rule(t, "bosses", "operator", "").is(t, 422)
		e.save(t, "owners", "yes")
		e.rule(t, "bosses", "owner", "").is(t, 303)
		e.rule(t, "bosses", "member", "").is(t, 409)
		e.save(t) // no more
		e.rule(t, "staff", "member", "").is(t, 303)
		e.acme.signIn(t, e.visitor(), nora("groups", []string{"bosses"})).isRefused(t, 403, "No account is linked")
		e.acme.signIn(t, e.visitor(), nora("groups", []string{"bosses", "staff", "operators"})).goesTo(t, "/acme")
		if role := e.roleOf(t, "nora@acme.example", "acme"); role != "member" {
			t.Errorf("the role is %s", role)
		}
		e.link(t, e.signedIn("olga"), e.acme, "olga")
		e.acme.signIn(t, e.visitor(), object{"sub": "olga", "groups": []string{"staff"}}).goesTo(t, "/acme")
		if role := e.roleOf(t, "olga@example.com", "acme"); role != "owner" {
			t.Errorf("an owner became %s", role)
		}
		e.save(t, "owners", "yes")
		e.acme.signIn(t, e.visitor(), nora("groups", []string{"bosses"})).goesTo(t, "/acme")
		if role := e.roleOf(t, "nora@acme.example", "acme"); role != "owner" {
			t.Errorf("the role is %s", role)
		}
		e.exec("UPDATE membership SET role = 'member' WHERE company_id = 1 AND role = 'owner' AND account_id <> (SELECT id FROM account WHERE name = 'Nora')")
		e.acme.signIn(t, e.visitor(), nora("groups", []string{"staff"})).goesTo(t, "/acme")
		if role := e.roleOf(t, "nora@acme.example", "acme"); role != "owner" { // the last one
			t.Errorf("the company has no owner")
		}
		e.counts(t, 0, "SELECT COUNT(*) FROM account WHERE operator AND name = 'Nora'")
	})
}

// TestIssuerOfOperators: one that an operator configured counts for several companies, and for those alone.
func TestIssuerOfOperators(t *testing.T) {
	t.Parallel()
	e := newIssuerEnv(t)
	both := newIssuer(t)
	added := domaintest.OK(e.workflows.Workflows.AddIssuerOfOperator(context.Background(), accounts.IssuerDraft{Name: "House",
		URL: both.url(), ClientID: clientID, Secret: clientSecret}, []string{"acme", "rivals"}))(t)
	both.id = int(added.ID)
	e.exec("INSERT INTO company (slug, name, created_at) VALUES ('third', 'Third', NOW(6))")
	e.joins("mia", "third", accounts.Owner)
	e.visitor().get("/login").is(t, 200).textIs(t, ".issuers", "Sign in with House")
	e.link(t, e.signedIn("mia"), both, "mia")
	b := e.visitor()
	both.signIn(t, b, object{"sub": "mia"}).goesTo(t, "/acme")
	b.get("/acme").is(t, 200)
	b.get("/rivals").is(t, 200)
	b.get("/third").goesTo(t, "/login?next=%2Fthird")
	b.get("/admin").goesTo(t, "/login?next=%2Fadmin")
	b.get("/account").goesTo(t, "/login?next=%2Faccount")
	// Owners say what it may do in their company, and cannot change or remove it.
	path := fmt.Sprintf("/rivals/settings/sign-in/issuers/%d", both.id)
	sam := e.signedIn("sam")
	sam.post(path, "name", "Mine", "client", "x", "join", "yes").is(t, 303)
	e.counts(t, 1, "SELECT COUNT(*) FROM issuer WHERE name = 'House' AND client_id = ?", clientID)
	e.counts(t, 1, "SELECT COUNT(*) FROM issuer_company WHERE join_by_domain")
	sam.post(path+"/removal").is(t, 404)
	sam.get(path+"/removal").is(t, 404)
	domaintest.Must(t, e.workflows.Workflows.RemoveIssuerOfOperator(context.Background(), added.ID))
	b.get("/acme").is(t, 303)
	err := e.workflows.Workflows.RemoveIssuerOfOperator(context.Background(), id.Issuer(e.acme.id))
	if !errors.Is(err, accounts.CodeIssuerNotFound) {
		t.Errorf("the issuer of a company: %v", err)
	}
}

func TestDomains(t *testing.T) {
	t.Parallel()
	e := newIssuerEnv(t)
	olga, sam := e.signedIn("olga"), e.signedIn("sam")
	for _, name := range []string{"", "acme", "acme example.com", "https://acme.example", "1.2.3.4", "-a.example", "a@b.example"} {
		olga.post(signInSettings+"/domains", "domain", name).isRefused(t, 422, "such as example.com")
	}
	olga.post(signInSettings+"/domains", "domain", "GMail.com").isRefused(t, 422, "Anybody can have an address")
	olga.post(signInSettings+"/domains", "domain", "@Bücher.example.").is(t, 303)
	e.counts(t, 1, "SELECT COUNT(*) FROM company_domain WHERE name = 'xn--bcher-kva.example' AND held IS NULL")
	olga.post(signInSettings+"/domains", "domain", "bücher.example").is(t, 409)
	check := func(b *browser, company string, row int64) *answer {
		return b.post(fmt.Sprintf("/%s/settings/sign-in/domains/%d/check", company, row))
	}
	row := e.count("SELECT id FROM company_domain")
	check(olga, "acme", row).isRefused(t, 409, "No TXT record")
	e.dns.set("_counterfoil.xn--bcher-kva.example.", "counterfoil-verification=another")
	check(olga, "acme", row).isRefused(t, 409, "No TXT record")
	check(sam, "rivals", row).is(t, 404)

	row = e.hold(t, "olga", "acme", "acme.example")
	olga.get(signInSettings).is(t, 200).has(t, 1, "#domains .chip.good")
	sam.post("/rivals/settings/sign-in/domains", "domain", "acme.example").is(t, 303)
	theirs := e.count("SELECT MAX(id) FROM company_domain")
	records := e.dns.list["_counterfoil.acme.example."]
	var code string
	domaintest.Must(t, e.db.SQL.QueryRow("SELECT code FROM company_domain WHERE id = ?", theirs).Scan(&code))
	e.dns.set("_counterfoil.acme.example.", append(records, "counterfoil-verification="+code)...)
	check(sam, "rivals", theirs).isRefused(t, 409, "in use already")

	// Once a day, and a name server that does not answer takes nothing away.
	round := func(want int64) {
		t.Helper()
		if n := domaintest.OK(e.workflows.Workflows.RecheckDomains(context.Background()))(t); n != want {
			t.Errorf("%d domains were looked at, not %d", n, want)
		}
	}
	held := func(want int) {
		t.Helper()
		e.counts(t, want, "SELECT COUNT(*) FROM company_domain WHERE held = 'acme.example'")
	}
	round(0)
	at := time.Now().UTC().Add(25 * time.Hour)
	e.db.SetClock(func() time.Time { return at })
	e.dns.err = errors.New("no answer")
	round(1)
	held(1)
	e.dns.err = nil
	round(0)
	at = at.Add(25 * time.Hour)
	round(1)
	held(1)
	e.dns.set("_counterfoil.acme.example.")
	at = at.Add(25 * time.Hour)
	round(1)
	held(0)
	round(0)
	e.db.SetClock(func() time.Time { return time.Now().UTC() })
	e.audited(t, "olga", "/acme/audit", "found no record of the domain acme.example")
	e.dns.set("_counterfoil.acme.example.", "counterfoil-verification="+code)
	check(sam, "rivals", theirs).is(t, 303)
	e.signedIn("olga").post(fmt.Sprintf("%s/domains/%d/removal", signInSettings, row)).is(t, 303)
	held(1)
	sam.post(fmt.Sprintf("/acme/settings/sign-in/domains/%d/removal", theirs)).is(t, 403)
}

// TestSignInSettings: owners alone change them, and an issuer is looked at before it is stored.
func TestSignInSettings(t *testing.T) {
	t.Parallel()
	e := newIssuerEnv(t)
	one := fmt.Sprintf("%s/issuers/%d", signInSettings, e.acme.id)
	for _, name := range []string{"sam", "mia"} { // an admin, a member
		b := e.signedIn(name)
		for _, path := range []string{signInSettings, one, one + "/removal"} {
			b.get(path).is(t, 403)
		}
		e.unchanged(t, func() {
			for _, path := range []string{"/required", "/issuers", "/domains", "/domains/1/check", "/domains/1/removal"} {
				b.post(signInSettings+path, "domain", "a.example", "name", "x", "url", e.acme.url(), "client", "x").is(t, 403)
			}
			for _, path := range []string{"", "/removal", "/rules", "/rules/1/removal"} {
				b.post(one+path, "claim", "x", "role", "admin").is(t, 403)
			}
		})
	}
	olga := e.signedIn("olga")
	add := func(address string) *answer {
		return olga.post(signInSettings+"/issuers", "name", "Other", "url", address, "client", "the client", "secret", "s3cret")
	}
	page := add(e.acme.url()+"/").is(t, 422) // it says that it is another
	if page.value(t, "#issuer-client") != "the client" || page.value(t, "#issuer-secret") != "" {
		t.Errorf("what was typed: %s", page.body)
	}
	for _, address := range []string{"", "acme", "ftp://acme.example", "http://10.1.2.3/", "https://169.254.169.254/",
		"https://user@acme.example", e.acme.url() + "?x=1", e.acme.url() + "/nothing", "http://acme.example"} {
		add(address).isRefused(t, 422, "This issuer cannot be used")
	}
	olga.post(signInSettings+"/issuers", "name", " ", "url", e.acme.url(), "client", "").isRefused(t, 422, "Enter a name")
	e.counts(t, 2, "SELECT COUNT(*) FROM issuer")
	e.counts(t, 0, "SELECT COUNT(*) FROM sealed_secret WHERE INSTR(sealed, ?) > 0", clientSecret)
	// A secret that is not typed again stays.
	olga.post(one, "name", "New name", "client", clientID, "secret", "").is(t, 303)
	e.link(t, e.signedIn("mia"), e.acme, "mia")
	e.acme.signIn(t, e.visitor(), object{"sub": "mia"}).goesTo(t, "/acme")
	olga.post(one, "name", "New name", "client", clientID, "secret", "wrong").is(t, 303)
	e.acme.signIn(t, e.visitor(), object{"sub": "mia"}).isRefused(t, 422, notProven)
	for range accounts.MaxIssuers - 1 {
		add(e.acme.url()).is(t, 303)
		e.exec("UPDATE issuer SET name = CONCAT('n', id)")
		e.exec("DELETE FROM idempotency")
	}
	add(e.acme.url()).is(t, 409)
}
