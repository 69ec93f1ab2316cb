package web_test

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// newEnvWithPrivateBoard is newEnvWithRoles whose board HIDE, with ticket HIDE-1, names nobody but Ana.
func newEnvWithPrivateBoard(t testing.TB) *env {
	t.Helper()
	e := newEnvWithRoles(t)
	e.newBoard("HIDE")
	e.program().post("/boards/HIDE/tickets", object{"title": "hidden word", "description": "hidden word"}).is(t, 201)
	e.program().post("/tickets/HIDE-1/comments", object{"body": "hidden word @mia @olga"}).is(t, 201)
	e.ana().post("/acme/boards/HIDE/privacy", "private", "yes").is(t, 303)
	return e
}

// changing are the parts of an answer that differ from one request to the next.
var changing = regexp.MustCompile(`(?i)nonce[-=a-z0-9"' +/:]*|csrf[^ >]*|/static/[^/]*/`)

func sameFor(a *answer, slug string) string {
	return fmt.Sprint(a.code, " ", strings.ReplaceAll(changing.ReplaceAllString(a.body, ""), slug, "X"))
}

// A board that is hidden and one that does not exist give the same answers, by each route that names a board or a
// ticket, whatever the role.
func TestHiddenIsMissing(t *testing.T) {
	t.Parallel()
	e := newEnvWithPrivateBoard(t)
	for _, who := range []string{"mia", "adam", "olga", "vera", "opal", "gus"} {
		by := e.signedIn(who)
		for route, access := range pages {
			method, _, _ := strings.Cut(route, " ")
			if !strings.Contains(access.path, "DEMO") || strings.Contains(access.path, "/forms/") {
				continue
			}
			ask := func(slug string) string {
				path := strings.ReplaceAll(access.path, "DEMO", slug)
				if method == http.MethodGet {
					return sameFor(by.get(path), slug)
				}
				return sameFor(by.post(path, access.fields...), slug)
			}
			hidden, missing := ask("HIDE"), ask("NONE")
			if hidden != missing {
				t.Errorf("%s, %s: hidden\n%s\nmissing\n%s", who, route, hidden, missing)
			}
			if who == "gus" { // to whom open boards are hidden, too
				if open := ask("DEMO"); open != missing {
					t.Errorf("%s, %s: open\n%s\nmissing\n%s", who, route, open, missing)
				}
			}
			if strings.HasPrefix(hidden, "2") || strings.HasPrefix(hidden, "303") {
				t.Errorf("%s, %s: %.60s", who, route, hidden)
			}
		}
		program := &program{env: e, token: e.tokenOf(who, "acme", accounts.Scopes...)}
		for route, call := range calls {
			method, _, _ := strings.Cut(route, " ")
			if !strings.Contains(call.path, "DEMO") {
				continue
			}
			ask := func(slug string) string {
				var body any
				if call.body != "" {
					body = strings.ReplaceAll(call.body, "DEMO", slug)
				}
				return sameFor(program.call(method, strings.ReplaceAll(call.path, "DEMO", slug), body), slug)
			}
			hidden, missing := ask("HIDE"), ask("NONE")
			if hidden != missing {
				t.Errorf("%s, %s: hidden\n%s\nmissing\n%s", who, route, hidden, missing)
			}
			if who == "gus" {
				if open := ask("DEMO"); open != missing {
					t.Errorf("%s, %s: open\n%s\nmissing\n%s", who, route, open, missing)
				}
			}
		}
	}
	for _, path := range []string{"/acme", "/acme/inbox", "/acme/work", "/acme/jump?q=hidden", "/acme/jump?q=HIDE-1"} {
		for _, who := range []string{"mia", "adam", "olga", "vera", "opal", "gus"} {
			if a := e.signedIn(who).get(path); strings.Contains(a.body, "hidden word") {
				t.Errorf("%s reads it at %s", who, path)
			}
		}
	}
}

