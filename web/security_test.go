package web_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/web"
)

func TestOtherSites(t *testing.T) {
	t.Parallel()
	foreign := [][]string{
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site", "Origin", "http://sub.example.com"},
		{"Sec-Fetch-Site", "cross-site", "Origin", "http://example.com"}, // the first is the browser's word
		{"Sec-Fetch-Site", "nonsense"},
		{"Origin", "https://evil.example"},
		{"Origin", "null"},
		{"Origin", "http://example.com.evil.example"},
		{"Origin", "http://example.com:8443"},
	}
	own := [][]string{{}, {"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}, {"Origin", "http://example.com"},
		{"Sec-Fetch-Site", "same-origin", "Origin", "null"}}

	t.Run("cannot change anything on any route", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		sessions := e.count("SELECT COUNT(*) FROM sessions")
		e.unchanged(t, func() {
			for name := range routes() {
				method, path, _ := strings.Cut(name, " ")
				if method == "GET" || method == "HEAD" || method == "OPTIONS" {
					continue
				}
				// the private link is the right to write; another site does not know it
				if name == "POST /t/:code/:token/replies" {
					continue
				}
				path = strings.NewReplacer(":company", "acme", ":board", "DEMO", ":key", "DEMO-1", "*", "x").Replace(path)
				for _, header := range foreign {
					r := newRequest(method, path, formKind, strings.NewReader("title=x&slug=NINJA&version=1&column=2"),
						"Authorization", "Bearer "+e.token)
					if a := ana.with(header...).send(r); a.code != http.StatusForbidden {
						t.Errorf("%s %s with %v: %d", method, path, header, a.code)
					} else if !strings.Contains(a.body, "another site") {
						t.Errorf("%s %s: it says %s", method, path, a.body)
					}
				}
			}
		})
		if n := e.count("SELECT COUNT(*) FROM sessions"); n != sessions {
			t.Error("a session came or went")
		}
		ana.get("/acme").is(t, 200)
	})

	t.Run("may link here", func(t *testing.T) {
		t.Parallel()
		ana := newEnv(t).ana()
		for _, header := range foreign {
			ana.with(header...).get("/acme/DEMO-1").is(t, 200)
		}
	})

	t.Run("are not our own pages, nor programs", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		for i, header := range own {
			ana.with(header...).post("/acme/boards", "slug", fmt.Sprint("OWN", i), "title", "x").is(t, 303)
			e.program().with(header...).post("/boards", object{"slug": fmt.Sprint("API", i), "title": "x"}).is(t, 201)
		}
	})

	t.Run("are not ours behind a proxy that rewrites Host", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withURL("https://tracker.example.org/"))
		ana := e.ana()
		ana.with("Origin", "https://tracker.example.org").post("/acme/boards", "slug", "NINJA", "title", "x").is(t, 303)
		ana.with("Origin", "http://tracker.example.org").post("/acme/boards", "slug", "NINJB", "title", "x").is(t, 403)
	})
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	secure := newEnv(t, withURL("https://example.com"))
	for _, e := range []*env{e, secure} {
		ana := e.ana()
		for name, a := range map[string]*answer{
			"a page": ana.get("/acme"), "a ticket": ana.get("/acme/DEMO-1"), "nothing there": ana.get("/acme/DEMO-99"),
			"no route": ana.get("/a/b/c/d/e"), "login": e.visitor().get("/login"),
			"a redirect": e.visitor().get("/acme"), "a rejected form": ana.post("/acme/boards"),
			"another site": ana.with("Sec-Fetch-Site", "cross-site").post("/acme/boards"),
			"too large":    ana.send(postRequest("/acme/boards", formKind, strings.Repeat("a", oversize))),
			"bad escapes":  ana.send(postRequest("/acme/boards", formKind, "%")),
			"an asset":     ana.get("/static/x/css/app.css"), "no asset": ana.get("/static/x/nope"),
			"the API": e.program().get("/boards"), "a problem": e.visitor().get("/api/v1/boards"),
			"health": ana.get("/healthz"), "metrics": ana.get("/metrics"),
			"an unknown method": ana.send(newRequest("PUT", "/acme", "", nil)),
			"options":           ana.send(newRequest("OPTIONS", "/acme", "", nil)),
			"a fragment":        ana.htmx("dialog").get("/acme/boards/DEMO/tickets/new"),
			"a session gone":    e.visitor().htmx("ticket").get("/acme/DEMO-1"),
		} {
			for header, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin",
				"Referrer-Policy": cmp.Or(map[string]string{"login": "strict-origin"}[name], "same-origin"),
			} {
				if got := a.header.Get(header); got != want {
					t.Errorf("%s (%d): %s is %q", name, a.code, header, got)
				}
			}
			csp := a.header.Values("Content-Security-Policy")
			if len(csp) != 1 {
				t.Fatalf("%s: %d policies", name, len(csp))
			}
			for _, directive := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'",
				"form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
				if !strings.Contains(csp[0]+";", directive+";") {
					t.Errorf("%s: the policy lacks %s", name, directive)
				}
			}
			if strings.Contains(csp[0], "unsafe") || strings.Contains(csp[0], "*") {
				t.Errorf("%s: the policy is %s", name, csp[0])
			}
			if got := a.header.Get("Strict-Transport-Security"); (got != "") != (e == secure) {
				t.Errorf("%s: Strict-Transport-Security is %q", name, got)
			}
			if strings.Contains(a.header.Get("Content-Type"), "html") {
				a.has(t, 0, "script:not([src]), style, [style], [onclick], [onload], [onsubmit], [hx-on], iframe, base")
			}
			if a.header.Get("Server") != "" || a.header.Get("X-Powered-By") != "" {
				t.Errorf("%s: it says what it runs on", name)
			}
		}
	}
}

