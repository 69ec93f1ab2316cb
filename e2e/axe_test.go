package e2e

import (
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/color"
	"github.com/counterfoil/counterfoil/web"
)

//go:embed testdata/axe/axe.min.js
var axe string

const (
	noPage = "no page"
	secret = "a link that is made first"
)

// accessible has a line for every GET route of members: a path of it, or noPage if it renders none. A path followed by
// a selector is the target of a link on that page.
var accessible = map[string]string{
	"/healthz":     noPage,
	"/readyz":      noPage,
	"/metrics":     noPage,
	"/static/*":    noPage,
	"/favicon.ico": noPage,
	"/robots.txt":  noPage,
	"/":            noPage, // it redirects

	"/setup":         "/setup", // before there is an account
	"/login":         "/login", // signed out, as are the next two
	"/join/:secret":  secret,
	"/reset/:secret": secret,

	"/:company/forms/:form":   "/acme/forms/NINJA",
	"/t":                      "/t",
	"/t/:code":                noPage, // e2e/requests_test.go tests the pages of strangers
	"/t/:code/:token":         noPage,
	"/t/:code/:token/receipt": noPage,

	"/c/:secret":                 noPage, // a file
	"/p/:secret":                 secret,
	"/p/:secret/:number":         secret,
	"/p/:secret/columns/:column": secret,

	"/account":                  "/account",
	"/account/confirmation":     "/account/confirmation?next=/acme/audit.csv",
	"/admin":                    "/admin",
	"/admin/companies":          "/admin/companies",
	"/admin/audit":              "/admin/audit",
	"/admin/audit.csv":          noPage, // a file
	"/account/totp":             "/account/totp",
	"/account/avatar/:avatar":   noPage,
	"/login/second":             noPage, // e2e/factors_test.go tests it
	"/login/passkey":            noPage,
	"/login/second/passkey":     noPage,
	"/account/passkeys":         "/account/passkeys",
	"/account/passkeys/options": noPage,
	"/admin/stop":               "/admin/stop",
	"/admin/settings":           "/admin/settings",
	"/admin/doctor":             "/admin/doctor",
	"/admin/companies/:slug":    "/admin/companies/acme",
	"/admin/storage":            "/admin/storage",
	"/admin/webhooks":           "/admin/webhooks",
	"/admin/people":             "/admin/people",
	"/admin/people/:account":    "/admin/people/1",

	"/account/passkeys/:passkey":      noPage, // e2e/factors_test.go tests it
	"/login/companies":                "/login/companies?company=acme",
	"/login/issuers/:issuer":          noPage, // it redirects
	"/login/issuers/:issuer/callback": noPage,

	"/admin/feeds":                             "/admin/feeds",
	"/admin/feeds/consumers/:consumer":         "/admin/feeds/consumers/1",
	"/admin/feeds/consumers/:consumer/removal": "/admin/feeds/consumers/1/removal",
	"/admin/webhooks/:webhook":                 "/admin/webhooks/1",

	"/admin/refs":                      "/admin/refs",
	"/admin/refs/mints":                "/admin/refs/mints?codes=2000&length=6",
	"/admin/refs/lots/:lot/quarantine": "/admin/refs/lots/1/quarantine",

	"/admin/refs/service-accounts":          "/admin/refs/service-accounts",
	"/admin/refs/service-accounts/:account": "/admin/refs/service-accounts tbody a",

	"/admin/migrations/images":  "/admin/migrations/images",
	"/admin/migrations":         "/admin/migrations",
	"/admin/migrations/workers": "/admin/migrations/workers",
	"/account/keys":             "/account/keys",
	// e2e/migrations_test.go tests them in all their states
	"/admin/migrations/runs/:run":                       noPage,
	"/admin/migrations/runs/:run/live":                  noPage,
	"/admin/migrations/runs/:run/cancellation":          noPage,
	"/admin/migrations/runs/:run/tasks/:task":           noPage,
	"/admin/migrations/runs/:run/failures":              noPage,
	"/admin/migrations/runs/:run/failures/:fingerprint": noPage,
	"/admin/migrations/runs/:run/retries":               noPage,
	"/admin/migrations/runs/:run/skips":                 noPage,
	"/admin/migrations/runs/:run/events":                noPage,
	"/admin/migrations/runs/:run/mapping":               noPage, // of a file to import
	"/admin/migrations/runs/:run/report.csv":            noPage,
	"/admin/migrations/:name/new":                       "/admin/migrations/import-tickets/new",
	"/admin/migrations/runs/:run/start":                 "/admin/migrations/runs/1/start",
	"/admin/migrations/runs/:run/rejections":            "/admin/migrations/runs/1/rejections",
	"/admin/migrations/runs/:run/rejections.csv":        noPage,

	"/:company":                                          "/acme",
	"/:company/boards":                                   "/acme/boards",
	"/:company/jump":                                     "/acme/jump?q=the",
	"/:company/search":                                   "/acme/search?q=the",
	"/:company/keys":                                     "/acme/keys",
	"/:company/display":                                  "/acme/display",
	"/:company/avatars/:account/:avatar":                 noPage,
	"/:company/inbox":                                    "/acme/inbox",
	"/:company/inbox/unread":                             noPage,
	"/:company/live":                                     noPage,
	"/:company/live/changes":                             noPage,
	"/:company/work":                                     "/acme/work",
	"/:company/people/mentions":                          noPage,
	"/:company/images/:hash":                             noPage,
	"/:company/images/:hash/640":                         noPage,
	"/:company/people":                                   "/acme/people",
	"/:company/people/invitations":                       "/acme/people/invitations",
	"/:company/people/:account":                          "/acme/people tbody tr:last-child a",
	"/:company/tokens":                                   "/acme/tokens",
	"/:company/settings":                                 "/acme/settings",
	"/:company/settings/sign-in":                         "/acme/settings/sign-in",
	"/:company/settings/sign-in/issuers/:issuer":         "/acme/settings/sign-in/issuers/1",
	"/:company/settings/sign-in/issuers/:issuer/removal": "/acme/settings/sign-in/issuers/1/removal",
	"/:company/settings/webhooks":                        "/acme/settings/webhooks",
	"/:company/settings/webhooks/:webhook":               "/acme/settings/webhooks tbody a",
	"/:company/settings/webhooks/:webhook/removal":       "/acme/settings/webhooks/1 a.danger",
	"/:company/settings/webhooks/:webhook/deliveries/:delivery": "/acme/settings/webhooks/1 #deliveries tbody a",
	"/:company/groups":                                     "/acme/groups",
	"/:company/groups/:group":                              "/acme/groups tbody a",
	"/:company/groups/:group/removal":                      "/acme/groups/1 a.danger",
	"/:company/settings/boards":                            "/acme/settings/boards",
	"/:company/settings/boards/:board":                     "/acme/settings/boards tbody a",
	"/:company/audit":                                      "/acme/audit",
	"/:company/audit.csv":                                  noPage, // a file
	"/:company/boards/:board/members":                      "/acme/boards/SECRET/members",
	"/:company/boards/:board":                              "/acme/boards/NINJA",
	"/:company/boards/:board/list":                         "/acme/boards/NINJA/list?group=label",
	"/:company/tickets":                                    "/acme/tickets?group=column",
	"/:company/tickets/list":                               "/acme/tickets/list",
	"/:company/tickets/list.csv":                           noPage, // a file
	"/:company/tickets/calendar":                           "/acme/tickets/calendar",
	"/:company/tickets/views/new":                          "/acme/tickets/views/new?layout=board&q=label:bug&group=column",
	"/:company/tickets/batch":                              "/acme/tickets/batch?do=start&keys=NINJA-1+NINJA-2",
	"/:company/boards/:board/list.csv":                     noPage, // a file
	"/:company/boards/:board/calendar":                     "/acme/boards/NINJA/calendar",
	"/:company/boards/:board/views/new":                    "/acme/boards/NINJA/views/new?layout=list&q=label:bug",
	"/:company/calendars":                                  "/acme/calendars",
	"/:company/bulk-edits":                                 "/acme/bulk-edits",
	"/:company/bulk-edits/:edit":                           "/acme/bulk-edits/1",
	"/:company/bulk-edits/runs/:run":                       noPage, // leads to a bulk edit
	"/:company/boards/:board/bulk-edits":                   "/acme/boards/NINJA/bulk-edits",
	"/:company/views":                                      "/acme/views",
	"/:company/views/pinned":                               noPage, // a part of a page
	"/:company/views/:view":                                noPage, // leads to the board
	"/:company/views/:view/edit":                           "/acme/views/1/edit",
	"/:company/views/:view/deletion":                       "/acme/views/1/deletion",
	"/:company/boards/:board/settings":                     "/acme/boards/NINJA/settings",
	"/:company/boards/:board/columns/:column":              "/acme/boards/DEMO/columns/1",
	"/:company/boards/:board/columns/:column/cards":        "/acme/boards/DEMO/columns/1/cards",
	"/:company/boards/:board/columns/:column/removal":      "/acme/boards/DEMO/columns/1/removal",
	"/:company/boards/:board/deleted":                      "/acme/boards/NINJA/deleted",
	"/:company/boards/:board/tickets/new":                  "/acme/boards/NINJA/tickets/new",
	"/:company/:key":                                       "/acme/NINJA-1",
	"/:company/:key/edit":                                  "/acme/NINJA-1/edit",
	"/:company/:key/position":                              "/acme/NINJA-1/position",
	"/:company/:key/activity":                              "/acme/NINJA-1/activity?before=999",
	"/:company/:key/activity/:entry":                       "/acme/NINJA-1 #history a.what",
	"/:company/:key/comments":                              "/acme/NINJA-1/comments",
	"/:company/:key/comments/:comment":                     noPage, // it leads to the ticket
	"/:company/:key/comments/:comment/quotation":           "/acme/NINJA-1/comments/1/quotation",
	"/:company/:key/comments/:comment/edit":                "/acme/NINJA-1 a[href$='/edit'][href*='/comments/']",
	"/:company/:key/priority":                              "/acme/NINJA-1/priority",
	"/:company/:key/dates":                                 "/acme/NINJA-1/dates",
	"/:company/:key/title":                                 "/acme/NINJA-1/title",
	"/:company/:key/recurrence":                            "/acme/NINJA-1/recurrence",
	"/:company/attachments/:attachment":                    noPage, // a file
	"/:company/attachments/:attachment/image":              noPage, // an image
	"/:company/attachments/:attachment/small":              noPage, // an image
	"/:company/:key/relations":                             "/acme/NINJA-1/relations?kind=blocks&q=NINJA",
	"/:company/:key/labels":                                "/acme/NINJA-1/labels?listed=1&label=1&q=o&named=new",
	"/:company/labels":                                     "/acme/labels",
	"/:company/boards/:board/batch":                        "/acme/boards/NINJA/batch?do=labels&keys=NINJA-1+NINJA-2",
	"/:company/boards/:board/templates":                    "/acme/boards/NINJA/templates",
	"/:company/boards/:board/templates/new":                "/acme/boards/NINJA/templates/new",
	"/:company/boards/:board/templates/:template":          "/acme/boards/NINJA/templates/1",
	"/:company/boards/:board/templates/:template/deletion": "/acme/boards/NINJA/templates/1/deletion",
	"/:company/labels/:label":                              "/acme/labels/1",
	"/:company/labels/:label/merge":                        "/acme/labels/1/merge?into=2",
	"/:company/labels/:label/deletion":                     "/acme/labels/1/deletion",
	"/:company/:key/assignees":                             "/acme/NINJA-1/assignees",
	"/:company/:key/deletion":                              "/acme/NINJA-1/deletion",
	"/:company/settings/service-accounts":                  "/acme/settings/service-accounts",
	"/:company/settings/service-accounts/:account":         "/acme/settings/service-accounts tbody a",
	"/:company/settings/service-accounts/:account/removal": "/acme/settings/service-accounts/3 a.danger",
}

