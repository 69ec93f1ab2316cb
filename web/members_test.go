package web_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web"
)

// invitation makes one as an admin of acme, and returns the path of its link.
func (b *browser) invitation(pairs ...string) string {
	b.env.t.Helper()
	a := b.post("/acme/people/invitations", append([]string{"role", "member", "days", "7"}, pairs...)...).
		is(b.env.t, http.StatusCreated)
	return pathOf(b.env.t, a.value(b.env.t, "#link"))
}

func pathOf(t testing.TB, link string) string {
	t.Helper()
	_, path, ok := strings.Cut(strings.TrimPrefix(link, "http://"), "/")
	if !ok {
		t.Fatalf("%q is no link", link)
	}
	return "/" + path
}

func newAccount(name string) []string {
	return []string{"name", name, "email", name + "@example.com", "password", password}
}

// joins has a visitor without an account join by a link to acme.
func (b *browser) joins(t testing.TB, path, name string) {
	t.Helper()
	b.post(path, newAccount(name)...).goesTo(t, views.SignInToPath(path))
	b.post("/login", "email", name+"@example.com", "password", password, "next", path).goesTo(t, path)
	b.get(path).goesTo(t, "/acme")
}

// idOf is the id of a user's account.
func (e *env) idOf(name string) int64 {
	e.t.Helper()
	return e.count("SELECT id FROM account WHERE email = ?", name+"@example.com")
}