// cookies are those that an answer sets.
func (a *answer) cookies() []*http.Cookie { return (&http.Response{Header: a.header}).Cookies() }

func TestSession(t *testing.T) {
	t.Parallel()

	for address, secure := range map[string]bool{"": false, "http://example.com": false, "https://example.com": true} {
		t.Run("its cookie is out of reach: "+address, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			if address != "" {
				e = newEnv(t, withURL(address))
			}
			a := e.visitor().post("/login", "email", email, "password", password).is(t, 303)
			list := a.cookies()
			if len(list) != 2 {
				t.Fatalf("%d cookies", len(list))
			}
			name := map[bool]string{false: "counterfoil", true: "__Host-counterfoil"}[secure]
			for i, c := range list {
				if c.Name != []string{name, name + "-device"}[i] || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode ||
					c.Secure != secure || c.Path != "/" || c.Domain != "" || len(c.Value) < 40 {
					t.Errorf("%+v", c)
				}
			}
		})
	}

	t.Run("is not made for strangers", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for _, path := range []string{"/", "/login", "/setup", "/acme", "/acme/DEMO-1", "/nope", "/healthz",
			"/login?next=/acme"} {
			if a := e.visitor().get(path); len(a.cookies()) > 0 {
				t.Errorf("%s sets a cookie", path)
			}
		}
		e.visitor().post("/login", "email", email, "password", "wrong").is(t, 422)
		e.visitor().post("/logout")
		e.counts(t, 0, "SELECT COUNT(*) FROM sessions")
	})

	t.Run("an address that is a secret is in no Referer", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		invitation := e.ana().post("/acme/people/invitations", "role", "member", "days", "7").is(t, http.StatusCreated)
		_, secret, _ := strings.Cut(invitation.body, "/join/")
		secret, _, _ = strings.Cut(secret, `"`)
		for path, want := range map[string]string{
			"/join/" + secret: "strict-origin", "/join/unknown": "strict-origin", "/reset/unknown": "strict-origin",
			"/t/ukrEP": "no-referrer", "/t/ukrEP/unknown": "no-referrer", "/login?next=%2Fjoin%2F" + secret: "strict-origin",
		} {
			if got := e.visitor().get(path).header.Get("Referrer-Policy"); got != want {
				t.Errorf("%s: Referrer-Policy is %q", path, got)
			}
		}
		e.visitor().get("/join/"+secret).is(t, http.StatusOK)
	})

	t.Run("no page of a user stays in the browser's cache", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		ana := e.ana()
		seen := 0
		for name, one := range pages {
			method, route, _ := strings.Cut(name, " ")
			if method != http.MethodGet || strings.HasPrefix(route, "/static") || strings.Contains(route, "/images/") {
				continue
			}
			a := ana.get(one.path)
			kept := a.header.Get("Cache-Control")
			if plain := strings.HasPrefix(a.header.Get("Content-Type"), "text/plain"); a.code >= 300 && a.code < 400 || plain {
				continue // no cache keeps the one, and the other is nobody's
			}
			if seen++; !strings.Contains(kept, "no-store") {
				t.Errorf("%s (%d): Cache-Control is %q", one.path, a.code, kept)
			}
		}
		if seen < 60 {
			t.Errorf("only %d pages were looked at", seen)
		}
	})

	t.Run("has a new token at sign-in, and a made-up one is worth nothing", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		const planted = "planted-by-someone-else-0123456789-abcdefgh"
		b := &browser{env: e, cookie: planted}
		b.post("/login", "email", email, "password", password).is(t, 303)
		if b.cookie == planted || b.cookie == "" {
			t.Fatal("the token is the planted one")
		}
		(&browser{env: e, cookie: planted}).get("/acme").is(t, 303)
		first := b.cookie
		b.post("/login", "email", email, "password", password).is(t, 303)
		if b.cookie == first {
			t.Error("the second sign-in kept the token")
		}
		(&browser{env: e, cookie: first}).get("/acme").goesTo(t, "/login?next=%2Facme")
		b.get("/acme").is(t, 200)
		for _, cookie := range []string{"", " ", "x", strings.Repeat("a", 4000), "' OR 1=1 --", "%ff", "\u00e9"} {
			(&browser{env: e}).with("Cookie", "counterfoil="+cookie).get("/acme").is(t, 303)
		}
	})

	t.Run("is stored under the hash of its token, and is gone after sign-out", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.ana()
		var stored string
		domaintest.Must(t, e.db.SQL.QueryRow("SELECT token FROM sessions").Scan(&stored))
		sum := sha256.Sum256([]byte(b.cookie))
		if stored == b.cookie || stored != base64.RawURLEncoding.EncodeToString(sum[:]) {
			t.Errorf("the token %s is stored as %s", b.cookie, stored)
		}
		(&browser{env: e, cookie: stored}).get("/acme").is(t, 303)
		token := b.cookie
		a := b.post("/logout").goesTo(t, "/login")
		if c := a.cookies(); len(c) != 1 || c[0].MaxAge >= 0 || c[0].Value != "" {
			t.Errorf("the cookie stays: %+v", c)
		}
		if got := a.header.Values("Clear-Site-Data"); len(got) != 1 || got[0] != `"cache"` {
			t.Errorf("the browser is to forget %q", got)
		}
		e.counts(t, 0, "SELECT COUNT(*) FROM sessions")
		(&browser{env: e, cookie: token}).get("/acme").is(t, 303)
		(&browser{env: e, cookie: token}).post("/acme/boards", "slug", "NINJA", "title", "x").goesTo(t, "/login")
	})

	t.Run("ends by itself", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.ana()
		e.exec("UPDATE sessions SET expiry = expiry - INTERVAL 31 DAY")
		b.get("/acme").is(t, 303)
	})

	t.Run("of someone who left the company opens nothing there", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("sam", "acme", accounts.Member)
		sam := e.signedIn("sam")
		sam.get("/acme").is(t, 200)
		e.exec("DELETE FROM membership WHERE account_id = (SELECT id FROM account WHERE name = 'sam')")
		sam.get("/acme").is(t, 404)
		sam.get("/").goesTo(t, "/account")
	})
}