// Every page is free of violations of WCAG 2.2 AA that a program can find, light and dark, on a wide screen and on a
// phone; it is no wider than the smallest screen, whatever its texts are, and its controls are large enough.
func TestAccessible(t *testing.T) {
	t.Parallel()
	paths := append(pagesOf(t), "/acme/boards/ABCDEFGHIJ", "/acme/ABCDEFGHIJ-1")
	a := full(t)
	// Links are made at once: they need a session that began a short while ago.
	strangers := []string{"/login", "/join/" + a.link("/join/", "/acme/people/invitations", "role", "member", "days", "7"),
		"/reset/" + a.link("/reset/", "/acme/people/2/resets")}
	public := "/p/" + a.link("/p/", "/acme/boards/NINJA/link")

	const tabs = 3
	for n := range tabs {
		t.Run(fmt.Sprint("pages ", n), func(t *testing.T) {
			t.Parallel()
			b := a.tab(t)
			b.expected = missingPicture
			for i := n; i < len(paths); i += tabs {
				path := b.visit(paths[i])
				b.accessible(path)
				b.fits(path)
			}
		})
	}
	t.Run("dialogs of a board", func(t *testing.T) {
		t.Parallel()
		b := a.tab(t)
		b.expected = missingPicture
		for what, keys := range map[string]string{
			"the dialog for tickets": "c", "the list of keys": "?", "a card that moves": "jm" + kb.ArrowRight,
			"the line at a column's foot": "",
		} {
			b.open("/acme/boards/NINJA")
			if keys == "" {
				b.addTo("To do")
			} else {
				b.types(keys)
			}
			b.wait(`document.querySelector("dialog[open] h2, .move-bar, .add[open]")`)
			b.accessible(what)
		}
		b.open("/acme/boards/NINJA")
		b.types("/")
		b.wait(`document.activeElement.id === "jump-q"`)
		b.types("fins")
		b.wait(`document.activeElement.ariaExpanded === "true" && document.querySelector("#jump-found [role=option]")`)
		b.accessible("the jump box")
		b.open("/acme/boards/NINJA?q=fins&who=me&state=open")
		b.accessible("a board that is narrowed")
		b.open("/acme/boards/NINJA?lanes=assignee")
		b.accessible("a board with lanes")
		b.open("/acme/boards/NINJA")
		b.click("#board .card a")
		b.wait(`document.querySelector("#panel #said") && !document.querySelector("#panel[aria-busy]")`)
		b.accessible("a ticket beside its board")
		b.open("/acme/boards/NINJA")
		b.types("j.")
		b.wait(`document.querySelector("#card-menu:popover-open")`)
		b.accessible("the menu of a card", "#board") // it lies over them
		b.types(kb.Escape + "xjx")
		b.wait(`document.querySelectorAll(".card[data-selected]").length === 2`)
		b.accessible("selected cards")
		b.types("d")
		b.wait(`document.querySelector("dialog[open] #batch-due")`)
		b.accessible("the dialog of selected cards")
		b.fits("a ticket beside its board")
		b.open("/acme")
		b.click(".menu summary")
		b.wait(`document.querySelector(".menu[open]")`)
		b.accessible("the menu of one's own", "main", ".top nav") // it lies over them
		b.open("/acme/NINJA-1")
		b.types("m")
		b.wait(`document.querySelector("dialog[open] #move")`)
		b.accessible("the sheet that moves a ticket")
	})
	t.Run("errors", func(t *testing.T) {
		t.Parallel()
		b := a.tab(t)
		b.expected = regexp.MustCompile(`ERR_CONNECTION_REFUSED|status of 4(04|22)`)
		b.open("/acme/NINJA-99")
		b.accessible("a page that is not there")
		b.fits("a page that is not there")
		b.open("/acme/NINJA-1/edit")
		eval[bool](b,
			`(document.querySelector("#edit-title").required = false, document.querySelector("#edit-title").value = "", true)`)
		b.click("#ticket form .primary")
		b.wait(`document.querySelector("#edit-title-error")`)
		b.accessible("a form that was not taken")
		b.open("/acme/jump?q=nothinglikeit")
		b.accessible("a jump that finds nothing")
	})
	t.Run("before one is in", func(t *testing.T) {
		t.Parallel()
		b := start(t).stranger(t)
		b.open("/setup")
		b.accessible("/setup")
		b = a.stranger(t)
		for _, path := range strangers {
			b.open(path)
			b.accessible(path)
		}
		b.expected = missingPicture
		for _, path := range []string{public, public + "/1", public + "/columns/4"} {
			b.open(path)
			b.accessible(path)
			b.fits(path)
		}
		b.expected = regexp.MustCompile(`status of 404`)
		b.open("/p/unknown")
		b.accessible("/p/unknown")
	})
}

