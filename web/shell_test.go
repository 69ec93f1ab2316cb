package web_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// top lists the links of the header, with their keys.
func (a *answer) top() (links []string) {
	a.page().Find(".top a").Each(func(_ int, link *goquery.Selection) {
		links = append(links, link.AttrOr("href", "")+" "+link.AttrOr("data-hotkey", ""))
	})
	return links
}

func TestShell(t *testing.T) {
	t.Parallel()

	t.Run("has one header for all pages, also outside a company and on errors", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		ana := e.ana()
		want := ana.get("/acme").is(t, 200).top()
		for _, link := range []string{"/acme g h,g b", "/acme/work g w", "/acme/inbox g i", "/acme/jump /,Shift+/,Mod+k",
			"/acme/keys ?,Shift+?", "/account ", "/acme/tokens ", "/acme/settings ", "/acme/audit ", "/admin "} {
			if !slices.Contains(want, link) {
				t.Errorf("the header has no %q: %q", link, want)
			}
		}
		for path, code := range map[string]int{"/acme/people": 200, "/acme/tokens": 200, "/account": 200,
			"/account/keys": 200, "/admin/companies": 200, "/admin/feeds": 200, "/admin/migrations": 200,
			"/admin/migrations/runs/1": 200, "/admin/migrations/runs/99": 404, "/rivals": 404,
			"/nowhere/at/all": 404} {
			if got := ana.get(path).is(t, code).top(); !slices.Equal(got, want) {
				t.Errorf("%s has another header:\n%q, not\n%q", path, got, want)
			}
		}
		if got := ana.post("/account", "name", "").is(t, 422).top(); !slices.Equal(got, want) {
			t.Errorf("a refused form has another header: %q", got)
		}
	})

	t.Run("shows the company that the user came from, while they are in it", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		sam := e.signedIn("sam")
		sam.post(e.ana().invitation()).goesTo(t, "/acme")
		sam.get("/account").has(t, 1, ".top nav a[href='/acme/work']") // the first
		sam.get("/rivals").is(t, 200)
		sam.get("/account").has(t, 1, ".top nav a[href='/rivals/work']").has(t, 1, ".menu a[href='/acme']")
		sam.get("/acme/boards").is(t, 200)
		sam.htmx("dialog").get("/rivals/keys").is(t, 200) // not a page
		sam.get("/account").has(t, 1, ".top nav a[href='/acme/work']")
		e.exec("DELETE FROM membership WHERE account_id = (SELECT id FROM account WHERE name = 'sam')" +
			" AND company_id = (SELECT id FROM company WHERE slug = 'acme')")
		sam.get("/account").is(t, 200).has(t, 1, ".top nav a[href='/rivals/work']").has(t, 0, ".top a[href^='/acme']")
		a := sam.post("/logout")
		if list := a.cookies(); len(list) != 2 || list[0].MaxAge >= 0 || list[1].MaxAge >= 0 {
			t.Errorf("signing out leaves %v", list)
		}
	})

	t.Run("takes no slug on trust", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		for _, slug := range []string{"rivals", "", "no such", "'%20OR%201=1", "admin"} {
			ana := e.ana()
			ana.came = &http.Cookie{Name: "counterfoil-company", Value: slug}
			ana.get("/account").is(t, 200).has(t, 1, ".top nav a[href='/acme/work']").has(t, 0, ".top a[href^='/rivals']")
		}
	})

	t.Run("has keys and a menu for a user without a company, and nothing for strangers", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("lone", "rivals", accounts.Member)
		e.exec("UPDATE account SET operator = TRUE WHERE name = 'lone'")
		lone := e.signedIn("lone")
		e.exec("DELETE FROM membership WHERE account_id = (SELECT id FROM account WHERE name = 'lone')")
		for _, path := range []string{"/account", "/admin/migrations"} {
			lone.get(path).is(t, 200).has(t, 0, ".top nav").has(t, 1, ".hands a[href='/account/keys'][data-hotkey^='?']").
				has(t, 0, "[data-hotkey^='/']").has(t, 1, ".menu a[href='/admin']")
		}
		lone.get("/account/keys").is(t, 200).textIs(t, "h1", "Keyboard shortcuts")
		lone.htmx("dialog").get("/account/keys").is(t, 200).has(t, 0, "header").textIs(t, "h2", "Keyboard shortcuts")
		e.visitor().get("/login").is(t, 200).has(t, 0, ".top a").has(t, 0, ".menu")
	})

	t.Run("groups the menu", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		groups := func(who, path string) (list []string) {
			e.signedIn(who).get(path).is(t, 200).page().Find(".menu > div > ul").Each(func(_ int, ul *goquery.Selection) {
				name := ul.AttrOr("aria-labelledby", "")
				list = append(list, ul.Parent().Find("#"+name).Text())
			})
			return list
		}
		for who, want := range map[string][]string{"ana": {"You", "Company", "Server"}, "adam": {"You", "Company"},
			"mia": {"You"}, "vera": {"You"}, "opal": {"You", "Server"}} {
			for _, path := range []string{"/acme", "/account"} {
				if got := groups(who, path); !slices.Equal(got, want) {
					t.Errorf("%s has %q on %s, not %q", who, got, path, want)
				}
			}
		}
	})

	t.Run("leads operators through the server", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		ana := e.ana()
		for path, current := range map[string]string{
			"/admin":                        "Overview page",
			"/admin/migrations":             "Migrations page",
			"/admin/migrations/runs/1":      "Migrations true",
			"/admin/migrations/workers":     "Workers page",
			"/admin/feeds":                  "Feeds page",
			"/admin/feeds/consumers/1":      "Feeds true",
			"/admin/migrations/images":      "Migrations true",
			"/admin/refs":                   "Codes page",
			"/admin/refs/service-accounts":  "Codes true",
			"/admin/refs/lots/1/quarantine": "Codes true",
			"/admin/companies":              "Companies page",
			"/admin/webhooks":               "Webhooks page",
			"/admin/storage":                "Storage page",
			"/admin/doctor":                 "Overview true",
			"/admin/people":                 "People page",
			"/admin/people/1":               "People true",
			"/admin/settings":               "Settings page",
			"/admin/stop":                   "Overview true",
		} {
			here := ana.get(path).is(t, 200).has(t, 11, "nav[aria-label=Server] a").page().
				Find("nav[aria-label=Server] [aria-current]")
			if got := here.Text() + " " + here.AttrOr("aria-current", ""); got != current {
				t.Errorf("%s is at %q, not %q", path, got, current)
			}
		}
		ana.post("/admin/companies", "company", "").is(t, 422).
			has(t, 1, "nav[aria-label=Server] a[href='/admin/companies'][aria-current]")
		ana.get("/acme").has(t, 0, "nav[aria-label=Server]")
		ana.get("/account").has(t, 0, "nav[aria-label=Server]")
		for _, path := range []string{"/admin/migrations/runs/99", "/admin/nowhere", "/admin/feeds/nowhere/at/all"} {
			ana.get(path).is(t, 404).has(t, 11, "nav[aria-label=Server] a")
		}
		e.signedIn("mia").get("/admin").is(t, 404).has(t, 0, "nav[aria-label=Server]")
	})
}