func TestSignIn(t *testing.T) {
	t.Parallel()

	t.Run("a wrong password and an unknown address look the same", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		wrong := e.visitor().post("/login", "email", email, "password", "wrong").is(t, 422)
		unknown := e.visitor().post("/login", "email", "eve@example.com", "password", "wrong").is(t, 422)
		if strings.ReplaceAll(wrong.body, email, "") != strings.ReplaceAll(unknown.body, "eve@example.com", "") {
			t.Error("they differ")
		}
		if len(wrong.cookies())+len(unknown.cookies()) > 0 {
			t.Error("a session was made")
		}
	})

	t.Run("the address may be in any case, with spaces around", func(t *testing.T) {
		t.Parallel()
		newEnv(t).visitor().post("/login", "email", "  ANA@Example.COM ", "password", password).goesTo(t, "/acme")
	})

	t.Run("the password may not", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for _, bad := range []string{strings.ToUpper(password), password + " ", " " + password, password + "\x00",
			password[:len(password)-1]} {
			e.visitor().post("/login", "email", email, "password", bad).is(t, 422)
		}
	})

	t.Run("leads on to a path of ours and nowhere else", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for next, want := range map[string]string{
			"/acme/DEMO-1": "/acme/DEMO-1", "/acme/boards/DEMO?x=1": "/acme/boards/DEMO?x=1", "": "/acme", "/": "/acme",
			"/login": "/acme", "/login?next=//evil.example": "/acme",
			"//evil.example": "/acme", "///evil.example": "/acme", `/\evil.example`: "/acme", `\\evil.example`: "/acme",
			`/acme\..\..\evil`: "/acme", "https://evil.example": "/acme",
			"https:evil.example": "/acme", "evil.example": "/acme", "javascript:alert(1)": "/acme", "data:text/html,x": "/acme",
			"/\t/evil.example": "/acme", "/\n/evil.example": "/acme",
			"/\r\nSet-Cookie: a=b": "/acme", " //evil.example": "/acme", "\t//evil.example": "/acme", "/acme\x00": "/acme",
			"/\x0b/evil.example": "/acme", "/\u2028x": "/acme", "/acme\xff": "/acme",
			"%2F%2Fevil.example": "/acme", "@evil.example": "/acme",
		} {
			for _, a := range []*answer{
				e.visitor().post("/login", "email", email, "password", password, "next", next),
				e.ana().get("/login?next=" + url.QueryEscape(next)),
			} {
				if got := a.is(t, 303).header.Get("Location"); got != want {
					t.Errorf("%q leads to %q", next, got)
				}
			}
			form := e.visitor().get("/login?next="+url.QueryEscape(next)).is(t, 200)
			if got := form.page().Find("input[name=next]").AttrOr("value", "/acme"); got != want {
				t.Errorf("%q is kept in the form as %q", next, got)
			}
		}
		for _, path := range []string{"//evil.example/x", "/acme/%2F%2Fevil.example", "/acme?x=%0d%0aSet-Cookie:a",
			"/%2Fevil.example"} {
			location := e.visitor().get(path).is(t, 303).header.Get("Location")
			at, err := url.Parse(location)
			if err != nil || at.Host != "" || at.Path != "/login" {
				t.Errorf("%s leads to %q", path, location)
			}
			if got := e.visitor().post("/login", "email", email, "password", password, "next", at.Query().Get("next")).
				header.Get("Location"); strings.HasPrefix(got, "//") || !strings.HasPrefix(got, "/") {
				t.Errorf("%s leads to %q in the end", path, got)
			}
		}
	})
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for _, column := range []string{"HEX(hash)", "name", "scopes"} {
		var stored string
		domaintest.Must(t, e.db.SQL.QueryRow("SELECT "+column+" FROM api_token").Scan(&stored))
		if strings.Contains(stored, e.token) || strings.Contains(stored, fmt.Sprintf("%X", e.token)) {
			t.Errorf("the token is stored in %s", column)
		}
	}
	if n := e.count("SELECT COUNT(*) FROM api_token WHERE hash = UNHEX(SHA2(?, 256))", e.token); n != 1 {
		t.Error("the token is not stored as its SHA-256")
	}
	if !strings.HasPrefix(e.token, "cfl_") || len(e.token) < 4+43 {
		t.Errorf("%q is no token with 256 bits", e.token)
	}
	e = newEmptyEnvWith(t, []app.Option{app.WithPasswordCost(accounts.DefaultCost)})
	e.visitor().post("/setup", "code", setupCode, "company", "Acme", "name", "Ana", "email", email, "password", password).is(t, 303)
	var hash string
	if err := e.db.SQL.QueryRow("SELECT password_hash FROM account").Scan(&hash); err != nil ||
		!strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") || strings.Contains(hash, password) {
		t.Errorf("the password is stored as %s, %v", hash, err)
	}
}