func TestInvitation(t *testing.T) {
	t.Parallel()

	t.Run("makes a member of someone new, who signs in then", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		path := e.ana().invitation("role", "viewer", "note", "For Bo")
		bo := e.visitor()
		bo.get(path).is(t, 200).has(t, 1, "form[action='"+path+"'] input[name=password]")
		a := bo.post(path, "name", "", "email", "bo", "password", "short").is(t, 422)
		a.has(t, 3, "[aria-invalid=true]")
		if a.value(t, "#join-email") != "bo" || a.value(t, "#join-password") != "" {
			t.Error("the form lost what was typed, or kept the password")
		}
		bo.joins(t, path, "bo")
		bo.get("/acme").is(t, 200)
		bo.post("/acme/boards", "slug", "NINJA", "title", "x").is(t, 403)
		if n := e.count("SELECT COUNT(*) FROM membership WHERE role = 'viewer' AND handle = 'bo'"); n != 1 {
			t.Error("Bo is no viewer with a handle")
		}
		e.visitor().get(path).is(t, 404)
		e.visitor().post(path, newAccount("bob")...).is(t, 404)
	})

	t.Run("makes a member of someone with an account by one button", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("sam", "rivals", accounts.Owner)
		path := e.ana().invitation()
		sam := e.visitor()
		sam.post("/login", "email", "sam@example.com", "password", password, "next", path).goesTo(t, path)
		sam.get(path).has(t, 0, "main form[action='"+path+"'] input")
		sam.post(path).goesTo(t, "/acme")
		sam.get("/acme").is(t, 200).has(t, 1, ".menu a[href='/rivals']")
	})

	t.Run("is not used up by who belongs to the company already", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		path := ana.invitation()
		ana.post(path).goesTo(t, "/acme")
		e.counts(t, 0, "SELECT uses FROM invitation")
	})

	t.Run("that is unknown, revoked, over or used up looks the same", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		revoked, over, used := ana.invitation(), ana.invitation(), ana.invitation()
		ana.post("/acme/people/invitations/1/revocation").goesTo(t, "/acme/people")
		e.exec("UPDATE invitation SET expires_at = created_at WHERE id = 2")
		e.visitor().post(used, newAccount("bo")...).is(t, 303)
		unknown := e.visitor().get("/join/nobody-knows-this").is(t, 404).body
		for _, path := range []string{revoked, over, used, "/join/%00", "/join/%ff", "/join/'%20OR%201=1--",
			"/join/" + strings.Repeat("a", 5000)} {
			if a := e.visitor().get(path).is(t, 404); a.body != unknown {
				t.Errorf("%.60s shows which it is", path)
			}
			e.visitor().post(path, newAccount("eve")...).is(t, 404)
		}
		ana.get("/acme/people").has(t, 0, "#invitations tbody tr")
		if !strings.Contains(unknown, "Ask the person who sent it for a new one") {
			t.Error("it does not say what to do")
		}
	})

	t.Run("whose use waits for an account is listed, can be revoked, and ends with a membership", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("sam", "rivals", accounts.Owner)
		e.account("max", "acme", accounts.Member)
		ana := e.ana()
		path := ana.invitation()
		e.visitor().post(path, newAccount("sam")...).is(t, 303)
		ana.get("/acme/people").is(t, 200).textHas(t, "#invitations tbody", "by an account that has not joined yet")
		ana.post("/acme/people/invitations/1/revocation").goesTo(t, "/acme/people")
		ana.get("/acme/people").has(t, 0, "#invitations tbody tr")
		e.signedIn("sam").post(path).is(t, 404)

		path = ana.invitation()
		e.visitor().post(path, newAccount("max")...).is(t, 303) // who is a member already
		ana.post(fmt.Sprintf("/acme/people/%d/removal", e.idOf("max"))).is(t, 303)
		e.signedIn("max").post(path).is(t, 404)
		e.counts(t, 0, "SELECT COUNT(*) FROM membership WHERE account_id = ?", e.idOf("max"))
	})

	t.Run("for one lets in one of many who come at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		path := e.ana().invitation()
		many := make([]*browser, 8)
		for i := range many {
			e.account(fmt.Sprint("guest", i), "rivals", accounts.Member)
			many[i] = e.signedIn(fmt.Sprint("guest", i))
		}
		codes := make([]int, len(many))
		var group sync.WaitGroup
		for i, b := range many {
			group.Go(func() { codes[i] = b.post(path).code })
		}
		group.Wait()
		in := 0
		for _, code := range codes {
			if code == http.StatusSeeOther {
				in++
			} else if code != http.StatusNotFound {
				t.Errorf("status %d", code)
			}
		}
		if members := e.count("SELECT COUNT(*) FROM membership WHERE company_id = 1"); in != 1 || members != 2 ||
			e.count("SELECT uses FROM invitation") != 1 {
			t.Errorf("%d got in, there are %d members", in, members)
		}
	})

	t.Run("for an address lets in nobody else", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("sam", "rivals", accounts.Owner)
		ana := e.ana()
		a := ana.post("/acme/people/invitations", "role", "member", "days", "7", "email", "not an address").is(t, 422)
		if a.has(t, 1, "#invite-email-error").value(t, "#invite-email") != "not an address" {
			t.Error("what was typed is lost")
		}
		path := ana.invitation("email", " Bo@Example.com")
		ana.get("/acme/people").textHas(t, "#invitations tbody", "bo@example.com")
		e.unchanged(t, func() {
			for _, other := range []string{"eve", "sam"} { // with an account elsewhere, and without
				a := e.visitor().post(path, newAccount(other)...).is(t, 422)
				a.textHas(t, "#join-email-error", "another email address")
			}
			e.signedIn("sam").post(path).is(t, 422).textHas(t, "[role=alert]", "another email address")
		})
		e.visitor().joins(t, path, "bo")
	})

	t.Run("for an address lets nobody guess it for ever", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.stopClock()
		path := e.ana().invitation("email", "bo@example.com")
		for n := range 50 {
			e.visitor().post(path, newAccount(fmt.Sprint("guess", n))...).is(t, 422)
		}
		e.visitor().post(path, newAccount("guess50")...).is(t, 429)
	})

	t.Run("does not tell whether an address has an account elsewhere", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("sam", "rivals", accounts.Owner)
		for _, many := range []string{"", "yes"} {
			known, fresh := e.ana().invitation("many", many), e.ana().invitation("many", many)
			eve := "eve" + many
			both := func(do func(b *browser, path, name string) *answer) {
				t.Helper()
				seen := func(path, name string) string {
					a := do(e.visitor(), path, name)
					own := strings.NewReplacer(strings.TrimPrefix(path, "/join/"), "SECRET", name, "NAME")
					return own.Replace(fmt.Sprint(a.code, a.header.Get("Location"), changing.ReplaceAllString(a.body, "")))
				}
				if with, without := seen(known, "sam"), seen(fresh, eve); with != without {
					t.Errorf("with an account\n%s\nwithout\n%s", with, without)
				}
			}
			both(func(b *browser, path, name string) *answer {
				return b.post(path, "name", name, "email", name+"@example.com", "password", "short")
			})
			both(func(b *browser, path, name string) *answer {
				a := b.post(path, "name", name, "email", name+"@example.com", "password", "not that of Sam at all")
				page := b.get(views.SignInToPath(path)).is(t, 200)
				page.textHas(t, "#flash", "Sign in to join Acme. If your address had an account before")
				a.body += page.body
				return a
			})
			both(func(b *browser, path, _ string) *answer { return b.get(path) })
			both(func(b *browser, path, name string) *answer {
				return b.post(path, "name", name, "email", name+"@example.com", "password", "not that of Sam at all")
			})
			e.counts(t, 1, "SELECT COUNT(*) FROM membership m JOIN account a ON a.id = m.account_id WHERE m.company_id = 1 AND a.email = ?",
				eve+"@example.com")
			e.counts(t, 0, "SELECT COUNT(*) FROM membership m JOIN account a ON a.id = m.account_id WHERE m.company_id = 1 AND a.email = 'sam@example.com'")
		}
	})

	t.Run("waits for an account that was named as new, and for no other", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("sam", "rivals", accounts.Owner)
		e.account("ines", "rivals", accounts.Owner)
		path := e.ana().invitation()
		e.visitor().post(path, newAccount("sam")...).is(t, 303)
		e.signedIn("ines").get(path).is(t, 404)
		e.signedIn("ines").post(path).is(t, 404)
		sam := e.signedIn("sam")
		sam.get(path).is(t, 200).has(t, 1, "main form[action='"+path+"']")
		sam.post(path).goesTo(t, "/acme")
		sam.post(path).goesTo(t, "/acme")
		e.ana().post(fmt.Sprintf("/acme/people/%d/removal", e.idOf("sam"))).is(t, 303)
		sam.post(path).is(t, 404)
		e.counts(t, 1, "SELECT uses FROM invitation")

		revoked := e.ana().invitation()
		e.visitor().post(revoked, newAccount("sam")...).is(t, 303)
		e.exec("UPDATE invitation SET revoked_at = NOW(6) WHERE revoked_at IS NULL")
		sam.get(revoked).is(t, 404)
		sam.post(revoked).is(t, 404)
	})

	t.Run("is tried fifty times by one link or from one address, then once a minute", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		now := e.stopClock()
		e.account("sam", "rivals", accounts.Owner)
		path, other := e.ana().invitation(), e.ana().invitation()
		e.visitor().post(path, newAccount("sam")...).is(t, 303)
		path = e.ana().invitation("many", "yes")
		e.visitor().post(path, newAccount("sam")...).is(t, 303)
		e.exec("UPDATE sign_in_limit SET failures = 50, last_at = ? WHERE known = FALSE AND failures BETWEEN 1 AND 2", now)
		a := e.visitor().post(other, newAccount("bo")...).is(t, 429)
		if a.header.Get("Retry-After") == "" || a.value(t, "#join-email") != "bo@example.com" {
			t.Error("it does not say how long to wait, or forgets what was typed")
		}
		elsewhere := func(path string) *answer {
			r := postRequest(path, formKind, form(newAccount("bo")...).Encode())
			r.RemoteAddr = "198.51.100.9:1"
			return e.send(r)
		}
		elsewhere(path).is(t, 429)
		sam := e.signedIn("sam").post(path).is(t, 429)
		if sam.header.Get("Retry-After") == "" || !strings.Contains(sam.text(t, "main [role=alert]"), "Too many attempts to join") {
			t.Error("a member of another company is not told to wait")
		}
		elsewhere(other).goesTo(t, views.SignInToPath(other))
	})

	t.Run("for many lets in many", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		path := e.ana().invitation("many", "yes")
		for _, name := range []string{"bo", "cy"} {
			e.visitor().joins(t, path, name)
		}
		e.ana().get("/acme/people").textIs(t, "#invitations td[data-label=Used]", "2 times")
	})

	t.Run("gives no role above one's own", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		adam := e.signedIn("adam")
		adam.get("/acme/people").has(t, 0, "#invite-role option[value=owner]")
		e.unchanged(t, func() {
			adam.post("/acme/people/invitations", "role", "owner", "days", "7").is(t, 403)
			for _, bad := range [][]string{{"role", "god"}, {"role", ""}, {"days", "0"}, {"days", "9999"}, {"days", "x"},
				{"note", strings.Repeat("x", 256)}, {"note", "\x00"}, {"note", "\xff"}} {
				adam.post("/acme/people/invitations", append([]string{"role", "member", "days", "7"}, bad...)...).is(t, 422)
			}
		})
		e.signedIn("olga").invitation("role", "owner")
	})

	t.Run("is stored as a hash, and ends with the membership of who made it", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		path := e.signedIn("adam").invitation()
		if n := e.count("SELECT COUNT(*) FROM invitation WHERE hash = UNHEX(SHA2(?, 256))",
			strings.TrimPrefix(path, "/join/")); n != 1 || len(path) != len("/join/")+43 {
			t.Errorf("%s is not stored as its hash", path)
		}
		e.ana().post(fmt.Sprintf("/acme/people/%d/removal", e.idOf("adam"))).goesTo(t, "/acme/people")
		e.visitor().get(path).is(t, 404)
	})
}

