package web_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/web"
)

// openLink makes a public link of a board, as Ana, and returns its path.
func (e *env) openLink(t testing.TB, board string) string {
	t.Helper()
	made := e.ana().post("/acme/boards/"+board+"/link").is(t, http.StatusCreated)
	path, ok := strings.CutPrefix(made.value(t, "#board-link-address"), "http://example.com")
	if !ok || !regexp.MustCompile(`^/p/[\w-]{43}$`).MatchString(path) {
		t.Fatalf("the address is %q", path)
	}
	return path
}

// newEnvWithPublicBoard has a board ROAD with a public link, whose tickets have texts that strangers do not see, and a
// request; it returns the path of the link.
func newEnvWithPublicBoard(t testing.TB, config ...func(*web.Config)) (*env, string) {
	t.Helper()
	e := newEnv(t, config...)
	e.account("mia", "acme", accounts.Member)
	e.newBoard("ROAD")
	p := e.program()
	p.post("/boards/ROAD/tickets", object{"title": "Paint the fins, ask ana@example.com",
		"description": "# Plan\n\n**Red**, says @mia, see ROAD-2 and [that](/acme/ROAD-2). Mail <mia@example.com>.\n\n" +
			"![A fin](/acme/images/" + noImage +
			")\n\n![Far](https://pictures.example/x.png)\n\n<script>alert(1)</script>"}).is(t, 201)
	p.post("/boards/ROAD/tickets", object{"title": "Order sorbitol"}).is(t, 201)
	p.post("/boards/ROAD/tickets", object{"title": "Deleted word"}).is(t, 201)
	p.call(http.MethodDelete, "/tickets/ROAD-3", nil).is(t, 204)
	p.put("/tickets/ROAD-1/assignees", object{"assignees": []string{"mia"}}).is(t, 200)
	p.post("/tickets/ROAD-1/comments", object{"body": "comment word"}).is(t, 201)
	e.requested(t, "ROAD") // ROAD-4, with a description "Please <b>help</b>"
	p.post("/tickets/ROAD-4/comments", object{"body": "public word", "public": true}).is(t, 201)
	return e, e.openLink(t, "ROAD")
}