func TestBoardMembersPage(t *testing.T) {
	t.Parallel()
	e := newEnvWithPrivateBoard(t)
	ana, mia, olga := e.ana(), e.signedIn("mia"), e.signedIn("olga")
	members := "/acme/boards/HIDE/members"

	ana.get("/acme/boards/HIDE").is(t, 200).textHas(t, ".board-head .private", "Private")
	ana.get("/acme/boards/HIDE/settings").is(t, 200).has(t, 1, "a[href='"+members+"']")
	page := ana.get(members).is(t, 200)
	page.textHas(t, "#board-members tbody", "Ana")
	page.has(t, 1, "option[value='@mia']")

	t.Run("a name that nobody has is refused, and kept", func(t *testing.T) {
		refused := ana.post(members, "name", "@nobody<b>", "role", "viewer").is(t, 422)
		refused.textHas(t, "#named-name-error", "No member and no group of your company is called “@nobody<b>”")
		if got := refused.value(t, "#named-name"); got != "@nobody<b>" {
			t.Errorf("%q is kept", got)
		}
		ana.post(members, "name", "@mia", "role", "king").is(t, 422).textHas(t, "#named-role-error", "Choose a role")
	})
	t.Run("who is named sees the board, with the role that it gives", func(t *testing.T) {
		ana.post(members, "name", "@mia", "role", "viewer").goesTo(t, members)
		mia.get("/acme/boards/HIDE").is(t, 200).has(t, 0, "a[href$='/tickets/new']")
		mia.get("/acme/HIDE-1").is(t, 200).textHas(t, "article .prose", "hidden word")
		mia.post("/acme/boards/HIDE/tickets", "title", "x").is(t, 403)
		mia.post("/acme/HIDE-1/comments", "body", "x").is(t, 403)
		mia.post(members, "name", "@vera", "role", "admin").is(t, 403)
		mia.get(members).is(t, 200).has(t, 0, "form[action$='/members']")
	})
	t.Run("another role, and off the board", func(t *testing.T) {
		path := fmt.Sprintf("%s/account/%d", members, e.idOf("mia"))
		ana.post(path, "role", "member").goesTo(t, members)
		mia.post("/acme/boards/HIDE/tickets", "title", "x").is(t, 303)
		ana.post(path, "role", "king").is(t, 422)
		ana.post(path+"/removal").goesTo(t, members)
		ana.post(path+"/removal").is(t, 404)
		mia.get("/acme/boards/HIDE").is(t, 404)
		mia.post("/acme/boards/HIDE/tickets", "title", "x").is(t, 404)
	})
	t.Run("a private board keeps an admin", func(t *testing.T) {
		self := fmt.Sprintf("%s/account/%d", members, e.actor.Account.ID)
		ana.post(self+"/removal").is(t, 409).textHas(t, ".summary", "keeps an admin")
		ana.post(self, "role", "viewer").is(t, 409)
		ana.post(members, "name", "@olga", "role", "admin").is(t, 303)
		ana.post(self+"/removal").goesTo(t, "/acme")
		ana.get("/acme/boards/HIDE").is(t, 404)
		olga.post("/acme/boards/HIDE/privacy", "private", "maybe").is(t, 422)
		olga.post("/acme/boards/HIDE/privacy", "private", "no").goesTo(t, members)
		ana.get("/acme/boards/HIDE").is(t, 200)
	})
	t.Run("an assignee sees the board", func(t *testing.T) {
		olga.post("/acme/boards/HIDE/privacy", "private", "yes").is(t, 303)
		olga.post("/acme/HIDE-1/assignees", "quick", "1", "add", fmt.Sprint(e.idOf("mia"))).is(t, 422)
	})
}

// On a private board the role that it gives decides, by each route that names it; who is a viewer of the company is never
// more than that.
func TestBoardRolesByRoute(t *testing.T) {
	t.Parallel()
	prepare := func(t testing.TB) *env {
		e := newEnvWithRoles(t)
		ana := e.ana()
		ana.post("/acme/boards/DEMO/privacy", "private", "yes").is(t, 303)
		for name, role := range map[string]string{"vera": "admin", "opal": "viewer", "mia": "admin"} {
			ana.post("/acme/boards/DEMO/members", "name", "@"+name, "role", role).is(t, 303)
		}
		e.exec("UPDATE board SET version = 1 WHERE slug = 'DEMO'")
		return e
	}
	// What is wrong with the request is told first; it changes nothing.
	first := map[string]int{"POST /:company/:key/deletion": 404, "POST /:company/:key/restoration": 303,
		"POST /:company/boards/:board/tickets": 422}
	unchanging := prepare(t)
	for route, who := range pages {
		method, path, _ := strings.Cut(route, " ")
		if !strings.Contains(who.path, "DEMO") || strings.Contains(who.path, "/forms/") {
			continue
		}
		administers := regexp.MustCompile("/:board/(members|privacy|link|webhooks)").MatchString(path)
		t.Run(route, func(t *testing.T) {
			e := unchanging
			if method != http.MethodGet {
				t.Parallel()
				e = prepare(t)
			}
			admin := who.member
			if administers {
				admin = who.admin
			}
			if path == "/:company/boards/:board/webhooks" { // of an open board it is a conflict
				admin = http.StatusSeeOther
			}
			for _, member := range []struct {
				as, name string
				want     int
			}{
				{"a viewer of the company who is an admin of the board", "vera", who.viewer},
				{"a viewer of the board", "opal", cmp.Or(first[route], who.viewer)},
				{"an admin of the board", "mia", admin},
			} {
				b := e.signedIn(member.name)
				send := func() {
					a := b.send(newRequest(method, who.path, formKind, strings.NewReader(form(who.fields...).Encode())))
					if a.code != member.want {
						t.Errorf("%s: %d, not %d", member.as, a.code, member.want)
					}
				}
				if member.name == "mia" || member.want == http.StatusSeeOther && first[route] == 0 {
					send()
				} else {
					e.unchanged(t, send)
				}
			}
		})
	}
}

