package web_test

import (
	"cmp"
	"fmt"
	"iter"
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

// onBoards matches a statement about boards and what is on them.
var onBoards = regexp.MustCompile(`(?i)\b(?:FROM|JOIN|UPDATE|INTO) (?:board|ticket|comment|activity|assignee|notification)`)

// statements are those on boards that were sent since it was called last, each by its first line.
func (e *env) statements() (text string) {
	sent, _ := e.watch.Take()
	for _, statement := range sent {
		if onBoards.MatchString(statement) {
			first, _, _ := strings.Cut(statement, "\n")
			text += first + "\n"
		}
	}
	return text
}

// apart yields the routes by which a member tells a board from one that does not exist, each with the two answers: they
// take the same statements and have the same bytes.
func (e *env) apart(by *browser, program *program, board string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		tell := func(route string, answer func(slug string) string) bool {
			ask := func(slug string) string {
				e.statements()
				text := answer(slug)
				return text + "\n" + e.statements()
			}
			if strings.HasPrefix(route, "POST ") && strings.HasSuffix(route, "/tickets") {
				// Whoever sees the board has just done the same: the server may still know it.
				e.program().post("/boards/"+board+"/tickets", object{"title": "beside"}).is(e.t, 201)
			}
			hidden, missing := ask(board), ask("NONE")
			if hidden == missing && !strings.HasPrefix(hidden, "2") && !strings.HasPrefix(hidden, "303") {
				return true
			}
			return yield(route, fmt.Sprintf("%s\nmissing\n%s", hidden, missing))
		}
		for route, access := range pages {
			method, _, _ := strings.Cut(route, " ")
			if !strings.Contains(access.path, "DEMO") || strings.Contains(access.path, "/forms/") {
				continue
			}
			if !tell(route, func(slug string) string {
				path := strings.ReplaceAll(access.path, "DEMO", slug)
				if method == http.MethodGet {
					return sameFor(by.get(path), slug)
				}
				return sameFor(by.post(path, access.fields...), slug)
			}) {
				return
			}
		}
		for route, call := range calls {
			method, _, _ := strings.Cut(route, " ")
			if !strings.Contains(call.path, "DEMO") {
				continue
			}
			if !tell(route, func(slug string) string {
				var body any
				if call.body != "" {
					body = strings.ReplaceAll(call.body, "DEMO", slug)
				}
				return sameFor(program.call(method, strings.ReplaceAll(call.path, "DEMO", slug), body), slug)
			}) {
				return
			}
		}
	}
}

// words yields the pages and calls by which a member reads a word of the board HIDE.
func (e *env) words(by *browser, program *program) iter.Seq[string] {
	return func(yield func(string) bool) {
		paths := append(readingRoutes([]string{"HIDE"}, []string{"HIDE-1"}), "/acme/jump?q=hidden", "/acme/search?q=hidden", "/acme/jump?q=HIDE-1")
		for _, path := range paths {
			var a *answer
			if call, ok := strings.CutPrefix(path, "/api/v1"); ok {
				a = program.get(call)
			} else {
				a = by.get(path)
			}
			if strings.Contains(a.body, "hidden word") && !yield(path) {
				return
			}
		}
	}
}

