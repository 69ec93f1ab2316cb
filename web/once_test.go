package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// creating are the forms that create something: the page that each is on, where it is sent, an acceptable content, one
// that is refused, and what counts what it made.
var creating = map[string]struct {
	page, action string
	fields, bad  []string
	count        string
	once         string // what an answer shows that no other result does
}{
	"a ticket": {"/acme/boards/DEMO", "/acme/boards/DEMO/tickets", []string{"title", "Paint the door"},
		[]string{"title", ""}, "SELECT COUNT(*) FROM ticket", `DEMO-\d+ was created`},
	"a ticket on its page": {"/acme/boards/DEMO/tickets/new", "/acme/boards/DEMO/tickets",
		[]string{"title", "Paint the wall", "description", "White"}, []string{"title", "", "description", "White"},
		"SELECT COUNT(*) FROM ticket", `DEMO-\d+ was created`},
	"a comment": {"/acme/DEMO-1", "/acme/DEMO-1/comments", []string{"body", "Done."}, []string{"body", " "},
		"SELECT COUNT(*) FROM comment", `#comment-\d+`},
	"a board": {"/acme", "/acme/boards", []string{"title", "Ninjas", "slug", "NINJA"},
		[]string{"title", "", "slug", "NINJA"}, "SELECT COUNT(*) FROM board", `/boards/[A-Z]+`},
	"a column": {"/acme/boards/DEMO/settings", "/acme/boards/DEMO/columns",
		[]string{"name", "Review", "wip", "none", "version", "1"}, []string{"name", "", "wip", "none", "version", "1"},
		"SELECT COUNT(*) FROM board_column", `Review`},
	"an invitation": {"/acme/people", "/acme/people/invitations", []string{"role", "member", "days", "7"},
		[]string{"role", "king", "days", "7"}, "SELECT COUNT(*) FROM invitation", `/join/[\w-]+`},
	"a token": {"/acme/tokens", "/acme/tokens", []string{"name", "ci", "scopes", "tickets:read", "days", "30"},
		[]string{"name", "", "scopes", "tickets:read", "days", "30"}, "SELECT COUNT(*) FROM api_token", `cfl_[\w-]+`},
	"a webhook": {"/acme/settings/webhooks", "/acme/settings/webhooks",
		[]string{"url", "https://example.com/hook", "feeds", "tickets"}, []string{"url", "x", "feeds", "tickets"},
		"SELECT COUNT(*) FROM webhook", `whsec_[\w+/=-]+`},
	"a company": {"/admin/companies", "/admin/companies", []string{"company", "Rivals", "slug", "rivals"},
		[]string{"company", "", "slug", "rivals"}, "SELECT COUNT(*) FROM company", `/rivals`},
	"a run": {"/admin/migrations/count-up/new", "/admin/migrations/count-up/runs", []string{"p-to", "7", "p-mode", "up"},
		[]string{"p-to", "", "p-mode", "up"}, "SELECT COUNT(*) FROM migration_run", `/runs/\d+`},
	"a mint": {"/admin/refs/mints?codes=100&length=5", "/admin/refs/mints", []string{"codes", "100", "length", "5"}, nil,
		"SELECT COUNT(*) FROM migration_run", `/runs/\d+`},
	"a republication": {"/admin/feeds", "/admin/feeds/republications", []string{"feed", "tickets", "all", "yes"},
		[]string{"feed", "tickets"}, "SELECT COUNT(*) FROM migration_run", `/runs/\d+`},
	"a link for a new password": {"/acme/people/2", "/acme/people/2/resets", nil, nil,
		"SELECT COUNT(*) FROM audit WHERE kind = 'reset-made'", `/reset/[\w-]+`},
	"a link for a new password, by an operator": {"/admin/people/2", "/admin/people/2/resets", nil, nil,
		"SELECT COUNT(*) FROM password_reset", `/reset/[\w-]+`},
	"another secret of a webhook": {"/acme/settings/webhooks/1", "/acme/settings/webhooks/1/secret", nil, nil,
		"SELECT COUNT(*) FROM audit WHERE kind = 'webhook-secret'", `whsec_[\w+/=-]+`},
	"another private link of a request": {"/acme/ASK-1", "/acme/ASK-1/link", nil, nil,
		"SELECT COUNT(*) FROM activity WHERE kind = 'link-made'", `/c[a-z]{4}/[\w-]+`},
}