// Error pages are pages, too.
func TestAccessibleFaults(t *testing.T) {
	t.Run("a forbidden page, and a server error", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the fins")
		b := a.member(t, "Ben", "ben@example.com")
		b.expected = regexp.MustCompile(`status of (403|500)`)
		b.open("/acme/audit")
		b.sees("main h1", "Not allowed")
		b.accessible("a page that is not for members")
		a.onDatabase(t, "RENAME TABLE comment TO gone")
		b.open("/acme/NINJA-1")
		b.sees("main h1", "Server error")
		b.accessible("a fault of ours")
		a.onDatabase(t, "RENAME TABLE gone TO comment")
		b.open("/acme/NINJA-1")
		b.sees("#ticket h1", "Paint the fins")
	})
	t.Run("a database that does not answer", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the fins")
		b := a.tab(t)
		b.open("/acme")
		b.expected = regexp.MustCompile(`status of 503`)
		unlock := a.onDatabase(t, "LOCK TABLES ticket WRITE")
		b.open("/acme/NINJA-1")
		b.sees("main h1", "Unavailable right now")
		b.accessible("a database that does not answer")
		unlock()
		b.open("/acme/NINJA-1")
		b.sees("#ticket h1", "Paint the fins")
	})
}

// onDatabase runs a statement on the server's database; its locks are released by unlock.
func (a *env) onDatabase(t *testing.T, statement string) (unlock func()) {
	t.Helper()
	var url string
	for _, line := range a.env {
		if value, ok := strings.CutPrefix(line, "DATABASE_URL="); ok {
			url = value // the last one counts
		}
	}
	d, err := db.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	conn, err := d.SQL.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	for _, s := range []string{"SET SESSION wait_timeout = 28800", statement} { // it stays locked while nothing is reported
		if _, err := conn.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		if _, err := conn.ExecContext(t.Context(), "UNLOCK TABLES"); err != nil {
			t.Error(err)
		}
	}
}