// A board that is hidden and one that does not exist give the same answers, by each route that names a board or a
// ticket, whatever the role.
func TestHiddenIsMissing(t *testing.T) {
	t.Parallel()
	e := newEnvWithPrivateBoard(t)
	for _, who := range []string{"mia", "adam", "olga", "vera", "opal", "gus"} {
		by, program := e.signedIn(who), &program{env: e, token: e.tokenOf(who, "acme", accounts.Scopes...)}
		boards := []string{"HIDE"}
		if who == "gus" { // to whom open boards are hidden, too
			boards = append(boards, "DEMO")
		}
		for _, board := range boards {
			for route, answers := range e.apart(by, program, board) {
				t.Errorf("%s, %s: %s\n%s", who, route, board, answers)
			}
		}
		for path := range e.words(by, program) {
			t.Errorf("%s reads it at %s", who, path)
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
	t.Run("what was done on a board is undone by those who see it", func(t *testing.T) {
		olga.post("/acme/boards/HIDE/privacy", "private", "yes").is(t, 303)
		olga.post(members, "name", "@mia", "role", "member").is(t, 303)
		mia.post("/acme/HIDE-1/closure", "closed", "1").is(t, 303)
		olga.post(fmt.Sprintf("%s/account/%d/removal", members, e.idOf("mia"))).is(t, 303)
		e.unchanged(t, func() {
			hidden, nothing := mia.post("/acme/undo").is(t, 409), e.signedIn("adam").post("/acme/undo").is(t, 409)
			if a, b := hidden.text(t, "main"), nothing.text(t, "main"); a != b {
				t.Errorf("it says %q, and %q of nothing", a, b)
			}
		})
		olga.post(members, "name", "@mia", "role", "member").is(t, 303)
		mia.post("/acme/undo").is(t, 303)
		olga.post(fmt.Sprintf("%s/account/%d/removal", members, e.idOf("mia"))).is(t, 303)
		olga.post("/acme/boards/HIDE/privacy", "private", "no").is(t, 303)
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
		for name, role := range map[string]string{"vera": "admin", "opal": "viewer", "mia": "admin", "gus": "member"} {
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
		administers := regexp.MustCompile("/:board/(members|privacy|link|webhooks|bulk-edits)").MatchString(path)
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
			guest := who.member
			if path == "/:company/boards/:board/copies" { // another board is not theirs to open
				guest = http.StatusForbidden
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
				{"a guest who is a member of the board", "gus", guest},
				{"an admin of the board", "mia", admin},
			} {
				b := e.signedIn(member.name)
				send := func() {
					a := b.send(newRequest(method, who.path, formKind, strings.NewReader(form(who.fields...).Encode())))
					if a.code != member.want {
						t.Errorf("%s: %d, not %d", member.as, a.code, member.want)
					}
				}
				if member.name == "mia" || member.name == "gus" || member.want == http.StatusSeeOther && first[route] == 0 {
					send()
				} else {
					e.unchanged(t, send)
				}
			}
		})
	}
}

// nothingToDo are calls that a viewer of a board may make, since they change nothing here: the ticket is not deleted.
var nothingToDo = map[string]int{"PUT /api/v1/tickets/:key/restoration": http.StatusOK}

// The API has the same roles: on a private board the one that it gives decides, for guests, too.
func TestBoardRolesByCall(t *testing.T) {
	t.Parallel()
	for name, c := range calls {
		method, _, _ := strings.Cut(name, " ")
		if !strings.Contains(c.path, "DEMO") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnvWithRoles(t)
			ana := e.ana()
			ana.post("/acme/boards/DEMO/privacy", "private", "yes").is(t, 303)
			for name, role := range map[string]string{"vera": "admin", "opal": "viewer", "mia": "member", "gus": "member",
				"olga": "admin"} {
				ana.post("/acme/boards/DEMO/members", "name", "@"+name, "role", role).is(t, 303)
			}
			e.exec("UPDATE board SET version = 1 WHERE slug = 'DEMO'")
			var body any
			if c.body != "" {
				body = c.body
			}
			viewer, member := c.code, c.code
			if method != http.MethodGet {
				viewer = http.StatusForbidden
			}
			if c.least == accounts.Admin {
				member = http.StatusForbidden
			}
			for i, as := range []struct {
				what, name string
				want       int
			}{
				{"an admin of the company whom it does not name", "adam", http.StatusNotFound},
				{"a viewer of the company who is an admin of the board", "vera", viewer},
				{"an operator who is a viewer of the board", "opal", cmp.Or(nothingToDo[name], viewer)},
				{"a member of the board", "mia", member},
				{"a guest who is a member of the board", "gus", member},
				{"an admin of the board", "olga", c.code},
			} {
				p := &program{env: e, token: e.tokenOf(as.name, "acme", accounts.Scopes...)}
				a := p.call(method, c.path, body)
				done := i > 3 && method != http.MethodGet && (a.code == http.StatusConflict || a.code == http.StatusNotFound)
				if a.code != as.want && (!done || as.want != c.code) {
					t.Errorf("%s: %d, not %d: %s", as.what, a.code, as.want, a.body)
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
		console := "/admin/webhooks/1"
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
