package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// ages the sessions: their users typed the password long ago.
const unconfirm = "UPDATE sessions SET confirmed_at = confirmed_at - INTERVAL 10 MINUTE"

// asked returns the fields of the form that asks for the password, and where it goes.
func (a *answer) asked(t testing.TB) (action string, fields url.Values) {
	t.Helper()
	a.has(t, 1, "#confirm-current")
	form := a.page().Find("main form")
	fields = url.Values{}
	form.Find("input[name][type=hidden]").Each(func(_ int, input *goquery.Selection) {
		fields.Add(input.AttrOr("name", ""), input.AttrOr("value", ""))
	})
	return form.AttrOr("action", ""), fields
}

// sends posts fields that may have several values.
func (b *browser) sends(path string, fields url.Values) *answer {
	b.env.t.Helper()
	pairs := []string{}
	for name := range fields {
		pairs = append(pairs, name, fields.Get(name))
	}
	return b.post(path, pairs...)
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	t.Run("what gives power asks for the password again after ten minutes, and goes on with what was sent", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		mia := e.idOf("mia")
		hook := e.count("SELECT MIN(id) FROM webhook")
		for path, want := range map[string]struct {
			fields []string
			code   int
		}{
			"/acme/tokens": {[]string{"name", "x", "scopes", "boards:read", "days", "0"}, 201},
			fmt.Sprintf("/acme/people/%d/resets", mia):                   {nil, 201},
			fmt.Sprintf("/acme/people/%d/role", mia):                     {[]string{"role", accounts.Viewer}, 303},
			fmt.Sprintf("/acme/people/%d/operator", mia):                 {[]string{"operator", "yes"}, 303},
			fmt.Sprintf("/admin/people/%d/resets", mia):                  {nil, 201},
			fmt.Sprintf("/admin/people/%d/sessions/revocation", mia):     {nil, 303},
			fmt.Sprintf("/admin/people/%d/deactivation", e.idOf("vera")): {nil, 303},
			fmt.Sprintf("/admin/people/%d/address", mia):                 {[]string{"email", "new@example.com"}, 303},
			fmt.Sprintf("/admin/people/%d/operator", mia):                {[]string{"operator", "yes"}, 303},
			"/acme/settings/webhooks":                                    {[]string{"url", "https://hooks.example.com/x\ny", "feeds", "tickets"}, 422},
			fmt.Sprintf("/acme/settings/webhooks/%d/secret", hook):       {nil, 201},
			"/acme/people/invitations":                                   {[]string{"role", "member", "days", "7"}, 201},
			fmt.Sprintf("/acme/settings/webhooks/%d", hook):              {[]string{"url", "https://hooks.example.com/x\ny", "feeds", "tickets", "version", "1"}, 422},
		} {
			ana := e.ana()
			e.exec(unconfirm)
			var action string
			var fields url.Values
			e.unchanged(t, func() {
				action, fields = ana.post(path, want.fields...).is(t, 403).asked(t)
			})
			if action != path || fields.Encode() != form(want.fields...).Encode() {
				t.Errorf("%s: the form sends %v to %s", path, fields, action)
			}
			fields.Set("current", "wrong "+password)
			e.unchanged(t, func() {
				action, fields = ana.sends(action, fields).is(t, 422).asked(t)
			})
			if fields.Encode() != form(want.fields...).Encode() {
				t.Errorf("%s: after a wrong password the form sends %v", path, fields)
			}
			fields.Set("current", password)
			if code := ana.sends(action, fields).code; code != want.code {
				t.Errorf("%s: %d, not %d", path, code, want.code)
			}
			if code := ana.post(path, want.fields...).code; code == 403 {
				t.Errorf("%s asks again at once", path)
			}
		}
	})
	t.Run("files ask before they come", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		for _, path := range []string{"/acme/audit.csv", "/admin/audit.csv", "/admin/migrations/runs/1/report.csv",
			"/admin/migrations/runs/1/rejections.csv"} {
			ana := e.ana()
			e.exec(unconfirm)
			to := "/account/confirmation?next=" + url.QueryEscape(path)
			ana.get(path).goesTo(t, to)
			action, fields := ana.get(to).is(t, 200).asked(t)
			fields.Set("current", "wrong "+password)
			action, fields = ana.sends(action, fields).is(t, 422).asked(t)
			ana.get(path).goesTo(t, to)
			fields.Set("current", password)
			link := ana.sends(action, fields).is(t, 200).page().Find("main a.primary").AttrOr("href", "")
			if link != path {
				t.Errorf("%s leads to %q", path, link)
			}
			ana.get(path).is(t, 200)
		}
	})
	t.Run("leads to no other site", func(t *testing.T) {
		t.Parallel()
		ana := newEnv(t).ana()
		for _, next := range []string{"https://example.com", "//example.com", `/\example.com`, "javascript:alert(1)"} {
			if _, fields := ana.get("/account/confirmation?next=" + url.QueryEscape(next)).asked(t); len(fields) > 0 {
				t.Errorf("the form has %v", fields)
			}
			ana.post("/account/confirmation", "next", next, "current", password).is(t, 200).has(t, 0, "main a")
		}
	})
	t.Run("counts for its session alone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		here, there := e.ana(), e.ana()
		e.exec(unconfirm)
		here.post("/account/confirmation", "current", password).is(t, 200)
		here.get("/acme/audit.csv").is(t, 200)
		there.get("/acme/audit.csv").is(t, 303)
	})
	t.Run("counts the attempts, and says how long to wait", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.stopClock()
		e.exec(unconfirm)
		code := 0
		for range 20 {
			a := ana.post("/account/confirmation", "current", "wrong "+password)
			if code = a.code; code == http.StatusTooManyRequests {
				if a.header.Get("Retry-After") == "" {
					t.Error("it does not say when to retry")
				}
				break
			}
		}
		if code != http.StatusTooManyRequests {
			t.Errorf("after 20 wrong passwords it says %d", code)
		}
	})
	t.Run("does not ask programs", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.program().get("/audit.csv").is(t, 200)
	})
}