// pagesOf are the pages of accessible for a signed-in user.
func pagesOf(t *testing.T) (paths []string) {
	t.Helper()
	for _, route := range web.Routes() {
		if route.Method != http.MethodGet || strings.HasPrefix(route.Path, "/api/") {
			continue
		}
		path, ok := accessible[route.Path]
		if !ok {
			t.Errorf("GET %s has no line in accessible (e2e/axe_test.go): is it a page?", route.Path)
		}
		if ok && path != noPage && path != secret && path != "/setup" && path != "/login" {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// link sends a form and returns what follows prefix in the page that answers it.
func (a *env) link(prefix, path string, pairs ...string) string {
	a.t.Helper()
	client := http.Client{Jar: a.jar}
	answer, err := client.PostForm(a.url+path, form(pairs))
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	found := regexp.MustCompile(regexp.QuoteMeta(prefix)+`([\w-]*\d[\w-]*)`).FindAllSubmatch(body, -1)
	if found == nil {
		a.t.Fatalf("POST %s: %s, without %s", path, answer.Status, prefix)
	}
	return string(found[len(found)-1][1])
}

// visit opens a page as accessible names it, and returns its path.
func (b *tab) visit(name string) string {
	b.t.Helper()
	path, selector, linked := strings.Cut(name, " ")
	b.open(path)
	if linked {
		path = eval[string](b, `document.querySelector(%s).getAttribute("href")`, selector)
		b.open(path)
	}
	b.at(strings.Split(path, "?")[0])
	return path
}

// missingPicture is the browser's message about the picture in NINJA-1.
var missingPicture = regexp.MustCompile(`ERR_CONNECTION_REFUSED`)

// full is a server with some of everything on its pages.
func full(t *testing.T) *env {
	t.Helper()
	word := strings.Repeat("Donaudampfschifffahrt", 24)
	a := withBoard(t, "Paint the fins", "אתר השיגור צריך גדר חדשה לפני החורף", word[:255])
	a.post("/acme/boards/NINJA/tickets", "title", "Not needed after all")
	a.post("/acme/NINJA-4/deletion")
	a.post("/acme/boards", "slug", "EMPTY", "title", "Nothing yet")
	a.post("/acme/groups", "name", word[:100])
	a.post("/acme/groups/1/members", "handle", "ana")
	a.post("/acme/boards", "slug", "HIDDEN", "title", word[:255])
	a.post("/acme/boards", "slug", "ABCDEFGHIJ", "title", word[:255])
	a.post("/acme/boards/ABCDEFGHIJ/tickets", "title", "x")
	a.post("/acme/NINJA-1", "title", "Paint the fins, see NINJA-2 "+word[:227], "version", "1", "description",
		"# A heading\n\nText with **weight**, `code`, a [link](https://example.com) and NINJA-3.\n\n- one\n- [x] two\n- [ ] three, with `code`\n\n> A "+
			"quote\n\n"+
			word[:500]+"\n\n```\n"+word[:500]+"\n```\n\n|a|b|\n|-|-|\n|"+word[:500]+"|"+word[:500]+
			"|\n\n![x](https://127.0.0.1:65000/none.png)")
	join := a.link("/join/", "/acme/people/invitations", "role", "member", "days", "7")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	ben := &env{t: t, url: a.url, jar: jar}
	ben.post("/join/"+join, "name", "Ben", "email", "ben@example.com", "password", password)
	ben.post("/login", "email", "ben@example.com", "password", password)
	a.post("/acme/settings/service-accounts", "name", word[:200])
	ben.post("/acme/NINJA-1/comments", "body", "@ana, **look** at NINJA-2.\n\n"+word)
	ben.post("/acme/NINJA-2/assignees", "quick", "1", "add", "1")
	a.post("/acme/NINJA-1/comments", "body", "I do.")
	a.post("/acme/NINJA-1/comments/1/reactions", "reaction", "heart on")
	a.post("/acme/NINJA-1/dates", "due", "2040-01-31", "seen_due", "", "start", "", "seen_start", "")
	a.post("/acme/NINJA-1/recurrence", "every", "3", "unit", "month")
	a.post("/acme/NINJA-1/relations", "kind", "child", "other", "NINJA-2")
	a.post("/acme/NINJA-1/relations", "kind", "blocks", "other", "NINJA-3")
	a.attach("NINJA-1", word[:180]+".txt", "a plan")
	a.attach("NINJA-1", "shot.png", pictureFile(t))
	for n, c := range color.All() {
		a.post("/acme/labels", "name", fmt.Sprint(n, word[:38]), "color", c.String())
		a.post("/acme/NINJA-"+fmt.Sprint(1+n%2)+"/labels", "named", fmt.Sprint(n, word[:38]))
	}
	a.post("/acme/boards/NINJA/templates", "name", word[:60], "title", word[:200], "description", word, "labels", "bug", "assignees", "@ana")
	a.post("/acme/boards/NINJA/templates", "name", "Bug report", "title", "Crash: ", "description", "What did you do?")
	for n := range 4 {
		a.post("/acme/boards/NINJA/views", "name", fmt.Sprint(n, word[:59]), "layout", "list", "q", "is:open "+word[:300], "shared", "1", "pinned", "1")
	}
	a.post("/acme/boards/NINJA/batch", "all", "1", "do", "priority", "priority", "low", "q", "-\""+word[:300]+"\"")
	a.post("/acme/labels", "name", "deleted")
	a.post("/acme/labels/13/deletion")
	a.post("/admin/migrations/rebalance-ranks/runs", "p-company", "acme", "p-board", "NINJA")
	a.post("/acme/boards/NINJA/form", "on", "1", "intro", word[:300], "version", "0")
	a.link("/settings/webhooks/", "/acme/settings/webhooks", "url", "https://hooks.invalid/"+word[:300], "feeds",
		"tickets", "note", word[:255])
	a.link("/settings/webhooks/", "/acme/settings/webhooks", "url", "https://chat.invalid/", "feeds", "tickets")
	a.post("/acme/settings/webhooks/1/tests")
	a.onDatabase(t, `INSERT INTO issuer (id, company_id, url, client_id, name, groups_claim, created_at)
		VALUES (1, 1, 'https://id.invalid/realms/acme', 'counterfoil', 'Acme ID', 'groups', NOW(6))`)
	a.onDatabase(t, "INSERT INTO issuer_company (company_id, issuer_id, join_by_domain) VALUES (1, 1, TRUE)")
	a.onDatabase(t, "INSERT INTO issuer_rule (company_id, issuer_id, claim, role) VALUES (1, 1, 'staff', 'viewer')")
	a.post("/acme/settings/sign-in/domains", "domain", "acme.example")
	a.post("/acme/boards", "slug", "SECRET", "title", "A private board")
	a.post("/acme/boards/SECRET/privacy", "private", "yes")
	a.post("/acme/boards/SECRET/webhooks", "webhook", "1")
	a.register(word[:80])
	a.lots()
	a.read("/acme")
	return a
}

// lots adds lots of reference codes of all kinds, and pops in the last hour.
func (a *env) lots() {
	a.t.Helper()
	for _, statement := range []string{
		`UPDATE board SET privacy = 1 WHERE slug = 'HIDDEN'`,
		`INSERT INTO ref_lot (run_id, source, length, codes, drawn, blocked, collided, expected, quarantined, quarantined_at, created_at) VALUES
			(1001, 'mint', 5, 60000000, 63200000, 84012, 3115988, 3116402.5, 0, NULL, UTC_TIMESTAMP()), (1002, 'file', 6, 12, 12, 0, 0, 0, 0, NULL, UTC_TIMESTAMP()),
			(1003, 'mint', 6, 2000000, 2003000, 2800, 200, 180, 1250000, UTC_TIMESTAMP(), UTC_TIMESTAMP()), (1004, 'mint', 5, 1000000, 1900000, 1200, 898800, 53000, 0, NULL, UTC_TIMESTAMP())`,
		`UPDATE ref_counter SET minted = 61000000, issued = 4250113 WHERE length = 5 AND slot = 0`,
		`INSERT INTO ref_sample (at, source, popped, empties, p50_us, p99_us)
			SELECT DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL n MINUTE, '%Y-%m-%d %H:%i:00'), 1, 40000 + 9000 * SIN(n / 5), n = 30, 1100 + 20 * n, 7000 + 3000 * COS(n)
			FROM (SELECT 10 * t.d + u.d AS n FROM (SELECT 0 AS d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5) t,
				(SELECT 0 AS d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9) u) minutes WHERE n <> 12`,
	} {
		a.onDatabase(a.t, statement)
	}
}

// register adds a consumer of tickets.
func (a *env) register(name string) {
	a.t.Helper()
	making := exec.Command(binary, "token", "--company", "acme", "--email", email)
	making.Env = a.env
	out, err := making.Output()
	if err != nil {
		a.t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, a.url+"/api/v1/feeds/tickets/consumers",
		strings.NewReader(fmt.Sprintf(`{"name": %q}`, name)))
	if err != nil {
		a.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+a.tokenIn(out))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		a.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		a.t.Fatalf("register %s: %s", name, answer.Status)
	}
}

// accessible fails for each rule that the page breaks outside of the named elements.
func (b *tab) accessible(what string, without ...string) {
	b.t.Helper()
	eval[bool](b, `(async () => { const s = %s; (0, eval)(s); return true })() && true`, axe)
	const every, looks = `{ type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }`,
		`{ type: "rule", values: ["color-contrast", "link-in-text-block"] }` // sizes are the same in both schemes
	for _, as := range []struct {
		scheme string
		width  int64
		rules  string
	}{{"light", 1280, every}, {"dark", 1280, looks}, {"dark", 390, every}, {"light", 390, looks}} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: as.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		b.size(as.width, 844, as.width < 700)
		b.frame()
		violations, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`axe.run({ include: document, exclude: `+
			fill("%s", []any{append([]string{}, without...)})+` }, { runOnly: `+as.rules+
			`, resultTypes: ["violations"], selectors: false, preload: false }).then(found => found.violations
			.map(v => v.id + ": " + v.help + v.nodes.map(n => "\n\t\t" + n.html.slice(0, 200) + "\n\t\t\t" + [...n.any, ...n.all, ...n.none].map(c => [c.message, ...c.relatedNodes.map(r => r.html.slice(0, 120))].join(" ")).join("; ")).join("")).join("\n\t"))`, chromedp.EvalAwaitPromise))
		b.must(err)
		if violations != "" {
			b.t.Errorf("%s, %s, %d wide:\n\t%s", what, as.scheme, as.width, violations)
		}
	}
	b.size(1280, 900, false)
}