func TestFormsAreDoneOnce(t *testing.T) {
	t.Parallel()
	for name, form := range creating {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			e.account("ben", "acme", "member")
			e.webhook()
			e.newBoard("ASK")
			e.requested(t, "ASK")
			nonceOn := func(a *answer) string {
				t.Helper()
				field := a.page().Find(fmt.Sprintf(`form[action^=%q] [name=nonce]`, form.action)).First()
				return field.AttrOr("value", "")
			}
			made := func() int64 { return e.count(form.count) }
			once := regexp.MustCompile(form.once)
			result := func(a *answer) string {
				t.Helper()
				if a.code == http.StatusSeeOther {
					return a.header.Get("Location") + once.FindString(a.header.Get("Location"))
				}
				return once.FindString(a.is(t, http.StatusCreated).body)
			}

			before := made()
			nonce := nonceOn(e.ana().get(form.page).is(t, 200))
			if nonce == "" || nonce == nonceOn(e.ana().get(form.page)) {
				t.Fatalf("the nonce of two pages is %q", nonce)
			}
			if form.bad != nil {
				refused := e.ana().post(form.action, append(form.bad, "nonce", nonce)...)
				if refused.is(t, http.StatusUnprocessableEntity); nonceOn(refused) != nonce {
					t.Errorf("the refused form has the nonce %q, not %q", nonceOn(refused), nonce)
				}
			}
			if made() != before {
				t.Fatal("a refused form made something")
			}

			results := make([]string, 5)
			var all sync.WaitGroup
			for i := range results {
				all.Go(func() { results[i] = result(e.ana().post(form.action, append(form.fields, "nonce", nonce)...)) })
			}
			all.Wait()
			e.exec("DELETE FROM sessions") // and signed in again
			results = append(results, result(e.ana().post(form.action, append(form.fields, "nonce", nonce)...)))
			for _, again := range results {
				if again == "" || again != results[0] {
					t.Errorf("the results are %q", results)
					break
				}
			}
			if n := made() - before; n != 1 {
				t.Errorf("%d were made", n)
			}
			if e.count("SELECT COUNT(*) FROM idempotency WHERE answer LIKE CONCAT('%', ?, '%')", results[0]) > 0 {
				t.Error("the result is stored in the clear")
			}
		})
	}
	t.Run("a form with a file, whose content counts, also if it is refused", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		send := func(note, file, nonce string) *answer {
			t.Helper()
			return e.ana().upload("/admin/migrations/read-lines/runs", [][2]string{{"nonce", nonce}, {"p-note", note}},
				strings.NewReader(file))
		}
		nonce := e.ana().get("/admin/migrations/read-lines/new").is(t, 200).page().Find("[name=nonce]").AttrOr("value", "")
		refused := send(strings.Repeat("kept", 300), "one", nonce).is(t, http.StatusUnprocessableEntity)
		if kept := refused.page().Find("form [name=nonce]").AttrOr("value", ""); kept != nonce {
			t.Errorf("the refused form has the nonce %q, not %q", kept, nonce)
		}
		first := send("kept", "one", nonce).is(t, http.StatusSeeOther).header.Get("Location")
		if again := send("kept", "one", nonce).is(t, http.StatusSeeOther).header.Get("Location"); again != first {
			t.Errorf("the first made %s, the second %s", first, again)
		}
		send("kept", "two", nonce).is(t, http.StatusSeeOther)
		e.counts(t, 2, "SELECT COUNT(*) FROM migration_run")
	})
	t.Run("a message to a webhook, which is sent once", func(t *testing.T) {
		t.Parallel()
		for _, form := range []struct{ page, action string }{
			{"/acme/settings/webhooks/1", "/acme/settings/webhooks/1/tests"},
			{"/acme/settings/webhooks/1/deliveries/1", "/acme/settings/webhooks/1/deliveries/1/resends"},
		} {
			e := newReachingEnv(t)
			e.startFeeds()
			inbox := outboundtest.NewInbox(nil)
			server := httptest.NewServer(inbox)
			t.Cleanup(server.Close)
			e.webhook()
			e.exec("UPDATE webhook SET url = ?", server.URL)
			domaintest.Until(t, "the row of the delivery is published", func() bool {
				return e.count("SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL") == 0
			})
			send := func(nonce string) { e.ana().post(form.action, "nonce", nonce).goesTo(t, "/acme/settings/webhooks/1") }
			nonceOn := func() string {
				return e.ana().get(form.page).is(t, 200).page().Find(fmt.Sprintf("form[action=%q] [name=nonce]", form.action)).
					AttrOr("value", "")
			}
			nonce := nonceOn()
			var all sync.WaitGroup
			for range 5 {
				all.Go(func() { send(nonce) })
			}
			all.Wait()
			e.exec("DELETE FROM sessions")
			send(nonce)
			if n := len(inbox.Messages()); n != 1 {
				t.Errorf("%s: %d messages are received", form.action, n)
			}
			e.counts(t, 2, "SELECT COUNT(*) FROM webhook_attempt")
			send(nonceOn())
			if n := len(inbox.Messages()); n != 2 {
				t.Errorf("%s: %d messages are received after a second one", form.action, n)
			}
		}
	})
	t.Run("rows that are republished", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		published := func() int64 { return e.count("SELECT COUNT(*) FROM ticket WHERE local_id = 1 AND feed_sync_id = 1") }
		publish := func() { e.exec("UPDATE ticket SET feed_sync_id = local_id") }
		publish()
		nonce := e.ana().get("/admin/feeds").is(t, 200).value(t, `form[action="/admin/feeds/republications"] [name=nonce]`)
		send := func() string {
			t.Helper()
			ana := e.ana()
			ana.post("/admin/feeds/republications", "feed", "tickets", "company", "acme", "ids", "DEMO-1", "nonce", nonce).
				goesTo(t, "/admin/feeds")
			return ana.get("/admin/feeds").text(t, ".toast")
		}
		first := send()
		if published() != 0 {
			t.Fatal("nothing is published again")
		}
		publish()
		if again := send(); again != first || published() != 1 {
			t.Errorf("sent again, the form says %q, not %q, and the row is published: %d", again, first, published())
		}
	})
	t.Run("other content is another submission, and so is a form without a nonce or of another user", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", "member")
		send := func(b *browser, title, nonce string) {
			t.Helper()
			b.post("/acme/boards/DEMO/tickets", "title", title, "nonce", nonce).is(t, http.StatusSeeOther)
		}
		before := e.count("SELECT COUNT(*) FROM ticket")
		send(e.ana(), "One", "n")
		send(e.ana(), "Two", "n")
		send(e.ana(), "One", "m")
		send(e.ana(), "One", "")
		send(e.ana(), "One", "")
		send(e.signedIn("ben"), "One", "n")
		e.counts(t, int(before)+6, "SELECT COUNT(*) FROM ticket")
	})
	t.Run("a first result that is a day old is none", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		before := e.count("SELECT COUNT(*) FROM ticket")
		at := e.stopClock()
		for range 2 {
			e.ana().post("/acme/boards/DEMO/tickets", "title", "One", "nonce", "n").is(t, http.StatusSeeOther)
			at = at.Add(workflows.KeepResponses + time.Second)
			e.db.SetClock(func() time.Time { return at })
		}
		e.counts(t, int(before)+2, "SELECT COUNT(*) FROM ticket")
		domaintest.OK(e.workflows.Workflows.DeleteResponses(t.Context()))(t)
	})
}