func TestClientAddress(t *testing.T) {
	t.Parallel()
	_, trusted, _ := net.ParseCIDR("10.0.0.0/8")
	for rule, c := range map[string]struct {
		proxies []*net.IPNet
		from    string
		forward []string
		want    string
	}{
		"no proxy is trusted": {nil, "10.0.0.1:1", []string{"1.2.3.4"}, "10.0.0.1"},
		"one that is not trusted says nothing": {[]*net.IPNet{trusted}, "192.168.0.1:1", []string{"1.2.3.4"},
			"192.168.0.1"},
		"neither does the machine itself": {[]*net.IPNet{trusted}, "127.0.0.1:1", []string{"1.2.3.4"},
			"127.0.0.1"},
		"a trusted one is believed": {[]*net.IPNet{trusted}, "10.0.0.1:1", []string{"1.2.3.4"}, "1.2.3.4"},
		"but not what someone told it": {[]*net.IPNet{trusted}, "10.0.0.1:1", []string{"6.6.6.6, 1.2.3.4"},
			"1.2.3.4"},
		"not in a header of its own either": {[]*net.IPNet{trusted}, "10.0.0.1:1", []string{"6.6.6.6", "1.2.3.4"},
			"1.2.3.4"},
		"two trusted ones in a row are believed": {[]*net.IPNet{trusted}, "10.0.0.1:1",
			[]string{"6.6.6.6, 1.2.3.4, 10.0.0.2"}, "1.2.3.4"},
		"without the header it is the proxy's": {[]*net.IPNet{trusted}, "10.0.0.1:1", nil, "10.0.0.1"},
		"garbage is the proxy's":               {[]*net.IPNet{trusted}, "10.0.0.1:1", []string{"garbage"}, "10.0.0.1"},
		"an address of the new kind is believed, too": {[]*net.IPNet{trusted}, "10.0.0.1:1", []string{"2001:db8::1"},
			"2001:db8::1"},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			r := newRequest(http.MethodGet, "/", "", nil, "X-Real-IP", "6.6.6.6", "Forwarded", "for=6.6.6.6")
			r.RemoteAddr = c.from
			for _, value := range c.forward {
				r.Header.Add("X-Forwarded-For", value)
			}
			if got := web.ClientAddress(c.proxies)(r); got != c.want {
				t.Errorf("it is %s, not %s", got, c.want)
			}
		})
	}
}