func TestMembers(t *testing.T) {
	t.Parallel()

	t.Run("a removed member is signed out at once, with their tokens, and their tickets stay", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		mia, token := e.signedIn("mia"), e.tokenOf("mia", "acme", accounts.Scopes...)
		mia.post("/acme/boards/DEMO/tickets", "title", "Mia's").is(t, 303)
		(&program{env: e, token: token}).get("/boards").is(t, 200)
		e.ana().post(fmt.Sprintf("/acme/people/%d/removal", e.idOf("mia"))).goesTo(t, "/acme/people")
		mia.get("/acme").goesTo(t, "/login?next=%2Facme")
		mia.get("/account").is(t, 303)
		mia.htmx("dialog").get("/acme/boards/DEMO/tickets/new").is(t, 401)
		(&program{env: e, token: token}).get("/boards").is(t, 401)
		if n := e.count("SELECT COUNT(*) FROM ticket WHERE title = 'Mia''s' AND deleted_at IS NULL"); n != 1 {
			t.Error("the ticket is gone")
		}
		e.signedIn("mia").get("/acme").is(t, 404)
	})

	t.Run("the last owner neither leaves nor becomes less, also where two owners do so at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post("/acme/people/1/removal").is(t, 409)
		ana.post("/acme/people/1/role", "role", "member").is(t, 409).has(t, 1, "#person-role-error")
		e.account("olga", "acme", accounts.Owner)
		olga := e.signedIn("olga")
		var group sync.WaitGroup
		group.Go(func() { ana.post("/acme/people/1/removal") })
		group.Go(func() { olga.post(fmt.Sprintf("/acme/people/%d/role", e.idOf("olga")), "role", "viewer") })
		group.Wait()
		e.counts(t, 1, "SELECT COUNT(*) FROM membership WHERE role = 'owner'")
	})

	t.Run("two owners who demote one another do not both succeed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("olga", "acme", accounts.Owner)
		ana, olga := e.ana(), e.signedIn("olga")
		var group sync.WaitGroup
		group.Go(func() { olga.post("/acme/people/1/role", "role", "viewer") })
		group.Go(func() { ana.post(fmt.Sprintf("/acme/people/%d/role", e.idOf("olga")), "role", "viewer") })
		group.Wait()
		e.counts(t, 1, "SELECT COUNT(*) FROM membership WHERE role = 'owner'")
	})

	t.Run("an admin cannot touch an owner, nor become one", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		adam := e.signedIn("adam")
		adam.get("/acme/people/1").is(t, 200).has(t, 0, "#person-role, .danger")
		e.unchanged(t, func() {
			adam.post("/acme/people/1/role", "role", "viewer").is(t, 403)
			adam.post("/acme/people/1/removal").is(t, 403)
			adam.post("/acme/people/1/resets").is(t, 403)
			adam.post(fmt.Sprintf("/acme/people/%d/role", e.idOf("adam")), "role", "owner").is(t, 403)
			adam.post(fmt.Sprintf("/acme/people/%d/role", e.idOf("mia")), "role", "god").is(t, 422)
			adam.post(fmt.Sprintf("/acme/people/%d/role", e.idOf("sam")), "role", "viewer").is(t, 404)
		})
		adam.post(fmt.Sprintf("/acme/people/%d/role", e.idOf("mia")), "role", "admin").is(t, 303)
	})

	t.Run("the last operator stays one", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("bo", "acme", accounts.Member)
		ana, bo := e.ana(), fmt.Sprintf("/acme/people/%d/operator", e.idOf("bo"))
		ana.post("/acme/people/1/operator", "operator", "no").is(t, 409)
		ana.post(bo, "operator", "perhaps").is(t, 422)
		ana.post(bo, "operator", "yes").is(t, 303)
		ana.post("/acme/people/1/operator", "operator", "no").is(t, 303)
		ana.post(bo, "operator", "no").is(t, 403)
		e.signedIn("bo").get("/admin/companies").is(t, 200)
		ana.get("/admin/companies").is(t, 404)
	})
}