func TestPublicBoard(t *testing.T) {
	t.Parallel()
	t.Run("a stranger sees columns, titles and descriptions, and nothing of members", func(t *testing.T) {
		t.Parallel()
		e, link := newEnvWithPublicBoard(t)
		stranger := e.visitor()
		board := stranger.get(link).is(t, 200)
		board.textIs(t, "h1", "The ROAD board")
		board.has(t, 3, ".column").has(t, 2, ".card").has(t, 0, ".more").has(t, 0, "form[action]").has(t, 0, "[data-live]")
		ticket := stranger.get(board.page().Find(".card a").First().AttrOr("href", "")).is(t, 200)
		ticket.textIs(t, "header h1", "Paint the fins, ask [address hidden]")
		ticket.textHas(t, ".facts", "To do")
		ticket.textHas(t, ".prose", "Red, says @mia, see ROAD-2 and that. Mail [address hidden].")
		ticket.has(t, 1, ".prose strong").has(t, 0, ".prose img").has(t, 0, ".prose script")
		ticket.has(t, 1, ".prose a").has(t, 1, ".prose a[href='https://pictures.example/x.png']")
		ticket.has(t, 1, ".crumbs a[href='"+link+"']").has(t, 0, "form[action]").has(t, 0, "[data-live]")
		for _, a := range []*answer{board, ticket, stranger.get(link+"/2").is(t, 200)} {
			for _, word := range []string{"example.com", "Deleted word", "comment word", "public word", "A request", "help",
				"/acme", "Ana", ">mia"} {
				if strings.Contains(a.body, word) {
					t.Errorf("%q is in %s", word, a.body)
				}
			}
		}
	})
	t.Run("no page sets or reads a session, and each has its headers", func(t *testing.T) {
		t.Parallel()
		e, link := newEnvWithPublicBoard(t)
		column := fmt.Sprint(link, "/columns/", e.count("SELECT MAX(id) FROM board_column WHERE name = 'To do'"))
		ana := e.ana()
		e.exec("RENAME TABLE sessions TO unread")
		for _, path := range []string{link, link + "/1", column, column + "?below=x"} {
			a := ana.get(path).is(t, 200)
			for name, want := range map[string]string{"Cache-Control": "private, max-age=30", "Referrer-Policy": "no-referrer",
				"X-Robots-Tag": "noindex, nofollow", "Set-Cookie": ""} {
				if got := a.header.Get(name); got != want {
					t.Errorf("%s: %s is %q, not %q", path, name, got, want)
				}
			}
			if got := a.header.Get("Content-Security-Policy"); strings.Contains(got, "https:") {
				t.Errorf("%s: %s", path, got)
			}
			if a.body != e.visitor().get(path).body {
				t.Errorf("%s is another page for a member", path)
			}
			a.has(t, 0, ".menu").has(t, 0, "[data-account]").has(t, 1, "meta[name=robots]")
		}
		ana.get(link+"/99").is(t, 404).has(t, 0, ".menu")
		ana.get(link[:len(link)-1]).is(t, 404).has(t, 0, ".menu").has(t, 0, "main a")
	})
	t.Run("what is hidden is missing", func(t *testing.T) {
		t.Parallel()
		e, link := newEnvWithPublicBoard(t)
		e.newBoard("AWAY")
		e.program().post("/boards/ROAD/tickets", object{"title": "Moved"}).is(t, 201)
		e.program().post("/tickets/ROAD-5/position", object{"board": "AWAY",
			"column": e.count("SELECT MIN(c.id) FROM board_column c JOIN board b ON b.id = c.board_id WHERE b.slug = 'AWAY'"),
			"after":  nil}).is(t, 200)
		missing := e.visitor().get(link+"/99").is(t, 404)
		for _, number := range []string{"3", "4", "5", "0", "-1", "01", "1x", "18446744073709551616", "ROAD-1"} {
			if got := e.visitor().get(link+"/"+number).is(t, 404); got.body != missing.body {
				t.Errorf("%s: %s", number, got.body)
			}
		}
		none := e.visitor().get(link+"/columns/999999").is(t, 404)
		for _, column := range []string{"0", "x", fmt.Sprint(e.count("SELECT MAX(id) FROM board_column"))} {
			if got := e.visitor().get(link+"/columns/"+column).is(t, 404); got.body != none.body {
				t.Errorf("%s: %s", column, got.body)
			}
		}
	})
	t.Run("pages of a column end and go on", func(t *testing.T) {
		t.Parallel()
		e, link := newEnvWithPublicBoard(t)
		for n := range 120 {
			e.program().post("/boards/ROAD/tickets", object{"title": fmt.Sprint("More ", n)}).is(t, 201)
		}
		seen := map[string]bool{}
		for path := link; path != ""; {
			page := e.visitor().get(path).is(t, 200)
			for _, title := range page.page().Find(".card .title").EachIter() {
				if text := strings.TrimSpace(title.Text()); seen[text] {
					t.Errorf("%s comes twice", text)
				} else {
					seen[text] = true
				}
			}
			if n := page.page().Find(".card").Length(); n > 51 {
				t.Errorf("%d cards on %s", n, path)
			}
			path = page.page().Find(".more a").AttrOr("href", "")
		}
		if len(seen) != 122 {
			t.Errorf("%d titles", len(seen))
		}
		e.exec("UPDATE ticket SET from_requester = TRUE WHERE title LIKE 'More %'")
		next := e.visitor().get(link).page().Find(".more").AttrOr("hx-get", "")
		plain := domaintest.OK(base64.RawURLEncoding.DecodeString(next[strings.Index(next, "=")+1:]))(t)
		if !strings.HasSuffix(string(plain), ":0:0") {
			t.Errorf("a link tells of a request: %s", plain)
		}
		e.visitor().get(next).is(t, 200).has(t, 0, ".card")
		e.exec("UPDATE ticket SET from_requester = FALSE WHERE title LIKE 'More %'")
		more := e.visitor().get(link).page().Find(".more").AttrOr("hx-get", "")
		e.visitor().with("HX-Request", "true").get(more).is(t, 200).has(t, 50, ".card").has(t, 0, "h1")
	})
	t.Run("a private board may have a link, and a board that becomes private loses its own", func(t *testing.T) {
		t.Parallel()
		e, link := newEnvWithPublicBoard(t)
		e.ana().post("/acme/boards/ROAD/privacy", "private", "yes").is(t, 303)
		e.visitor().get(link).is(t, 404)
		again := e.openLink(t, "ROAD")
		e.visitor().get(again).is(t, 200)
		e.visitor().get(again+"/1").is(t, 200)
		e.ana().get("/acme/boards/ROAD/members").textHas(t, "main", "and anyone with the public link")
	})
	t.Run("an archived board has no public link", func(t *testing.T) {
		t.Parallel()
		e, link := newEnvWithPublicBoard(t)
		missing := e.visitor().get("/p/unknown").is(t, 404)
		p := e.program()
		p.put("/boards/ROAD/archive", nil).is(t, 200)
		for _, path := range []string{link, link + "/1"} {
			if got := e.visitor().get(path).is(t, 404); got.body != missing.body {
				t.Error(got.body)
			}
		}
		e.ana().post("/acme/boards/ROAD/link").is(t, 409)
		e.ana().post("/acme/boards/ROAD/link/revocation").is(t, 303)
		p.call(http.MethodDelete, "/boards/ROAD/archive", nil).is(t, 200)
		e.visitor().get(link).is(t, 404)
	})
	t.Run("it is off by default, shown once, replaced and revoked at once, and audited", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.counts(t, 0, "SELECT COUNT(*) FROM board_link")
		ana, members := e.ana(), "/acme/boards/DEMO/members"
		ana.get(members).textHas(t, "#board-link", "It is off: only members read this board.")
		nonce := ana.get(members).value(t, "#board-link [name=nonce]")
		made := ana.post("/acme/boards/DEMO/link", "nonce", nonce).is(t, http.StatusCreated)
		first := strings.TrimPrefix(made.value(t, "#board-link-address"), "http://example.com")
		again := ana.post("/acme/boards/DEMO/link", "nonce", nonce).is(t, http.StatusCreated) // a reload
		if again.value(t, "#board-link-address") != made.value(t, "#board-link-address") {
			t.Error("a form that is sent twice makes two links")
		}
		e.visitor().get(first).is(t, 200)
		ana.get("/acme/boards/DEMO").textHas(t, ".board-head", "Public link")
		ana.get("/acme/boards/DEMO/settings").textHas(t, "main", "Its public link is on.")
		ana.get(members).has(t, 0, "#board-link-address").textHas(t, "#board-link", "Anyone with the link")
		if secret := strings.TrimPrefix(first, "/p/"); strings.Contains(ana.get(members).body, secret) {
			t.Error("the secret is shown again")
		}

		second := e.openLink(t, "DEMO")
		e.visitor().get(first).is(t, 404)
		e.visitor().get(second).is(t, 200)
		ana.post("/acme/boards/DEMO/link", "nonce", nonce).is(t, http.StatusCreated).has(t, 0, "#board-link-address")
		e.visitor().get(second).is(t, 200)

		ana.post("/acme/boards/DEMO/link/revocation").goesTo(t, members)
		ana.get("/acme/boards/DEMO").has(t, 0, ".board-head .chip")
		for _, path := range []string{second, second + "/1", second + "/columns/1"} {
			e.visitor().get(path).is(t, 404)
		}
		ana.post("/acme/boards/DEMO/link/revocation").goesTo(t, members)
		list := ana.get("/acme/audit").is(t, 200).text(t, "main")
		for _, did := range []string{"turned on", "replaced", "turned off"} {
			said := did + " the public link of the board DEMO"
			if strings.Count(list, said) != 1 {
				t.Errorf("%q is %d times in %s", said, strings.Count(list, said), list)
			}
		}
	})
	t.Run("each statement looks at the link by itself, and at the board of that alone", func(t *testing.T) {
		t.Parallel()
		e, link := newEnvWithPublicBoard(t)
		e.newBoard("AWAY")
		e.program().post("/boards/AWAY/tickets", object{"title": "Away"}).is(t, 201)
		e.program().post("/boards/AWAY/tickets", object{"title": "Away"}).is(t, 201)
		e.ana().post("/acme/boards/AWAY/link").is(t, http.StatusCreated)
		column := func(board string) db.CardRange {
			return db.CardRange{ColumnID: id.Column(e.count(
				"SELECT MIN(c.id) FROM board_column c JOIN board b ON b.id = c.board_id WHERE b.slug = ?", board))}
		}
		by, columns := boards.PublicSight(strings.TrimPrefix(link, "/p/")), []db.CardRange{column("ROAD"), column("AWAY")}
		reads := func() string {
			cards := domaintest.OK(e.db.PublicCards(t.Context(), by, columns, 10))(t)
			board := domaintest.OK(e.db.PublicBoard(t.Context(), by))(t)
			var titles []string
			for _, card := range cards {
				titles = append(titles, card.Title)
			}
			ticket, err := e.db.PublicTicket(t.Context(), by, 2)
			if err != nil && !db.IsNotFound(err) {
				t.Error(err)
			}
			return fmt.Sprintf("%q %d %s", titles, len(board), ticket.Title)
		}
		if got, want := reads(), `["Paint the fins, ask ana@example.com" "Order sorbitol" ""] 3 Order sorbitol`; got != want {
			t.Errorf("%s, not %s", got, want)
		}
		for _, end := range []string{"UPDATE board SET archived_at = NOW(6) WHERE slug = 'ROAD'",
			"UPDATE board_link SET hash = REPEAT('x', 32) WHERE board_id = (SELECT id FROM board WHERE slug = 'ROAD')",
			"DELETE FROM board_link WHERE board_id = (SELECT id FROM board WHERE slug = 'ROAD')"} {
			e.exec(end)
			if got := reads(); got != "[] 0 " {
				t.Errorf("after %s: %s", end, got)
			}
			e.exec("UPDATE board SET archived_at = NULL")
		}
	})
	t.Run("only admins of the board turn it on or off", func(t *testing.T) {
		t.Parallel()
		e, link := newEnvWithPublicBoard(t)
		mia := e.signedIn("mia")
		page := mia.get("/acme/boards/ROAD/members").is(t, 200)
		page.textHas(t, "#board-link", "Anyone with the link")
		page.has(t, 0, "#board-link form")
		mia.post("/acme/boards/ROAD/link").is(t, 403)
		mia.post("/acme/boards/ROAD/link/revocation").is(t, 403)
		e.visitor().get(link).is(t, 200)
	})
}