func TestForwardedHeaders(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana().with("X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "https", "X-Original-URL", "/admin",
		"X-Rewrite-URL", "/admin", "X-HTTP-Method-Override", "DELETE")
	a := ana.post("/acme/boards", "slug", "NINJA", "title", "x").goesTo(t, "/acme/boards/NINJA")
	if strings.Contains(fmt.Sprint(a.header), "evil") {
		t.Errorf("%v", a.header)
	}
	if page := ana.get("/acme"); strings.Contains(page.body, "evil.example") {
		t.Error("the page names a host that someone sent")
	}
}

func TestCanonicalKeys(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("sam", "rivals", accounts.Owner)
	ana, sam := e.ana(), e.signedIn("sam")
	for path, want := range map[string]string{"/acme/demo-1": "/acme/DEMO-1", "/acme/Demo-7": "/acme/DEMO-7",
		"/acme/boards/demo": "/acme/boards/DEMO"} {
		if a := ana.get(path).is(t, http.StatusMovedPermanently); a.header.Get("Location") != want {
			t.Errorf("%s leads to %s", path, a.header.Get("Location"))
		}
		sam.get(path).is(t, 404)
		e.visitor().get(path).goesTo(t, "/login?next="+url.QueryEscape(path))
	}
	for _, path := range []string{"/acme/demo-99", "/acme/nope-1", "/acme/boards/nope"} {
		ana.get(path).is(t, 404)
	}
	ana.post("/acme/demo-1", "title", "x", "description", "", "version", "1").goesTo(t, "/acme/DEMO-1")
	if a := ana.get("/acme/demo-1/edit?x=1").is(t, 301); a.header.Get("Location") != "/acme/DEMO-1/edit?x=1" {
		t.Errorf("it leads to %s", a.header.Get("Location"))
	}
}