func TestReset(t *testing.T) {
	t.Parallel()
	link := func(b *browser, name string) *answer {
		return b.post(fmt.Sprintf("/acme/people/%d/resets", b.env.idOf(name)))
	}
	const other = "another horse battery"

	t.Run("works once, and ends all sessions", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		mia := e.signedIn("mia")
		path := pathOf(t, link(e.signedIn("adam"), "mia").is(t, 201).value(t, "#link"))
		reader := e.visitor()
		reader.get(path).is(t, 200)
		reader.post(path, "password", "short").is(t, 422).has(t, 1, "#reset-password-error")
		reader.post(path, "password", other).goesTo(t, "/acme")
		reader.get("/acme").is(t, 200)
		mia.get("/acme").is(t, 303)
		e.visitor().get(path).is(t, 404)
		e.visitor().post(path, "password", password).is(t, 404)
		e.visitor().post("/login", "email", "mia@example.com", "password", password).is(t, 422)
		e.visitor().post("/login", "email", "mia@example.com", "password", other).is(t, 303)
	})

	t.Run("is made for nobody who is more than who makes it, here or elsewhere", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		adam, olga, ana := e.signedIn("adam"), e.signedIn("olga"), e.ana()
		e.exec("INSERT INTO membership (company_id, account_id, role, handle, created_at) SELECT c.id, a.id, 'viewer', " +
			"'vera', a.created_at FROM company c, account a WHERE c.slug = 'rivals' AND a.name = 'vera'")
		e.unchanged(t, func() {
			for name, b := range map[string]*browser{"olga": adam, "opal": olga, "vera": ana, "adam": adam, "ana": ana} {
				a := link(b, name).is(t, 403)
				if got := a.text(t, "#main .lead"); !strings.Contains(got, "only") && !strings.Contains(got, "Only") &&
					!strings.Contains(got, "reset-password") && !strings.Contains(got, "your own") {
					t.Errorf("%s: it does not say who can: %s", name, got)
				}
			}
		})
		link(ana, "opal").is(t, 201)
	})

	t.Run("ends when the person becomes more, or belongs elsewhere too", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		adam, ana := e.signedIn("adam"), e.ana()
		for rule, change := range map[string]func(){
			"another role": func() {
				ana.post(fmt.Sprintf("/acme/people/%d/role", e.idOf("mia")), "role", "admin").is(t, 303)
			},
			"an operator": func() {
				ana.post(fmt.Sprintf("/acme/people/%d/operator", e.idOf("vera")), "operator", "yes").is(t, 303)
			},
			"its maker gone": func() {
				ana.post(fmt.Sprintf("/acme/people/%d/role", e.idOf("adam")), "role", "member").
					is(t, 303)
			},
		} {
			name := map[string]string{"another role": "mia", "an operator": "vera", "its maker gone": "lea"}[rule]
			if name == "lea" {
				e.account("lea", "acme", accounts.Member)
			}
			if rule == "its maker gone" {
				e.account("ada", "acme", accounts.Admin)
				adam = e.signedIn("ada")
				change = func() { ana.post(fmt.Sprintf("/acme/people/%d/role", e.idOf("ada")), "role", "member").is(t, 303) }
			}
			path := pathOf(t, link(adam, name).is(t, 201).value(t, "#link"))
			e.visitor().get(path).is(t, 200)
			change()
			if a := e.visitor().get(path); a.code != 404 {
				t.Errorf("%s: %d", rule, a.code)
			}
			adam = e.signedIn("olga")
		}
	})
}