func TestPublicBoardLinks(t *testing.T) {
	t.Parallel()
	t.Run("unknown, revoked and malformed links give the same bytes", func(t *testing.T) {
		t.Parallel()
		e, link := newEnvWithPublicBoard(t)
		e.ana().post("/acme/boards/ROAD/link/revocation").is(t, 303)
		e.exec("DELETE FROM public_limit")
		unknown := e.visitor().get("/p/"+strings.Repeat("a", 43)).is(t, 404)
		secret := strings.TrimPrefix(link, "/p/")
		for _, path := range []string{secret, secret + "/1", secret + "/0", secret + "/x", secret + "/columns/1",
			secret + "/1/2/3", "x", "%00", "%ff", "..%2f..%2fetc", "%3Cscript%3E", "'%20OR%201=1--", strings.Repeat("a", 8000)} {
			e.exec("DELETE FROM public_limit")
			got := e.visitor().get("/p/"+path).is(t, 404)
			if got.body != unknown.body || fmt.Sprint(got.header) != fmt.Sprint(unknown.header) {
				t.Errorf("%.50s: %v\n%s\nnot %v\n%s", path, got.header, got.body, unknown.header, unknown.body)
			}
		}
		unknown.textHas(t, "main", "There is no board at this address")
	})
	t.Run("wrong links wait; a right one never does", func(t *testing.T) {
		t.Parallel()
		e, link := newEnvWithPublicBoard(t)
		e.stopClock()
		for n := range 20 {
			e.visitor().get(fmt.Sprint("/p/wrong", n)).is(t, 404)
		}
		refused := e.visitor().get("/p/wrong").is(t, http.StatusTooManyRequests)
		if refused.header.Get("Retry-After") == "" {
			t.Error(refused.header)
		}
		e.visitor().get(link+"x").is(t, http.StatusTooManyRequests)
		e.visitor().get(link).is(t, 200)
		e.visitor().get(link+"/99").is(t, 404) // no guess of the link
		r := newRequest(http.MethodGet, "/p/wrong", "", nil)
		r.RemoteAddr = "198.51.100.7:1234"
		e.send(r).is(t, 404)
		e.visitor().get("/t/zzzzz").is(t, 404) // codes have a budget of their own
	})
	t.Run("no secret is in the log or the metrics", func(t *testing.T) {
		t.Parallel()
		var log bytes.Buffer
		e, link := newEnvWithPublicBoard(t, func(cfg *web.Config) {
			cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		e.stopClock()
		stranger := e.visitor()
		stranger.get(link).is(t, 200)
		stranger.get(link+"/99").is(t, 404)
		stranger.get(link+"/columns/0").is(t, 404)
		stranger.post(link).is(t, http.StatusMethodNotAllowed)
		e.exec("RENAME TABLE ticket TO gone")
		stranger.get(link).is(t, http.StatusInternalServerError)
		e.exec("RENAME TABLE gone TO ticket")
		e.ana().post("/acme/boards/ROAD/link/revocation").is(t, 303)
		for range 22 {
			stranger.get(link)
		}
		stranger.get(link).is(t, http.StatusTooManyRequests)
		said := log.String()
		for _, told := range []string{"path=/p/… ", "status=404", "status=429", "level=ERROR"} {
			if !strings.Contains(said, told) {
				t.Errorf("%q is not in the log", told)
			}
		}
		if secret := strings.TrimPrefix(link, "/p/"); strings.Contains(said+e.visitor().get("/metrics").body, secret) {
			t.Error(said)
		}
	})
	t.Run("HEAD", func(t *testing.T) {
		t.Parallel()
		e, link := newEnvWithPublicBoard(t)
		e.send(httptest.NewRequest(http.MethodHead, link, nil)).is(t, 200)
	})
}
