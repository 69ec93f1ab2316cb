package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
)

// webhook adds the webhook 1 of acme, to this machine, which nothing is sent to, with a delivery about DEMO-1.
func (e *env) webhook() {
	e.t.Helper()
	e.exec(`INSERT INTO webhook (id, company_id, url, note, feeds, secret, state, due_at, lease_ends, created_by, created_at, updated_at)
		SELECT 1, id, 'http://127.0.0.1:9/hook', 'For the chat', 'tickets comments', UNHEX(SHA2('s', 256)), 'on', NOW(6), NOW(6), 1, NOW(6), NOW(6) FROM company WHERE slug = 'acme'`)
	e.exec("INSERT INTO webhook_cursor (webhook_id, feed, epoch, position) SELECT 1, name, epoch, value FROM sequences " +
		"WHERE name IN ('tickets', 'comments')")
	e.exec(`INSERT INTO webhook_attempt (id, webhook_id, message, kind, type, subject, feed, row_id, position, status, error, response, milliseconds, created_at)
		VALUES (1, 1, 'tickets:1:1', 'sent', 'ticket.changed', 'DEMO-1', 'tickets', 1, 1, 500, 'It answered 500 Internal Server Error.', '<b>broken</b>', 12, NOW(6))`)
}

// newReachingEnv may send to this machine.
func newReachingEnv(t *testing.T) *env {
	t.Helper()
	return setUp(newEmptyEnvWith(t, []app.Option{app.WithWebhooks(outboundtest.Here(t))}))
}