func TestOwnAccount(t *testing.T) {
	t.Parallel()
	const other = "another horse battery"

	t.Run("a new password signs out all but this browser", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		here, there := e.ana(), e.ana()
		copied := here.cookie
		here.post("/account/password", "current", "wrong", "password", other).is(t, 422).has(t, 1, "#password-current-error")
		here.post("/account/password", "current", password, "password", "short").is(t, 422).
			has(t, 1, "#password-password-error")
		here.post("/account/password", "current", password, "password", other).goesTo(t, "/account")
		here.get("/account").is(t, 200)
		there.get("/acme").is(t, 303)
		(&browser{env: e, cookie: copied}).get("/acme").is(t, 303)
		e.visitor().post("/login", "email", email, "password", password).is(t, 422)
	})

	t.Run("signing out everywhere does so, here too", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		here, there := e.ana(), e.ana()
		here.post("/account/epoch").goesTo(t, "/login")
		for _, b := range []*browser{here, there} {
			b.get("/acme").is(t, 303)
			b.get("/login").is(t, 200)
			b.get("/").is(t, 303)
		}
		e.program().get("/boards").is(t, 200)
	})

	t.Run("a sign-out is not undone by a request that has a message to keep", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for range 20 {
			b := e.ana()
			cookie := b.cookie
			twin := &browser{env: e, cookie: cookie}
			var group sync.WaitGroup
			group.Go(func() { b.post("/logout") })
			group.Go(func() { twin.post("/account", "name", "Ana") })
			group.Wait()
			(&browser{env: e, cookie: cookie}).get("/acme").is(t, 303)
		}
		e.counts(t, 0, "SELECT COUNT(*) FROM sessions")
	})

	t.Run("another company is opened by an operator, who owns it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post("/admin/companies", "company", "", "slug", "").is(t, 422).has(t, 1, "#company-company-error")
		ana.post("/admin/companies", "company", "Acme", "slug", "acme").is(t, 409).has(t, 1, "#company-slug-error")
		for _, reserved := range []string{"join", "account", "reset", "admin", "login"} {
			ana.post("/admin/companies", "company", "x", "slug", reserved).is(t, 422).has(t, 1, "#company-slug-error")
		}
		ana.post("/admin/companies", "company", "Wayne & Söhne", "slug", "").goesTo(t, "/wayne-sohne")
		ana.get("/wayne-sohne").is(t, 200).has(t, 1, ".menu a[href='/acme']")
		ana.get("/acme").has(t, 1, ".menu a[href='/wayne-sohne']")
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	mia := e.signedIn("mia")
	make_ := func(b *browser, days string, scopes ...string) *answer {
		values := form("name", "deploys", "days", days)
		values["scopes"] = scopes
		return b.send(newRequest(http.MethodPost, "/acme/tokens", formKind, strings.NewReader(values.Encode())))
	}
	boards := func(token string) *answer { return (&program{env: e, token: token}).get("/boards") }

	e.unchanged(t, func() {
		make_(mia, "30").is(t, 422)
		make_(mia, "31", "boards:read").is(t, 422)
		make_(mia, "x", "boards:read").is(t, 422)
		make_(mia, "30", "boards:read", "operate").is(t, 422)
		make_(mia, "30", "boards:read boards:write").is(t, 422)
	})
	token := make_(mia, "30", "boards:read").is(t, 201).value(t, "#secret")
	boards(token).is(t, 200)
	(&program{env: e, token: token}).post("/boards", object{"slug": "NINJA", "title": "x"}).is(t, 403)
	mia.get("/acme/tokens").has(t, 1, "#own-tokens tbody tr").has(t, 0, "#others-name")
	if strings.Contains(mia.get("/acme/tokens").body, token) {
		t.Error("the token is shown again")
	}

	id := e.count("SELECT id FROM api_token WHERE name = 'deploys'")
	path := fmt.Sprintf("/acme/tokens/%d/revocation", id)
	e.signedIn("vera").post(path).is(t, 404)
	e.signedIn("sam").post(strings.Replace(path, "acme", "rivals", 1)).is(t, 404)
	adam := e.signedIn("adam")
	adam.get("/acme/tokens").has(t, 1, "#other-tokens form[action='"+path+"']")
	adam.post(path).goesTo(t, "/acme/tokens")
	boards(token).is(t, 401)
	adam.post(path).is(t, 404)

	over := make_(mia, "30", "boards:read").is(t, 201).value(t, "#secret")
	e.exec("UPDATE api_token SET expires_at = created_at WHERE revoked_at IS NULL AND name = 'deploys'")
	boards(over).is(t, 401)

	once := make_(e.signedIn("opal"), "0", "boards:read", accounts.Operate).is(t, 201).value(t, "#secret")
	boards(once).is(t, 200)
	e.workflows.Close(t.Context())
	if n := e.count("SELECT COUNT(*) FROM api_token WHERE hash = UNHEX(SHA2(?, 256)) AND last_used_at IS NOT NULL",
		once); n != 1 {
		t.Error("it is not stored that the token was used")
	}
}