func TestCompaniesAreWalls(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("sam", "rivals", accounts.Owner)
	sam := e.signedIn("sam")
	rivals := &program{env: e, token: e.tokenOf("sam", "rivals", accounts.Scopes...)}
	var theirs board
	// one slug, two companies
	rivals.post("/boards", object{"slug": "DEMO", "title": "Theirs"}).is(t, 201).read(t, &theirs)
	rivals.post("/boards/DEMO/tickets", object{"title": "theirs"}).is(t, 201)
	rivals.post("/tickets/DEMO-2/position", object{"column": theirs.Columns[0].ID, "after": nil}).problem(t, 404, "")
	before := e.count("SELECT COUNT(*) FROM activity")
	e.unchanged(t, func() {
		rivals.post("/boards/DEMO/tickets", object{"title": "x", "column": 1}).problem(t, 422, "column")
		rivals.post("/tickets/DEMO-1/position", object{"column": 1, "after": nil}).problem(t, 422, "column")
		rivals.get("/boards/DEMO/tickets?column=1").problem(t, 422, "column")
		sam.get("/rivals/boards/DEMO/columns/1").is(t, 404)
		sam.post("/rivals/boards/DEMO/tickets", "title", "x", "column", "1").is(t, 422)
		e.program().post("/tickets/DEMO-1/position", object{"column": theirs.Columns[0].ID, "after": nil}).
			problem(t, 422, "column")
	})
	if e.count("SELECT COUNT(*) FROM activity") != before {
		t.Error("there is a trace of it")
	}
	sam.get("/rivals/DEMO-1").is(t, 200).textIs(t, "h1", "theirs")
	sam.get("/rivals/DEMO-2").is(t, 404)
	sam.post("/rivals/DEMO-1", "title", "x", "description", "see DEMO-1 and NINJA-1", "version", "1").is(t, 303)
	sam.get("/rivals/DEMO-1").has(t, 1, ".prose a[href='/rivals/DEMO-1']")
}

func TestUnknownProxiesAreNoted(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	_, listed, err := net.ParseCIDR("192.0.2.0/24")
	domaintest.Must(t, err)
	try := func(proxies ...*net.IPNet) *env {
		log.Reset()
		e := newEnv(t, func(cfg *web.Config) {
			cfg.Log, cfg.Proxies = slog.New(slog.NewTextHandler(&log, nil)), proxies
		})
		for range 3 {
			e.visitor().with("X-Forwarded-For", "198.51.100.7").get("/login").is(t, 200)
		}
		return e
	}
	e := try()
	if n := strings.Count(log.String(), "COUNTERFOIL_TRUSTED_PROXIES"); n != 1 ||
		!strings.Contains(log.String(), "192.0.2.1") {
		t.Errorf("%d warnings: %s", n, &log)
	}
	e.ana().get("/admin").is(t, 200).textHas(t, "#part-proxy", "COUNTERFOIL_TRUSTED_PROXIES")
	e = try(listed)
	if log.Len() > 0 {
		t.Errorf("it warns of a trusted proxy: %s", &log)
	}
	e.ana().get("/admin").is(t, 200).has(t, 0, "#part-proxy")
}
