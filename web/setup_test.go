package web_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

func TestSetup(t *testing.T) {
	t.Parallel()
	valid := forms["setup"].valid

	t.Run("an empty house leads to setup, which signs in and opens the practice board", func(t *testing.T) {
		t.Parallel()
		h := emptyHouse(t)
		b := h.visitor()
		for _, path := range []string{"/", "/login", "/acme", "/acme/DEMO-1"} {
			b.get(path).goesTo(t, "/setup")
		}
		b.get("/setup").is(t, http.StatusOK).has(t, 1, "form[action='/setup'][method=post]")
		b.post("/setup", valid...).goesTo(t, "/acme/boards/DEMO")
		a := b.get("/acme/boards/DEMO").is(t, http.StatusOK)
		if !strings.Contains(a.text(t, "#flash .toast"), "DEMO-1") {
			t.Errorf("the welcome is %q", a.text(t, "#flash"))
		}
		b.get("/acme/boards/DEMO").has(t, 0, "#flash .toast")
		h.visitor().post("/login", "email", email, "password", password).goesTo(t, "/acme")
	})

	t.Run("the short name follows the company's", func(t *testing.T) {
		t.Parallel()
		h := emptyHouse(t)
		h.visitor().post("/setup", append(valid, "company", "Acme & Söhne, Ltd.", "slug", "")...).goesTo(t, "/acme-sohne-ltd/boards/DEMO")
	})

	t.Run("after the first it is closed, and strangers leave nothing behind", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		sessions := h.count("SELECT COUNT(*) FROM sessions")
		h.unchanged(t, func() {
			h.visitor().get("/setup").goesTo(t, "/login")
			a := h.visitor().post("/setup", append(valid, "slug", "rivals", "company", "Rivals", "email", "eve@example.com")...).is(t, http.StatusConflict)
			if got := a.text(t, "#main .lead"); !strings.Contains(got, "set up already") {
				t.Errorf("it says %q", got)
			}
			a.has(t, 1, "#main a[href='/login']")
			h.visitor().post("/setup").is(t, http.StatusConflict)
		})
		if n := h.count("SELECT COUNT(*) FROM sessions"); n != sessions {
			t.Errorf("%d sessions are left behind", n-sessions)
		}
	})

	for rule, slugs := range map[string][2]string{"two at once with one name": {"acme", "acme"}, "two at once with two names": {"acme", "rivals"}} {
		t.Run(rule+": exactly one wins and the other hears that it is closed", func(t *testing.T) {
			t.Parallel()
			h := emptyHouse(t)
			var answers [2]*answer
			var group sync.WaitGroup
			for i, slug := range slugs {
				group.Go(func() {
					answers[i] = h.visitor().post("/setup", append(valid[:len(valid):len(valid)], "slug", slug, "email", slug+[]string{"a", "b"}[i]+"@example.com")...)
				})
			}
			group.Wait()
			won := 0
			for _, a := range answers {
				if a.code == http.StatusSeeOther {
					won++
					continue
				}
				if got := a.is(t, http.StatusConflict).text(t, "#main .lead"); !strings.Contains(got, "Sign in instead") {
					t.Errorf("the loser hears %q", got)
				}
			}
			if won != 1 || h.count("SELECT COUNT(*) FROM company") != 1 || h.count("SELECT COUNT(*) FROM account") != 1 || h.count("SELECT COUNT(*) FROM board") != 1 {
				t.Errorf("%d won", won)
			}
		})
	}
}