// Sign-ins are limited by account and by address.
func TestSignInLimits(t *testing.T) {
	t.Parallel()
	from := func(e *env, address, name, password string) *answer {
		r := newRequest(http.MethodPost, "/login", formKind,
			strings.NewReader(form("email", name+"@example.com", "password", password, "next", "/acme/DEMO-1").Encode()))
		r.RemoteAddr = address
		return e.send(r)
	}

	t.Run("ten failures from an address make an account wait there, and nowhere else", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.stopClock()
		for range 10 {
			from(e, "192.0.2.7:1", "mia", "wrong").is(t, 422)
		}
		for _, word := range []string{"wrong", password} {
			a := from(e, "192.0.2.7:1", "mia", word).is(t, 429)
			if a.header.Get("Retry-After") == "" || a.value(t, "#login-email") != "mia@example.com" ||
				a.value(t, "input[name=next]") != "/acme/DEMO-1" || a.value(t, "#login-password") != "" {
				t.Errorf("the form is not the same: %v", a.header)
			}
			if !strings.Contains(a.text(t, ".summary"), "Wait") {
				t.Error("it does not say how long to wait")
			}
		}
		from(e, "192.0.2.8:1", "mia", password).is(t, 303)
		from(e, "192.0.2.7:1", "vera", password).is(t, 303)
		e.exec("UPDATE sign_in_limit SET last_at = last_at - INTERVAL 2 SECOND")
		from(e, "192.0.2.7:1", "mia", password).is(t, 303)
		from(e, "192.0.2.7:1", "mia", "wrong").is(t, 422)
		e.counts(t, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'sign-in-limited'")
	})

	t.Run("a thousand at once have ten tries", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.stopClock()
		var tried sync.Map
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				for range 5 {
					code := from(e, "192.0.2.7:1", "mia", "wrong").code
					n, _ := tried.LoadOrStore(code, new(sync.Map))
					n.(*sync.Map).Store(new(int), true)
				}
			})
		}
		group.Wait()
		count := func(code int) (n int) {
			if m, ok := tried.Load(code); ok {
				m.(*sync.Map).Range(func(any, any) bool { n++; return true })
			}
			return n
		}
		if got := count(422); got != 10 {
			t.Errorf("%d passwords were looked at, %d refused", got, count(429))
		}
	})

	t.Run("an IPv6 network is one address", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.stopClock()
		for i := range 10 {
			from(e, fmt.Sprintf("[2001:db8:0:1::%x]:1", i+1), "mia", "wrong").is(t, 422)
		}
		from(e, "[2001:db8:0:1:ffff::1]:1", "mia", password).is(t, 429)
		from(e, "[2001:db8:0:2::1]:1", "mia", password).is(t, 303)
	})

	t.Run("guesses from everywhere do not lock out a known address", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		now := e.stopClock()
		from(e, "192.0.2.1:1", "mia", password).is(t, 303)
		from(e, "198.51.100.1:1", "mia", "wrong").is(t, 422)
		e.exec("UPDATE sign_in_limit SET failures = 99, last_at = ? WHERE failures = 1", now) // so much of it
		from(e, "198.51.100.2:1", "mia", "wrong").is(t, 422)
		from(e, "203.0.113.9:1", "mia", password).is(t, 429)
		from(e, "192.0.2.1:1", "mia", password).is(t, 303)
		e.exec("UPDATE sign_in_limit SET last_at = last_at - INTERVAL 15 MINUTE")
		from(e, "203.0.113.9:1", "mia", password).is(t, 303)
	})

	t.Run("an address has a hundred failures in a quarter of an hour", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		now := e.stopClock()
		from(e, "192.0.2.7:1", "nobody", "wrong").is(t, 422)
		e.exec("UPDATE sign_in_limit SET failures = 99, last_at = ?", now)
		from(e, "192.0.2.7:1", "somebody", "wrong").is(t, 422)
		from(e, "192.0.2.7:1", "mia", password).is(t, 429)
		from(e, "192.0.2.8:1", "mia", password).is(t, 303)
	})

	t.Run("an IPv6 customer with many networks has three hundred", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		now := e.stopClock()
		from(e, "[2001:db8:7:1::1]:1", "nobody", "wrong").is(t, 422)
		e.exec("UPDATE sign_in_limit SET failures = 299, last_at = ? WHERE name = UNHEX(SHA2(CONCAT('network', CHAR(0), '2001:db8:7::/48'), 256))", now)
		from(e, "[2001:db8:7:2::1]:1", "somebody", "wrong").is(t, 422)
		from(e, "[2001:db8:7:3::1]:1", "mia", password).is(t, 429)
		from(e, "[2001:db8:8:3::1]:1", "mia", password).is(t, 303)
	})

	t.Run("a browser that signed in is not locked out with its address", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		now := e.stopClock()
		mia := e.signedIn("mia")
		if mia.device == nil || !mia.device.HttpOnly || strings.Contains(mia.device.Value, "mia") {
			t.Fatalf("the browser's cookie is %v", mia.device)
		}
		from(e, "192.0.2.1:1", "nobody", "wrong").is(t, 422)
		e.exec("UPDATE sign_in_limit SET failures = 100, last_at = ? WHERE known = FALSE", now)
		try := func(b *browser, name, word string) *answer {
			return b.post("/login", "email", name+"@example.com", "password", word)
		}
		try(e.visitor(), "mia", password).is(t, 429)
		stranger := e.visitor()
		stranger.device = &http.Cookie{Name: mia.device.Name, Value: mia.device.Value[:len(mia.device.Value)-2] + "xx"}
		try(stranger, "mia", password).is(t, 429)
		try(&browser{env: e, device: mia.device}, "vera", password).is(t, 429) // it is of one account
		e.exec("DELETE FROM sign_in_limit WHERE known = FALSE AND failures < 100")
		for range 2 {
			mia.post("/logout").is(t, 303)
			try(mia, "mia", password).is(t, 303)
		}
		for range 10 {
			try(mia, "mia", "wrong").is(t, 422)
		}
		try(mia, "mia", password).is(t, 429)
	})

	t.Run("counts of unknown addresses are kept for a day, those of known ones for a month", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		from(e, "192.0.2.1:1", "mia", password).is(t, 303)
		from(e, "192.0.2.1:1", "nobody", "wrong").is(t, 422)
		forget := func(age int) {
			e.exec("UPDATE sign_in_limit SET last_at = NOW(6) - INTERVAL ? HOUR", age)
			if _, err := e.workflows.Workflows.ForgetLimits(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		forget(23)
		if e.count("SELECT COUNT(*) FROM sign_in_limit WHERE known = FALSE") == 0 {
			t.Error("they are gone within a day")
		}
		forget(25)
		e.counts(t, 0, "SELECT COUNT(*) FROM sign_in_limit WHERE known = FALSE")
		e.counts(t, 1, "SELECT COUNT(*) FROM sign_in_limit")
		forget(31 * 24)
		e.counts(t, 0, "SELECT COUNT(*) FROM sign_in_limit")
	})

	t.Run("guard the change of a password, too", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.stopClock()
		mia := e.signedIn("mia")
		for range 10 {
			mia.post("/account/password", "current", "wrong", "password", "another horse").is(t, 422)
		}
		a := mia.post("/account/password", "current", password, "password", "another horse").is(t, 429)
		if a.header.Get("Retry-After") == "" || !strings.Contains(a.text(t, ".summary"), "Wait") {
			t.Error("it does not say how long to wait")
		}
	})
}