func TestWebhookPages(t *testing.T) {
	t.Parallel()
	t.Run("one is made, tried, changed, turned off and deleted without a script", func(t *testing.T) {
		e := newReachingEnv(t)
		inbox := outboundtest.NewInbox(nil)
		server := httptest.NewServer(inbox)
		t.Cleanup(server.Close)
		ana := e.ana()
		made := ana.post("/acme/settings/webhooks", "url", server.URL+"/hook", "feeds", "tickets", "feeds", "boards", "board",
			"DEMO", "note", "For the chat").is(t, http.StatusCreated)
		if secret := made.value(t, "#secret"); !strings.HasPrefix(secret, "whsec_") {
			t.Error(secret)
		}
		ana.get("/acme/settings/webhooks").is(t, http.StatusOK).has(t, 1, "#webhooks tbody tr")
		page := ana.get("/acme/settings/webhooks/1").is(t, http.StatusOK).has(t, 0, "#secret").has(t, 0, ".banner")
		if got := page.value(t, "#webhook-url"); got != server.URL+"/hook" {
			t.Error(got)
		}

		ana.post("/acme/settings/webhooks/1/tests").goesTo(t, "/acme/settings/webhooks/1")
		<-inbox.Received()
		page = ana.get("/acme/settings/webhooks/1").has(t, 1, "#deliveries tbody tr")
		page.textHas(t, ".toast", "It answered 204")
		ana.get("/acme/settings/webhooks/1/deliveries/1").is(t, http.StatusOK).has(t, 1, "#delivery").
			has(t, 0, "#delivery form")

		version := page.value(t, "#webhook form input[name=version]")
		ana.post("/acme/settings/webhooks/1", "version", version, "url", server.URL, "feeds", "comments").
			goesTo(t, "/acme/settings/webhooks/1")
		stale := ana.post("/acme/settings/webhooks/1", "version", version, "url", server.URL+"/mine", "feeds", "comments").
			is(t, http.StatusConflict)
		if got := stale.value(t, "#webhook-url"); got != server.URL+"/mine" {
			t.Error(got)
		}
		ana.post("/acme/settings/webhooks/1/state", "on", "no").goesTo(t, "/acme/settings/webhooks/1")
		ana.get("/acme/settings/webhooks/1").has(t, 1, ".banner button[value=yes]")
		ana.post("/acme/settings/webhooks/1/state", "on", "yes").goesTo(t, "/acme/settings/webhooks/1")
		if again := ana.post("/acme/settings/webhooks/1/secret").is(t, http.StatusCreated).
			value(t, "#secret"); again == made.value(t, "#secret") {
			t.Error("the secret is the same")
		}
		ana.post("/acme/settings/webhooks/1/removal").goesTo(t, "/acme/settings/webhooks")
		ana.get("/acme/settings/webhooks/1").is(t, http.StatusNotFound)
		e.counts(t, 6, "SELECT COUNT(*) FROM audit WHERE kind LIKE 'webhook-%'")
	})
	t.Run("the audit log names the old and the new host of one that is changed", func(t *testing.T) {
		e := newEnv(t)
		ana := e.ana()
		ana.post("/acme/settings/webhooks", "url", "https://hooks.example.com/one", "feeds", "tickets").is(t, http.StatusCreated)
		ana.post("/acme/settings/webhooks/1", "version", "1", "url", "https://hooks.example.org/two", "feeds", "tickets").
			goesTo(t, "/acme/settings/webhooks/1")
		ana.get("/acme/audit").textHas(t, "main", "changed the webhook to hooks.example.com to go to hooks.example.org")
	})
	t.Run("a form that is not taken says all that is wrong, and keeps what was typed", func(t *testing.T) {
		e := newEnv(t)
		page := e.ana().post("/acme/settings/webhooks", "url", "http://10.0.0.7/hook", "note", "For the chat").
			is(t, http.StatusUnprocessableEntity)
		page.textHas(t, "#webhook-url-error", "not a public one")
		page.has(t, 1, "#webhook-feeds .error")
		if page.value(t, "#webhook-url") != "http://10.0.0.7/hook" || page.value(t, "#webhook-note") != "For the chat" {
			t.Error("what was typed is gone")
		}
		e.ana().post("/acme/settings/webhooks", "url", "https://hooks.example/", "feeds", "tickets", "board", "NOPE").
			is(t, http.StatusUnprocessableEntity).has(t, 1, "#webhook-board-error")
	})
	t.Run("http is refused for a host that no operator listed, and what was typed is kept", func(t *testing.T) {
		e := newReachingEnv(t)
		ana := e.ana()
		page := ana.post("/acme/settings/webhooks", "url", "http://hooks.example/x?a=b", "note", "For the chat",
			"feeds", "tickets", "board", "DEMO").is(t, http.StatusUnprocessableEntity)
		page.textHas(t, "#webhook-url-error", "by https only")
		page.textHas(t, "#webhook-url-error", "COUNTERFOIL_WEBHOOK_ALLOW")
		if page.value(t, "#webhook-url") != "http://hooks.example/x?a=b" || page.value(t, "#webhook-note") != "For the chat" {
			t.Error("what was typed is gone")
		}
		page.has(t, 1, `input[name=feeds][value=tickets][checked]`).has(t, 1, `option[value=DEMO][selected]`)
		e.counts(t, 0, "SELECT COUNT(*) FROM webhook")

		ana.post("/acme/settings/webhooks", "url", "https://hooks.example/x", "feeds", "tickets").is(t, http.StatusCreated)
		page = ana.post("/acme/settings/webhooks/1", "version", "1", "url", "http://hooks.example/x", "feeds", "tickets").
			is(t, http.StatusUnprocessableEntity)
		page.textHas(t, "#webhook-url-error", "by https only")
		e.counts(t, 1, "SELECT COUNT(*) FROM webhook WHERE url = 'https://hooks.example/x'")
	})
	t.Run("one that the rules refuse by now is listed with the reason to its managers and to operators", func(t *testing.T) {
		e := newEnvWithRoles(t) // its webhook leads to this machine, which is not allowed
		domaintest.Must(t, e.workflows.Delivery.StopRefused(t.Context()))
		ana := e.ana()
		ana.get("/acme").is(t, http.StatusOK).has(t, 1, "#stopped")
		ana.get("/acme/settings/webhooks").textHas(t, "#webhooks .reason", "not a public one")
		ana.get("/acme/settings/webhooks/1").textHas(t, "#webhook form.banner", "not a public one")
		for _, path := range []string{"/admin/webhooks", "/admin/webhooks/1"} {
			e.signedIn("opal").get(path).is(t, http.StatusOK).textHas(t, ".run-reason", "not a public one")
		}
		e.signedIn("opal").get("/admin").has(t, 1, `a[href="/admin/webhooks/1"]`)

		page := ana.post("/acme/settings/webhooks/1/state", "on", "yes").is(t, http.StatusUnprocessableEntity)
		page.has(t, 1, "#webhook form.banner").textHas(t, "#webhook-url-error", "not a public one")
		if page.value(t, "#webhook-url") != "http://127.0.0.1:9/hook" {
			t.Error("its address is gone")
		}
		version := page.value(t, "#webhook form input[name=version]")
		ana.post("/acme/settings/webhooks/1", "version", version, "url", "https://hooks.example/", "feeds", "tickets").
			goesTo(t, "/acme/settings/webhooks/1")
		ana.post("/acme/settings/webhooks/1/state", "on", "yes").goesTo(t, "/acme/settings/webhooks/1")
		ana.get("/acme/settings/webhooks").has(t, 0, "#stopped").has(t, 0, "#webhooks .reason")
	})
	t.Run("a test that fails says why", func(t *testing.T) {
		e := newEnvWithRoles(t)
		ana := e.ana()
		ana.post("/acme/settings/webhooks/1/tests").goesTo(t, "/acme/settings/webhooks/1")
		ana.get("/acme/settings/webhooks/1").textHas(t, ".toast.bad", "not a public one")
	})
	t.Run("an answer is shown as text", func(t *testing.T) {
		e := newEnvWithRoles(t)
		e.ana().get("/acme/settings/webhooks/1/deliveries/1").textIs(t, "#delivery pre", "<b>broken</b>")
	})
	t.Run("every page tells a manager of the company that one was stopped", func(t *testing.T) {
		e := newEnvWithRoles(t)
		e.exec("UPDATE webhook SET state = 'stopped', reason = 'It answered 410 Gone: it no longer accepts messages.'")
		for _, path := range []string{"/acme", "/acme/boards/DEMO", "/acme/DEMO-1", "/acme/people"} {
			e.signedIn("adam").get(path).is(t, http.StatusOK).has(t, 1, "#stopped")
			e.signedIn("mia").get(path).is(t, http.StatusOK).has(t, 0, "#stopped")
			if path == "/acme" {
				e.signedIn("sam").get("/rivals").has(t, 0, "#stopped")
			}
		}
		e.ana().get("/acme/settings/webhooks/1").textHas(t, "#webhook form.banner", "410")
	})
}