func TestWebhooksOfAPrivateBoard(t *testing.T) {
	t.Parallel()
	e := newEnvWithPrivateBoard(t)
	ana, adam := e.ana(), e.signedIn("adam")
	members, hooks := "/acme/boards/HIDE/members", "/acme/boards/HIDE/webhooks"

	page := ana.get(members).is(t, 200).has(t, 0, "#board-webhooks")
	page.textHas(t, "#receiver-webhook option", "For the chat")
	if strings.Contains(page.body, "/hook\"") || strings.Contains(page.body, "127.0.0.1:9/hook") {
		t.Error("the address of the webhook, which may be a secret, is shown")
	}
	ana.get("/acme/boards/DEMO/members").is(t, 200).has(t, 0, "form[action$='/webhooks']")
	adam.get("/acme/settings/webhooks/1").is(t, 200).has(t, 0, "#webhook-boards")

	t.Run("none but its admins add it, and to none but webhooks of the company", func(t *testing.T) {
		e.exec(`INSERT INTO webhook (id, company_id, url, note, feeds, secret, state, due_at, lease_ends, created_by,
				created_at, updated_at)
			SELECT 2, id, 'https://rivals.example/', '', 'tickets', '', 'on', NOW(6), NOW(6), 1, NOW(6), NOW(6)
			FROM company WHERE slug = 'rivals'`)
		ana.post(members, "name", "@mia", "role", "member").is(t, 303)
		e.signedIn("mia").post(hooks, "webhook", "1").is(t, 403)
		e.signedIn("mia").get(members).has(t, 0, "form[action$='/webhooks']")
		for _, who := range []string{"adam", "olga", "vera", "opal"} {
			if code := e.signedIn(who).post(hooks, "webhook", "1").code; code != 404 && code != 403 {
				t.Errorf("%s: %d", who, code)
			}
		}
		for _, webhook := range []string{"2", "99", "", "x"} {
			ana.post(hooks, "webhook", webhook).is(t, 422).textHas(t, ".summary", "Choose a webhook from the list")
		}
		ana.post("/acme/boards/DEMO/webhooks", "webhook", "1").is(t, 409).textHas(t, ".summary", "This board is open")
		e.counts(t, 0, "SELECT COUNT(*) FROM webhook_board")
	})
	t.Run("they see where it is added, managers of the company its title", func(t *testing.T) {
		ana.post(hooks, "webhook", "1").goesTo(t, members)
		ana.post(hooks, "webhook", "1").goesTo(t, members)
		e.counts(t, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'webhook-board'")
		page := ana.get(members).has(t, 1, "#board-webhooks tbody tr").has(t, 0, "#receiver-webhook")
		page.textHas(t, "#board-webhooks tbody th", "127.0.0.1:9")
		page.textHas(t, "#board-webhooks tbody td:nth-child(2)", "by")
		ana.get("/acme/settings/webhooks/1").has(t, 1, "#webhook-boards a[href='"+members+"']")
		seen := adam.get("/acme/settings/webhooks/1").is(t, 200)
		seen.textHas(t, "#webhook-boards", "HIDE")
		seen.has(t, 1, "#webhook-boards a[href^='/acme/settings/boards/']").has(t, 0, "#webhook-boards form")
		adam.get("/acme/audit").textHas(t, "main", "added the private board HIDE to the webhook to 127.0.0.1:9")
	})
	t.Run("they remove it, once or twice", func(t *testing.T) {
		for range 2 {
			ana.post(hooks+"/1/removal").goesTo(t, members)
		}
		ana.post(hooks+"/99/removal").is(t, 404)
		ana.get(members).has(t, 0, "#board-webhooks").has(t, 1, "#receiver-webhook")
		adam.get("/acme/audit").textHas(t, "main", "removed the private board HIDE from the webhook to 127.0.0.1:9")
		e.counts(t, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'webhook-board-removed'")
	})
	t.Run("what a receiver answered about it is shown to those who see it", func(t *testing.T) {
		e.exec("UPDATE webhook_attempt SET subject = 'HIDE-1'")
		delivery := "/acme/settings/webhooks/1/deliveries/1"
		ana.get(delivery).textHas(t, "#delivery pre", "broken")
		ana.get(delivery).textHas(t, "#delivery h1", "HIDE-1")
		hidden := adam.get(delivery).is(t, 200).has(t, 0, "#delivery pre")
		hidden.textHas(t, "#delivery", "a board that you do not see")
		if strings.Contains(hidden.body, "HIDE-1") || strings.Contains(hidden.body, "broken") {
			t.Error("the delivery is shown")
		}
		console := "/admin/feeds/webhooks/1"
		if strings.Contains(e.signedIn("opal").get(console).is(t, 200).body, "HIDE-1") {
			t.Error("an operator reads the key of a board that does not name it")
		}
		e.exec("UPDATE webhook_attempt SET subject = 'DEMO-1'")
		e.signedIn("opal").get(console).is(t, 200).textHas(t, "#deliveries", "DEMO-1")
		if strings.Contains(e.signedIn("otto").get(console).is(t, 200).body, "DEMO-1") {
			t.Error("an operator of another company reads the key of an open board")
		}
	})
}