func TestAudit(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	ana := e.ana()
	mia := fmt.Sprintf("/acme/people/%d", e.idOf("mia"))
	ana.invitation("note", "<b>note</b>")
	ana.post("/acme/people/invitations/1/revocation").is(t, 303)
	e.visitor().post(ana.invitation(), newAccount("bo")...).is(t, 303)
	ana.post(mia+"/role", "role", "admin").is(t, 303)
	ana.post(mia+"/operator", "operator", "yes").is(t, 303)
	ana.post(mia+"/operator", "operator", "no").is(t, 303)
	reset := pathOf(t, ana.post(mia+"/resets").is(t, 201).value(t, "#link"))
	e.visitor().post(reset, "password", password).is(t, 303)
	e.signedIn("mia").post("/account/password", "current", password, "password", password).is(t, 303)
	e.signedIn("mia").post("/account/epoch").is(t, 303)
	e.signedIn("mia").post(mia+"/removal").is(t, 303)
	ana.post(fmt.Sprintf("/acme/people/%d/removal", e.idOf("bo"))).is(t, 303)
	ana.post("/acme/tokens", "name", "script", "scopes", "boards:read", "days", "0").is(t, 201)
	ana.post(fmt.Sprintf("/acme/tokens/%d/revocation", e.count("SELECT MAX(id) FROM api_token"))).is(t, 303)
	ana.post("/acme/settings", "company", "Acme Ltd").is(t, 303)
	a := ana.get("/acme/audit").is(t, 200)
	for _, want := range []string{"signed in", "created an invitation as member: <b>note</b>", "revoked an invitation",
		"joined as member", "changed the role of mia <mia@example.com> from member to admin",
		"an operator of the server", "no longer an operator", "created a link for a new password for mia",
		"chose a new password by a link", "changed their password", "signed out everywhere", "left, and was admin",
		"removed bo <bo@example.com>", "created the API token script", "revoked the API token script",
		"renamed the company from Acme to Acme Ltd"} {
		if !strings.Contains(a.text(t, "#audit"), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if got := a.page().Find("#audit td[data-label=Address]").First().Text(); !strings.Contains(got, "192.0.2.1") {
		t.Errorf("the address is %q", got)
	}
	for range 60 {
		e.exec("INSERT INTO audit (company_id, account_id, kind, detail, address, created_at) VALUES (1, 1, 'signed-in', " +
			"'{}', '', UTC_TIMESTAMP(6)), (1, 1, 'odd', 'no JSON', '', UTC_TIMESTAMP(6))")
	}
	ana.get("/acme/audit").has(t, 100, "#audit tbody tr")
	older, _ := ana.get("/acme/audit").page().Find(".more a").Attr("href")
	ana.get(older).is(t, 200)
	for _, bad := range []string{"x", "-1", "99999999999999999999"} {
		ana.get("/acme/audit?before="+bad).is(t, 400)
	}
}

// logRecorder keeps all that is logged.
type logRecorder struct {
	mu   sync.Mutex
	text strings.Builder
}

func (k *logRecorder) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.Write(b)
}

var _ io.Writer = (*logRecorder)(nil)

func TestNoSecretIsLogged(t *testing.T) {
	t.Parallel()
	var log logRecorder
	e := newEnv(t, func(cfg *web.Config) {
		cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	e.account("mia", "acme", accounts.Member)
	ana := e.ana()
	secrets := []string{password, "a wrong password", e.token, ana.cookie}
	e.visitor().post("/login", "email", email, "password", "a wrong password").is(t, 422)
	join := ana.invitation()
	reset := pathOf(t, ana.post(fmt.Sprintf("/acme/people/%d/resets", e.idOf("mia"))).is(t, 201).value(t, "#link"))
	made := ana.post("/acme/tokens", "name", "x", "scopes", "boards:read", "days", "0").is(t, 201).value(t, "#secret")
	secrets = append(secrets, strings.TrimPrefix(join, "/join/"), strings.TrimPrefix(reset, "/reset/"), made)
	for _, path := range []string{join, reset} {
		e.visitor().get(path+"x").is(t, 404)
		e.visitor().send(newRequest(http.MethodPut, path, "", nil))
		e.visitor().get(path + "/more")
		e.visitor().get("/login?next=" + path)
		e.visitor().post(path, "password", "short")
	}
	e.visitor().post(join, newAccount("bo")...).is(t, 303)
	e.visitor().get(join).is(t, 404)
	e.visitor().post(reset, "password", password).is(t, 303)
	e.visitor().get(reset).is(t, 404)
	(&program{env: e, token: made}).get("/tickets/DEMO-99").is(t, 403)
	(&program{env: e, token: made + "x"}).get("/boards").is(t, 401)
	ana.get("/acme/DEMO-99").is(t, 404)
	if !strings.Contains(log.text.String(), "request failed") {
		t.Fatal("nothing is logged")
	}
	for _, secret := range secrets {
		if strings.Contains(log.text.String(), secret) {
			t.Errorf("%s is in the log:\n%s", secret, log.text.String())
		}
	}
}

func TestWrongMethods(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	ana := e.ana()
	put := func(b *browser, path string) *answer {
		return b.send(newRequest(http.MethodPut, path, "", nil))
	}
	for path, allow := range map[string]string{
		"/acme/people": "GET, HEAD", "/acme/settings": "GET, HEAD, POST", "/acme/people/1/role": "POST",
		"/login": "GET, HEAD, POST", "/logout": "POST", "/account/epoch": "POST",
		"/join/x": "GET, HEAD, POST", "/healthz": "GET, HEAD",
	} {
		if a := put(ana, path); a.code != 405 || a.header.Get("Allow") != allow {
			t.Errorf("%s: %d, it allows %q, not %q", path, a.code, a.header.Get("Allow"), allow)
		}
	}
	ana.get("/acme/people/1/role").is(t, 405)
	for _, path := range []string{"/acme/people/1/nope", "/acme//people", "/acme/people/", "/nope/x/y/z"} {
		put(ana, path).is(t, 404)
	}
	p := e.program()
	if got := p.call(http.MethodPut, "/boards", nil).is(t, 405).header.Get("Allow"); got != "GET, HEAD, POST" {
		t.Errorf("the API allows %q", got)
	}
	p.call(http.MethodPut, "/nope", nil).is(t, 404)

	// A caller without access gets no detail.
	for _, path := range []string{"/acme/people", "/nobody/people", "/acme/people/1/role"} {
		if a := put(e.signedIn("sam"), path).is(t, 404); a.header.Get("Allow") != "" {
			t.Errorf("%s tells a stranger %q", path, a.header.Get("Allow"))
		}
		put(e.visitor(), path).is(t, 303)
	}
	(&program{env: e}).call(http.MethodPut, "/boards", nil).is(t, 401)
}
